#include "loader/dwarf/scope.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "loader/dwarf/index.h"
#include "loader/program_priv.h"

static bool is_block(int tag)
{
	return tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine ||
	       tag == DW_TAG_namespace;
}

/* The child around the address, if a block is. */
static bool child_around(Dwarf_Die *parent, Dwarf_Addr addr, unsigned depth, Dwarf_Die *out)
{
	Dwarf_Die child, inner;
	if (dwarf_child(parent, &child) != 0)
		return false;
	do {
		const int tag = dwarf_tag(&child);
		if (!is_block(tag))
			continue;
		/* Namespaces and blocks without code of their own (of what was optimised away) may hold some that have. */
		const bool around = dwarf_haspc(&child, addr) == 1;
		if (around || (tag == DW_TAG_namespace && depth < SCOPE_DEPTH_MAX && child_around(&child, addr, depth + 1, &inner))) {
			*out = child;
			return true;
		}
	} while (dwarf_siblingof(&child, &child) == 0);
	return false;
}

static bool unit_at(const struct program *image, Dwarf_Addr addr, Dwarf_Die *out)
{
	Dwarf *dwarf = program_dwarf(image);
	Dwarf_CU *cu = NULL;
	uint8_t type;
	if (!dwarf)
		return false;
	if (dwarf_addrdie(dwarf, addr, out))
		return true;
	while (dwarf_get_units(dwarf, cu, &cu, NULL, &type, out, NULL) == 0)
		if (type != DW_UT_type && dwarf_haspc(out, addr) == 1)
			return true;
	return false;
}

const struct program *scope_image(const struct program *p, uint64_t addr)
{
	return program_image(p, addr);
}

bool scope_entry(const struct scope_name *function, uint64_t *addr)
{
	Dwarf_Die die = function->die;
	Dwarf_Addr entry;
	if (dwarf_entrypc(&die, &entry) != 0)
		return false;
	*addr = entry + function->image->bias;
	return true;
}

