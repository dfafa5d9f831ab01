/* The value sampler's handler in the pipeline (core/prof/values/vsample.h): takes its interrupt,
 * holds the pipeline, and continues the program by interpreting it.
 *
 * The interrupt is taken after commit: everything younger than the last committed instruction is
 * squashed, and in the handler's cycles no stage runs. isa_exec() executes interpreted instructions
 * on the hart, which after the squash is the committed state; they commit at once, in the last
 * cycle of their time. Effects elsewhere:
 *
 *   statistics   sim.insts (so instret and minst), vsample.*; all commit slots of these cycles are
 *                cpi.vsample. Not commit.*, bpred.* and the like: those count the pipeline's work
 *   devices      their `retired` tap is called for each instruction, as if it had committed alone;
 *                decoded, accessed and squashed are for the pipeline only. So the oracle counts it,
 *                with its level and latency, and the sampler compresses it; the co-processor, which
 *                tags at decode, has no record of it
 *   events       COMMIT, STORE and LEAVE (retired, not dispatched), for an instruction with a
 *                number and a slot of its own, whose times are those of the interpretation.
 *                INTERPRET follows these; VSAMPLE when the interrupt is taken, INTERPRETED when the
 *                handler returns from an interpretation. So breakpoints at commit, watchpoints,
 *                `next` and hooks work; the instruction is never fetched or dispatched, and
 *                breakpoints there don't fire
 *   memory       stores change code as they do in the pipeline: the interpreter decodes each
 *                instruction again. LR and SC pair up within the interpretation and across its
 *                ends: the handler uses neither, and this interrupt clears no reservation
 *   Xprof        profile flags, marks and the shadow of the stack are updated; the block descriptor
 *                table learns nothing
 *   predictors   none: they neither predict nor learn. The return stack does not follow calls and
 *                returns; fetch restarts after them, as on the processor of the paper
 *   prefetchers  are notified of the handler's own loads and stores, with its own code addresses
 *
 * An upcall's library continues the program in the same way. Firmware that interrupts it sees the
 * program's pc and registers; on a real machine it would see the library's.
 *
 * Changes by hand take effect from the next instruction on. */
#ifndef CYCLOPS_CORE_PIPE_INTERRUPT_INTERPRET_H
#define CYCLOPS_CORE_PIPE_INTERRUPT_INTERPRET_H

#include "core/pipe/pipe.h"
#include "core/prof/common/prof.h"

bool interpret_runs(const struct pipe *p);
bool interpret_begins_now(const struct pipe *p);
bool interpret_comes(struct pipe *p);
void interpret_follow_block(struct pipe *p);

/* True if the handler runs in this cycle; false while firmware has interrupted it. */
static inline bool interpret_holds(const struct pipe *p)
{
	return p->prof->holds && interpret_runs(p);
}

/* True if its interrupt was taken in this cycle. */
static inline bool interpret_enters(const struct pipe *p)
{
	return interpret_holds(p) && interpret_begins_now(p);
}

/* True if its interrupt is to be taken after this cycle's commits. Call once per cycle. */
static inline bool interpret_is_due(struct pipe *p)
{
	return p->prof->holds && interpret_comes(p);
}

/* Between the two interrupts of a bounce, after commit: notes what the program really executes,
 * which the handler will have to infer. */
static inline void interpret_follow(struct pipe *p)
{
	if (p->prof->holds)
		interpret_follow_block(p);
}

/* Takes the interrupt: from the next cycle on the handler runs. */
void interpret_enter(struct pipe *p);
/* Runs one of the handler's cycles, instead of the stages. */
void interpret_cycle(struct pipe *p);

#endif
