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
	/* guest cycle and place in the journal where it was attached */
	uint64_t cycle, pos;
	/* owned; its state there, NULL: as ops->restore(ctx, NULL) leaves it */
	void *begin;
};

struct attachment_bytes {
	uint8_t *bytes; /* owned */
	size_t n;
};

/* What a snapshot keeps of attachments. */
struct attachment_states {
	struct attachment_state {
		int id;
		const struct attachment_ops *ops;
		void *state;
	} *state; /* owned; [count], in the order of attaching */
	unsigned count;
};

/* Why the inner loop of a run ends before its goal. */
/* something comes behind this cycle, or is due at another: look and go on */
enum { REQUEST_TURN = 1,
       REQUEST_LOOK = 2, /* run control looks whether this is a stop */
       REQUEST_STOP = 4  /* a listener wants it to be one */ };

/* Changes that listeners ask for, until the cycle has been told. */
struct change_queue {
	uint8_t *bytes; /* owned; [used] */
	size_t used, cap;
	size_t count;
	size_t entries_bytes; /* what they will take in the journal, where that is reserved */
};

struct machine {
	struct config cfg;
	struct arena arena; /* base owned; used = its size */
	struct pipe pipe;   /* pointers into the arena */
	struct stats *stats;
	struct thread_stats *thread_stats; /* core/machine/thread_stats.h */
	struct prof prof;   /* devices */
	struct mem *mem;    /* owned */
	/* owned; the arena as last kept or restored, in chunks; NULL before the first snapshot */
	struct cow *shadow;
	struct os *os;      /* owned */
	struct journal journal; /* of what came from outside */

	/* the inner loop is to end: somebody asks for it, or host memory is short */
	volatile sig_atomic_t interrupt;
	volatile sig_atomic_t asked;     /* by machine_interrupt() */
	struct host_memory scarce;
	/* not NULL: lacks_text, which says what the next cycle waits for; so the run ended */
	const char *lacks;
	char lacks_text[400];
	const char *lacks_then;          /* what the next run does about it; NULL: it tries again */
	char change_lost[400];           /* what it says of a change that does not come again */
	/* position in the journal + 1 of a change behind which a person goes on; 0: none */
	uint64_t passed_by;
	machine_reclaim *reclaim;
	void *reclaim_ctx;
	unsigned request;  /* REQUEST_*, during this run */
	bool telling;      /* listeners are being called */
	struct change_queue later;
	/* first in which a change of the queue was made since run control looked; UINT64_MAX: none
	 */
	uint64_t changed_cycle;
	uint64_t restored; /* times, so that the same cycle can be told from itself */
	bool repeating;    /* the past is executed again, and can't be changed on the way */
	bool hushed;       /* no listener hears anything; attachments do */

	struct os_port os_port;
	/* Beside the arena, for nothing depends on it. */
	const struct machine_viewpoint *viewpoint; /* borrowed; NULL: the machine's own */
	uint64_t viewpoint_cycle;                  /* in which it holds */
	struct machine_viewpoint thread_viewpoint; /* machine_see_thread()'s */
	struct listeners *listeners; /* owned */
	struct alarms *alarms;       /* owned */
	bool alarmed;                /* there are alarms */
	struct attachment *attachment; /* owned; [attachments], in the order of attaching */
	unsigned attachments;
	unsigned device_attachments;  /* of them, the first: of this machine's own devices */
	/* in a checkpoint, of attachments that nobody has attached yet */
	struct attachment_bytes saved;
	int last_attachment;
};

/* Guest time: fast-forwarded instructions count as a cycle each. */
static inline uint64_t machine_guest_cycle(const struct machine *m)
{
	return stats_guest_cycle(m->stats, m->pipe.st->cycle);
}

/* core/machine/thread_stats.c: the hart has changed hands in this cycle, and the other begins in
 * cycle `until` of the pipeline, */
void thread_stats_switched(struct machine *m, uint64_t until);
/* what was counted is credited, at the end of a cycle, if that is due; when it is due next. */
void thread_stats_credit(struct machine *m, uint64_t cycle);
uint64_t thread_stats_due(const struct machine *m);
void thread_stats_place(struct machine *m, struct arena *a);
struct ranges;
void thread_stats_ranges(const struct machine *m, struct ranges *rs);

/* Which thread has the hart, as pipe_state.thread has it. */
uint16_t machine_thread(const struct machine *m);

/* Of a cycle of the guest's, the pipeline's; OS_NEVER is UINT64_MAX. */
static inline uint64_t machine_pipe_cycle(const struct machine *m, uint64_t cycle)
{
	const uint64_t before = stats_guest_cycle(m->stats, 0);
	return cycle == OS_NEVER ? UINT64_MAX : cycle > before ? cycle - before : 0;
}

