/* Effects of the value sampler's handlers (the interrupt's, and the library's that an upcall
 * enters) on memory, caches and TLBs. Accesses to their own lines take no time: the parameters of
 * their cycles include it. */
#ifndef CYCLOPS_CORE_PIPE_INTERRUPT_HANDLER_H
#define CYCLOPS_CORE_PIPE_INTERRUPT_HANDLER_H

#include "core/pipe/pipe.h"

/* Accesses of the handlers' code. Their misses belong to no instruction of the pipeline. */
struct access handler_load(struct pipe *p, uint64_t addr, unsigned size, uint64_t now);
struct access handler_store(struct pipe *p, uint64_t addr, unsigned size, uint64_t now);

/* Resets the progress through the lines, at the start of an interrupt. */
void handler_begin_lines(struct pipe *p);
/* Touches one line of code and one of data; call in each cycle of the handler. */
void handler_touch(struct pipe *p, uint64_t now);
/* True if handler_touch() has nothing left to touch until a phase ends. */
bool handler_rests(const struct pipe *p);
/* Makes handler_touch() continue with the lines of the routine that interprets this operation. */
void handler_begin_routine(struct pipe *p, unsigned op);
/* Touches the cache lines of a tuple's record at its place in the queue. */
void handler_write_record(struct pipe *p, uint64_t addr, uint64_t now);
/* True if the program may store there. */
bool handler_may_write(const struct pipe *p, uint64_t addr, unsigned size);
/* Writes an upcall's frame to the program's memory, below sp and the red zone: its registers on
 * top, zeros below. handler_touch() then touches its lines, one per cycle. False: the program may
 * not write all of it; nothing is written. */
bool handler_push_frame(struct pipe *p);

#endif
