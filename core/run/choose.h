/* Going back to a place that depends on what the program did later. */
#ifndef CYCLOPS_CORE_RUN_CHOOSE_H
#define CYCLOPS_CORE_RUN_CHOOSE_H

#include "core/run/run.h"

/* As run_back_until(), in pieces of history, the latest first: note is called for each commit of
 * one, in order, and returns false; then choose may set the cycle to go to, a later one of this
 * piece than `after`. */
typedef bool run_choice(void *ctx, uint64_t after, uint64_t *cycle);
bool run_back_choose(struct run *r, commit_goal *note, run_choice *choose, void *ctx,
                     struct run_stop_info *out, struct err *err);

#endif
