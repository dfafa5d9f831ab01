#include "loader/dwarf/walk.h"

#include <dwarf.h>
#include <signal.h>

#include "loader/program_priv.h"

/* Depth of last-of-last entries up to which costs are computed exactly. */
enum { NESTED_MAX = 16 };
/* How often an entry may be passed over: on the way to siblings, at each depth. */
enum { TIMES_MAX = 32 };

static volatile sig_atomic_t interrupted;

void walk_interrupt(void)
{
	interrupted = 1;
}

bool walk_interrupted(void)
{
	return interrupted;
}

void walk_begin(const struct program *p)
{
	interrupted = 0;
	p->debug->walk.left = WALK_BYTES;
	if (p->firmware)
		p->firmware->debug->walk.left = WALK_BYTES;
	for (unsigned i = 0; i < p->debug->images.count; i++)
		p->debug->images.active[i]->debug->walk.left = WALK_BYTES;
}

struct dwarf_walk *walk_of(const struct program *image)
{
	return &image->debug->walk;
}

bool walk_take(struct dwarf_walk *w, uint64_t bytes)
{
	if (bytes <= w->left && !interrupted) {
		w->left -= bytes;
		return true;
	}
	w->left = 0;
	w->ended = true;
	return false;
}

bool walk_child(struct dwarf_walk *w, Dwarf_Die *parent, Dwarf_Die *child)
{
	return dwarf_child(parent, child) == 0 && walk_take(w, 1);
}

bool walk_type(Dwarf_Attribute *attr, Dwarf_Die *type)
{
	Dwarf_Attribute signature;
	return dwarf_formref_die(attr, type) &&
	       (!dwarf_attr(type, DW_AT_signature, &signature) ||
	        dwarf_formref_die(&signature, type));
}

/* Bytes from an entry to the end of its unit. */
static uint64_t rest_of_unit(Dwarf_Die *die)
{
	const Dwarf_Off at = dwarf_dieoffset(die), unit = at - dwarf_cuoffset(die);
	uint64_t signature;
	Dwarf_Off next;
	size_t header;
	Dwarf_Half version;
	uint8_t type;
	Dwarf_Die root;
	if (dwarf_cu_info(die->cu, &version, &type, &root, NULL, NULL, NULL, NULL) != 0 ||
	    dwarf_next_unit(dwarf_cu_getdwarf(die->cu), unit, &next, &header, &version, NULL, NULL,
	                    NULL, type == DW_UT_type && version < 5 ? &signature : NULL, NULL) != 0)
		return WALK_BYTES;
	return next > at ? next - at : WALK_BYTES;
}

uint64_t walk_unit(Dwarf_Die *unit)
{
	return rest_of_unit(unit) * TIMES_MAX;
}

/* depth: nesting of entries that are each the last of their siblings. *end: if there is no next
 * one, the offset of the end of child's children, as far as it is known. */
static bool walk_next_sibling(struct dwarf_walk *w, Dwarf_Die *child, unsigned depth,
                              Dwarf_Off *end)
{
	const Dwarf_Off at = dwarf_dieoffset(child);
	Dwarf_Die next, inner;
	Dwarf_Attribute attr;
	*end = at;
	if (!w->left) /* over: libdw would still walk the children */
		return walk_take(w, 1);
	/* Without DW_AT_sibling, libdw walks all children to find the next entry. For the last
	 * sibling the distance is unknown: up to the end of its children. */
	const bool far = dwarf_haschildren(child) > 0 && !dwarf_attr(child, DW_AT_sibling, &attr);
	const bool found = dwarf_siblingof(child, &next) == 0;
	/* 1: the list of children is empty, as of Go's inlined functions */
	const int inside = !found && far ? dwarf_child(child, &inner) : 1;
	if (inside == 0 && depth < NESTED_MAX) {
		while (walk_next_sibling(w, &inner, depth + 1, end))
			continue;
		walk_take(w, *end - at); /* libdw has walked the DIEs at each depth */
		return false;
	}
	const uint64_t passed = found ? dwarf_dieoffset(&next) - at
	                        : inside != 1 ? rest_of_unit(child)
	                                      : 1;
	if (found)
		*child = next;
	*end = at + passed;
	return walk_take(w, passed) && found;
}

bool walk_next(struct dwarf_walk *w, Dwarf_Die *child)
{
	Dwarf_Off end;
	return walk_next_sibling(w, child, 0, &end);
}

bool walk_is_block(int tag)
{
	return tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block ||
	       tag == DW_TAG_inlined_subroutine || tag == DW_TAG_namespace;
}

bool walk_holds(struct dwarf_walk *w, Dwarf_Die *die, Dwarf_Addr addr)
{
	Dwarf_Addr base, start, end;
	for (ptrdiff_t at = 0; (at = dwarf_ranges(die, at, &base, &start, &end)) > 0;) {
		if (!walk_take(w, WALK_RANGE_BYTES))
			return false;
		if (addr >= start && addr < end)
			return true;
	}
	return false;
}
