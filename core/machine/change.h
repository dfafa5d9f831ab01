/* Changes: what a person's `set` or a listener does to the machine between two cycles.
 *
 * A change empties the pipeline back to the oldest uncommitted instruction, as an interrupt would,
 * so that committed state is the only state; then it changes that. It is an entry of the journal: a
 * machine that comes to the end of the same cycle again, by machine_step(), machine_run(),
 * machine_run_functional() or machine_restore(), makes it again. So a cycle has one state, the one
 * after its changes, however it is reached.
 *
 * The pipeline is emptied once in a cycle, however many changes it has; an attachment's change
 * leaves it alone. Who changes something whenever an instruction does what it does before it
 * commits, keeps that from ever committing. In the journal a change takes 64 bytes beside its own.
 */
#ifndef CYCLOPS_CORE_MACHINE_CHANGE_H
#define CYCLOPS_CORE_MACHINE_CHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/os/journal.h"

struct machine;

/* What a and b mean says the kind's row in core/os/journal.def. */
struct change {
	enum journal_kind kind; /* a CHANGE row */
	uint64_t a, b;
	const void *bytes;      /* [n], borrowed during the call */
	size_t n;
};

/* Makes it and writes it down; the future recorded behind this place is cut. False with *err, and
 * nothing changed, written or cut, if it can't be made, or while the past is being executed again.
 */
bool machine_change(struct machine *m, const struct change *c, struct err *err);

/* For a listener or an alarm, while it is called: the same, behind this cycle. What is wrong with
 * it is said at once; what is accepted will be made, in the order of asking, when the events of the
 * cycle have been told and its alarms have rung, and behind what the journal repeats there. So all
 * who hear of this cycle see it unchanged. It is written down when it is made: re-execution repeats
 * it from the journal and asks nobody. Made in the recorded past, it cuts what was recorded behind
 * it, and the machine goes on from there. False with *err, and nothing asked for, if it can't be
 * made, while the past is being executed again, or if no cycle is being told. */
bool machine_change_later(struct machine *m, const struct change *c, struct err *err);

/* Whether an entry that was read back from a file is a change that could have been written. */
bool change_ok(const struct journal_entry *e, const void *payload);

#endif
