/* Inlined functions by name: their names, and the entries of their copies. */
#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loader/demangle.h"
#include "loader/dwarf/inlined.h"
#include "loader/dwarf/inlined_name.h"
#include "loader/dwarf/scoped.h"
#include "loader/program_priv.h"

enum { DEPTH_MAX = 64 };

char *inlined_function_name(const Dwarf_Die *block, char *buf, size_t n)
{
	Dwarf_Attribute attr;
	Dwarf_Die function = *block;
	char linked[DEMANGLED_MAX];
	if (dwarf_attr(&function, DW_AT_abstract_origin, &attr) &&
	    !dwarf_formref_die(&attr, &function))
		return NULL;
	const char *name = dwarf_attr_integrate(&function, DW_AT_linkage_name, &attr)
	                           ? dwarf_formstring(&attr)
	                           : NULL;
	if (name && demangle(name, linked)) {
		snprintf(buf, n, "%.*s", (int)name_stem(linked), linked);
		return buf;
	}
	struct dwarf_walk walk = walk_of_type();
	return *scoped_name(&walk, &function, buf, n) ? buf : NULL;
}

bool inlined_function_meant(const Dwarf_Die *block, const char *asked)
{
	Dwarf_Attribute attr;
	Dwarf_Die die = *block;
	char text[DEMANGLED_MAX];
	const char *name = dwarf_attr_integrate(&die, DW_AT_linkage_name, &attr)
	                           ? dwarf_formstring(&attr)
	                           : NULL;
	if (name && demangle(name, text))
		return name_means(text, asked);
	return inlined_function_name(block, text, sizeof text) && name_means(text, asked);
}

struct search {
	const struct program *image;
	const char *name, *last; /* last: the last component, as in debug information */
	size_t length;           /* of last, without arguments */
	uint64_t *out;           /* [count] */
	size_t count, max;
};

/* Finds where a copy's code begins, as in gdb: its first range that is not empty. */
static bool inlined_copies_find_entry_address(struct search *s, Dwarf_Die *block, uint64_t *addr)
{
	Dwarf_Addr base, start, end;
	for (ptrdiff_t next = 0; (next = dwarf_ranges(block, next, &base, &start, &end)) > 0;) {
		if (!walk_take(walk_of(s->image), WALK_RANGE_BYTES))
			return false;
		if (start >= end)
			continue;
		*addr = start + s->image->bias;
		return true;
	}
	return false;
}

static void inlined_copies_collect_address(struct search *s, Dwarf_Die *block)
{
	Dwarf_Attribute attr;
	uint64_t addr;
	const char *name =
		dwarf_attr_integrate(block, DW_AT_name, &attr) ? dwarf_formstring(&attr) : NULL;
	if (!name || strncmp(name, s->last, s->length) != 0 ||
	    !inlined_function_meant(block, s->name) ||
	    !inlined_copies_find_entry_address(s, block, &addr))
		return;
	for (size_t i = 0; i < s->count; i++)
		if (s->out[i] == addr)
			return;
	if (s->count < s->max)
		s->out[s->count++] = addr;
}

static void look_into(struct search *s, Dwarf_Die *parent, unsigned depth)
{
	Dwarf_Die child;
	if (depth > DEPTH_MAX || !walk_child(walk_of(s->image), parent, &child))
		return;
	do {
		const int tag = dwarf_tag(&child);
		if (tag == DW_TAG_inlined_subroutine)
			inlined_copies_collect_address(s, &child);
		if (walk_is_block(tag))
			look_into(s, &child, depth + 1);
	} while (walk_next(walk_of(s->image), &child));
}

static void look_through(struct search *s)
{
	Dwarf *dwarf = program_dwarf(s->image);
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit;
	uint8_t type;
	while (dwarf && dwarf_get_units(dwarf, cu, &cu, NULL, &type, &unit, NULL) == 0)
		if (type != DW_UT_type)
			look_into(s, &unit, 0);
}

static int inlined_copies_compare_by_address(const void *pa, const void *pb)
{
	const uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;
	return a < b ? -1 : a > b;
}

size_t inlined_copies(const struct program *p, const char *name, uint64_t *out, size_t max)
{
	struct search s = {.name = name, .last = name, .out = out, .max = max};
	const struct program *library;
	if (!*name || strchr("*$&0123456789", *name))
		return 0;
	/* Arguments, also of templates, may be left out or written differently. */
	const size_t stem = strcspn(name, "(<");
	for (const char *at = name; (at = strstr(at, "::")) && at < name + stem; at += 2)
		s.last = at + 2;
	s.length = stem - (size_t)(s.last - name);
	if (!s.length)
		return 0;
	walk_begin(p);
	s.image = p;
	look_through(&s);
	for (unsigned i = 0; (library = program_library(p, i)); i++) {
		s.image = library;
		look_through(&s);
	}
	qsort(out, s.count, sizeof *out, inlined_copies_compare_by_address);
	return s.count;
}
