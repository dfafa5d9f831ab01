/* The waits of instructions that may be gone: each with the reason that uop_why() had in those very
 * cycles.
 *
 * Nothing is recorded while the machine runs: recorded history is executed again, which is exact. A
 * cycle counts as a wait if the instruction could have advanced in it, and did not, or executes. */
#ifndef CYCLOPS_HWVIEWS_WHY_WAITS_H
#define CYCLOPS_HWVIEWS_WHY_WAITS_H

#include "core/base/err.h"
#include "core/pipe/why.h"
#include "hwviews/session/session.h"

struct wait {
	uint64_t seq; /* the instruction that waits */
	struct why why;
	uint64_t from, cycles; /* its first cycle, and their number, without a break */
};

struct waits;
/* Empty; NULL if memory is short. */
struct waits *waits_new(void);
void waits_free(struct waits *w);

/* Makes w hold all waits in cycles [from, to) of recorded history; cheap if it already does, and to
 * add later cycles. False with *err if history does not reach there: w is empty then. */
bool waits_cover(struct waits *w, const struct session *s, uint64_t from, uint64_t to,
                 struct err *err);
/* Those of an instruction, in order: [*count], borrowed until the next waits_cover(). */
const struct wait *waits_of(const struct waits *w, uint64_t seq, size_t *count);

/* Its longest wait as a view's cell, "L2, 12 cycles", for u as it was when it left; empty if
 * nothing held it. */
char *waits_longest(const struct waits *w, const struct pipe *p, const struct uop *u, char *buf,
                    size_t n);
/* All of them: "reorder buffer full 87, a4 #305899 11 (L2 12)"; in brackets the last wait of that
 * instruction. */
char *waits_chain(const struct waits *w, const struct pipe *p, const struct uop *u, char *buf,
                  size_t n);
/* The waits of an instruction that has left: executes history again from some time before its fetch
 * on, so that those of its producers are known. As waits_of(); NULL if that is not recorded. */
const struct wait *waits_of_left(const struct session *s, const struct uop *u, size_t *count);
/* "waited: " and their chain; empty if there is none. */
char *waits_line(const struct session *s, const struct uop *u, char *buf, size_t n);

#endif
