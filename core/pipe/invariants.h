/* The pipeline's invariants: checked every CYCLOPS_CHECK cycles, which is 1 in debug builds and
 * more under sanitizers. */
#ifndef CYCLOPS_CORE_PIPE_INVARIANTS_H
#define CYCLOPS_CORE_PIPE_INVARIANTS_H

struct pipe;

/* Asserts that queues, bitmaps, counters, links and rename table agree with the uops' states, and
 * runs the cheap checks of devices; now and then also pipe_check_all(). */
void pipe_check(struct pipe *p);
/* The same, and that each word of the pipeline and devices lies within its range, and runs all
 * checks of devices: everything that loading a checkpoint of this state checks. */
void pipe_check_all(const struct pipe *p);

#endif
