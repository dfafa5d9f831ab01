/* The instructions in flight of a trace, found by seq.
 *
 * A ring indexed by the low bits of seq. It is longer than twice the span from the oldest to the
 * newest instruction in flight. So an instruction that has left stays readable until all
 * instructions that were in flight with it have left: a consumer finds its producers until its own
 * end. Growing moves the ring: pointers are valid until the next flight_add(). */
#ifndef CYCLOPS_UI_TRACE_FLIGHT_H
#define CYCLOPS_UI_TRACE_FLIGHT_H

#include <stdbool.h>
#include <stdint.h>

#include "ui/trace/out.h"

/* Stages, each named after the event that begins it. */
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
	uint64_t seq;           /* 0: this entry was never used */
	uint64_t id;            /* in the file: 0, 1, 2, ... */
	/* seq of operands' producers that were in flight when it was dispatched; 0: none */
	uint64_t source[3];
	uint64_t dispatched;    /* struct trace's count of events, 0: not yet */
	uint64_t completed;     /* count of events at its completion, 0: not yet */
	uint64_t done_cycle;    /* cycle of completion, if completed is not 0 */
	uint32_t slot;          /* of the uop, while its seq is equal */
	uint16_t lane;          /* row in the trace while in flight */
	uint8_t stage;          /* present enum trace_stage */
	bool here;              /* in flight */
	uint8_t id_digits;
	char id_text[OUT_NUMBER]; /* [id_digits] */
};

struct flight {
	struct traced *ring; /* owned; [mask + 1] */
	uint64_t mask;
	uint64_t oldest, newest; /* bounds of the seqs in flight */
	uint64_t count;          /* in flight */
	uint64_t lanes[64];      /* bitmap of taken lanes */
};

bool flight_init(struct flight *f);
void flight_deinit(struct flight *f);

/* Finds an instruction in flight, or NULL. */
static inline struct traced *flight_find(const struct flight *f, uint64_t seq)
{
	struct traced *x = &f->ring[seq & f->mask];
	return x->seq == seq && x->here ? x : NULL;
}

/* Finds an instruction in flight, or one that has left but was in flight together with a present
 * one; else NULL. */
static inline const struct traced *flight_known(const struct flight *f, uint64_t seq)
{
	const struct traced *x = &f->ring[seq & f->mask];
	return seq && x->seq == seq ? x : NULL;
}

/* Adds an instruction that is not in flight, in the lowest free lane. NULL if memory is out. */
struct traced *flight_add(struct flight *f, uint64_t seq);
void flight_drop(struct flight *f, struct traced *x);

#endif
