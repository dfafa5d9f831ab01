/* Counts of blocks from counts of branches and calls, as software works them out: what comes to a
 * block is what was counted on its way there, and what always comes from other blocks. */
#ifndef CYCLOPS_HWVIEWS_BAKEOFF_FLOW_BELIEFS_H
#define CYCLOPS_HWVIEWS_BAKEOFF_FLOW_BELIEFS_H

#include "core/prof/oracle/oracle_blocks.h"
#include "core/prof/sampler/sampler_exact.h"
#include "hwviews/session/session.h"

/* Where control goes in the blocks that were executed. */
struct belief_ways;
/* `block` is borrowed, by address. NULL if memory is out. */
struct belief_ways *belief_ways_new(const struct oracle *o, const struct oracle_block *block,
                                    size_t n);
void belief_ways_free(struct belief_ways *f);

/* What was counted of branches' outcomes and calls. */
struct flow_counts;
/* NULL if memory is out. What was told of edges and calls. */
struct flow_counts *flow_counts_of_sampler(const struct sampler_exact *x);
/* NULL if the machine's firmware keeps no counts (demos/firmware/cop_counts.h), or memory is out.
 */
struct flow_counts *flow_counts_of_cop(const struct session *s);
void flow_counts_free(struct flow_counts *c);

struct flow_sum {
	double times;   /* that it was entered */
	double samples; /* behind that */
};
/* Of each block; malloc'd. NULL if memory is out. */
struct flow_sum *flow_blocks(const struct belief_ways *f, const struct flow_counts *c);

#endif
