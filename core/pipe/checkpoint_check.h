/* Valid contents of the pipeline's part of the arena: for checkpoints, and for debug builds
 * (core/pipe/invariants.h). */
#ifndef CYCLOPS_CORE_PIPE_CHECKPOINT_CHECK_H
#define CYCLOPS_CORE_PIPE_CHECKPOINT_CHECK_H

#include "core/base/state_ranges.h"

struct inst;
struct pipe;

/* Lists the fields of all its structures, including predictors, caches and plug-ins. */
void pipe_ranges(const struct pipe *p, struct ranges *rs);
/* Lists the arrival times of fills of caches and TLBs: many entries, so for checkpoints only. */
void pipe_fill_ranges(const struct pipe *p, struct ranges *rs);
/* NULL, or a contradiction between fields that each lie within their ranges. */
const char *pipe_state_error(const struct pipe *p);
/* True if decode, fetch and dispatch can make this instruction from its raw bits. */
bool inst_is_valid(const struct inst *in);

#endif
