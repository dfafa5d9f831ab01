/* Values that were interpreted, ProfileMe's records and the code around them: the expected contents
 * of reports on sampled values. */
#ifndef CYCLOPS_TESTS_UNIT_CELLS_SAMPLED_VALUES_H
#define CYCLOPS_TESTS_UNIT_CELLS_SAMPLED_VALUES_H

#include "core/run/value_daemon.h"
#include "tests/unit/cells/view_cells.h"

enum {
	SAMPLES = 1 << 16,
	LISTS = 256,
	DISTINCT = 2048,
	RESULTS = 0,
	OPERANDS,
	JUMPS,
	ADDRESSES,
	KINDS,
	CODE = 512,
	LEAST = 5,
	INVARIANT = 50
};

struct heard_values {
	struct {
		uint64_t pc, value;
		unsigned kind;
	} sample[SAMPLES];
	unsigned samples;
	/* over: the value that the last commit overwrote */
	uint64_t reg[REG_SINK + 1], over;
};

struct counted {
	uint64_t value, times;
};

struct list {
	uint64_t pc, seen;
	unsigned kind, distinct;
	struct counted top[16];
};

struct sampled {
	const struct session *s;
	struct list list[LISTS];
	unsigned lists;
	uint64_t delay, records;
};

bool is_op(const struct inst *in, const char *part);
bool is_return(const struct inst *in);
void sampled_hear(void *ctx, const struct machine *m, const struct event *ev);
void sampled_count(const struct heard_values *h, struct sampled *d);
uint64_t inst_at(const struct session *s, uint64_t pc, struct inst *in);
const struct symbol *function_of(const struct session *s, uint64_t pc);
bool is_call(const struct inst *in);
/* The instructions reached from pc before `reg` is written, each once. */
unsigned reached(const struct session *s, uint64_t pc, bool calls, int reg, uint64_t out[CODE]);
/* True if an input of the instruction follows from the code alone. */
bool is_known(const struct session *s, uint64_t pc, unsigned reg, unsigned depth);
bool is_fixed(const struct session *s, uint64_t pc, unsigned kind);
double share_at(const struct sampled *d, uint64_t pc);
/* Sum of the shares of all instructions that read the result of the instruction at pc. */
double readers_at(const struct sampled *d, uint64_t pc);
const char *line_of(const struct session *s, uint64_t pc);
const char *sampled_text(const struct session *s, unsigned kind, uint64_t v);

#endif
