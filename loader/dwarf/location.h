/* The operations of DWARF expressions. libdw unpacks an expression of any length, keeps it until
 * the program is closed, and ends the process when memory runs out: so lengths are checked before,
 * and the kept memory counts as debug information. */
#ifndef CYCLOPS_LOADER_DWARF_LOCATION_H
#define CYCLOPS_LOADER_DWARF_LOCATION_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>

struct program;

/* The operations at the address (as in the file) of an attribute that is an expression or a
 * location list. *ops is borrowed from the program. False: none there, invalid, or no room for
 * them. */
bool location_ops(const struct program *image, Dwarf_Attribute *attr, Dwarf_Addr at, Dwarf_Op **ops,
                  size_t *n);

#endif
