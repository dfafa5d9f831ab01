/* The report of each enabled profiler about the executed basic blocks, beside the truth: each
 * block's share of all instructions, and the number of samples that the share is computed from.
 *
 * The oracle provides the blocks, the edges between them (as software reads them in the code), and
 * the true counts. A profiler's share is computed from the samples that its software has received;
 * samples still held by its hardware do not count. */
#ifndef CYCLOPS_HWVIEWS_BAKEOFF_BELIEFS_H
#define CYCLOPS_HWVIEWS_BAKEOFF_BELIEFS_H

#include "core/prof/oracle/oracle_blocks.h"
#include "hwviews/session/session.h"

/* id, name, source; believe_NAME() in beliefs.c reads its counts */
#define BELIEVERS(B)                                                                               \
	B(COUNTERS, counters,                                                                      \
	  "the program's own counters (--instrument bb); of profile instructions "                 \
	  "(--instrument bb=0) what these counted while on")                                       \
	B(COP, cop, "the co-processor's handler (--firmware cop_flow.elf or cop_edges.elf)")       \
	B(SAMPLER, sampler,                                                                        \
	  "messages read from the stream sampler, of branches and calls "                          \
	  "(-o sampler.select='edge of branch, call tag 1')")                                      \
	B(VALUES, values, "the value sampler's tuples of results (--values results)")              \
	B(PROFILEME, profileme, "ProfileMe's records of retired instructions")

enum believer {
#define B(id, name, help) BELIEVER_##id,
	BELIEVERS(B)
#undef B
		BELIEVER_COUNT
};
extern const char *const believer_name[BELIEVER_COUNT];

struct belief {
	double insts;   /* executed in this block, in the profiler's own unit; 0: unknown */
	double samples; /* behind `insts`; 0: an exact count */
};

struct beliefs {
	struct oracle_block *block; /* [n], by address; owned */
	size_t n;
	double insts; /* of the program, by the oracle */
	bool on[BELIEVER_COUNT];
	struct belief *of[BELIEVER_COUNT]; /* [n], owned; NULL: profiler is off */
	double sum[BELIEVER_COUNT];        /* of insts */
};

/* False with *err if the machine's oracle counts no blocks, or memory is out. */
bool beliefs_init(struct beliefs *b, const struct session *s, struct err *err);
void beliefs_deinit(struct beliefs *b);

/* The true share of all instructions, 0 to 1. */
double beliefs_truth(const struct beliefs *b, size_t block);
/* The profiler's share of a block; *bar: its standard error from the number of samples, 0 where
 * every event is counted. False: the profiler has no count of the block. */
bool beliefs_share(const struct beliefs *b, enum believer believer, size_t block, double *share,
                   double *bar);
/* Half of the sum of differences between the profiler's shares and the true ones, 0 to 1; 1: no
 * data. */
double beliefs_error(const struct beliefs *b, enum believer believer);

#endif
