#include "loader/dwarf/index.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "loader/program_priv.h"

struct entry {
	const char *name; /* borrowed from libdw */
	Dwarf_Off die;
	Dwarf_Off unit;   /* its DIE */
	Dwarf_Off type;   /* of an enumerator: whose it is; else 0 */
	uint16_t tag;
	bool external;
};

struct names {
	struct entry *all; /* [count], owned: by name */
	size_t count, room;
};

/* Bytes of an entry, and of what libdw and growing take beside it. */
enum { ENTRY_BYTES = 128 };
enum { NAMESPACES_MAX = 16, NAME_BYTES_MAX = 4096 };

static bool add(const struct program *p, struct names *x, struct entry e)
{
	if (!debug_limit_take(&p->debug->limit, ENTRY_BYTES))
		return false;
	if (x->count == x->room) {
		const size_t room = x->room ? 2 * x->room : 256;
		struct entry *grown = reallocarray(x->all, room, sizeof *grown);
		if (!grown)
			return false;
		x->all = grown;
		x->room = room;
	}
	x->all[x->count++] = e;
	return true;
}

static bool has(Dwarf_Die *die, unsigned attr)
{
	Dwarf_Attribute a;
	return dwarf_attr_integrate(die, attr, &a) != NULL;
}

static bool is_wanted(int tag)
{
	switch (tag) {
	case DW_TAG_variable: case DW_TAG_subprogram: case DW_TAG_typedef: case DW_TAG_base_type:
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:
		return true;
	default:
		return false;
	}
}

/* Of names that nobody writes, comparing takes too long. */
static bool usable(const char *name)
{
	return name && strnlen(name, NAME_BYTES_MAX) < NAME_BYTES_MAX;
}

/* The enumerators of a type; false: no room. */
static bool add_enumerators(const struct program *p, struct names *x, struct dwarf_walk *w,
                            Dwarf_Die *type, Dwarf_Off unit)
{
	Dwarf_Die child;
	if (!walk_child(w, type, &child))
		return true;
	do {
		const char *name =
			dwarf_tag(&child) == DW_TAG_enumerator ? dwarf_diename(&child) : NULL;
		if (usable(name) && !add(p, x,
		                         (struct entry){name, dwarf_dieoffset(&child), unit,
		                                        dwarf_dieoffset(type),
		                                        DW_TAG_enumerator, false}))
			return false;
	} while (walk_next(w, &child));
	return true;
}

static bool add_children(const struct program *p, struct names *x, struct dwarf_walk *w,
                         Dwarf_Die *parent, Dwarf_Off unit, unsigned depth)
{
	Dwarf_Die child;
	if (depth > NAMESPACES_MAX || !walk_child(w, parent, &child))
		return true;
	do {
		const int tag = dwarf_tag(&child);
		Dwarf_Attribute attr;
		if (tag == DW_TAG_namespace && !add_children(p, x, w, &child, unit, depth + 1))
			return false;
		if (tag == DW_TAG_enumeration_type && !add_enumerators(p, x, w, &child, unit))
			return false;
		if (!is_wanted(tag) || dwarf_attr(&child, DW_AT_declaration, &attr))
			continue;
		const char *name = dwarf_attr_integrate(&child, DW_AT_name, &attr)
		                           ? dwarf_formstring(&attr)
		                           : NULL;
		if (usable(name) &&
		    !add(p, x,
		         (struct entry){name, dwarf_dieoffset(&child), unit, 0, (uint16_t)tag,
		                        has(&child, DW_AT_external)}))
			return false;
	} while (walk_next(w, &child));
	return true;
}

static int by_name(const void *pa, const void *pb)
{
	const struct entry *a = pa, *b = pb;
	const int order = strcmp(a->name, b->name);
	return order ? order : a->die < b->die ? -1 : a->die > b->die;
}

static const struct names *names_of(const struct program *p)
{
	struct program_debug *d = p->debug;
	if (d->names)
		return d->names;
	d->names = calloc(1, sizeof *d->names);
	Dwarf *dwarf = program_dwarf(p);
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit;
	uint8_t type;
	while (d->names && dwarf &&
	       dwarf_get_units(dwarf, cu, &cu, NULL, &type, &unit, NULL) == 0) {
		struct dwarf_walk w = {.left = walk_unit(&unit)};
		if (type != DW_UT_type &&
		    !add_children(p, d->names, &w, &unit, dwarf_dieoffset(&unit), 0))
			break;
		d->walk.ended |= w.ended;
	}
	if (d->names && d->names->count)
		qsort(d->names->all, d->names->count, sizeof d->names->all[0], by_name);
	return d->names;
}

void names_free(struct names *x)
{
	if (!x)
		return;
	free(x->all);
	free(x);
}

static bool matches(const struct entry *e, int tag)
{
	switch (tag) {
	case 0:
		return e->tag == DW_TAG_variable || e->tag == DW_TAG_subprogram ||
		       e->tag == DW_TAG_enumerator;
	case DW_TAG_typedef:
		return e->tag == DW_TAG_typedef || e->tag == DW_TAG_base_type;
	case DW_TAG_structure_type:
		return e->tag == DW_TAG_structure_type || e->tag == DW_TAG_class_type;
	default:
		return e->tag == tag;
	}
}

static size_t first_of(const struct names *x, const char *name)
{
	size_t lo = 0, hi = x->count;
	while (lo < hi) {
		const size_t mid = lo + (hi - lo) / 2;
		if (strcmp(x->all[mid].name, name) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static const struct entry *best_of(const struct names *x, int tag, const char *name, Dwarf_Off unit)
{
	const struct entry *best = NULL;
	unsigned best_rank = 0;
	for (size_t i = x ? first_of(x, name) : 0;
	     x && i < x->count && !strcmp(x->all[i].name, name); i++) {
		const struct entry *e = &x->all[i];
		const unsigned rank = !matches(e, tag)  ? 0
		                      : e->unit == unit ? 3
		                      : e->external     ? 2
		                                        : 1;
		if (rank > best_rank) {
			best = e;
			best_rank = rank;
		}
	}
	return best;
}

bool index_find(const struct program *p, const struct scope_chain *chain, int tag, const char *name,
                struct scope_name *out)
{
	const struct program *first = chain ? chain->image : p;
	const struct program *images[IMAGES_MAX + 4] = {first, first == p ? p->firmware : p},
						  *library;
	for (unsigned i = 0, n = images[1] ? 2 : 1; (library = program_library(p, i)); i++)
		if (library != first)
			images[n++] = library;
	for (unsigned i = 0; images[i]; i++) {
		Dwarf_Die unit = chain && i == 0 ? chain->block[0] : (Dwarf_Die){0};
		const struct entry *e = best_of(names_of(images[i]), tag, name,
		                                unit.addr ? dwarf_dieoffset(&unit) : 0);
		if (!e)
			continue;
		*out = (struct scope_name){.name = e->name,
		                           .image = images[i],
		                           .program = p,
		                           .kind = e->tag == DW_TAG_variable     ? SCOPE_VARIABLE
		                                   : e->tag == DW_TAG_subprogram ? SCOPE_FUNCTION
		                                   : e->tag == DW_TAG_enumerator ? SCOPE_ENUMERATOR
		                                                                 : SCOPE_TYPE};
		if (e->type)
			dwarf_offdie(program_dwarf(images[i]), e->type, &out->type);
		return dwarf_offdie(program_dwarf(images[i]), e->die, &out->die) != NULL;
	}
	return false;
}
