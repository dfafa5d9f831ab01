/* The value sampler's handler in the pipeline (core/prof/values/vsample.h): it takes its interrupt,
 * holds the pipeline, and goes on with the program by interpreting.
 *
 * The interrupt is taken behind commit: everything younger than the last committed instruction is
 * squashed, and in the handler's cycles no stage runs. What is interpreted is executed by
 * isa_exec() on the hart, which after the squash is the committed state, and is committed at once,
 * in the last cycle of its time. Who is told of it:
 *
 *   statistics   sim.insts (so instret and minst), vsample.*; all commit slots of these cycles are
 *                cpi.vsample. Not commit.*, bpred.* and the like: those are what the pipeline did
 *   devices      their `retired` tap, as if it had committed alone; decoded, accessed and squashed
 *                are the pipeline's and say nothing of it. So the oracle counts it, with its level
 *                and latency, and the sampler compresses it; the co-processor, which tags at
 *                decode, has no record of it
 *   events       COMMIT, STORE and LEAVE (retired, not dispatched), for an instruction with a
 *                number and a slot of its own, in which its stamps say when it was begun and ended.
 *                INTERPRET behind these; VSAMPLE when the interrupt is taken, INTERPRETED when the
 *                handler returns from an interpretation. So breakpoints at commit, watchpoints,
 *                `next` and hooks work; it was never fetched or dispatched, and breakpoints there
 *                don't fire
 *   memory       stores change code as they do in the pipeline: the interpreter decodes each
 *                instruction anew. LR and SC find each other, inside the interpretation and across
 *                its ends: the handler has none of its own, and no interrupt of this kind takes a
 *                reservation away
 *   Xprof        profile flags, marks and the shadow of the stack are kept up; the block descriptor
 *                table learns nothing
 *   predictors   nothing: they neither predict nor learn. The return stack does not follow calls
 *                and returns; fetch begins anew behind them, as on the processor of the paper
 *   prefetchers  the handler's own loads and stores, by its own addresses of code
 *
 * An upcall's library goes on with the program in the same way. When firmware breaks into it, the
 * program's own place and registers are what firmware sees; on a real machine it would find the
 * library's.
 *
 * What changes by hand in the middle holds from the next instruction on. */
#ifndef CYCLOPS_CORE_PIPE_INTERRUPT_INTERPRET_H
#define CYCLOPS_CORE_PIPE_INTERRUPT_INTERPRET_H

#include "core/pipe/pipe.h"
#include "core/prof/common/prof.h"

bool interpret_runs(const struct pipe *p);
bool interpret_begins_now(const struct pipe *p);
bool interpret_comes(struct pipe *p);
void interpret_follow_block(struct pipe *p);

/* A handler runs in this cycle; not while firmware has broken into it. */
static inline bool interpret_holds(const struct pipe *p)
{
	return p->prof->holds && interpret_runs(p);
}

/* Whether its interrupt has been taken in this cycle. */
static inline bool interpret_enters(const struct pipe *p)
{
	return interpret_holds(p) && interpret_begins_now(p);
}

/* Its interrupt is to be taken behind what has committed in this cycle. Once in each. */
static inline bool interpret_is_due(struct pipe *p)
{
	return p->prof->holds && interpret_comes(p);
}

/* Between the two interrupts of a bounce: behind commit, the simulator follows what the handler
 * will have to guess. */
static inline void interpret_follow(struct pipe *p)
{
	if (p->prof->holds)
		interpret_follow_block(p);
}

/* Takes it: from the next cycle on the handler runs. */
void interpret_enter(struct pipe *p);
/* One of its cycles, in the place of the stages. */
void interpret_cycle(struct pipe *p);

#endif
