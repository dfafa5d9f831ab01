/* Live integer registers: the others may be changed by inserted code without saving them.
 *
 * Analyses the whole program at once and does not trust calling conventions. A return leads to the
 * instruction after some call of its function, or of a function that ended by jumping to it; or, if
 * the function's address is known, after any indirect call. An indirect call goes to some function
 * whose address is known; any other indirect jump leads to one of these, to a place of its own
 * function whose address is known, or back to a caller, if its function is called through another
 * register than ra and t0, moves these to another register, or loads its jump target from the
 * stack. A function that sets ra or sp itself (longjmp, unwinding, a goto out of a nested function)
 * goes to after any call, to a landing pad, or to a place inside a function whose address is known
 * to code (not only to a table).
 *
 * Assumed: memory below sp is unused; jumps lead nowhere else, so addresses of code are computed
 * only as the linker has seen. */
#ifndef CYCLOPS_LOADER_EDIT_LIVENESS_H
#define CYCLOPS_LOADER_EDIT_LIVENESS_H

#include <stdint.h>

#include "loader/edit/edit.h"

/* Bit r of an entry: some path from before instruction i reads x<r> before it writes it. [count of
 * edit_insts()], malloc'd; NULL if memory is out. */
uint32_t *edit_liveness(const struct edit *e);

enum { PAD_THROWN = 1, /* a landing pad */ PAD_NAMED = 2 /* its address is taken by code */ };

/* Whether control may come to each instruction from anywhere: PAD_*, 0. [count], malloc'd; NULL if
 * memory is out. */
uint8_t *edit_pads(const struct edit *e);

#endif
