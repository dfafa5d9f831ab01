/* What each instruction did in a region of the run: a profile without samples.
 *
 * It is gathered by executing the region again with a listener, when somebody asks, and kept until
 * somebody asks for another: more of the same region costs what is new. Exact: each commit slot of
 * each cycle belongs to one instruction, the one that commits in it or, of an unused slot, the one
 * that it waits for, which is the next to commit. So executions are the instructions committed, and
 * executions and lost slots together are cycles * pipe.commit_width. Slots behind the last commit
 * wait for the instruction that is to commit next. With pipe.completion=out-of-order slots are
 * those of issue.
 *
 * Misses, forwards and predictions are those of the program's instructions that committed, as
 * lsq.forwards and bpred.mispredicts count: nothing of wrong paths, firmware or the value sampler's
 * handler. */
#ifndef CYCLOPS_HWVIEWS_WHY_HOT_H
#define CYCLOPS_HWVIEWS_WHY_HOT_H

#include "hwviews/session/marks.h"
#include "hwviews/why/charges.h"

enum { HOT_OUTCOMES = 16 };

/* Who a prediction came from; directions first. */
enum hot_source {
	HOT_BY_DIRECTION, HOT_BY_BIMODAL, HOT_BY_TWO_LEVEL, HOT_BY_RAS, HOT_BY_BTB, HOT_BY_DECODE,
	HOT_SOURCES
};

struct hot_inst {
	uint64_t pc;
	bool interpreted;    /* by the value sampler's handler: rows of their own */
	uint64_t executed;   /* times it committed */
	uint64_t lost;       /* commit slots that passed unused while it was the next to commit */
	uint64_t l2, memory; /* its loads and atomics that L2, or memory, served */
	uint64_t forwards;   /* its loads that took their value from a store in the queue */
	/* Control instructions: */
	uint64_t predicted;  /* times that it committed, the program's own */
	uint64_t taken, wrong;
	uint64_t resolving;  /* cycles from fetch to outcome of those that were wrong */
	uint64_t believed[HOT_SOURCES];
	/* Of the last HOT_OUTCOMES of them, the newest in bit 0: */
	/* taken; predicted taken; the right direction, but another target */
	uint16_t took, said, missed;
};

struct hot_profile {
	uint64_t from, to;            /* cycles, as of a region */
	uint64_t width;               /* commit slots of a cycle */
	const struct hot_inst *insts; /* [count] by pc; borrowed until the next hot_take() */
	size_t count;
	const struct charge *charges; /* [charge_count] by pc: both stacks, as long */
	size_t charge_count;
};

struct hot;
/* Without a profile; NULL if memory is short. */
struct hot *hot_new(void);
void hot_free(struct hot *h);
/* The profile is forgotten. */
void hot_clear(struct hot *h);

/* Of the region, or of all that is recorded. False with *err if history doesn't have it, or is on
 * its way. */
bool hot_take(const struct session *s, const struct region *r, struct hot_profile *out,
              struct err *err);
/* The last that was taken, if it holds still. */
bool hot_last(const struct session *s, struct hot_profile *out);

/* Adds what `more` did to sum. */
void hot_add(struct hot_inst *sum, const struct hot_inst *more);
/* Of all instructions at [lo, hi). */
struct hot_inst hot_sum(const struct hot_profile *p, uint64_t lo, uint64_t hi);

/* ---- beside code ---- */
/* Rows of a table: what an instruction or a line did. */
#define HOT_COLUMNS(fill_executed, fill_held)                                                      \
	{"executed", "executed", "times", fill_executed, AT_RIGHT, \
	 .help = "after `view hot`: how often it committed in that profile"}, \
	{"held", "held", "cycles", fill_held, AT_RIGHT, \
	 .help = "after `view hot`: the cycles that it held up commit"}
/* Without a profile there are none. */
void hot_drop_columns(struct grid *g);
/* Their cells; empty where nothing was executed or waited for. */
void cell_hot_executed(struct grid *g, const struct hot_inst *e);
void cell_hot_held(struct grid *g, const struct hot_profile *p, const struct hot_inst *e);

#endif
