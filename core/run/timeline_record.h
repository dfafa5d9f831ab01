/* The points kept of a run, for core/run/: see timeline.h. */
#ifndef CYCLOPS_CORE_RUN_TIMELINE_RECORD_H
#define CYCLOPS_CORE_RUN_TIMELINE_RECORD_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/err.h"
#include "core/run/timeline_point.h"

struct timeline_record {
	/* owned; [TIMELINE_SLOTS], mapped by the kernel as touched. NULL: memory was out, nothing
	 * is kept */
	struct timeline_point *point;
	size_t count;      /* points taken, ascending by cycle */
	uint64_t first;    /* cycle of the first one */
	uint64_t next;     /* cycle of the next point after the present */
	/* before this cycle there are only points of `loaded_width`, from a checkpoint; 0: all are
	 * there */
	uint64_t loaded;
	uint64_t loaded_width;
	/* just loaded from a checkpoint, and not yet compared with the machine */
	bool fresh;
	struct timeline_point newest; /* of the newest cycle at the end of the last motion */
	int attachment;
};

/* The first TIMELINE_BINS + 1 points are a cycle apart; then TIMELINE_BINS / 2 of each width
 * follow. */
enum {
	TIMELINE_HALF = TIMELINE_BINS / 2,
	TIMELINE_FINE = TIMELINE_BINS + 1,
	TIMELINE_DOUBLINGS = 50,
	TIMELINE_SLOTS = TIMELINE_FINE + TIMELINE_DOUBLINGS * TIMELINE_HALF
};

/* Index of the point `cycles` cycles after the first; TIMELINE_SLOTS: none. */
size_t timeline_slot(uint64_t cycles);

/* Saves it as bytes, malloc'd; NULL if memory is out. */
void *timeline_pack(const struct timeline_record *t, uint64_t cycle, size_t *n);
/* Loads it from untrusted bytes. False with *err, and nothing kept. */
bool timeline_unpack(struct timeline_record *t, const void *bytes, size_t n, struct err *err);

#endif
