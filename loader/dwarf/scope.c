#include "loader/dwarf/scope.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/sort.h"
#include "loader/dwarf/index.h"
#include "loader/dwarf/scoped.h"
#include "loader/dwarf/walk.h"
#include "loader/program_priv.h"

bool scope_entry(const struct scope_name *function, uint64_t *addr)
{
	Dwarf_Die die = function->die;
	Dwarf_Addr entry;
	if (dwarf_entrypc(&die, &entry) != 0)
		return false;
	*addr = entry + function->image->bias;
	return true;
}

/* The name of a DIE, or of its abstract origin. */
static const char *scope_die_name(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	return dwarf_attr_integrate(die, DW_AT_name, &attr) ? dwarf_formstring(&attr) : NULL;
}

static bool declared_only(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	return dwarf_attr(die, DW_AT_declaration, &attr) != NULL;
}

struct scope_visit {
	const struct scope_chain *chain;
	Dwarf_Die function;
	bool (*fn)(void *ctx, const struct scope_name *n);
	void *ctx;
	Dwarf_Off *instances; /* owned: abstract origins of the block's children */
	size_t count, room;
};

/* Reports the declaration of one DIE of a block. False: fn ended it. */
static bool scope_report_declarations(const struct scope_visit *w, unsigned i, Dwarf_Die *die)
{
	const int tag = dwarf_tag(die);
	struct scope_name n = {
		.image = w->chain->image,
		.kind = tag == DW_TAG_formal_parameter ? SCOPE_PARAMETER : SCOPE_VARIABLE,
		.die = *die, .function = w->function, .block = i,
	};
	if (tag == DW_TAG_enumeration_type) {
		n.kind = SCOPE_ENUMERATOR;
		n.type = *die;
		if (!walk_child(walk_of(n.image), die, &n.die))
			return true;
		do
			if ((n.name = dwarf_diename(&n.die)) && !w->fn(w->ctx, &n))
				return false;
		while (walk_next(walk_of(n.image), &n.die));
		return true;
	}
	if ((tag != DW_TAG_variable && tag != DW_TAG_formal_parameter) || declared_only(die))
		return true;
	n.name = scope_die_name(die);
	return !n.name || w->fn(w->ctx, &n);
}

/* Keeps the DIE's abstract origin, if it has one. */
static bool add_instance(struct scope_visit *w, Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	Dwarf_Die origin;
	if (!dwarf_attr(die, DW_AT_abstract_origin, &attr) || !dwarf_formref_die(&attr, &origin))
		return true;
	Dwarf_Off *grown = alloc_grow(w->instances, w->count, &w->room, sizeof *grown, 64);
	if (!grown)
		return false;
	w->instances = grown;
	w->instances[w->count++] = dwarf_dieoffset(&origin);
	return true;
}

static int scope_compare_by_offset(const void *pa, const void *pb)
{
	const Dwarf_Off a = *(const Dwarf_Off *)pa, b = *(const Dwarf_Off *)pb;
	return a < b ? -1 : a > b;
}

static bool has_instance(const struct scope_visit *w, Dwarf_Die *of)
{
	const Dwarf_Off at = dwarf_dieoffset(of);
	return w->count && bsearch(&at, w->instances, w->count, sizeof at, scope_compare_by_offset);
}

static bool each_in(struct scope_visit *w, unsigned i)
{
	struct dwarf_walk *walk = walk_of(w->chain->image);
	Dwarf_Die child, origin, block = w->chain->block[i];
	Dwarf_Attribute attr;
	const bool is_instance = dwarf_attr(&block, DW_AT_abstract_origin, &attr) &&
	                         dwarf_formref_die(&attr, &origin);
	w->count = 0;
	if (walk_child(walk, &block, &child))
		do
			if (!scope_report_declarations(w, i, &child) ||
			    (is_instance && !add_instance(w, &child)))
				return false;
		while (walk_next(walk, &child));
	/* An instance of a function lacks DIEs that were optimised away, and statics: report those
	 * from the origin. */
	if (!is_instance || !walk_child(walk, &origin, &child))
		return true;
	if (w->count)
		sort_stable(w->instances, w->count, sizeof *w->instances, scope_compare_by_offset);
	do
		if (!has_instance(w, &child) && !scope_report_declarations(w, i, &child))
			return false;
	while (walk_next(walk, &child));
	return true;
}

void scope_each(const struct scope_chain *chain, bool (*fn)(void *ctx, const struct scope_name *n),
                void *ctx)
{
	struct scope_visit w = {.chain = chain, .fn = fn, .ctx = ctx};
	if (scope_function(chain, &w.function))
		for (unsigned i = chain->count; i-- > chain->first;)
			if (!each_in(&w, i))
				break;
	free(w.instances);
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

bool scope_find_local(const struct scope_chain *chain, const char *name, struct scope_name *out)
{
	struct search s = {.name = name, .out = out};
	scope_each(chain, is_it, &s);
	return s.found;
}

bool scope_find(const struct program *p, const struct scope_chain *chain, const char *name,
                struct scope_name *out)
{
	return (chain && scope_find_local(chain, name, out)) || index_find(p, chain, 0, name, out);
}

/* Finds a type that a block of the function declares. */
static bool local_type(const struct scope_chain *chain, int tag, const char *name, Dwarf_Die *out)
{
	for (unsigned i = chain->count; i-- > chain->first;) {
		Dwarf_Die child, block = chain->block[i];
		if (!walk_child(walk_of(chain->image), &block, &child))
			continue;
		do {
			const int is = dwarf_tag(&child);
			const char *called = is == tag || (!tag && is == DW_TAG_typedef)
			                             ? dwarf_diename(&child)
			                             : NULL;
			if (called && !strcmp(called, name) && !declared_only(&child)) {
				*out = child;
				return true;
			}
		} while (walk_next(walk_of(chain->image), &child));
	}
	return false;
}

bool scope_find_type(const struct program *p, const struct scope_chain *chain,
                     enum scope_keyword keyword, const char *name, Dwarf_Die *out)
{
	static const int tags[] = {0, DW_TAG_structure_type, DW_TAG_union_type,
	                           DW_TAG_enumeration_type};
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
		const char *name =
			dwarf_tag(&die) == DW_TAG_inlined_subroutine ? scope_die_name(&die) : NULL;
		if (name)
			return name;
	}
	return NULL;
}

void scope_complete_type(const struct program *p, struct ctype *t)
{
	struct scope_name found;
	struct dwarf_walk walk = walk_of_type();
	char name[SCOPED_MAX];
	if ((t->kind != CTYPE_STRUCT && t->kind != CTYPE_UNION) || !t->die.addr ||
	    !declared_only(&t->die) || !*scoped_name(&walk, &t->die, name, sizeof name) ||
	    !index_find(p, NULL, dwarf_tag(&t->die) == DW_TAG_union_type ? DW_TAG_union_type
	                                                                  : DW_TAG_structure_type,
	                name, &found))
		return;
	const struct ctype whole = ctype_at(&found.die);
	if (t->named.addr == t->die.addr)
		t->named = whole.die;
	t->die = whole.die;
	t->size = whole.size;
}
