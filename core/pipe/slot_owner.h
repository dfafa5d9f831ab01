/* Which instruction the empty dispatch slots of a cycle are charged to, by their row of the slot
 * stack (core/defs/slots.def).
 *
 * - Bad speculation: the mispredicted branch, the replayed load, or where fetch resumes after an
 * interrupt or a change by hand.
 * - Fetch: the instruction decoded next, or fetched next; for misfetch and fetch_taken the branch,
 * which is the youngest in the window.
 * - Execution and memory: the oldest in the window (in order: what the next to issue waits for, or
 * itself); for unit_*, issue_width, write_port and mshr the oldest that queues there.
 * - serial: the serialising instruction. fault: the faulting one. firmware, vsample, and after the
 * program's end: the next to commit. */
#ifndef CYCLOPS_CORE_PIPE_SLOT_OWNER_H
#define CYCLOPS_CORE_PIPE_SLOT_OWNER_H

#include "core/pipe/slot_rows.h"

/* The owner's address. row: to which the last cycle charged its empty slots; call at the end of
 * that cycle. Changes nothing. */
uint64_t slots_owner(const struct pipe *p, enum slot_row row);

/* Address of the instruction that is decoded next, or, with an empty queue, fetched next. */
uint64_t next_decoded(const struct pipe *p);

#endif
