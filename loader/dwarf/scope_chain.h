/* The blocks of a program around an address, by DWARF, and what they declare a name as. All
 * addresses are as loaded. DIEs are borrowed from the program. */
#ifndef CYCLOPS_LOADER_DWARF_SCOPE_CHAIN_H
#define CYCLOPS_LOADER_DWARF_SCOPE_CHAIN_H

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

#endif
