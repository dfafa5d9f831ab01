/* The instructions in flight that a trace's file knows, found by their seq.
 *
 * A ring whose place is a seq's low bits. It is kept more than twice as long as the span from the
 * oldest instruction in flight to the newest, so that what has left stays readable for as long as
 * anything is in flight that was there together with it: a consumer finds its producers until its
 * own end. Growing moves it: pointers hold until the next flight_add(). */
#ifndef CYCLOPS_UI_TRACE_FLIGHT_H
#define CYCLOPS_UI_TRACE_FLIGHT_H

#include <stdbool.h>
#include <stdint.h>

#include "ui/trace/out.h"

/* Stages as the event that begins one names it. */
enum trace_stage {
	TRACE_NONE,
	TRACE_FETCH,
	TRACE_DISPATCH,
	TRACE_ISSUE,
	TRACE_MEM,
	TRACE_WRITEBACK,
	TRACE_COMMIT
};

struct traced {
	uint64_t seq;           /* 0: this place was never used */
	uint64_t id;            /* in the file: 0, 1, 2, ... */
	/* seq of operands' producers that were in flight when it was dispatched; 0: none */
	uint64_t source[3];
	uint64_t dispatched;    /* struct trace's count of events, 0: not yet */
	uint64_t completed;     /* the same, and */
	uint64_t done_cycle;    /* in which cycle, if completed is not 0 */
	uint32_t slot;          /* of its uop, as long as that has this seq */
	uint16_t lane;          /* row of its own while it is in flight */
	uint8_t stage;          /* enum trace_stage that it is in */
	bool here;              /* in flight */
	uint8_t id_digits;
	char id_text[OUT_NUMBER]; /* [id_digits] */
};

struct flight {
	struct traced *ring; /* owned; [mask + 1] */
	uint64_t mask;
	uint64_t oldest, newest; /* nothing outside is in flight */
	uint64_t count;          /* in flight */
	uint64_t lanes[64];      /* bitmap of those taken */
};

bool flight_init(struct flight *f);
void flight_deinit(struct flight *f);

/* In flight, or NULL. */
static inline struct traced *flight_find(const struct flight *f, uint64_t seq)
{
	struct traced *x = &f->ring[seq & f->mask];
	return x->seq == seq && x->here ? x : NULL;
}

/* One that is in flight or was together with one that is. */
static inline const struct traced *flight_known(const struct flight *f, uint64_t seq)
{
	const struct traced *x = &f->ring[seq & f->mask];
	return seq && x->seq == seq ? x : NULL;
}

/* One that is not in flight, in the lowest lane that is free. NULL if memory is out. */
struct traced *flight_add(struct flight *f, uint64_t seq);
void flight_drop(struct flight *f, struct traced *x);

#endif
