/* Whether the program's stack has been deeper than the length of its table: an instrumented program
 * may keep counts indexed by the stack pointer. */
#ifndef CYCLOPS_HWVIEWS_FLOW_STACK_DEPTH_H
#define CYCLOPS_HWVIEWS_FLOW_STACK_DEPTH_H

#include "core/machine/machine.h"

/* True if memory deeper than `bytes` was written to. Checks only the next 64 KB: the calls of a
 * deeper stack have written there, too. */
bool stack_was_deeper(const struct machine *m, uint64_t bytes);

#endif
