/* struct machine, for core/ only. */
#ifndef CYCLOPS_CORE_MACHINE_PRIV_H
#define CYCLOPS_CORE_MACHINE_PRIV_H

#include <signal.h>

#include "core/arena.h"
#include "core/journal.h"
#include "core/machine.h"
#include "core/mem/mem.h"
#include "core/os/os.h"
#include "core/pipe/pipe.h"

/* Every slot may leave the machine in one cycle, and complete, resolve or enter memory before. */
enum { EVENTS_PER_CYCLE_MAX = 4 * UOP_SLOTS_MAX };

struct listeners;

struct machine {
	struct config cfg;
	struct arena arena; /* base owned; used = its size */
	struct pipe pipe;   /* pointers into the arena */
	struct stats *stats;
	struct mem *mem;    /* owned */
	struct os *os;      /* owned */
	struct journal journal; /* of what came from outside */

	volatile sig_atomic_t interrupt;
	bool stop_request; /* by a listener, during this run */
	bool repeating;    /* the past is executed again, and can't be changed on the way */

	struct event_sink events; /* filled during a watched cycle; mask and span: the union of the listeners' */
	struct os_port os_port;
	struct listeners *listeners; /* owned */
};

/* Guest time: fast-forwarded instructions count as a cycle each. */
static inline uint64_t machine_guest_cycle(const struct machine *m)
{
	return m->stats->functional_insts + m->pipe.st->cycle;
}

/* Tells the listeners what the sink holds. */
void events_deliver(struct machine *m);

/* machine.c: empties the pipeline, as an interrupt between two instructions would. */
void machine_drain(struct machine *m);

/* core/change.c: makes the changes that the journal holds for the end of this cycle, the next one due or missed. */
void changes_repeat(struct machine *m);

static inline bool changes_due(const struct machine *m)
{
	return __builtin_expect(journal_next_change(&m->journal) <= machine_guest_cycle(m), 0);
}

#endif
