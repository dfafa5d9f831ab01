/* Block counts from counts of branches and calls, as software derives them: a block is executed as
 * often as its counted incoming edges are taken, plus the oracle's shares of the executions of
 * blocks that lead to it without a branch's decision (jumps through registers have several
 * targets, calls need not return). Executions that no edge leads to, as a program's first, are left
 * out. */
#ifndef CYCLOPS_HWVIEWS_BAKEOFF_FLOW_BELIEFS_H
#define CYCLOPS_HWVIEWS_BAKEOFF_FLOW_BELIEFS_H

#include "core/prof/oracle/oracle_blocks.h"
#include "core/prof/sampler/sampler_exact.h"
#include "hwviews/session/session.h"

/* Edges between executed blocks. */
struct belief_ways;
/* `block` is borrowed, by address. NULL if memory is out. */
struct belief_ways *belief_ways_new(const struct oracle *o, const struct oracle_block *block,
                                    size_t n);
void belief_ways_free(struct belief_ways *f);

/* Counts of branch outcomes and calls. */
struct flow_counts;
/* Counts from the messages read about edges and calls. NULL if memory is out. */
struct flow_counts *flow_counts_of_sampler(const struct sampler_exact *x);
/* NULL if the machine's firmware keeps no counts (demos/firmware/cop_counts.h), or memory is out.
 */
struct flow_counts *flow_counts_of_cop(const struct session *s);
void flow_counts_free(struct flow_counts *c);

struct flow_sum {
	double times;   /* executions of the block */
	double samples; /* behind `times` */
};
/* Counts of all blocks; malloc'd. NULL if memory is out. */
struct flow_sum *flow_blocks(const struct belief_ways *f, const struct flow_counts *c);

#endif
