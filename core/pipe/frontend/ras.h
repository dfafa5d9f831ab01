/* Return address stack: a ring that overwrites its oldest entry when it overflows.
 *
 * Pushed and popped at fetch, so wrong paths disturb it; every change is recorded in the mark of
 * the instruction that made it and undone, youngest first. One saved entry is enough: a push
 * overwrites one, and a pop does not change the ring's contents. */
#ifndef CYCLOPS_CORE_PIPE_FRONTEND_RAS_H
#define CYCLOPS_CORE_PIPE_FRONTEND_RAS_H

#include <stdbool.h>
#include <stdint.h>

struct bpred;
struct bpred_mark;

/* Pops into *target. False, and nothing popped, if the stack is empty or absent. */
bool ras_pop(struct bpred *b, struct bpred_mark *mark, uint64_t *target);
/* Pushes a return address; after ras_pop on the same mark, both are one change. */
void ras_push(struct bpred *b, struct bpred_mark *mark, uint64_t address);
/* Undoes both for this mark; call youngest first. */
void ras_undo(struct bpred *b, const struct bpred_mark *mark);

#endif
