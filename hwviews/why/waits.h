/* The waits of instructions, also of those that have left: each with the reason that uop_why() gave
 * in those cycles.
 *
 * Recorded history is executed again, which is exact; the machine itself records no waits. A cycle
 * counts as a wait if the instruction could have advanced in it and did not, or executes. */
#ifndef CYCLOPS_HWVIEWS_WHY_WAITS_H
#define CYCLOPS_HWVIEWS_WHY_WAITS_H

#include "core/base/err.h"
#include "core/pipe/why.h"
#include "hwviews/session/session.h"

struct wait {
	uint64_t seq; /* the instruction that waits */
	struct why why;
	uint64_t from, cycles; /* first cycle, and number of consecutive cycles */
};

struct waits;
/* Empty; NULL if memory is short. */
struct waits *waits_new(void);
void waits_free(struct waits *w);

/* Makes w hold all waits in cycles [from, to) of recorded history. Cheap if w holds them already;
 * only later cycles are executed again. False with *err, and w empty, if history lacks the cycles.
 */
bool waits_cover(struct waits *w, const struct session *s, uint64_t from, uint64_t to,
                 struct err *err);
/* The waits of an instruction, in order: [*count], borrowed until the next waits_cover(). */
const struct wait *waits_of(const struct waits *w, uint64_t seq, size_t *count);

/* The longest wait of u (its state when it left) as a cell, "L2, 12 cycles"; empty if u did not
 * wait. */
char *waits_longest(const struct waits *w, const struct pipe *p, const struct uop *u, char *buf,
                    size_t n);
/* All waits of u: "reorder buffer full 87, a4 #305899 11 (L2 12)"; in brackets the last wait of
 * #305899. */
char *waits_chain(const struct waits *w, const struct pipe *p, const struct uop *u, char *buf,
                  size_t n);
/* Like waits_of(), for an instruction that has left: executes history again from a cycle before its
 * fetch on, to include the waits of its producers. NULL if that history is not recorded. */
const struct wait *waits_of_left(const struct session *s, const struct uop *u, size_t *count);
/* "waited: " and the chain of u's waits; empty if u did not wait. */
char *waits_line(const struct session *s, const struct uop *u, char *buf, size_t n);

#endif
