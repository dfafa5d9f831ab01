/* What a program's units declare outside functions, by name. Built on first use. */
#ifndef CYCLOPS_LOADER_DWARF_INDEX_H
#define CYCLOPS_LOADER_DWARF_INDEX_H

#include "loader/dwarf/scope_chain.h"

/* tag 0: a variable, a function or an enumerator; DW_TAG_typedef: a typedef or base type; else a
 * type with this tag. Names of C++ may have scopes before them, and need not have those of the
 * function in which the chain is: the nearest is meant. One of the chain's unit (chain may be NULL)
 * comes before one that all units see, and that before others. */
bool index_find(const struct program *p, const struct scope_chain *chain, int tag, const char *name,
                struct scope_name *out);

#endif
