/* Between the files of the value sampler's handler: when it runs (interpret.c), and how it
 * interprets an instruction (interpret_inst.c). */
#ifndef CYCLOPS_CORE_PIPE_INTERRUPT_INTERPRET_PRIV_H
#define CYCLOPS_CORE_PIPE_INTERRUPT_INTERPRET_PRIV_H

#include "core/pipe/interrupt/interpret.h"
#include "core/pipe/interrupt/next_inst.h"
#include "core/prof/values/vsample.h"

static inline struct vsample_state *interpret_state(const struct pipe *p)
{
	return p->prof->vsample->st;
}

bool interpret_is_upcall(const struct pipe *p);
bool interpret_is_bounce(const struct pipe *p);
/* The hart's state is committed, and fetch would begin there. */
void interpret_settle(struct pipe *p);
/* What is recorded of this operation. */
unsigned interpret_capture_of(const struct pipe *p, unsigned op);
/* Executes it, and commits it. False if it traps after all, which a change by hand can bring about:
 * nothing has happened. */
bool interpret_execute(struct pipe *p, const struct next_inst *c, struct retired *r, uint64_t now);
/* What a tuple has that is the same no more when the instruction has been executed. */
void interpret_look_before(struct pipe *p, unsigned capture, struct vsample_tuple *t, uint64_t now);
void interpret_note_brought(struct pipe *p, uint64_t addr);
bool interpret_record(struct pipe *p, const struct vsample_tuple *before, const struct retired *r,
                      unsigned capture, uint64_t now);
/* False if it is lost. */
bool interpret_hand_over(struct pipe *p, struct vsample_tuple *t, unsigned capture, uint64_t now);
void interpret_tell_devices(struct pipe *p, struct retired *r);
void interpret_tell_entered(struct pipe *p);
void interpret_tell(struct pipe *p, const struct uop *u, bool recorded, bool lost);
void interpret_tell_stopped(struct pipe *p);
uint64_t interpret_tuple_cycles(const struct pipe *p, unsigned capture);

#endif
