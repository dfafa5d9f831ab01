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

#include "hwviews/twin/commits.h"
#include "hwviews/twin/twin_state.h"

struct session;

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
