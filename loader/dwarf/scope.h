/* Names of C by DWARF: what is declared in the blocks around an address (scope_chain.h), and what
 * the whole program declares.
 *
 * All addresses are as loaded. DIEs are borrowed from the program. Damaged debug information gives
 * fewer names. */
#ifndef CYCLOPS_LOADER_DWARF_SCOPE_H
#define CYCLOPS_LOADER_DWARF_SCOPE_H

#include "loader/dwarf/scope_chain.h"

/* Variables and parameters of the function and its blocks (to `first`), innermost block first,
 * until fn is false. */
void scope_each(const struct scope_chain *chain, bool (*fn)(void *ctx, const struct scope_name *n),
                void *ctx);
/* What the name means there: of the innermost block that has it, then of the unit, then of other
 * units. chain NULL: of the whole program. Types that are only called with struct, union or enum
 * before are not among them. */
bool scope_find(const struct program *p, const struct scope_chain *chain, const char *name,
                struct scope_name *out);
/* The same of the function and its blocks alone. */
bool scope_find_local(const struct scope_chain *chain, const char *name, struct scope_name *out);
/* Where a function begins, as loaded; false if nowhere. */
bool scope_entry(const struct scope_name *function, uint64_t *addr);
/* The function that was inlined and has the block (by its number in the chain); NULL: the block is
 * of the function itself. */
const char *scope_inlined(const struct scope_chain *chain, unsigned block);
/* The type of a name, a typedef or base type if no keyword stands before it. */
enum scope_keyword { SCOPE_NO_KEYWORD, SCOPE_STRUCT, SCOPE_UNION, SCOPE_ENUM };
bool scope_find_type(const struct program *p, const struct scope_chain *chain,
                     enum scope_keyword keyword, const char *name, Dwarf_Die *out);

#endif
