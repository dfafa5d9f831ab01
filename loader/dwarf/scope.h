/* Names of C by DWARF: which blocks are around an address, what is declared in them, and what the
 * whole program declares.
 *
 * All addresses are as loaded. DIEs are borrowed from the program. Damaged debug information gives
 * fewer names. */
#ifndef CYCLOPS_LOADER_DWARF_SCOPE_H
#define CYCLOPS_LOADER_DWARF_SCOPE_H

#include <elfutils/libdw.h>

#include "loader/program.h"

enum { SCOPE_DEPTH_MAX = 32 };

/* The blocks around an address: the unit, its function, blocks and inlined functions in it,
 * innermost last. */
struct scope_chain {
	const struct program *image;
	Dwarf_Die block[SCOPE_DEPTH_MAX];
	unsigned count;
	unsigned first; /* number of the block beyond which names are not the function's own */
};

/* The program that has the address: p itself or its firmware. */
const struct program *scope_image(const struct program *p, uint64_t addr);
/* False if nothing is known of the address. */
bool scope_chain(const struct program *image, uint64_t addr, struct scope_chain *out);
/* The function that is laid out there: the outermost of the chain; false if there is none. */
bool scope_function(const struct scope_chain *chain, Dwarf_Die *out);

enum scope_kind { SCOPE_VARIABLE, SCOPE_PARAMETER, SCOPE_ENUMERATOR, SCOPE_TYPE, SCOPE_FUNCTION };

struct scope_name {
	const char *name;            /* borrowed */
	const struct program *image; /* who has it */
	const struct program *program; /* that was asked, of what is in no frame; else NULL */
	enum scope_kind kind;
	Dwarf_Die die;
	Dwarf_Die type;     /* SCOPE_ENUMERATOR: of which it is one; addr NULL: not known */
	Dwarf_Die function; /* whose frame it is in; addr NULL: of the whole program */
	unsigned block;     /* of the chain: its number */
};

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
