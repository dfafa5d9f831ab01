/* How the value sampler's levels, registers and values are written in views, for tests. */
#ifndef CYCLOPS_TESTS_UNIT_CELLS_VSAMPLE_WORDS_H
#define CYCLOPS_TESTS_UNIT_CELLS_VSAMPLE_WORDS_H

#include "tests/unit/cells/view_cells.h"
#include "core/prof/values/vsample.h"

enum { SERIALS = 1 << 14, SHOWN = 8, WIDTH = 16 };

struct told {
	/* by serial number */
	struct {
		uint64_t pc, result, addr;
		struct inst inst;
		bool lost;
	} tuple[SERIALS];
	uint64_t serial, interrupts, ended[VSAMPLE_STOP_COUNT];
	/* ready[]: for each tuple that entered the queue, when the daemon has processed it */
	uint64_t written, ready[SERIALS];
};

struct look {
	const struct session *s;
	const struct vsample_state *v;
	const struct vsample *all;
	const struct config *cfg;
	const struct stats *st;
	struct told *t;
	struct cells c;
	bool runs, bounce, upcall;
	uint64_t now;
};

const char *level_of(uint64_t at, uint64_t of);
/* "a5 7, a4 1 → a5 8", "at nodes+0x8, L2, 12 cycles" */
const char *values_of(const struct look *l, const struct vsample_tuple *t);

#endif
