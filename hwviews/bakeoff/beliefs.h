/* What each profiler that is on would say now about the basic blocks that have been executed,
 * beside what there was: shares of all instructions, and how many samples speak for each.
 *
 * The oracle says which blocks there are, and where control can go, as software reads it in the
 * code; and what is true. What a profiler says comes from what it has told software: nothing of
 * what its hardware still holds. */
#ifndef CYCLOPS_HWVIEWS_BAKEOFF_BELIEFS_H
#define CYCLOPS_HWVIEWS_BAKEOFF_BELIEFS_H

#include "core/prof/oracle/oracle_blocks.h"
#include "hwviews/session/session.h"

/*   id, name, where it comes from */
#define BELIEVERS(B)                                                                               \
	B(COUNTERS, counters,                                                                      \
	  "the program's own counters (--instrument bb); of profile instructions "                 \
	  "(--instrument bb=0) what these counted while on")                                       \
	B(COP, cop, "the co-processor's handler (--firmware cop_flow.elf or cop_edges.elf)")       \
	B(SAMPLER, sampler,                                                                        \
	  "messages of the stream sampler that were read, of branches and calls "                  \
	  "(-o sampler.select='edge of branch, call tag 1')")                                      \
	B(VALUES, values, "the value sampler's tuples of results (--values results)")              \
	B(PROFILEME, profileme, "ProfileMe's records of what retired")

enum believer {
#define B(id, name, help) BELIEVER_##id,
	BELIEVERS(B)
#undef B
		BELIEVER_COUNT
};
extern const char *const believer_name[BELIEVER_COUNT];

struct belief {
	double insts;   /* of this block, in a unit of the profiler's own; 0: it knows nothing of it
	                 */
	double samples; /* that speak for it; 0: it counts, and never misses one */
};

struct beliefs {
	struct oracle_block *block; /* [n], by address; owned */
	size_t n;
	double insts; /* of the program: the truth's unit */
	bool on[BELIEVER_COUNT];
	struct belief *of[BELIEVER_COUNT]; /* [n], owned; NULL: this one is not on */
	double sum[BELIEVER_COUNT];        /* of insts */
};

/* False with *err if the machine's oracle counts no blocks, or memory is out. */
bool beliefs_init(struct beliefs *b, const struct session *s, struct err *err);
void beliefs_deinit(struct beliefs *b);

/* The true share of all instructions, 0 to 1. */
double beliefs_truth(const struct beliefs *b, size_t block);
/* What it believes; *bar: the standard error of that by the number of samples, 0 where every event
 * is counted. False: it knows nothing. */
bool beliefs_share(const struct beliefs *b, enum believer who, size_t block, double *share,
                   double *bar);
/* Half of what its shares differ from the true ones by, over all blocks, 0 to 1; 1: it knows
 * nothing. */
double beliefs_error(const struct beliefs *b, enum believer who);

#endif
