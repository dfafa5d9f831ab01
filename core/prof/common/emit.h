/* Events of devices: rows of core/defs/events.def like the stages' own, in the same buffer and by
 * the same rules (core/pipe/port.h). An event is built only in a watched cycle in which a listener
 * needs it: not without timing, and not again for a muted listener.
 *
 *   PROF_EMIT(d, ID, name, u, pc, .field = value, ...)
 *
 * is the event ID, `name` in events.def, with its fields. u: the event's instruction, still
 * borrowed, or NULL if it has left or there is none; pc: the event's pc, that of its instruction if
 * there is one. An event without a u never passes a listener's filter of kinds. */
#ifndef CYCLOPS_CORE_PROF_COMMON_EMIT_H
#define CYCLOPS_CORE_PROF_COMMON_EMIT_H

#include "core/pipe/port.h"
#include "core/pipe/uop.h"
#include "core/prof/common/prof.h"

/* Room for an event whose fields the caller fills in; NULL if no listener needs it or the cycle's
 * buffer is full. For PROF_EMIT, which has tested the mask. */
static inline struct event *prof_event(struct prof *d, enum event_id id, const struct uop *u,
                                       uint64_t pc)
{
	if (d->functional)
		return NULL;
	return u ? event_put(d->events, id, *d->cycle, u->seq, pc, (uint32_t)(u - d->pool),
	                     u->inst.op)
	         : event_put(d->events, id, *d->cycle, 0, pc, EVENT_NO_SLOT, OP_ILLEGAL);
}

#define PROF_EMIT(d, ID, ev_name, u, at_pc, ...) \
	do { \
		struct event *ev_; \
		if (__builtin_expect(((d)->events->mask & EV_BIT(ID)) != 0, 0) && \
		    (ev_ = prof_event((d), EV_##ID, (u), (at_pc)))) { \
			ev_->ev_name = (struct ev_##ev_name){__VA_ARGS__}; \
			if ((d)->events->sifted & EV_BIT(ID)) \
				event_sift((d)->events); \
		} \
	} while (0)

#endif
