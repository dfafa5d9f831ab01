/* The instructions that a pipeline diagram can show: those in the uop pool, in flight and recent,
 * in fetch order; and facts derived from their stamps. */
#ifndef CYCLOPS_HWVIEWS_MACHINE_PIPE_ROWS_H
#define CYCLOPS_HWVIEWS_MACHINE_PIPE_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/pipe/pipe.h"
#include "hwviews/grid/role.h"

struct pipe_rows {
	const struct uop **uops; /* [count], owned array of borrowed uops, by seq */
	size_t count;
};

/* Borrows from the pool and from `older` [older_count], by seq, which has those that the pool no
 * longer holds. False if memory runs out. */
bool pipe_rows_init(struct pipe_rows *r, const struct pipe *p, const struct uop *older,
                    size_t older_count);
void pipe_rows_deinit(struct pipe_rows *r);
/* Index of the first uop with at least this seq; count if none. */
size_t pipe_rows_from(const struct pipe_rows *r, uint64_t seq);
const struct uop *pipe_rows_find(const struct pipe_rows *r, uint64_t seq);

/* True if u was dispatched: all its stamps are valid. */
static inline bool uop_dispatched(const struct uop *u)
{
	return u->flags & UF_EXECUTED;
}

static inline bool uop_ended(const struct uop *u)
{
	return u->state >= UOP_RETIRED;
}

/* The letter for u in cycle c, one character: see the help of view pipe. */
const char *pipe_letter(const struct pipe *p, const struct uop *u, uint64_t c);

/* The meaning of a letter of such a diagram, in a row of role `row`. */
enum role pipe_letter_role(char letter, enum role row);

/* The instruction whose misprediction or the like squashed u; NULL if it is not among the rows. */
const struct uop *pipe_squasher(const struct pipe *p, const struct pipe_rows *r,
                                const struct uop *u);

#endif
