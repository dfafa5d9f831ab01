/* The end of a function's prologue, where its frame and parameters are in place, by DWARF and the
 * line table. */
#ifndef CYCLOPS_LOADER_DWARF_ENTRY_H
#define CYCLOPS_LOADER_DWARF_ENTRY_H

#include "loader/program.h"

/* The first instruction after the prologue of the function that begins at addr, where gdb's `break
 * FUNCTION` stops: the second place in its line table. False if no function begins there, its lines
 * are not known, it is written in assembler, or its unit locates variables from the first
 * instruction on, as optimised code does. */
bool entry_behind_prologue(const struct program *p, uint64_t addr, uint64_t *behind);
/* Where a step into the function ends: the same, for optimised code as well. */
bool entry_of_step(const struct program *p, uint64_t addr, uint64_t *behind);

#endif
