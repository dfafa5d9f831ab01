/* C++ names with the namespaces and classes that declare them. */
#ifndef CYCLOPS_LOADER_DWARF_SCOPED_H
#define CYCLOPS_LOADER_DWARF_SCOPED_H

#include "loader/dwarf/walk.h"

enum { SCOPED_MAX = 512 };

/* Whether the DIE's unit is C++. */
bool scoped_is_cplus(Dwarf_Die *die);
/* Whether names in the unit's language have scopes: C++ and Rust. */
bool scoped_unit(Dwarf_Die *unit);
/* Whether a DIE of this tag is a scope of its children's names. */
bool scoped_opens(int tag);
/* Formats "geo::Box"; in C the name alone. A text too long is cut. w: the walk of the text it is
 * part of. Returns buf. */
char *scoped_name(struct dwarf_walk *w, Dwarf_Die *die, char *buf, size_t n);

#endif
