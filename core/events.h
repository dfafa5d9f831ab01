/* Events: what a watched cycle reports, delivered after the cycle (DESIGN 2.3). */
#ifndef CYCLOPS_CORE_EVENTS_H
#define CYCLOPS_CORE_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

struct machine;

enum event_id {
#define EVENT(id, ...) EV_##id,
#include "core/events.def"
#undef EVENT
	EV_COUNT
};

#define EV_BIT(id) (UINT64_C(1) << EV_##id)

struct event_info {
	const char *name, *a, *b, *help;
};

extern const struct event_info event_info[EV_COUNT];

/* Id of a name, or -1. */
int event_find(const char *name);

#define EVENT_NO_SLOT UINT32_MAX

struct event {
	uint64_t cycle;
	uint64_t seq; /* 0 if none */
	uint64_t pc;
	uint64_t a, b;
	uint32_t slot; /* of the uop, valid while the listener runs; EVENT_NO_SLOT if none */
	uint32_t id;   /* enum event_id */
};

/* What a listener wants; a field that is zero (or hi = 0) does not filter. Evaluated in C. */
struct event_filter {
	uint64_t mask;         /* EV_BIT()s */
	uint64_t pc_lo, pc_hi; /* bytes, hi exclusive; hi = 0: any */
	uint64_t classes;      /* 1 << enum op_class of the instruction */
};

/* Called after the cycle, in the order the events happened. Must not change the machine. */
typedef void event_fn(void *ctx, const struct machine *m, const struct event *ev);

/* Returns an id > 0, or 0 if there are too many (16). Listening never changes what the machine does. */
int machine_listen(struct machine *m, const struct event_filter *filter, event_fn *fn, void *ctx);
void machine_unlisten(struct machine *m, int id);
/* Whether a listener with this filter hears the event; only while a listener runs, or until the next cycle. */
bool event_passes(const struct machine *m, const struct event_filter *f, const struct event *ev);

/* Muting: those who listen now hear nothing until it ends; who begins to listen meanwhile does hear. For re-executing
 * what they have heard already. */
void machine_mute(struct machine *m, bool muted);

#endif
