/* A function's flow graph with what a session knows of it: who executed which block and edge how
 * often, and where the program is.
 *
 * Of a program that the editor has laid out again, it is the graph of the program as it was:
 * without what was put in. */
#ifndef CYCLOPS_HWVIEWS_FLOW_FLOW_PICTURE_H
#define CYCLOPS_HWVIEWS_FLOW_FLOW_PICTURE_H

#include "hwviews/flow/flow_graph.h"

/* Of the function that holds addr; its counts only if they are asked for. False with *err: there is
 * none, or memory is out. */
bool flow_picture_of(const struct session *s, uint64_t addr, bool counted, struct flow_picture *out,
                     struct err *err);
void flow_picture_free(struct flow_picture *p);
/* Where the instruction is that was at `was`. */
uint64_t flow_picture_now(const struct flow_picture *p, uint64_t was);

#endif
