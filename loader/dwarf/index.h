/* Declarations of a program's units outside functions, by name. Built on first use. */
#ifndef CYCLOPS_LOADER_DWARF_INDEX_H
#define CYCLOPS_LOADER_DWARF_INDEX_H

#include "loader/dwarf/scope_chain.h"

/* Finds a declaration. tag 0: a variable, a function or an enumerator; DW_TAG_typedef: a typedef or
 * base type; else a type with this tag. C++ names may have scopes before them, and may omit those
 * of the chain's function: the nearest match is returned. The chain's unit (chain may be NULL)
 * comes before external names of other units, and those before the rest. */
bool index_find(const struct program *p, const struct scope_chain *chain, int tag, const char *name,
                struct scope_name *out);

/* Calls fn for each named type of an image outside functions; scope: "geo" of "geo::Shape", "" in
 * C; cplus: its unit is of C++. */
typedef void index_type_fn(void *ctx, const char *scope, const char *name, bool cplus,
                           Dwarf_Die *die);
void index_each_type(const struct program *image, index_type_fn *fn, void *ctx);

#endif
