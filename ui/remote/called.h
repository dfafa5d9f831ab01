/* Registers of calls by expressions (ui/remote/inferior.h): noted when a call begins, set back when
 * it returns. */
#ifndef CYCLOPS_UI_REMOTE_CALLED_H
#define CYCLOPS_UI_REMOTE_CALLED_H

#include "scripting/c/c.h"
#include "ui/console/command_state.h"
#include "ui/remote/mover.h"

/* Notes the registers of the thread at the place; those of a waiting thread are its saved ones, with
 * pc at the system call that it repeats after the call. */
void called_begin(const struct mover *v, const struct c_invocation *call, uint32_t tid,
                  struct called *out);
/* Sets what differs from the call's registers in its thread. False with *err. */
bool called_enter(struct mover *v, const struct c_invocation *call, const struct called *from,
                  struct err *err);
/* A change at the place. False with *err. */
bool called_set(struct mover *v, enum journal_kind kind, uint64_t a, uint64_t b, struct err *err);
/* True if the place is after the call's return. */
bool called_is_back(const struct mover *v, const struct called *of);
/* The call has returned: notes it, and sets the registers back that differ. False with *err. */
bool called_restore(struct mover *v, const struct called *from, struct err *err);
/* The instructions committed before the innermost call of an expression, in progress or ended, in
 * which the place is; UINT64_MAX: none. */
uint64_t called_begins(const struct mover *v);
/* The calls after the place that have ended in recorded history: their number. */
unsigned called_ahead(const struct mover *v, struct called_ended out[CALLED_ENDED_MAX]);
/* Keeps a call in progress, whose return sets the registers back. */
void called_keep(struct mover *v, const struct called *call);
/* Call after a motion: true if it ended with the return of a call in progress; sets the registers
 * back, and name[n] to the function's. */
bool called_returned(struct mover *v, char *name, size_t n);

#endif
