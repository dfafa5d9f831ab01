/* Validates machine state read from a checkpoint: every index is within its table, and every
 * invariant that debug builds assert holds.
 * A program could not have got to each of these states; but each goes on, in one way or
 * another, with nothing but the machine harmed. */
#ifndef CYCLOPS_CORE_MACHINE_CHECKPOINT_CHECK_H
#define CYCLOPS_CORE_MACHINE_CHECKPOINT_CHECK_H

#include <stdbool.h>

#include "core/base/err.h"
#include "core/base/state_ranges.h"

struct machine;

/* The lists of all modules that this machine has. */
void machine_ranges(const struct machine *m, struct ranges *rs);
/* Whether every word lies within its range: to be asked before anything else looks at a state from
 * a file. False with *err, which names the first that does not. */
bool machine_is_within_ranges(const struct machine *m, struct err *err);
/* The rest, when memory, journal and attachments are there, too. */
bool machine_state_is_valid(const struct machine *m, struct err *err);

#endif
