/* What the pipeline asks of the world around it: system calls, and a place for events. */
#ifndef CYCLOPS_CORE_PIPE_PORT_H
#define CYCLOPS_CORE_PIPE_PORT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/defs/events.h"
#include "core/isa/exec.h"
#include "core/isa/inst.h"
#include "core/isa/regs.h"

enum machine_status {
	MACHINE_RUNNING,
	MACHINE_EXITED,  /* outcome.exit_status */
	MACHINE_FAULTED, /* outcome.fault */
	MACHINE_KILLED,  /* by a signal it sent itself: outcome.exit_status is 128 + signal */
	/* it waits for what can't come: os_wait_text(); outcome.exit_status is 125 */
	MACHINE_STUCK,
	/* a plug-in failed: machine_failure(); outcome.exit_status is BROKEN_STATUS */
	MACHINE_BROKEN,
	/* the host lacks memory, or input, for the next cycle: machine_lacks(). Never an outcome:
	   who goes on tries again */
	MACHINE_STARVED
};

enum { BROKEN_STATUS = 125 }; /* as for our own errors */

struct fault {
	enum trap trap;
	uint64_t pc;
	uint64_t addr;    /* offending byte address */
	struct inst inst; /* decoded, OP_ILLEGAL with raw bits if undefined */
};

/* What has become of the program; in the arena. */
struct outcome {
	struct fault fault;
	uint16_t status; /* enum machine_status */
	int32_t exit_status;
};

struct os_port {
	void *ctx;
	/* Serves the system call at h->pc; false: it must be tried again later, and nothing
	 * happened.
	 */
	bool (*serve)(void *ctx, struct hart *h);
	/* Whether what was fetched before this call may not be what is to run after it. */
	bool (*fences)(void *ctx, uint64_t number);
	/* What the call just served returns; what it was given, where it has not returned yet. */
	uint64_t (*result)(void *ctx);
	/* Whether the call just served gave the hart to another thread, whose registers it has. */
	bool (*switched)(void *ctx);
	/* The thread that has got the hart begins so many cycles later; which it is, as
	 * pipe_state.thread has it. */
	uint16_t (*begins_later)(void *ctx, uint64_t cycles);
	/* True if the call just served, or a signal, ended the program: *out says how. */
	bool (*ended)(void *ctx, struct outcome *out);
	/* Signals, between two instructions (core/os/os.h): the cycle of the pipeline in which
	 * somebody must ask whether one acts, UINT64_MAX: not before the next call; whether one
	 * does; it acts on h, which is the committed state. */
	uint64_t (*signals_due)(void *ctx);
	bool (*signals_wanted)(void *ctx);
	void (*signals)(void *ctx, struct hart *h);
	/* Whether the program has a handler for this fault of its own, and entering it. */
	bool (*catches)(void *ctx, enum trap trap);
	void (*fault)(void *ctx, struct hart *h, enum trap trap, uint64_t at);
};

/* Of which instructions somebody wants an event: no more than the filters let through together,
 * roughly. */
struct event_want {
	uint64_t pc, span; /* first pc, bytes from there on */
	uint32_t kinds;    /* 1 << enum inst_kind; 0: any, or none */
	/* The condition, if one listener alone wants the event; NULL: ask event_sink's `wanted`. */
	bool (*where)(const void *ctx, const struct event *ev);
	const void *where_ctx;
};

/* Where the stages of a watched cycle put events; somebody else delivers them after the cycle. What
 * no filter lets through is not built. */
struct event_sink {
	uint64_t mask;          /* EV_BIT()s that somebody wants; 0: nobody listens */
	/* of these, those for which everybody has a condition (struct event_filter's `where`) */
	uint64_t sifted;
	uint32_t count, room;
	uint64_t wrote[2];      /* bytes that went to stdout and stderr in this cycle */
	struct event *events;   /* [room], owned by the machine */
	struct event_want want[EVENTS_MAX]; /* of the events in the mask */
	/* whether an event of `sifted` passes any filter */
	bool (*wanted)(void *ctx, const struct event *ev);
	void *ctx;
};

/* Room for one more event of this instruction (or none: seq 0, pc 0, EVENT_NO_SLOT, OP_ILLEGAL);
 * NULL if nobody wants it or the cycle's buffer is full. The caller has tested the mask. */
static inline struct event *event_put(struct event_sink *s, enum event_id id, uint64_t cycle,
                                      uint64_t seq, uint64_t pc, uint32_t slot, unsigned op)
{
	const struct event_want *w = &s->want[id];
	if (pc - w->pc > w->span || s->count == s->room)
		return NULL;
	if (w->kinds && (slot == EVENT_NO_SLOT || !(w->kinds >> inst_kind((enum op)op) & 1)))
		return NULL;
	struct event *ev = &s->events[s->count++];
	*ev = (struct event){.cycle = cycle, .seq = seq, .pc = pc, .slot = slot, .id = (uint16_t)id,
	                      .op = (uint16_t)op};
	return ev;
}

/* The last event, which is complete, goes again if nobody wants it. The caller has tested `sifted`.
 * Not inlined: stages are to stay as small as they are without it. */
static __attribute__((noinline, unused)) void event_sift(struct event_sink *s)
{
	const struct event *ev = &s->events[s->count - 1];
	const struct event_want *w = &s->want[ev->id];
	if (!(w->where ? w->where(w->where_ctx, ev) : s->wanted(s->ctx, ev)))
		s->count--;
}

#endif
