/* struct machine, for core/ only. */
#ifndef CYCLOPS_CORE_MACHINE_MACHINE_PRIV_H
#define CYCLOPS_CORE_MACHINE_MACHINE_PRIV_H

#include <signal.h>

#include "core/base/arena.h"
#include "core/base/cow.h"
#include "core/base/host_memory.h"
#include "core/defs/config.h"
#include "core/machine/machine.h"
#include "core/mem/mem.h"
#include "core/os/journal.h"
#include "core/os/os.h"
#include "core/pipe/pipe.h"
#include "core/prof/common/attachment.h"
#include "core/prof/common/prof.h"

/* Every slot may leave the machine in one cycle, and complete, resolve or enter memory before. */
enum { EVENTS_PER_CYCLE_MAX = 4 * UOP_SLOTS_MAX };

struct alarms;
struct listeners;

/* See core/prof/common/attachment.h. */
struct attachment {
	int id;
	uint64_t key;                    /* in the journal */
	const struct attachment_ops *ops; /* borrowed */
	void *ctx;                       /* borrowed */
	struct event_filter hears;       /* mask 0: nothing */
	/* guest cycle and journal position when attached */
	uint64_t cycle, pos;
	/* owned; its state at that place, NULL: as ops->restore(ctx, NULL) leaves it */
	void *begin;
};

struct attachment_bytes {
	uint8_t *bytes; /* owned */
	size_t n;
};

/* A snapshot's states of attachments. */
struct attachment_states {
	struct attachment_state {
		int id;
		const struct attachment_ops *ops;
		void *state;
	} *state; /* owned; [count], in the order of attaching */
	unsigned count;
};

/* Why the inner loop of a run ends before its goal. */
/* something is due after this cycle, or its cycle has changed: check and go on */
enum { REQUEST_TURN = 1,
       REQUEST_LOOK = 2, /* run control checks whether this is a stop */
       REQUEST_STOP = 4  /* a listener requests one */ };

/* Changes requested by listeners, until the cycle's events have been delivered. */
struct change_queue {
	uint8_t *bytes; /* owned; [used] */
	size_t used, cap;
	size_t count;
	size_t entries_bytes; /* bytes reserved for them in the journal */
};

struct machine {
	struct config cfg;
	struct arena arena; /* base owned; used = its size */
	struct pipe pipe;   /* pointers into the arena */
	struct stats *stats;
	struct thread_stats *thread_stats; /* core/machine/thread_stats.h */
	struct prof prof;   /* devices */
	struct mem *mem;    /* owned */
	/* owned; the arena at the last snapshot taken or restored, in chunks; NULL before the
	 * first */
	struct cow *shadow;
	struct os *os;      /* owned */
	struct journal journal; /* of outside input */

	/* makes the inner loop end: a stop is requested, or host memory is short */
	volatile sig_atomic_t interrupt;
	volatile sig_atomic_t asked;     /* by machine_interrupt() */
	struct host_memory scarce;
	/* not NULL: lacks_text, the reason why the next cycle can't run, and the run ended */
	const char *lacks;
	char lacks_text[400];
	const char *lacks_then;          /* the next run's reaction; NULL: it tries again */
	char change_lost[400];           /* message about a change that can't be repeated */
	/* position in the journal + 1 of a missed change that the user has seen; 0: none */
	uint64_t passed_by;
	machine_reclaim *reclaim;
	void *reclaim_ctx;
	unsigned request;  /* REQUEST_*, during this run */
	bool in_listener;  /* listeners are being called */
	struct change_queue later;
	/* first cycle with a change of the queue since run control checked; UINT64_MAX: none */
	uint64_t changed_cycle;
	uint64_t restored; /* times restored, to distinguish two visits of a cycle */
	bool repeating;    /* re-execution, which can't be changed */
	bool hushed;       /* events reach attachments only, not listeners */

	struct os_port os_port;
	/* Outside the arena, because nothing depends on it. */
	const struct machine_viewpoint *viewpoint; /* borrowed; NULL: the machine's own */
	uint64_t viewpoint_cycle;                  /* in which it is valid */
	struct machine_viewpoint thread_viewpoint; /* machine_see_thread()'s */
	struct listeners *listeners; /* owned */
	struct alarms *alarms;       /* owned */
	bool alarmed;                /* there are alarms */
	struct attachment *attachment; /* owned; [attachments], in the order of attaching */
	unsigned attachments;
	unsigned device_attachments;  /* number of the machine's own devices, which come first */
	/* from a checkpoint, for attachments not yet attached */
	struct attachment_bytes saved;
	int last_attachment;
};

/* Guest time: fast-forwarded instructions count as a cycle each. */
static inline uint64_t machine_guest_cycle(const struct machine *m)
{
	return stats_guest_cycle(m->stats, m->pipe.st->cycle);
}

/* core/machine/thread_stats.c: call when the hart is switched in this cycle; the new thread begins
 * in cycle `until` of the pipeline. */
void thread_stats_switched(struct machine *m, uint64_t until);
/* Credits counts to a thread at the end of a cycle, if that is due; next due cycle. */
void thread_stats_credit(struct machine *m, uint64_t cycle);
uint64_t thread_stats_due(const struct machine *m);
void thread_stats_place(struct machine *m, struct arena *a);
struct ranges;
void thread_stats_ranges(const struct machine *m, struct ranges *rs);

