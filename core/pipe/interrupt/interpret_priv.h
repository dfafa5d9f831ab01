/* Shared by the files of the value sampler's handler: its phases (interpret.c), and the
 * interpretation of an instruction (interpret_inst.c). */
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
/* Makes the hart's state the committed state and fetch's pc. */
void interpret_settle(struct pipe *p);
/* Fields that are captured for this operation. */
unsigned interpret_capture_of(const struct pipe *p, unsigned op);
/* Executes and commits an instruction. False if it traps, which only a change by hand can cause:
 * nothing has happened. */
bool interpret_execute(struct pipe *p, const struct next_inst *c, struct retired *r, uint64_t now);
/* Captures tuple fields that executing the instruction overwrites. */
void interpret_look_before(struct pipe *p, unsigned capture, struct vsample_tuple *t, uint64_t now);
void interpret_note_brought(struct pipe *p, uint64_t addr);
bool interpret_record(struct pipe *p, const struct vsample_tuple *before, const struct retired *r,
                      unsigned capture, uint64_t now);
/* Hands a tuple to the queue. False if it is lost. */
bool interpret_hand_over(struct pipe *p, struct vsample_tuple *t, unsigned capture, uint64_t now);
void interpret_tell_devices(struct pipe *p, struct retired *r);
void interpret_tell_entered(struct pipe *p);
void interpret_tell(struct pipe *p, const struct uop *u, bool recorded, bool lost);
void interpret_tell_stopped(struct pipe *p);
uint64_t interpret_tuple_cycles(const struct pipe *p, unsigned capture);

#endif
