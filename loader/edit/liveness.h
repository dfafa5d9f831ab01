/* Which integer registers matter where: what code that is put in may change without saving it.
 *
 * Over the whole program at once, and without faith in calling conventions: a return goes behind some call or to a landing pad, any
 * other indirect jump to some place whose address the program knows. */
#ifndef CYCLOPS_LOADER_EDIT_LIVENESS_H
#define CYCLOPS_LOADER_EDIT_LIVENESS_H

#include <stdint.h>

#include "loader/edit/edit.h"

/* Bit r: some path from before instruction i reads x<r> before it writes it. [count of edit_insts()], to be freed; NULL if memory is
 * out. */
uint32_t *edit_liveness(const struct edit *e);

#endif
