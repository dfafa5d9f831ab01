/* Whether the program's stack has been deeper than the length of its table: an instrumented program
 * may keep counts indexed by the stack pointer. */
#ifndef CYCLOPS_HWVIEWS_FLOW_STACK_DEPTH_H
#define CYCLOPS_HWVIEWS_FLOW_STACK_DEPTH_H

#include "core/machine/machine.h"

/* True if anything was written deeper than `bytes`. Checks only the next 64 KB: a deeper stack has
 * written there, too, by its calls. */
bool stack_was_deeper(const struct machine *m, uint64_t bytes);

#endif
