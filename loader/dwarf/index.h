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

/* Calls fn for each type of an image that has a name, outside functions; scope: "geo", of
 * "geo::Shape", "" in C; cplus: its unit is of C++. */
typedef void index_type_fn(void *ctx, const char *scope, const char *name, bool cplus,
                           Dwarf_Die *die);
void index_each_type(const struct program *image, index_type_fn *fn, void *ctx);

#endif
