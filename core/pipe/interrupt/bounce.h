/* The value sampler's early technique (Burrows et al., 2.1.1), for comparison: bouncing back.
 * Between two interrupts the program runs on the real pipeline for a few cycles.
 *
 * First interrupt. The handler notes the program's pc, the instructions from there to the end of
 * its issue block, and the registers; removes the block's lines from L1I, so that their fill delays
 * the program by a known time; and resumes the program. An issue block is what one cycle of fetch
 * can bring: up to pipe.fetch_width instructions, within pipe.fetch_lines lines. It ends at a jump,
 * at an address that can't be fetched, and before a profile instruction, since the handler can't
 * predict whether that will be executed.
 *
 * Second interrupt. It occurs when the program has had vsample.bounce_cycles cycles in user mode,
 * after the commits of that cycle (later only if a serialising instruction is in the window). From
 * the program's pc alone the handler infers which instructions were executed:
 *
 *   block, part   one path through the block leads there: a tuple for each instruction executed
 *   no progress   the pc is unchanged: tries again from there with vsample.bounce_step more cycles;
 *                 at vsample.bounce_max the interrupt is abandoned (stuck)
 *   far           no path through the block leads there: abandoned
 *   ambiguous     more than one path leads there: a branch or jump into the block itself, or two
 *                 with the same target
 *
 * A loop that came back to such a pc unnoticed looks like a block: its tuples are wrong.
 * vsample.misjudged counts that, and iterations mistaken for no progress; only the simulator
 * detects it, the handler can't.
 *
 * Tuples. A register holds a result if no younger executed instruction wrote it; an operand is
 * known if it is still in the first interrupt's registers or in the second's. Unknown fields are
 * marked (struct vsample_tuple, unknown), latencies and levels always. A system call may write a0
 * and memory. */
#ifndef CYCLOPS_CORE_PIPE_INTERRUPT_BOUNCE_H
#define CYCLOPS_CORE_PIPE_INTERRUPT_BOUNCE_H

#include "core/pipe/pipe.h"
#include "core/prof/values/vsample.h"

/* Sets up a bounce at the end of the first interrupt. True: resume the program; false: there is no
 * block, and this interrupt is abandoned. */
bool bounce_set_up(struct pipe *p);
/* Notes what the program really executes, for vsample.misjudged only. Call after a cycle's commit,
 * between the two interrupts. */
void bounce_follow(struct pipe *p);
/* The result at the second interrupt. VSAMPLE_GOES_ON: there was no progress; set up again with
 * more cycles. */
enum vsample_stop bounce_look(struct pipe *p);
/* Fills the tuple of the next executed instruction that is captured, without `serial`. Returns its
 * captured fields; 0: all are recorded. */
unsigned bounce_tuple(struct pipe *p, struct vsample_tuple *t);

#endif