bool scope_chain(const struct program *image, uint64_t addr, struct scope_chain *out)
{
	const Dwarf_Addr at = addr - image->bias;
	out->image = image;
	out->count = 0;
	if (!unit_at(image, at, &out->block[0]))
		return false;
	for (out->count = 1; out->count < SCOPE_DEPTH_MAX; out->count++)
		if (!child_around(&out->block[out->count - 1], at, 0, &out->block[out->count]))
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

/* The name of a DIE, or of the one that it is an instance of. */
static const char *name_of(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	return dwarf_attr_integrate(die, DW_AT_name, &attr) ? dwarf_formstring(&attr) : NULL;
}

static bool declared_only(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	return dwarf_attr(die, DW_AT_declaration, &attr) != NULL;
}

struct walk {
	const struct scope_chain *chain;
	Dwarf_Die function;
	bool (*fn)(void *ctx, const struct scope_name *n);
	void *ctx;
};

/* What one DIE of a block declares. False: fn wants no more. */
static bool tell(const struct walk *w, unsigned i, Dwarf_Die *die)
{
	const int tag = dwarf_tag(die);
	struct scope_name n = {
		.image = w->chain->image,
		.kind = tag == DW_TAG_formal_parameter ? SCOPE_PARAMETER : SCOPE_VARIABLE,
		.die = *die, .function = w->function, .block = i,
	};
	if (tag == DW_TAG_enumeration_type) {
		n.kind = SCOPE_ENUMERATOR;
		if (dwarf_child(die, &n.die) != 0)
			return true;
		do
			if ((n.name = dwarf_diename(&n.die)) && !w->fn(w->ctx, &n))
				return false;
		while (dwarf_siblingof(&n.die, &n.die) == 0);
		return true;
	}
	if ((tag != DW_TAG_variable && tag != DW_TAG_formal_parameter) || declared_only(die))
		return true;
	n.name = name_of(die);
	return !n.name || w->fn(w->ctx, &n);
}

/* Whether a child of the block is an instance of this DIE. */
static bool has_instance(Dwarf_Die *block, Dwarf_Die *of)
{
	Dwarf_Die child, origin;
	Dwarf_Attribute attr;
	if (dwarf_child(block, &child) != 0)
		return false;
	do
		if (dwarf_attr(&child, DW_AT_abstract_origin, &attr) && dwarf_formref_die(&attr, &origin) &&
		    dwarf_dieoffset(&origin) == dwarf_dieoffset(of))
			return true;
	while (dwarf_siblingof(&child, &child) == 0);
	return false;
}

static bool each_in(const struct walk *w, unsigned i)
{
	Dwarf_Die child, origin, block = w->chain->block[i];
	Dwarf_Attribute attr;
	if (dwarf_child(&block, &child) == 0)
		do
			if (!tell(w, i, &child))
				return false;
		while (dwarf_siblingof(&child, &child) == 0);
	/* Of an instance of a function, the rest is told once for all: what was optimised away, and statics. */
	if (!dwarf_attr(&block, DW_AT_abstract_origin, &attr) || !dwarf_formref_die(&attr, &origin) || dwarf_child(&origin, &child) != 0)
		return true;
	do
		if (!has_instance(&block, &child) && !tell(w, i, &child))
			return false;
	while (dwarf_siblingof(&child, &child) == 0);
	return true;
}

void scope_each(const struct scope_chain *chain, bool (*fn)(void *ctx, const struct scope_name *n), void *ctx)
{
	struct walk w = {.chain = chain, .fn = fn, .ctx = ctx};
	if (!scope_function(chain, &w.function))
		return;
	for (unsigned i = chain->count; i-- > 1;)
		if (!each_in(&w, i))
			return;
}

struct search {
	const char *name;
	struct scope_name *out;
	bool found;
};

static bool is_it(void *ctx, const struct scope_name *n)
{
	struct search *s = ctx;
	if (strcmp(n->name, s->name) != 0)
		return true;
	*s->out = *n;
	s->found = true;
	return false;
}

bool scope_find(const struct program *p, const struct scope_chain *chain, const char *name, struct scope_name *out)
{
	struct search s = {.name = name, .out = out};
	if (chain)
		scope_each(chain, is_it, &s);
	return s.found || index_find(p, chain, 0, name, out);
}

/* A type that a block of the function declares. */
static bool local_type(const struct scope_chain *chain, int tag, const char *name, Dwarf_Die *out)
{
	for (unsigned i = chain->count; i-- > 1;) {
		Dwarf_Die child, block = chain->block[i];
		if (dwarf_child(&block, &child) != 0)
			continue;
		do {
			const int is = dwarf_tag(&child);
			const char *called = is == tag || (!tag && is == DW_TAG_typedef) ? dwarf_diename(&child) : NULL;
			if (called && !strcmp(called, name) && !declared_only(&child)) {
				*out = child;
				return true;
			}
		} while (dwarf_siblingof(&child, &child) == 0);
	}
	return false;
}

bool scope_find_type(const struct program *p, const struct scope_chain *chain, enum scope_keyword keyword, const char *name, Dwarf_Die *out)
{
	static const int tags[] = {0, DW_TAG_structure_type, DW_TAG_union_type, DW_TAG_enumeration_type};
	const int tag = tags[keyword];
	struct scope_name found;
	if (chain && local_type(chain, tag, name, out))
		return true;
	if (!index_find(p, chain, tag ? tag : DW_TAG_typedef, name, &found))
		return false;
	*out = found.die;
	return true;
}

const char *scope_inlined(const struct scope_chain *chain, unsigned block)
{
	for (unsigned i = block + 1; i-- > 0;) {
		Dwarf_Die die = chain->block[i];
		if (dwarf_tag(&die) == DW_TAG_subprogram)
			return NULL;
		const char *name = dwarf_tag(&die) == DW_TAG_inlined_subroutine ? name_of(&die) : NULL;
		if (name)
			return name;
	}
	return NULL;
}
