/* Finds the row of the slot stack (core/defs/slots.def) to which a cycle's empty dispatch slots are
 * charged. */
#ifndef CYCLOPS_CORE_PIPE_SLOTS_H
#define CYCLOPS_CORE_PIPE_SLOTS_H

#include "core/pipe/slot_rows.h"

/* The row, for the end of dispatch; taken: instructions dispatched in this cycle. Changes
 * nothing. */
enum slot_row slots_row(const struct pipe *p, enum decode_stop stop, uint32_t taken);

/* The same if the window has no room: the oldest instruction holds it. */
enum slot_row slots_held_row(const struct pipe *p);

/* In order, for the end of issue: the row of the next to issue, which holds all others. *holder:
 * the instruction whose end it waits for, or itself. */
enum slot_row slots_issue_row(const struct pipe *p, const struct uop **holder);

/* The row of slots that a misprediction costs: completing out of order, the latency of a recurrence
 * in flight, which takes as long with the right path, if there is one. Call after the squash. */
enum slot_row slots_refill_row(const struct pipe *p);

/* If decode stands before a serialising instruction or right after one: the row of the instruction
 * that must leave the window first. *holder: that instruction, or the one that it waits for; NULL:
 * the window is empty. */
enum slot_row slots_serial_row(const struct pipe *p, const struct uop **holder);

/* ---- for slots_until.c ---- */
/* First cycle in which the order of issue is the cause of the rest of the wait for q if nothing
 * else changes; UINT64_MAX: unknown. */
uint64_t slots_order_from(const struct pipe *p, const struct uop *q);

/* When the oldest, u, may commit or, if it is not complete, completes; NO_CYCLE: unknown. */
uint64_t slots_oldest_until(const struct pipe *p, const struct uop *u);

/* The oldest that is not complete; NULL: all are. */
const struct uop *slots_oldest_incomplete(const struct pipe *p);

/* The row for fetch_ended: why fetch stopped when it last fetched instructions. */
static inline enum slot_row fetch_end_row(const struct pipe *p)
{
	const unsigned end = p->st->fetch_ended;
	return end == FETCH_END_TAKEN  ? SLOT_fetch_taken
	       : end == FETCH_END_LINE ? SLOT_fetch_line
	                               : p->fetch_full;
}

#endif
