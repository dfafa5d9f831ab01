/* The operations of DWARF expressions. libdw unpacks an expression of any length, keeps it as long
 * as the program is open, and ends the process when memory runs out: so its length is looked at
 * before, and what it keeps counts as debug information does. */
#ifndef CYCLOPS_LOADER_DWARF_LOCATION_H
#define CYCLOPS_LOADER_DWARF_LOCATION_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>

struct program;

/* What the attribute, an expression or a list of them by address, says at the address (as in the
 * file). *ops is borrowed from the program. False: nothing, nothing that can be followed, or there
 * is no room for it. */
bool location_ops(const struct program *image, Dwarf_Attribute *attr, Dwarf_Addr at, Dwarf_Op **ops,
                  size_t *n);

#endif
