/* Validates machine state read from a checkpoint: every index is within its table, and every
 * invariant that debug builds assert holds. Not every such state is reachable by a program; but
 * from each the machine runs on without harm to the host process. */
#ifndef CYCLOPS_CORE_MACHINE_CHECKPOINT_CHECK_H
#define CYCLOPS_CORE_MACHINE_CHECKPOINT_CHECK_H

#include <stdbool.h>

#include "core/base/err.h"
#include "core/base/state_ranges.h"

struct machine;

/* Lists the ranges of all modules that this machine has. */
void machine_ranges(const struct machine *m, struct ranges *rs);
/* Whether every word is within its range; call it before reading a state from a file in any other
 * way. False with *err, which names the first word outside. */
bool machine_is_within_ranges(const struct machine *m, struct err *err);
/* Checks the rest of the state; call it when memory, journal and attachments are loaded, too. */
bool machine_state_is_valid(const struct machine *m, struct err *err);

#endif
