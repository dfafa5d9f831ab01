/* Variables of a function or a file that is named: FUNCTION::NAME, FILE::NAME. */
#ifndef CYCLOPS_LOADER_DWARF_QUALIFIED_H
#define CYCLOPS_LOADER_DWARF_QUALIFIED_H

#include "loader/dwarf/scope.h"

enum qualified { QUALIFIED_FOUND, QUALIFIED_NO_SCOPE, QUALIFIED_NO_NAME };

/* What the name means there: in a function in its outermost block first; of a file what it declares
 * outside functions. chain (may be NULL): whose functions are meant first. */
enum qualified scope_find_qualified(const struct program *p, const struct scope_chain *chain,
                                    const char *scope, const char *name, struct scope_name *out);

#endif
