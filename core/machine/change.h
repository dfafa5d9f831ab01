/* Changes that a user's `set` or a listener makes to the machine between two cycles.
 *
 * A change empties the pipeline back to the oldest uncommitted instruction, as an interrupt would,
 * so that only committed state is left to change. The change is an entry of the journal: whenever
 * machine_step(), machine_run(), machine_run_functional() or machine_restore() reaches the end of
 * that cycle again, the machine repeats it. So the state at the end of a cycle includes its
 * changes, however it is reached.
 *
 * The pipeline is emptied once in a cycle, however many changes it has; an attachment's change does
 * not empty it. A listener that makes a change each time an instruction does something before it
 * commits keeps that instruction from ever committing. A change takes 64 bytes of the journal plus
 * its own bytes. */
#ifndef CYCLOPS_CORE_MACHINE_CHANGE_H
#define CYCLOPS_CORE_MACHINE_CHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/os/journal.h"

struct machine;
struct os_thread;

/* The kind's row in core/os/journal.def defines a and b. */
struct change {
	enum journal_kind kind; /* a CHANGE row */
	uint64_t a, b;
	const void *bytes;      /* [n], borrowed during the call */
	size_t n;
};

/* Makes a change and journals it; the recorded future is cut. False with *err, and nothing changed,
 * journaled or cut, if it can't be made, or during re-execution. */
bool machine_change(struct machine *m, const struct change *c, struct err *err);

/* Requests a change at the end of this cycle; for a listener or an alarm, while it is called.
 * Errors are returned at once; accepted changes are made in the order of requests, when the events
 * of the cycle have been delivered and its alarms have rung, and after the changes that the journal
 * repeats there. So all listeners of this cycle see the machine unchanged. A change is journaled
 * when it is made, so re-execution repeats it from the journal. In the recorded past it cuts the
 * recorded future. False with *err, and nothing requested, if it can't be made, during
 * re-execution, or outside of such a call. */
bool machine_change_later(struct machine *m, const struct change *c, struct err *err);

/* Turns a change of the running thread's registers into one of thread t, which does not run; leaves
 * other changes alone, and all if t is NULL. False with *err if t has no such register. */
bool change_of_thread(const struct os_thread *t, struct change *c, struct err *err);

/* Whether an entry read back from a file is a valid change. */
bool change_ok(const struct journal_entry *e, const void *payload);

#endif
