/* Which row of the slot stack (core/defs/slots.def) the empty dispatch slots of a cycle go to. */
#ifndef CYCLOPS_CORE_PIPE_SLOTS_H
#define CYCLOPS_CORE_PIPE_SLOTS_H

#include "core/pipe/pipe.h"

/* Called by dispatch at its end; taken: instructions that it dispatched in this cycle. Changes
 * nothing. */
enum slot_row slots_row(const struct pipe *p, enum decode_stop stop, uint32_t taken);

/* The same where the window has no room, which the oldest instruction holds. */
enum slot_row slots_held_row(const struct pipe *p);

/* The first cycle from `now` on in which that may become another row though no instruction moves;
 * UINT64_MAX if there is none. */
uint64_t slots_row_until(const struct pipe *p, uint64_t now);

/* Why fetch brought no more when it last brought some. */
static inline enum slot_row fetch_end_row(const struct pipe *p)
{
	const unsigned end = p->st->fetch_ended;
	return end == FETCH_END_TAKEN  ? SLOT_fetch_taken
	       : end == FETCH_END_LINE ? SLOT_fetch_line
	                               : p->fetch_full;
}

#endif
