/* Trials: changes by hand and motions that may be undone, such as calls of functions of the program
 * by expressions. */
#ifndef CYCLOPS_CORE_RUN_TRIAL_H
#define CYCLOPS_CORE_RUN_TRIAL_H

#include "core/run/run.h"

/* The present, owned by the caller until trial_end(). NULL with *err if there is no history, or
 * memory is short. */
struct snapshot *trial_begin(struct run *r, struct err *err);
/* Ends a trial; `undo`: goes back to its beginning, and drops all that was recorded since, as if
 * nothing had happened. A future that the trial's changes have cut stays cut. */
void trial_end(struct run *r, struct snapshot *from, bool undo);
/* Goes back to a state whose earlier cycles history still has, and drops all that was recorded
 * since. */
void trial_undo(struct run *r, const struct snapshot *to);

/* Whether recorded history still has the state that this cycle had when run_history.cuts was
 * `cuts`: it was cut later only, if at all. */
bool trial_lasts(const struct run *r, uint64_t cycle, uint64_t cuts);
/* The earliest cycle after which recorded history was cut since run_history.cuts was `cuts`,
 * UINT64_MAX: it was not. */
uint64_t trial_first_cut(const struct run *r, uint64_t cuts);
/* Call when the machine was revived to a state of another past, which equals recorded history up to
 * `cut`, at least its first cycle: history has this past now. The journal repeats what was not
 * recorded, and the timeline is complete again after that. */
void trial_revived(struct run *r, uint64_t cut);

#endif
