/* What one of two machines in step has committed, in order, in pieces: by executing it again.
 *
 * What was put into the twin's program is not told by itself: its cycles are with what it stands
 * before. */
#ifndef CYCLOPS_HWVIEWS_TWIN_COMMITS_H
#define CYCLOPS_HWVIEWS_TWIN_COMMITS_H

#include <stddef.h>

#include "hwviews/twin/twin_code.h"

enum { COMMITS_CARRY = 256 /* at most so many commit in a cycle beyond those that are wanted */ };

struct committed {
	uint64_t pc, seq, cycles;      /* in the session's program; since the one before it */
	uint64_t put_in, put_in_insts; /* of cycles: until the last that was put in; how many */
};

struct commits {
	const struct twin_code *code; /* borrowed; NULL: nothing was put in */
	struct committed *all;   /* [count], of room for wanted + COMMITS_CARRY; the caller's */
	size_t count, wanted;
	uint64_t from;           /* the next cycle to go through */
	uint64_t last;           /* cycles done when the last one that was told had committed */
	uint64_t put_in, put_in_insts; /* since the last that is no such */
};

/* Until there are so many of the machine that r runs. False with *err: the way was interrupted, or
 * there are not so many in what is recorded. */
bool commits_read(struct commits *c, struct run *r, size_t wanted, struct err *err);
/* The first n are done with. */
void commits_drop(struct commits *c, size_t n);

#endif
