/* The points of a run that are kept, for core/run/: see timeline.h. */
#ifndef CYCLOPS_CORE_RUN_TIMELINE_RECORD_H
#define CYCLOPS_CORE_RUN_TIMELINE_RECORD_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/err.h"
#include "core/run/timeline_point.h"

struct timeline_record {
	/* owned; [TIMELINE_SLOTS], of which the kernel gives what is touched. NULL: memory was out,
	 * nothing is kept */
	struct timeline_point *point;
	size_t count;      /* taken, in the order of their cycles */
	uint64_t first;    /* cycle of the first one */
	uint64_t next;     /* the least cycle behind the present in which a point lies */
	/* before this cycle there are only points of `loaded_width`, for they came from a
	 * checkpoint; 0: all are there */
	uint64_t loaded;
	uint64_t loaded_width;
	/* a checkpoint has just told it, and nobody has looked whether it is of the machine */
	bool fresh;
	struct timeline_point newest; /* of the newest cycle at the end of the last motion */
	int attachment;
};

/* The first TIMELINE_BINS + 1 points are a cycle apart; then come TIMELINE_BINS / 2 of each width.
 */
enum {
	TIMELINE_HALF = TIMELINE_BINS / 2,
	TIMELINE_FINE = TIMELINE_BINS + 1,
	TIMELINE_DOUBLINGS = 50,
	TIMELINE_SLOTS = TIMELINE_FINE + TIMELINE_DOUBLINGS * TIMELINE_HALF
};

/* The width's logarithm of a run of so many cycles. */
unsigned timeline_width_log2(uint64_t cycles);
/* Which point lies so many cycles behind the first; TIMELINE_SLOTS: none. */
size_t timeline_slot(uint64_t cycles);
/* Nothing is kept. False if there is no memory to keep anything. */
bool timeline_clear(struct timeline_record *t);

/* As bytes, malloc'd; NULL if memory is out. */
void *timeline_pack(const struct timeline_record *t, uint64_t cycle, size_t *n);
/* Takes it from bytes, which may lie. False with *err, and nothing kept. */
bool timeline_unpack(struct timeline_record *t, const void *bytes, size_t n, struct err *err);

#endif
