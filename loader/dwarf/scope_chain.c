#include "loader/dwarf/scope_chain.h"

#include <dwarf.h>

#include "loader/dwarf/walk.h"
#include "loader/program_priv.h"

static bool is_block(int tag)
{
	return tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block ||
	       tag == DW_TAG_inlined_subroutine || tag == DW_TAG_namespace;
}

/* Finds the child block around the address. */
static bool scope_chain_find_child_around(struct dwarf_walk *w, Dwarf_Die *parent, Dwarf_Addr addr,
                                          unsigned depth, Dwarf_Die *out)
{
	Dwarf_Die child, inner;
	if (!walk_child(w, parent, &child))
		return false;
	do {
		const int tag = dwarf_tag(&child);
		if (!is_block(tag))
			continue;
		/* Namespaces and blocks without code of their own (optimised away) may contain some
		 * that have code. */
		const bool around = walk_holds(w, &child, addr);
		if (around || (tag == DW_TAG_namespace && depth < SCOPE_DEPTH_MAX &&
		               scope_chain_find_child_around(w, &child, addr, depth + 1, &inner))) {
			*out = child;
			return true;
		}
	} while (walk_next(w, &child));
	return false;
}

static bool scope_chain_find_unit_at(const struct program *image, Dwarf_Addr addr, Dwarf_Die *out)
{
	Dwarf *dwarf = program_dwarf(image);
	Dwarf_CU *cu = NULL;
	uint8_t type;
	if (!dwarf)
		return false;
	if (dwarf_addrdie(dwarf, addr, out))
		return true;
	while (dwarf_get_units(dwarf, cu, &cu, NULL, &type, out, NULL) == 0)
		if (type != DW_UT_type && walk_holds(walk_of(image), out, addr))
			return true;
	return false;
}

/* Finds a method of a type that is local to another function, such as a lambda, whose code is
 * outside that function's. */
static bool nested_function(struct dwarf_walk *w, Dwarf_Die *parent, Dwarf_Addr addr,
                            unsigned depth, Dwarf_Die *out)
{
	Dwarf_Die child, inner;
	if (depth >= SCOPE_DEPTH_MAX || !walk_child(w, parent, &child))
		return false;
	do {
		const int tag = dwarf_tag(&child);
		if (!is_block(tag) && tag != DW_TAG_structure_type && tag != DW_TAG_class_type)
			continue;
		if (tag == DW_TAG_subprogram && walk_holds(w, &child, addr)) {
			*out = child;
			return true;
		}
		if (nested_function(w, &child, addr, depth + 1, &inner)) {
			*out = inner;
			return true;
		}
	} while (walk_next(w, &child));
	return false;
}

const struct program *scope_image(const struct program *p, uint64_t addr)
{
	return program_image(p, addr);
}

bool scope_chain(const struct program *image, uint64_t addr, struct scope_chain *out)
{
	const Dwarf_Addr at = addr - image->bias;
	out->image = image;
	out->count = 0;
	if (!scope_chain_find_unit_at(image, at, &out->block[0]))
		return false;
	out->count = 1;
	if (!scope_chain_find_child_around(walk_of(image), &out->block[0], at, 0, &out->block[1]) &&
	    nested_function(walk_of(image), &out->block[0], at, 0, &out->block[1]))
		out->count = 2;
	for (; out->count < SCOPE_DEPTH_MAX; out->count++)
		if (!scope_chain_find_child_around(walk_of(image), &out->block[out->count - 1], at,
		                                   0, &out->block[out->count]))
			break;
	for (out->first = 1; out->first < out->count; out->first++)
		if (dwarf_tag(&out->block[out->first]) == DW_TAG_subprogram)
			break;
	return true;
}

bool scope_function(const struct scope_chain *chain, Dwarf_Die *out)
{
	for (unsigned i = 0; i < chain->count; i++) {
		Dwarf_Die block = chain->block[i];
		if (dwarf_tag(&block) == DW_TAG_subprogram) {
			*out = block;
			return true;
		}
	}
	return false;
}
