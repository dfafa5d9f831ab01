/* Units and functions of an image by address: tables that the first query of an image, and of each
 * unit, builds. A search takes logarithmic time where the ranges of code do not overlap, which
 * compilers' do not.
 *
 * Addresses are the file's. Damaged debug information gives fewer entries. */
#ifndef CYCLOPS_LOADER_DWARF_CODE_INDEX_H
#define CYCLOPS_LOADER_DWARF_CODE_INDEX_H

#include <elfutils/libdw.h>
#include <stdbool.h>

struct program;

/* Finds the first unit whose ranges hold the address; for units that no .debug_aranges lists. */
bool code_index_find_unit(const struct program *image, Dwarf_Addr addr, Dwarf_Die *unit);
/* Finds the first block of the unit that holds the address, and the namespaces around it: outermost
 * first, at most max. A function declared in another function or in a type, such as a lambda, is
 * found if no other block holds the address, and stands alone. Returns their number; 0: none. */
unsigned code_index_find_blocks(const struct program *image, Dwarf_Die *unit, Dwarf_Addr addr,
                                Dwarf_Die *blocks, unsigned max);
/* Whether a variable of the unit has a location list. */
bool code_index_unit_has_lists(const struct program *image, Dwarf_Die *unit);

#endif
