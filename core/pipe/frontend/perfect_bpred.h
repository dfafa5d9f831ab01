/* Perfect prediction (bpred.kind=perfect), for limit studies: what machines would gain if fetch
 * always knew the way.
 *
 * An oracle, the only one of the pipeline's: it executes what stands in the fetch queue on a copy
 * of the registers and puts memory back as it was, so that all that it changes is where fetch goes.
 * What nobody can know yet it guesses: behind a system call, which acts when it commits; behind the
 * read of a counter; and behind a profile instruction, which decode may drop. On a wrong path,
 * which only such guesses, replays and traps bring, it knows where that goes. */
#ifndef CYCLOPS_CORE_PIPE_FRONTEND_PERFECT_BPRED_H
#define CYCLOPS_CORE_PIPE_FRONTEND_PERFECT_BPRED_H

#include "core/pipe/pipe.h"

/* Predicts u, a control instruction and the youngest in the fetch queue: fills u->mark and returns
 * where fetch goes on. A guess is that a branch isn't taken, and that an indirect jump goes nowhere
 * but on; direct jumps go where they go. */
uint64_t pipe_predict_perfectly(struct pipe *p, struct uop *u);

#endif
