/* The meaning of a C name in one call frame. */
#ifndef CYCLOPS_LOADER_DWARF_VARIABLE_H
#define CYCLOPS_LOADER_DWARF_VARIABLE_H

#include "loader/dwarf/ctype.h"
#include "loader/dwarf/place.h"
#include "loader/dwarf/scope.h"

/* The type, always, and the place: false if it has none. A function's place is its entry. */
bool variable_find(const struct place_frame *f, const struct scope_name *name, struct ctype *type,
                   struct place *out);

#endif
