/* Interfaces that the pipeline needs: system calls, and a sink for events. */
#ifndef CYCLOPS_CORE_PIPE_PORT_H
#define CYCLOPS_CORE_PIPE_PORT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/defs/events.h"
#include "core/defs/system_word.h"
#include "core/isa/exec.h"
#include "core/isa/inst.h"
#include "core/isa/regs.h"

enum machine_status {
	MACHINE_RUNNING,
	MACHINE_EXITED,  /* outcome.exit_status */
	MACHINE_FAULTED, /* outcome.fault */
	MACHINE_KILLED,  /* by a signal that it sent itself: outcome.exit_status is 128 + signal */
	/* waits for an event that can't occur: os_wait_text(); outcome.exit_status is 125 */
	MACHINE_STUCK,
	/* a plug-in failed: machine_failure(); outcome.exit_status is BROKEN_STATUS */
	MACHINE_BROKEN,
	/* the host lacks memory or input for the next cycle: machine_lacks(). Not an outcome:
	 * retried on resume */
	MACHINE_STARVED
};

enum { BROKEN_STATUS = 125 }; /* as for our own errors */

struct fault {
	enum trap trap;
	uint64_t pc;
	uint64_t addr;    /* offending byte address */
	struct inst inst; /* decoded, OP_ILLEGAL with raw bits if undefined */
};

/* How the program ended, if it did; in the arena. */
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
	/* Result of the call just served; its argument if it has not returned yet. */
	uint64_t (*result)(void *ctx);
	/* True if the call just served switched to another thread, whose registers the hart now
	 * has. */
	bool (*switched)(void *ctx);
	/* Delays the thread on the hart by `cycles`. Returns its number, as in pipe_state.thread.
	 */
	uint16_t (*begins_later)(void *ctx, uint64_t cycles);
	/* os_system_word() */
	uint64_t (*word)(void *ctx, enum system_word which);
	/* os_stack_low() */
	uint64_t (*stack_low)(void *ctx, uint64_t top);
	/* True if the call just served, or a signal, ended the program: *out is the outcome. */
	bool (*ended)(void *ctx, struct outcome *out);
	/* Signals, between two instructions (core/os/os.h). due: the cycle of the pipeline in which
	 * to call signals_wanted(), UINT64_MAX: not before the next call. wanted: true if a signal
	 * acts now. signals: applies it to h, the committed state. */
	uint64_t (*signals_due)(void *ctx);
	bool (*signals_wanted)(void *ctx);
	void (*signals)(void *ctx, struct hart *h);
	/* catches: true if the program has a handler for its own fault. fault: enters it. */
	bool (*catches)(void *ctx, const struct hart *h, enum trap trap, uint64_t at);
	void (*fault)(void *ctx, struct hart *h, enum trap trap, uint64_t at);
};

/* Instructions whose events are wanted: a coarse union of all listeners' filters. */
struct event_want {
	uint64_t pc, span; /* first pc, bytes from there on */
	uint32_t kinds;    /* 1 << enum inst_kind; 0: any, also events without an instruction */
	/* The condition, if only one listener wants the event; NULL: call event_sink's `wanted`. */
	bool (*where)(const void *ctx, const struct event *ev);
	const void *where_ctx;
};

/* Buffer of events of a watched cycle, delivered after the cycle. Events that pass no filter are
 * not built. */
struct event_sink {
	uint64_t mask;          /* EV_BIT()s of wanted events; 0: no listeners */
	/* events of the mask for which every listener has a condition (event_filter.where) */
	uint64_t sifted;
	uint32_t count, room;
	uint64_t wrote[2];      /* bytes written to stdout and stderr in this cycle */
	struct event *events;   /* [room], owned by the machine */
	struct event_want want[EVENTS_MAX]; /* of the events in the mask */
	/* true if an event of `sifted` passes any filter */
	bool (*wanted)(void *ctx, const struct event *ev);
	void *ctx;
};

/* Adds an event of this instruction (or of none: seq 0, pc 0, EVENT_NO_SLOT, OP_ILLEGAL); NULL if
 * it is not wanted or the cycle's buffer is full. The caller has tested the mask. */
static inline struct event *event_put(struct event_sink *s, enum event_id id, uint64_t cycle,
                                      uint64_t seq, uint64_t pc, uint32_t slot, unsigned op)
{
	const struct event_want *w = &s->want[id];
	if (pc - w->pc > w->span || s->count == s->room)
		return NULL;
	if (w->kinds && (slot == EVENT_NO_SLOT || !(w->kinds >> inst_kind(op) & 1)))
		return NULL;
	struct event *ev = &s->events[s->count++];
	*ev = (struct event){.cycle = cycle, .seq = seq, .pc = pc, .slot = slot, .id = (uint16_t)id,
	                      .op = (uint16_t)op};
	return ev;
}

/* Drops the last event, which is complete, if no listener wants it. The caller has tested `sifted`.
 * Not inlined, to keep stages small. */
static __attribute__((noinline, unused)) void event_sift(struct event_sink *s)
{
	const struct event *ev = &s->events[s->count - 1];
	const struct event_want *w = &s->want[ev->id];
	if (!(w->where ? w->where(w->where_ctx, ev) : s->wanted(s->ctx, ev)))
		s->count--;
}

#endif
