/* What the value sampler's handlers, that of the interrupt and the library's that an upcall enters,
 * do to memory, caches and TLBs. Their own lines take no time: the parameters of their cycles have
 * it. */
#ifndef CYCLOPS_CORE_PIPE_INTERRUPT_HANDLER_H
#define CYCLOPS_CORE_PIPE_INTERRUPT_HANDLER_H

#include "core/pipe/pipe.h"

/* The processor's accesses, by their code. No instruction of the pipeline's begins the misses. */
struct access handler_load(struct pipe *p, uint64_t addr, unsigned size, uint64_t now);
struct access handler_store(struct pipe *p, uint64_t addr, unsigned size, uint64_t now);

/* An interrupt begins to go through its lines. */
void handler_begin_lines(struct pipe *p);
/* One line of code and one of data, in each of its cycles. */
void handler_touch(struct pipe *p, uint64_t now);
/* That does nothing more until a phase of it ends. */
bool handler_rests(const struct pipe *p);
/* The lines of the routine that interprets this operation come next. */
void handler_begin_routine(struct pipe *p, unsigned op);
/* A tuple's record takes lines at its place in the queue. */
void handler_write_record(struct pipe *p, uint64_t addr, uint64_t now);
/* Whether a store there would be allowed to the program. */
bool handler_may_write(const struct pipe *p, uint64_t addr, unsigned size);
/* An upcall's frame, below sp and the red zone: the program's registers on top, zeros below,
 * written to its memory; its lines follow, one a cycle. False: that is not all memory that the
 * program may write; nothing is. */
bool handler_push_frame(struct pipe *p);

#endif
