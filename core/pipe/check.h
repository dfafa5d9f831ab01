/* The pipeline's invariants: checked every CYCLOPS_CHECK cycles, which is 1 in debug builds and more under sanitizers. */
#ifndef CYCLOPS_CORE_PIPE_CHECK_H
#define CYCLOPS_CORE_PIPE_CHECK_H

struct pipe;

/* Asserts that queues, bitmaps, counters, links and rename table agree with the uops' states. */
void pipe_check(const struct pipe *p);

#endif
