/* Whether the program's stack has been deeper than a table for it is long: an instrumented program
 * may keep counts where the stack pointer says. */
#ifndef CYCLOPS_HWVIEWS_FLOW_STACK_DEPTH_H
#define CYCLOPS_HWVIEWS_FLOW_STACK_DEPTH_H

#include "core/machine/machine.h"

/* Whether anything was written deeper than so many bytes, as far as the next 64 KB tell: whoever
 * goes deeper calls on his way. */
bool stack_was_deeper(const struct machine *m, uint64_t bytes);

#endif
