/* The blocks of a program around an address, by DWARF, and what a name declared in them refers to.
 * All addresses are as loaded. DIEs are borrowed from the program. */
#ifndef CYCLOPS_LOADER_DWARF_SCOPE_CHAIN_H
#define CYCLOPS_LOADER_DWARF_SCOPE_CHAIN_H

#include <elfutils/libdw.h>

#include "loader/program.h"

enum { SCOPE_DEPTH_MAX = 32 };

/* The blocks around an address: the unit, its function, nested blocks and inlined functions,
 * innermost last. */
struct scope_chain {
	const struct program *image;
	Dwarf_Die block[SCOPE_DEPTH_MAX];
	unsigned count;
	unsigned first; /* number of the outermost block whose names are the function's */
};

/* The image that has the address: p itself or its firmware. */
const struct program *scope_image(const struct program *p, uint64_t addr);
/* Finds the blocks. False if the address has no debug information. */
bool scope_chain(const struct program *image, uint64_t addr, struct scope_chain *out);
/* The function whose code is there: the outermost in the chain; false if there is none. */
bool scope_function(const struct scope_chain *chain, Dwarf_Die *out);

enum scope_kind { SCOPE_VARIABLE, SCOPE_PARAMETER, SCOPE_ENUMERATOR, SCOPE_TYPE, SCOPE_FUNCTION };

struct scope_name {
	const char *name;            /* borrowed */
	const struct program *image; /* the image that has it */
	const struct program *program; /* that was searched, if it is in no frame; else NULL */
	enum scope_kind kind;
	Dwarf_Die die;
	Dwarf_Die type;     /* SCOPE_ENUMERATOR: its type; addr NULL: not known */
	Dwarf_Die function; /* function of its frame; addr NULL: global */
	unsigned block;     /* its number in the chain */
};

#endif
