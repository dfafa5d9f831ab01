/* What may stand in the pipeline's part of the arena: for checkpoints, and for debug builds
 * (core/pipe/invariants.h). */
#ifndef CYCLOPS_CORE_PIPE_CHECKPOINT_CHECK_H
#define CYCLOPS_CORE_PIPE_CHECKPOINT_CHECK_H

#include "core/base/state_ranges.h"

struct inst;
struct pipe;

/* The fields of all its structures, predictors, caches and plug-ins among them. */
void pipe_ranges(const struct pipe *p, struct ranges *rs);
/* When what is on its way to caches and TLBs arrives: of many entries, for checkpoints alone. */
void pipe_fill_ranges(const struct pipe *p, struct ranges *rs);
/* NULL, or what about them is impossible though each lies within its range. */
const char *pipe_state_error(const struct pipe *p);
/* Whether this is an instruction as decoding, fetch and dispatch make them of its raw bits. */
bool inst_is_valid(const struct inst *in);

#endif
