/* Branch prediction: direction tables, branch target buffer, return address stack.
 *
 * Prediction happens at fetch (bpred_lookup); learning at dispatch or commit (bpred.update). With
 * bpred.update=fetch histories shift in what is predicted, at once, and learn their mistake when
 * the branch resolves (bpred_resolve). Outcomes are known at dispatch because instructions execute
 * there, which hardware's don't: so only instructions on the right path learn, as in sim-outorder,
 * and a squash (right-path instructions have those too: memory-order violations) takes back what
 * they taught. Each branch of the program has then taught once when it commits, and none is ever
 * predicted by its own outcome. What there is to take back is recorded in struct bpred_mark, for
 * the target buffer in a log, and undone youngest first (bpred_undo). The target buffer's order of
 * use is not: look-ups on wrong paths change it.
 *
 * BPRED_PERFECT looks nothing up and learns nothing: fetch asks core/pipe/frontend/perfect_bpred.h.
 *
 * A plug-in may decide directions instead of the tables; histories stay ours, for they are taken
 * back, and it learns at commit.
 *
 * Direction tables follow McFarling's combining predictor and SimpleScalar's geometry; perceptrons
 * Jimenez and Lin, "Dynamic Branch Prediction with Perceptrons" (HPCA 2001). All tables live in the
 * arena. */
#ifndef CYCLOPS_CORE_PIPE_FRONTEND_BPRED_H
#define CYCLOPS_CORE_PIPE_FRONTEND_BPRED_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/isa/inst.h"
#include "core/pipe/frontend/bpred_state.h"

struct config;
struct stats;

void bpred_place(struct bpred *b, const struct config *cfg, struct arena *a);
void bpred_reset(struct bpred *b); /* counters weakly taken/not taken as SimpleScalar starts them */

/* Predicts the control instruction `in` at pc. Returns the predicted next pc: the target if taken
 * and known, else the fall-through (a taken branch that misses in the BTB goes on sequentially, and
 * decode redirects it). The BTB is consulted for what is predicted taken, unless the target comes
 * from the return stack. Pushes or pops the return stack, records everything in *mark, counts BTB
 * statistics. Called only for inst_is_control(). */
uint64_t bpred_lookup(struct bpred *b, uint64_t pc, const struct inst *in, struct bpred_mark *mark,
                      struct stats *stats);

/* Learns the outcome, of an instruction on the right path: direction counters, chooser, history,
 * BTB (taken only). With bpred.update=dispatch what that changes is recorded in mark for undo; at
 * commit nothing needs undoing. */
void bpred_learn(struct bpred *b, uint64_t pc, const struct inst *in, bool taken, uint64_t target,
                 struct bpred_mark *mark);

/* The outcome of a conditional branch that was predicted the other way is known, and what is
 * younger has been undone: with bpred.update=fetch its history gets it. */
void bpred_resolve(struct bpred *b, bool taken, const struct bpred_mark *mark);

/* Takes back what lookup did to histories and the return stack and learn to counters, histories and
 * targets; call youngest first. */
void bpred_undo(struct bpred *b, const struct bpred_mark *mark);

/* A conditional branch commits: a plug-in learns, whatever bpred.update says, for what it learnt
 * could not be taken back. Only for BPRED_EXTERNAL. */
void bpred_tell(struct bpred *b, uint64_t pc, bool taken, const struct bpred_mark *mark);

/* Drops the target of this instruction, so that it is not predicted taken. */
void bpred_forget(struct bpred *b, uint64_t pc);

/* For views: what the tables would say now of a conditional branch, without changing anything. */
void bpred_peek(const struct bpred *b, uint64_t pc, struct bpred_mark *mark);
/* What perceptron `index` makes of this history: taken from 0 on. At most this far from 0 it learns
 * also when it was right: */
int bpred_perceptron_sum(const struct bpred *b, uint32_t index, uint32_t history);
int bpred_perceptron_threshold(const struct bpred *b);

#endif
