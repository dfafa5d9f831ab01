/* Where a function has put its parameters, by DWARF and the line table. */
#ifndef CYCLOPS_LOADER_DWARF_ENTRY_H
#define CYCLOPS_LOADER_DWARF_ENTRY_H

#include "loader/program.h"

/* The first instruction behind the prologue of the function that begins at addr, as debuggers take
 * it: the second place in its line table. False if no function begins there, nothing is known of
 * its lines, or all its parameters are where DWARF says from its first instruction on, as in
 * optimised code. */
bool entry_behind_prologue(const struct program *p, uint64_t addr, uint64_t *behind);

#endif
