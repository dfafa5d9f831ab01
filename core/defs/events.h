/* Events: reports of a watched cycle, delivered after it. */
#ifndef CYCLOPS_CORE_DEFS_EVENTS_H
#define CYCLOPS_CORE_DEFS_EVENTS_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/defs/field_type.h"
#include "core/isa/inst.h"

struct machine;

/* A file that uses events and their fields by name includes core/defs/event_fields.h, before this
 * header. In others ids are numbers below event_count. */
enum { EVENT_FIELDS_MAX = 4, EVENTS_MAX = 64 /* bits of a mask */ };
#ifndef CYCLOPS_CORE_DEFS_EVENT_FIELDS_H
enum event_id { EVENT_ID_ROOM = UINT16_MAX };
#define EV_COUNT event_count
#endif

struct event_field {
	const char *name;
	enum field_type type;
	const char *help;
};

struct event_info {
	const char *name, *help;
	unsigned field_count;
	/* [field_count], in the order of struct event's words */
	struct event_field fields[EVENT_FIELDS_MAX];
};

extern const struct event_info event_info[]; /* [event_count] */
extern const uint8_t event_count;

/* The bit of an event, for files that don't use its fields: the linker resolves it. */
#define EVENT_BIT(name) (*({ extern const uint64_t event_bit_##name; &event_bit_##name; }))

/* Id of a name, or -1. */
int event_find(const char *name);
/* Index of a field of this event, or -1. */
int event_find_field(enum event_id id, const char *name);

#define EVENT_NO_SLOT UINT32_MAX

struct event {
	uint64_t cycle;
	uint64_t seq; /* 0 if none */
	uint64_t pc;
	/* the uop's slot, while the listener runs, if the slot's uop still has this seq;
	 * EVENT_NO_SLOT: none */
	uint32_t slot;
	uint16_t id;
	uint16_t op;   /* enum op of the instruction; OP_ILLEGAL if none */
	union {
		uint64_t word[EVENT_FIELDS_MAX]; /* the fields in the table's order */
#ifdef CYCLOPS_CORE_DEFS_EVENT_FIELDS_H
#define EVENT(id, name, ...) struct ev_##name name;
#include "core/defs/events.def"
#undef EVENT
#endif
	};
};

/* Kinds of instructions, as users select them; each instruction is of one kind.
 *    id, name */
#define INST_KINDS(K) \
	K(LOAD, "load") \
	K(STORE, "store") \
	K(ATOMIC, "atomic") \
	K(BRANCH, "branch") \
	K(JUMP, "jump") \
	K(INT, "int") \
	K(MUL, "mul") \
	K(DIV, "div") \
	K(FP, "fp") \
	K(SYSTEM, "system")

enum inst_kind {
#define K(id, name) INST_##id,
	INST_KINDS(K)
#undef K
	INST_KIND_COUNT
};

extern const char *const inst_kind_name[INST_KIND_COUNT];
enum inst_kind inst_kind(unsigned op);

/* A listener's filter; a field that is zero (or hi = 0) does not filter. */
struct event_filter {
	uint64_t mask;         /* 1 << id, EV_BIT()s */
	uint64_t pc_lo, pc_hi; /* bytes, hi exclusive; hi = 0: any */
	uint32_t kinds;        /* 1 << enum inst_kind of the instruction */
	/* Whether the event passes, from its own words alone: called while its cycle runs.
	 * where_ctx is borrowed. */
	bool (*where)(const void *where_ctx, const struct event *ev);
	const void *where_ctx;
};

/* Widens a filter to pass also the events of another one, but keeps its own `where`. A filter with
 * mask 0 becomes a copy of the other. */
void event_filter_widen(struct event_filter *f, const struct event_filter *by);

/* Whether the event passes the filter. */
static inline bool event_passes(const struct event_filter *f, const struct event *ev)
{
	if (!(f->mask >> ev->id & 1))
		return false;
	if (f->pc_hi && (ev->pc < f->pc_lo || ev->pc >= f->pc_hi))
		return false;
	if (f->kinds &&
	    (ev->slot == EVENT_NO_SLOT || !(f->kinds >> inst_kind(ev->op) & 1)))
		return false;
	return !f->where || f->where(f->where_ctx, ev);
}

/* Called after the cycle, events in the order in which they happened, listeners in the order in
 * which they were added. Changes the machine only by machine_change_later()
 * (core/machine/change.h), which takes effect after the cycle. May add and remove listeners, itself
 * included: a removed one gets no more events, an added one gets them from the next cycle on. */
typedef void event_fn(void *ctx, const struct machine *m, const struct event *ev);

/* Returns an id > 0, never given twice; 0 if memory is short. Listening never changes the machine's
 * behaviour. */
int machine_listen(struct machine *m, const struct event_filter *filter, event_fn *fn, void *ctx);
/* Ignores ids that no listener has. */
void machine_unlisten(struct machine *m, int id);
/* Moves listeners, alarms and all attachments but devices' from `from` to m, which replaces it and
 * is not running yet. Ids stay the same; m's own listeners and alarms are dropped. Attachments
 * begin anew, with their states in the checkpoint that m was loaded from, if any. */
void machine_take_observers(struct machine *m, struct machine *from);

/* Mutes or unmutes the present listeners and alarms, for re-executing cycles whose events they have
 * already received. Meanwhile the machine can't be changed, and listeners that are added get
 * events. */
void machine_mute(struct machine *m, bool muted);

#endif
