/* The value sampler's early technique (Burrows et al., 2.1.1), for comparison: bouncing back. The
 * program runs between two interrupts, on the real pipeline, for a few cycles of its own.
 *
 * First interrupt. The handler notes where the program goes on, the instructions from there to the
 * end of its issue block, and the registers; takes the block's lines out of L1I, so that their fill
 * delays the program by a known time; and sends it off. An issue block is what one cycle of fetch
 * can bring: up to pipe.fetch_width instructions, within pipe.fetch_lines lines. A jump ends it,
 * and so do what can't be fetched and profile instructions, about which the handler can't tell
 * whether they will be executed.
 *
 * Second interrupt. It comes in the cycle in which the program has had vsample.bounce_cycles cycles
 * in user mode, behind what has committed by then (later only if a serialising instruction is in
 * the window). From the program's place alone the handler tells which instructions were executed:
 *
 *   block, part   one way through the block leads there: a tuple for each instruction executed
 *   no progress   it is where it was: the technique begins anew from there with vsample.bounce_step
 *                 more cycles; at vsample.bounce_max it is given up (stuck)
 *   far           it is nowhere where the block leads: given up
 *   ambiguous     more than one way leads there: a branch or jump into the block itself, two that
 *                 go to the same place
 *
 * A loop that has come round to such a place unseen looks like a block: the tuples are wrong then.
 * vsample.misjudged counts that, and looks that took a round for no progress; the simulator knows
 * it, the handler does not.
 *
 * Tuples. A register holds a result if no younger instruction executed wrote it; an operand is
 * known if it is still in the first interrupt's registers or still in the second's. What is not
 * known is marked (struct vsample_tuple, unknown). Latencies and levels never are. A system call
 * may write a0 and memory. */
#ifndef CYCLOPS_CORE_PIPE_INTERRUPT_BOUNCE_H
#define CYCLOPS_CORE_PIPE_INTERRUPT_BOUNCE_H

#include "core/pipe/pipe.h"
#include "core/prof/values/vsample.h"

/* The first interrupt's work is done. True: the program is to be sent off; false: there is no
 * block, and this interrupt is given up. */
bool bounce_set_up(struct pipe *p);
/* Behind a cycle's commit, between the two: notes what the program really executes, for
 * vsample.misjudged alone. */
void bounce_follow(struct pipe *p);
/* At the second: what it finds. VSAMPLE_GOES_ON: there was no progress, and it is to be set up
 * again with more cycles. */
enum vsample_stop bounce_look(struct pipe *p);
/* The tuple of the next instruction executed that is captured, without `serial`, and what it has;
 * 0: all are recorded. */
unsigned bounce_tuple(struct pipe *p, struct vsample_tuple *t);

#endif
