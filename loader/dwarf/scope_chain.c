#include "loader/dwarf/scope_chain.h"

#include <dwarf.h>

#include "loader/dwarf/code_index.h"
#include "loader/dwarf/walk.h"
#include "loader/program_priv.h"

/* Finds the child block around the address. */
static bool scope_chain_find_child_around(struct dwarf_walk *w, Dwarf_Die *parent, Dwarf_Addr addr,
                                          Dwarf_Die *out)
{
	if (!walk_child(w, parent, out))
		return false;
	do
		if (walk_is_block(dwarf_tag(out)) && walk_holds(w, out, addr))
			return true;
	while (walk_next(w, out));
	return false;
}

static bool scope_chain_find_unit_at(const struct program *image, Dwarf_Addr addr, Dwarf_Die *out)
{
	Dwarf *dwarf = program_dwarf(image);
	return dwarf && (dwarf_addrdie(dwarf, addr, out) || code_index_find_unit(image, addr, out));
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
	out->count = 1 + code_index_find_blocks(image, &out->block[0], at, &out->block[1],
	                                        SCOPE_DEPTH_MAX - 1);
	if (out->count > 1)
		while (out->count < SCOPE_DEPTH_MAX &&
		       scope_chain_find_child_around(walk_of(image), &out->block[out->count - 1],
		                                     at, &out->block[out->count]))
			out->count++;
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
