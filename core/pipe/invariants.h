/* The pipeline's invariants: checked every CYCLOPS_CHECK cycles, which is 1 in debug builds and
 * more under sanitizers. */
#ifndef CYCLOPS_CORE_PIPE_INVARIANTS_H
#define CYCLOPS_CORE_PIPE_INVARIANTS_H

struct pipe;

/* Asserts that queues, bitmaps, counters, links and rename table agree with the uops' states, and
 * of devices what is cheap to ask; every so many calls also what follows. */
void pipe_check(struct pipe *p);
/* The same, and that each word of the pipeline's and of devices' lies within its range, and all
 * that devices can be asked: whatever a checkpoint of this state will be asked. */
void pipe_check_all(const struct pipe *p);

#endif
