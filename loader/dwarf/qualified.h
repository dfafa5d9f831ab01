/* Variables of a named function or file: FUNCTION::NAME, FILE::NAME. */
#ifndef CYCLOPS_LOADER_DWARF_QUALIFIED_H
#define CYCLOPS_LOADER_DWARF_QUALIFIED_H

#include "loader/dwarf/scope.h"

enum qualified { QUALIFIED_FOUND, QUALIFIED_NO_SCOPE, QUALIFIED_NO_NAME };

/* Finds the variable: in a function, outermost block first; in a file, among its declarations
 * outside functions. chain (may be NULL): functions of its unit are preferred. */
enum qualified scope_find_qualified(const struct program *p, const struct scope_chain *chain,
                                    const char *scope, const char *name, struct scope_name *out);

#endif
