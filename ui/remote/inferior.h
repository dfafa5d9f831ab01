/* Calls of the program's functions by expressions, as gdb's "inferior calls": registers and the
 * stack are set by changes by hand, the machine runs to the call's return, and the registers are
 * set back. All of it is recorded, so that motions backwards lead into the call and out of it. */
#ifndef CYCLOPS_UI_REMOTE_INFERIOR_H
#define CYCLOPS_UI_REMOTE_INFERIOR_H

#include "scripting/c/c.h"
#include "ui/remote/mover.h"

/* Performs a call at the console's place; c: a struct console. A call that a stop point ends stays
 * in progress; one that fails is undone. False with *err: no result. */
bool inferior_call(void *c, struct c_invocation *call, struct err *err);

#endif
