/* What a name of C stands for in one call frame. */
#ifndef CYCLOPS_LOADER_DWARF_VARIABLE_H
#define CYCLOPS_LOADER_DWARF_VARIABLE_H

#include "loader/dwarf/ctype.h"
#include "loader/dwarf/place.h"
#include "loader/dwarf/scope.h"

/* Its type, in any case, and where it is: false if it is nowhere. A function is where it begins. */
bool variable_find(const struct place_frame *f, const struct scope_name *name, struct ctype *type,
                   struct place *out);

#endif