/* machine.c: index of the running thread, as in pipe_state.thread. */
uint16_t machine_thread(const struct machine *m);

/* The pipeline's cycle for a guest cycle; OS_NEVER gives UINT64_MAX. */
static inline uint64_t machine_pipe_cycle(const struct machine *m, uint64_t cycle)
{
	const uint64_t before = stats_guest_cycle(m->stats, 0);
	return cycle == OS_NEVER ? UINT64_MAX : cycle > before ? cycle - before : 0;
}

/* machine_memory.c */
/* Whether there is host memory for the last shortage, and for the next cycle or instruction; if
 * not, the machine is MACHINE_STARVED. */
bool machine_has_memory(struct machine *m);
/* Fills the reserve before a change is repeated: false if host memory is short. */
bool machine_reserve_change(struct machine *m);
/* Begins to track host memory, and fills the reserve; false if it is out. */
bool machine_reserve(struct machine *m);

/* Whether an interrupted run goes on: no stop was requested, and host memory has been found. */
static inline bool machine_goes_on(struct machine *m)
{
	return __builtin_expect(!m->interrupt, 1) || (!m->asked && machine_has_memory(m));
}

/* listen.c; NULL if memory is short. */
struct listeners *listeners_new(void);
void listeners_free(struct listeners *l);
/* Delivers the sink's events to listeners. */
void events_deliver(struct machine *m);
/* Recomputes the events that listeners and attachments need together. */
void events_update_mask(struct machine *m);

/* Restores a snapshot as if nothing had happened since: drops all answers and changes that were
 * recorded after it. */
void machine_undo(struct machine *m, const struct snapshot *s);
/* core/machine/snapshot.c. arena_watch(): sets up the flags of all chunks, from the arena's marked
 * sections; arena_stale_all(): marks all chunks as written. */
void arena_watch(struct machine *m);
void arena_stale_all(struct machine *m);

/* core/machine/alarm.c */
struct alarms *alarms_new(void);
void alarms_free(struct alarms *all);
void alarms_mute(struct machine *m, bool muted);
void alarms_take(struct machine *m, struct machine *from);
/* Next places at which an alarm may ring: a cycle, a number of the program's instructions.
 * UINT64_MAX: none. */
void alarms_aim(struct machine *m, uint64_t *cycle, uint64_t *insts);
/* Calls the alarms whose place has been reached since alarms_aim(). ended: the machine has stopped
 * in this cycle. */
void alarms_ring(struct machine *m, bool ended);

/* machine_functional.c: committed state := dispatch-point state; the pipeline must be empty. */
void machine_adopt_hart(struct machine *m);

/* machine.c: whether the system call just served ended the program; then fills *out. */
bool machine_ended(const struct machine *m, struct outcome *out);
/* Lets another thread take its turn if the running one's slice is over. */
void machine_end_slice(struct machine *m);

/* machine_signals.c. Connects the pipeline's queries. Reports the streams that the system's last
 * call has led to: handlers as events, all to devices. by_call: devices get them after the call
 * itself. */
void machine_connect_signals(struct machine *m);
void machine_tell_streams(struct machine *m, bool by_call);

/* core/machine/attachments.c */
/* Whether an attachment with this key exists and can be changed; and the change itself. */
bool attachments_know(const struct machine *m, uint64_t key);
void attachments_change(struct machine *m, uint64_t key, const void *bytes, size_t n);
/* Begins the attachment here if its beginning is ahead, before a change that will be journaled. */
void attachments_wake(struct machine *m, uint64_t key);
/* Moves the attachments of `from`, except devices, to m; they begin here. */
void attachments_take(struct machine *m, struct machine *from);
void attachments_deinit(struct machine *m);
/* core/machine/attachment_pack.c: loads c's beginning from a checkpoint's saved state. */
void attachment_claim(struct machine *m, struct attachment *c);
void attachments_hear(struct machine *m, const struct event *ev);
/* False if memory is out: *out holds nothing. */
bool attachments_save(const struct machine *m, struct attachment_states *out);
void attachments_restore(struct machine *m, const struct attachment_states *s);
void attachments_free(struct attachment_states *s);
size_t attachments_bytes(const struct attachment_states *s);
size_t attachments_shared_bytes(const struct machine *m);
/* Walks the memory that states share, or the present states if s is NULL. */
void attachments_walk(const struct machine *m, const struct attachment_states *s,
                     const struct ledger_walk *w);
/* Whether states of this guest cycle are complete for all attachments. */
bool attachments_served(const struct machine *m, const struct attachment_states *s,
                       uint64_t guest_cycle);

/* core/machine/change.c: makes the changes that the journal holds for the end of this cycle, unless
 * the next one was missed. False: host memory is short, or one can't be repeated, which the user
 * must see; the rest is still due, and must come before the next cycle. */
bool changes_repeat(struct machine *m);
/* The same after freeing memory if necessary; false: the run ends here, with a reason. */
bool changes_catch_up(struct machine *m);
/* Pages of guest memory that the next change may take. */
size_t changes_pages(const struct machine *m);
/* Makes the changes requested. */
void changes_make(struct machine *m);

static inline bool changes_due(const struct machine *m)
{
	return __builtin_expect(journal_next_change(&m->journal) <= machine_guest_cycle(m), 0);
}

#endif