/* machine_memory.c */
/* Whether there is host memory for what was short, and for the next cycle or instruction; if not,
 * the machine is MACHINE_STARVED. */
bool machine_has_memory(struct machine *m);
/* Before a change is made again: false if host memory is short for it. */
bool machine_reserve_change(struct machine *m);
/* Begins to listen for host memory that is short, and fills the reserve; false if it is out. */
bool machine_reserve(struct machine *m);

/* Whether a run goes on whose inner loop was told to end: nobody asked for it, and host memory has
 * been found. */
static inline bool machine_goes_on(struct machine *m)
{
	return __builtin_expect(!m->interrupt, 1) || (!m->asked && machine_has_memory(m));
}

/* listen.c; NULL if memory is short. */
struct listeners *listeners_new(void);
void listeners_free(struct listeners *l);
/* Tells the listeners what the sink holds. */
void events_deliver(struct machine *m);
/* What listeners and attachments want together has changed. */
void events_update_mask(struct machine *m);

/* core/machine/snapshot.c: which chunks of the arena may differ from its shadow: as its sections
 * say, or all. */
void arena_watch(struct machine *m);
void arena_stale_all(struct machine *m);

/* core/machine/alarm.c */
struct alarms *alarms_new(void);
void alarms_free(struct alarms *all);
void alarms_mute(struct machine *m, bool muted);
void alarms_take(struct machine *m, struct machine *from);
/* The first places behind the present at which one may ring: a cycle, a number of the program's
 * instructions. UINT64_MAX: none. */
void alarms_aim(struct machine *m, uint64_t *cycle, uint64_t *insts);
/* Calls those whose place has been reached since they were aimed. ended: the machine has stopped in
 * this cycle. */
void alarms_ring(struct machine *m, bool ended);

/* machine_functional.c: committed state := dispatch-point state; the pipeline must be empty. */
void machine_adopt_hart(struct machine *m);

/* machine.c: whether the system call just served ended the program: then *out says how. */
bool machine_ended(const struct machine *m, struct outcome *out);

/* machine_signals.c: what the pipeline calls; and the events of handlers that the program has just
 * been sent to. */
void machine_connect_signals(struct machine *m);
void machine_tell_signals(struct machine *m);

/* machine.c: empties the pipeline, as an interrupt between two instructions would. */
void machine_drain(struct machine *m);

/* core/machine/attachments.c */
/* Whether there is one with this key that can be changed, and the change. */
bool attachments_know(const struct machine *m, uint64_t key);
void attachments_change(struct machine *m, uint64_t key, const void *bytes, size_t n);
/* If it sleeps, it begins here, before a change that is about to be written down. */
void attachments_wake(struct machine *m, uint64_t key);
/* Those of `from` that are no device's are m's from now on, and begin here. */
void attachments_take(struct machine *m, struct machine *from);
void attachments_deinit(struct machine *m);
/* core/machine/attachment_pack.c: what a checkpoint holds of c is its beginning. */
void attachment_claim(struct machine *m, struct attachment *c);
void attachments_hear(struct machine *m, const struct event *ev);
/* False if memory is out: *out holds nothing. */
bool attachments_save(const struct machine *m, struct attachment_states *out);
void attachments_restore(struct machine *m, const struct attachment_states *s);
void attachments_free(struct attachment_states *s);
size_t attachments_bytes(const struct attachment_states *s);
size_t attachments_shared_bytes(const struct machine *m);
/* What states share, or those of now if s is NULL. */
void attachments_walk(const struct machine *m, const struct attachment_states *s,
                     const struct ledger_walk *w);
/* Whether states of this guest cycle make all attachments right. */
bool attachments_served(const struct machine *m, const struct attachment_states *s,
                       uint64_t guest_cycle);

/* core/machine/change.c: makes the changes that the journal holds for the end of this cycle, the
 * next one due or missed. False: host memory is short, or one can't be made again, which a person
 * is to see; the rest is still due, and no cycle may come before it. */
bool changes_repeat(struct machine *m);
/* The same, with what memory can be found; false: the run ends here, and why is known. */
bool changes_catch_up(struct machine *m);
/* Of the guest's memory that the next of them may take. */
size_t changes_pages(const struct machine *m);
/* And those that have been asked for. */
void changes_make(struct machine *m);

static inline bool changes_due(const struct machine *m)
{
	return __builtin_expect(journal_next_change(&m->journal) <= machine_guest_cycle(m), 0);
}

#endif
