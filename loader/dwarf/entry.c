#include "loader/dwarf/entry.h"

#include <dwarf.h>
#include <stdlib.h>

#include "loader/dwarf/location.h"
#include "loader/dwarf/scope.h"
#include "loader/program_priv.h"

/* Whether it has one place for good, in the frame that the prologue makes: the frame's base is the
 * stack pointer at entry. */
static bool is_stored(const struct program *image, Dwarf_Die *parameter)
{
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t n;
	return dwarf_attr_integrate(parameter, DW_AT_location, &attr) &&
	       location_ops(image, &attr, 0, &ops, &n) && ops[0].atom == DW_OP_fbreg &&
	       (Dwarf_Sword)ops[0].number < 0;
}

static bool stores_one(const struct program *image, Dwarf_Die *function)
{
	Dwarf_Die child;
	if (!walk_child(walk_of(image), function, &child))
		return false;
	do
		if (dwarf_tag(&child) == DW_TAG_formal_parameter && is_stored(image, &child))
			return true;
	while (walk_next(walk_of(image), &child));
	return false;
}

bool entry_behind_prologue(const struct program *p, uint64_t addr, uint64_t *behind)
{
	const struct program *image = scope_image(p, addr);
	struct scope_chain chain;
	Dwarf_Die function;
	Dwarf_Addr entry, *places = NULL;
	walk_begin(image);
	if (!scope_chain(image, addr, &chain) || !scope_function(&chain, &function) ||
	    dwarf_entrypc(&function, &entry) != 0 || entry + image->bias != addr ||
	    !stores_one(image, &function) ||
	    !debug_limit_lines(&image->debug->limit, program_debug_elf(image), &chain.block[0]))
		return false;
	const bool found = dwarf_entry_breakpoints(&function, &places) > 0 && places[0] != entry &&
	                   walk_holds(walk_of(image), &function, places[0]);
	if (found)
		*behind = places[0] + image->bias;
	free(places);
	return found;
}
