/* Where a function has made its frame and put its parameters, by DWARF and the line table. */
#ifndef CYCLOPS_LOADER_DWARF_ENTRY_H
#define CYCLOPS_LOADER_DWARF_ENTRY_H

#include "loader/program.h"

/* The first instruction behind the prologue of the function that begins at addr, where gdb's `break
 * FUNCTION` stops: the second place in its line table. False if no function begins there, nothing
 * is known of its lines, it is written in assembler, or its unit says of variables where they are
 * from the first instruction on, as optimised code does. */
bool entry_behind_prologue(const struct program *p, uint64_t addr, uint64_t *behind);
/* Where a step into the function ends: the same of optimised code, too. */
bool entry_of_step(const struct program *p, uint64_t addr, uint64_t *behind);

#endif
