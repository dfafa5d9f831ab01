/* Names of C by DWARF: declarations in the blocks around an address (scope_chain.h), and of the
 * whole program.
 *
 * All addresses are as loaded. DIEs are borrowed from the program. Damaged debug information gives
 * fewer names. */
#ifndef CYCLOPS_LOADER_DWARF_SCOPE_H
#define CYCLOPS_LOADER_DWARF_SCOPE_H

#include "loader/dwarf/ctype.h"
#include "loader/dwarf/scope_chain.h"

/* Calls fn for variables and parameters of the function and its blocks (down to `first`), innermost
 * block first, until fn returns false. */
void scope_each(const struct scope_chain *chain, bool (*fn)(void *ctx, const struct scope_name *n),
                void *ctx);
/* Finds a name: in the innermost block that has it, then in the unit, then in other units. chain
 * NULL: in the whole program. Types that need the keyword struct, union or enum are not found. */
bool scope_find(const struct program *p, const struct scope_chain *chain, const char *name,
                struct scope_name *out);
/* The same in the function and its blocks only. */
bool scope_find_local(const struct scope_chain *chain, const char *name, struct scope_name *out);
/* The entry of a function, as loaded; false if it has none. */
bool scope_entry(const struct scope_name *function, uint64_t *addr);
/* The inlined function that has the block (a number in the chain); NULL if it is the function
 * itself. */
const char *scope_inlined(const struct scope_chain *chain, unsigned block);
/* Finds a type by name: a typedef or base type without a keyword. */
enum scope_keyword { SCOPE_NO_KEYWORD, SCOPE_STRUCT, SCOPE_UNION, SCOPE_ENUM };
bool scope_find_type(const struct program *p, const struct scope_chain *chain,
                     enum scope_keyword keyword, const char *name, Dwarf_Die *out);
/* Replaces a struct, class or union that is only declared by its definition in another unit, if the
 * program has one. */
void scope_complete_type(const struct program *p, struct ctype *t);

#endif
