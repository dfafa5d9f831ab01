/* Names of C++ with the namespaces and classes that they are declared in. */
#ifndef CYCLOPS_LOADER_DWARF_SCOPED_H
#define CYCLOPS_LOADER_DWARF_SCOPED_H

#include "loader/dwarf/walk.h"

enum { SCOPED_MAX = 512 };

/* Whether the DIE's unit is of C++. */
bool scoped_is_cplus(Dwarf_Die *die);
/* Whether a unit's DIE says that names of its language have scopes: C++ and Rust. */
bool scoped_unit(Dwarf_Die *unit);
/* Whether a DIE's children are named with its name before them. */
bool scoped_opens(int tag);
/* "geo::Box"; of C the name alone. What is too long is cut. w: of the text that it is for. */
char *scoped_name(struct dwarf_walk *w, Dwarf_Die *die, char *buf, size_t n);

#endif
