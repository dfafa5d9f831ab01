/* The name of the function of which a block of debug information is an inlined copy. */
#ifndef CYCLOPS_LOADER_DWARF_INLINED_NAME_H
#define CYCLOPS_LOADER_DWARF_INLINED_NAME_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>

/* "geo::sum" in buf; NULL if it has no name. */
char *inlined_function_name(const Dwarf_Die *block, char *buf, size_t n);
/* Whether a user's `asked` may mean it (loader/demangle.h). */
bool inlined_function_meant(const Dwarf_Die *block, const char *asked);

#endif
