/* Branch prediction: direction tables, branch target buffer, return address stack.
 *
 * Prediction happens at fetch (bpred_lookup); learning at dispatch or commit (bpred.update). With
 * bpred.update=fetch histories shift in the prediction at once, and are corrected when a
 * mispredicted branch resolves (bpred_resolve). Outcomes are known at dispatch because instructions
 * execute there, unlike in hardware: so only instructions on the right path learn, as in
 * sim-outorder, and a squash, which may also remove right-path instructions (memory-order
 * violations), undoes what they taught. So each branch of the program has taught exactly once when
 * it commits, and no prediction uses the branch's own outcome. Changes to undo are recorded in
 * struct bpred_mark, for the target buffer in a log, and undone youngest first (bpred_undo). The
 * target buffer's order of use is not restored: look-ups on wrong paths change it.
 *
 * The direction is a predictor's (predictor.h), of bpred.kind. Histories are kept here, since
 * squashes restore them. All tables live in the arena. */
#ifndef CYCLOPS_CORE_PIPE_FRONTEND_BPRED_H
#define CYCLOPS_CORE_PIPE_FRONTEND_BPRED_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/isa/inst.h"
#include "core/pipe/frontend/bpred_state.h"

struct config;
struct speculated_control;
struct stats;

void bpred_place(struct bpred *b, const struct config *cfg, struct arena *a);
void bpred_reset(struct bpred *b); /* counters weakly taken/not taken, as in SimpleScalar */

/* Predicts the control instruction `in` at pc. Returns the predicted next pc: the target if taken
 * and known, else the fall-through (a taken branch that misses in the BTB continues sequentially,
 * and decode redirects it). The BTB is consulted if taken is predicted, unless the target comes
 * from the return stack. Pushes or pops the return stack, records everything in *mark, counts BTB
 * statistics. Called only for inst_is_control(). */
uint64_t bpred_lookup(struct bpred *b, uint64_t pc, const struct inst *in, struct bpred_mark *mark,
                      struct stats *stats);

/* Learns the outcome of an instruction on the right path: direction counters, chooser, history, BTB
 * (taken only). With bpred.update=dispatch the changes are recorded in mark for undo; at commit
 * none is needed. */
void bpred_learn(struct bpred *b, uint64_t pc, const struct inst *in, bool taken, uint64_t target,
                 struct bpred_mark *mark);

/* Corrects the history of a mispredicted conditional branch, with bpred.update=fetch. Call after
 * younger instructions have been undone. */
void bpred_resolve(struct bpred *b, bool taken, const struct bpred_mark *mark);

/* Undoes bpred_lookup()'s changes of histories and the return stack, and bpred_learn()'s of
 * counters, histories and targets; call youngest first. */
void bpred_undo(struct bpred *b, const struct bpred_mark *mark);

/* Notifies plug-ins that a control instruction is resolved, wrong paths included. Only if there is
 * `speculated`; so is speculated_repair(), to be called where the prediction was wrong. */
void bpred_resolved(struct bpred *b, const struct speculated_control *c,
                    const struct bpred_mark *mark);
/* Notifies the predictor, and plug-ins for targets, that a control instruction commits, whatever
 * bpred.update is. Only if `tells`. */
void bpred_retired(struct bpred *b, const struct speculated_control *c,
                   const struct bpred_mark *mark);

/* Drops the target of this instruction, so that it is not predicted taken. */
void bpred_forget(struct bpred *b, uint64_t pc);

/* Predicts the direction of the conditional branch `in` at pc by the present tables, as
 * bpred_lookup() does, into *mark. Changes nothing. view: see struct predictor_query. */
void bpred_predict(const struct bpred *b, uint64_t pc, const struct inst *in, bool view,
                   struct bpred_mark *mark);
/* The history that the look-up of this mark used; right only until the next branch shifts. */
uint32_t bpred_history_used(const struct bpred *b, const struct bpred_mark *mark);

#endif
