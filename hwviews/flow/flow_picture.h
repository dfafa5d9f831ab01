/* A function's flow graph with the session's data: counts of blocks and edges from each source, and
 * the program's place.
 *
 * If the editor has rewritten the program, it is the original program's graph, without inserted
 * code. */
#ifndef CYCLOPS_HWVIEWS_FLOW_FLOW_PICTURE_H
#define CYCLOPS_HWVIEWS_FLOW_FLOW_PICTURE_H

#include "hwviews/flow/flow_graph.h"

/* Makes the graph of the function that contains addr, with counts if `counted`. False with *err: no
 * function contains addr, or memory is out. */
bool flow_picture_of(const struct session *s, uint64_t addr, bool counted, struct flow_picture *out,
                     struct err *err);
void flow_picture_free(struct flow_picture *p);
/* The present address of the instruction whose original address is `was`. */
uint64_t flow_picture_now(const struct flow_picture *p, uint64_t was);

#endif
