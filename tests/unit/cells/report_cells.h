/* History by events, and common parts of readers of reports. */
#ifndef CYCLOPS_TESTS_UNIT_CELLS_REPORT_CELLS_H
#define CYCLOPS_TESTS_UNIT_CELLS_REPORT_CELLS_H

#include "tests/unit/cells/view_cells.h"
#include "core/machine/machine.h"
#include "core/prof/sampler/sampler.h"

enum { PLACES = 1 << 15, TEXT_AT = 0x10000, SEQS = 1 << 18, PAIRS = 1 << 14, NODES = 256 };

struct place {
	uint64_t pc, len, times, dispatched, wrong, squashed, accessed, accessed_wrong;
	uint64_t loads, level[LEVEL_COUNT], delayed, cycles, most;
	bool ends; /* a block */
};

/* Number of times that an instruction had a result: a value, an address, a place. */
struct pair {
	uint64_t pc, to, times;
	unsigned kind; /* of edges */
};

struct pairs {
	struct pair at[PAIRS];
	unsigned n;
};

struct node {
	uint64_t callee, site, calls, own;
	unsigned parent, depth;
};

struct active {
	uint64_t back;
	unsigned node;
};

struct happened {
	struct place at[PLACES]; /* by (pc - TEXT_AT) / 2 */
	uint64_t insts, seqs;
	struct pairs values, addresses, edges;
	uint8_t is_wrong[SEQS];
	struct node node[NODES];
	struct active frame[64];
	unsigned nodes, frames, here;
};

enum edge { TAKEN, NOT_TAKEN, JUMP, INDIRECT, CALL, RETURN };

void report_hear(void *ctx, const struct machine *m, const struct event *ev);
void says_share(struct cells *c, const char *column, uint64_t part, uint64_t of);
void says_place(struct cells *c, const struct session *s, const char *address, const char *place,
                uint64_t pc);
void says_report_code(struct cells *c, const struct session *s, uint64_t pc);
void read_sampler(const struct session *s);
void read_profileme(const struct session *s);
void read_profileme_functions(const struct session *s);

#endif
