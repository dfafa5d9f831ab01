/* Counts of each instruction in a region of the run: a profile without samples.
 *
 * It is gathered on request by executing the region again with a listener, and kept until the next
 * request: extending the same region costs only the new part. It is exact: each commit slot of each
 * cycle belongs to one instruction, the one that commits in it or, if the slot is unused, the next
 * to commit. So executions are the instructions committed, and executions and lost slots together
 * are cycles * pipe.commit_width. Slots after the last commit belong to the instruction that is
 * next to commit. With pipe.completion=out-of-order slots are those of issue.
 *
 * Misses, forwards and predictions are those of the program's committed instructions, as
 * lsq.forwards and bpred.mispredicts count them: without wrong paths, firmware and the value
 * sampler's handler. */
#ifndef CYCLOPS_HWVIEWS_WHY_HOT_H
#define CYCLOPS_HWVIEWS_WHY_HOT_H

#include "hwviews/program/code_place.h"
#include "hwviews/session/marks.h"
#include "hwviews/why/callers.h"

enum { HOT_OUTCOMES = 16 };

/* The source of a prediction; directions first. */
enum hot_source {
	HOT_BY_DIRECTION, HOT_BY_BIMODAL, HOT_BY_TWO_LEVEL, HOT_BY_RAS, HOT_BY_BTB, HOT_BY_DECODE,
	HOT_SOURCES
};

struct hot_inst {
	uint64_t pc;
	bool interpreted;    /* by the value sampler's handler: separate rows */
	uint64_t executed;   /* commits */
	/* code_place_own(); without symbols its .first is the entry, by the calls seen */
	struct code_place at;
	bool entry;          /* a call went there */
	uint64_t lost;       /* commit slots left unused while it was next to commit */
	uint64_t called;     /* executed + lost while it ran for a caller with lines */
	uint64_t l2, memory; /* its loads and atomics served by L2, or memory */
	uint64_t forwards;   /* its loads whose value came from a store in the queue */
	/* Control instructions: */
	uint64_t predicted;  /* commits of the program's own */
	uint64_t taken, wrong;
	uint64_t resolving;  /* cycles from fetch to outcome of the mispredicted ones */
	uint64_t believed[HOT_SOURCES];
	/* The last HOT_OUTCOMES of them, the newest in bit 0: */
	/* taken; predicted taken; the right direction, but another target */
	uint16_t took, said, missed;
};

struct hot_profile {
	uint64_t from, to;            /* cycles, like a region's */
	uint64_t width;               /* commit slots in a cycle */
	const struct hot_inst *insts; /* [count] by pc; borrowed until the next hot_take() */
	size_t count;
	const struct charge *charges; /* [charge_count] by pc: both stacks; valid as long as
	                               * insts */
	size_t charge_count;
	const struct caller *callers; /* [caller_count] by pc; valid as long as insts */
	size_t caller_count;
};

struct hot;
/* Empty; NULL if memory is short. */
struct hot *hot_new(void);
void hot_free(struct hot *h);
/* Drops the profile. */
void hot_clear(struct hot *h);

/* Profiles the region, or everything recorded. False with *err if history doesn't have it, or
 * re-execution was interrupted. */
bool hot_take(const struct session *s, const struct region *r, struct hot_profile *out,
              struct err *err);
/* The last profile taken, if it is still valid. */
bool hot_last(const struct session *s, struct hot_profile *out);

/* The call at pc of code without lines of the author's; NULL: it has none. */
const struct caller *hot_caller(const struct hot_profile *p, uint64_t pc);

/* A cycle in the middle of those in which instructions at these addresses used or held most slots,
 * by the marks of the last profile. False: no marks, or the profile does not begin where history
 * does. */
bool hot_densest(const struct session *s, const uint64_t *pcs, size_t n, uint64_t *cycle);

/* Adds the counts of `more` to sum. */
void hot_add(struct hot_inst *sum, const struct hot_inst *more);
/* Sum over all instructions at [lo, hi), with the place of the first. */
struct hot_inst hot_sum(const struct hot_profile *p, uint64_t lo, uint64_t hi);

/* ---- columns of code ---- */
/* Columns for tables whose rows are instructions or lines. */
#define HOT_COLUMNS(fill_executed, fill_held)                                                      \
	{"executed",    "executed", "times",                                                       \
	 fill_executed, AT_RIGHT,   .help = "after `view hot`: its commits in that profile"},      \
	{                                                                                          \
		"held", "held", "cycles", fill_held, AT_RIGHT,                                     \
			.help = "after `view hot`: the cycles that it held up commit"              \
	}
/* Removes the columns of HOT_COLUMNS if there is no profile. */
void hot_drop_columns(struct grid *g);
/* Cells of these columns; empty if nothing was executed or lost. */
void cell_hot_executed(struct grid *g, const struct hot_inst *e);
void cell_hot_held(struct grid *g, const struct hot_profile *p, const struct hot_inst *e);

#endif
