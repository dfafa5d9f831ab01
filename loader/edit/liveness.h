/* Which integer registers matter where: what code that is put in may change without saving it.
 *
 * Over the whole program at once, and without faith in calling conventions. A return goes behind
 * some call of its function, or of one that ended by jumping to it, or behind any indirect call if
 * the function's address is known. An indirect call goes to some function whose address is known;
 * any other indirect jump to one of these, to a place of its own function whose address is known,
 * or back, if its function is called through another register than ra and t0, moves these to
 * another one, or loads what it jumps through from the stack. A function that sets ra or sp by
 * itself (longjmp, unwinding, a goto out of a nested function) goes behind any call, to a landing
 * pad, or to a place inside a function whose address is known to code (not only to a table).
 *
 * Assumed: nothing below sp is used; a jump leads nowhere else, so no address of code is computed
 * but by what the linker has seen. */
#ifndef CYCLOPS_LOADER_EDIT_LIVENESS_H
#define CYCLOPS_LOADER_EDIT_LIVENESS_H

#include <stdint.h>

#include "loader/edit/edit.h"

/* Bit r: some path from before instruction i reads x<r> before it writes it. [count of
 * edit_insts()], to be freed; NULL if memory is out. */
uint32_t *edit_liveness(const struct edit *e);

enum { PAD_THROWN = 1, /* a landing pad */ PAD_NAMED = 2 /* code puts its address somewhere */ };

/* Whether control may come to each instruction from anywhere: PAD_*, 0. [count], to be freed; NULL
 * if memory is out. */
uint8_t *edit_pads(const struct edit *e);

#endif
