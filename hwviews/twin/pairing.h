/* Which instruction of the twin's is which of the session's machine, where the twin's program has
 * code put in.
 *
 * Both mostly do the same, but a program that looks at itself (its headers, addresses) takes
 * another way for a while. There neither's instructions have a counterpart, and behind it they are
 * put side by side again.
 *
 * Numbers are in the order of commit, from 1, without what was put in; A's are those of the
 * session's machine. */
#ifndef CYCLOPS_HWVIEWS_TWIN_PAIRING_H
#define CYCLOPS_HWVIEWS_TWIN_PAIRING_H

#include "hwviews/twin/twin_code.h"
#include "hwviews/twin/twin_state.h"

struct session;

/* ---- what one of the two has committed, in order, in pieces: by executing it again ---- */
/* What was put into the twin's program is not told by itself: its cycles are with what it stands
 * before. */
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

/* ---- which is which ---- */
/* From A's number a on B's is b and so on; so many stand alone directly before these. */
struct pairing_split {
	uint64_t a, b;
	uint32_t alone_a, alone_b;
};

struct pairing {
	struct pairing_split *splits; /* [count], owned; the first is {1, 1} */
	size_t count, room;
	uint64_t passed[TWIN_MACHINES]; /* numbers that have been compared */
	/* A's from which on the two do something else for good: numbers go on side by side; 0: none
	 */
	uint64_t parted;
	uint64_t cuts;              /* of A's history, when begun */
	struct commits commits[TWIN_MACHINES];
	struct committed *buffers;  /* owned: of both */
};

/* Of twins with this code, which lives longer. NULL if memory is out. */
struct pairing *pairing_new(const struct twin_code *code);
void pairing_free(struct pairing *l);

/* Compares what there is up to A's number; the twin's machine moves. False with *err. */
bool pairing_take(struct pairing *l, const struct session *s, uint64_t number, struct err *err);
/* B's number that is A's, or if that stands alone, the last one before it. */
uint64_t pairing_b(const struct pairing *l, uint64_t a, bool *alone);
/* The same the other way round. */
uint64_t pairing_a(const struct pairing *l, uint64_t b, bool *alone);

#endif
