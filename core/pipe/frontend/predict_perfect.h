/* Perfect prediction (bpred.kind=perfect), for limit studies: the gain if fetch always followed the
 * right path.
 *
 * The pipeline's only oracle: it executes the fetch queue on a copy of the registers and restores
 * memory, so that it changes nothing but where fetch goes. It guesses if the outcome is unknown:
 * after a system call, which acts when it commits; after a read of a counter; and after a profile
 * instruction, which decode may drop. On a wrong path, which only such guesses, replays and traps
 * cause, it predicts that path. */
#ifndef CYCLOPS_CORE_PIPE_FRONTEND_PREDICT_PERFECT_H
#define CYCLOPS_CORE_PIPE_FRONTEND_PREDICT_PERFECT_H

#include "core/pipe/pipe.h"

/* Predicts u, a control instruction and the youngest in the fetch queue: fills u->mark and returns
 * the next pc. A guess is the fall-through for a branch or indirect jump, and the target for a
 * direct jump. */
uint64_t pipe_predict_perfectly(struct pipe *p, struct uop *u);

#endif
