/* Inlined functions by name: their names, and the entries of their copies. */
#include <ctype.h>
#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/sort.h"
#include "loader/demangle.h"
#include "loader/dwarf/inlined.h"
#include "loader/dwarf/inlined_name.h"
#include "loader/dwarf/scoped.h"
#include "loader/dwarf/walk.h"
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

struct copy {
	const char *name; /* as in debug information: the last component; borrowed from libdw */
	Dwarf_Die block;
};

/* All copies of an image. */
struct inlined_index {
	struct copy *all; /* [count], owned: by name, then in the order of their DIEs */
	size_t count, room;
};

void inlined_index_free(struct inlined_index *x)
{
	if (x)
		free(x->all);
	free(x);
}

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
	uint64_t addr;
	if (!inlined_function_meant(block, s->name) ||
	    !inlined_copies_find_entry_address(s, block, &addr))
		return;
	for (size_t i = 0; i < s->count; i++)
		if (s->out[i] == addr)
			return;
	if (s->count < s->max)
		s->out[s->count++] = addr;
}

/* Appends a copy; false: no room. */
static bool inlined_copies_append(const struct program *image, struct inlined_index *x,
                                  Dwarf_Die *block)
{
	Dwarf_Attribute attr;
	const char *name =
		dwarf_attr_integrate(block, DW_AT_name, &attr) ? dwarf_formstring(&attr) : NULL;
	if (!name)
		return true;
	if (x->count == x->room) {
		const size_t room = x->room ? 2 * x->room : 64;
		struct copy *grown =
			debug_limit_take(&image->debug->limit, (room - x->room) * sizeof *grown)
				? alloc_resize_array(x->all, room, sizeof *grown)
				: NULL;
		if (!grown)
			return false;
		x->all = grown;
		x->room = room;
	}
	x->all[x->count++] = (struct copy){name, *block};
	return true;
}

/* Appends the copies in a block; false: no room. */
static bool inlined_copies_append_all(const struct program *image, struct inlined_index *x,
                                      struct dwarf_walk *w, Dwarf_Die *parent, unsigned depth)
{
	Dwarf_Die child;
	if (depth > DEPTH_MAX || !walk_child(w, parent, &child))
		return true;
	do {
		const int tag = dwarf_tag(&child);
		if ((tag == DW_TAG_inlined_subroutine &&
		     !inlined_copies_append(image, x, &child)) ||
		    (walk_is_block(tag) &&
		     !inlined_copies_append_all(image, x, w, &child, depth + 1)))
			return false;
	} while (walk_next(w, &child));
	return true;
}

static int inlined_copies_compare_by_name(const void *pa, const void *pb)
{
	const struct copy *a = pa, *b = pb;
	const int order = strcmp(a->name, b->name);
	return order ? order : a->block.addr < b->block.addr ? -1 : a->block.addr > b->block.addr;
}

static const struct inlined_index *inlined_copies_index(const struct program *image)
{
	struct program_debug *d = image->debug;
	Dwarf *dwarf = program_dwarf(image);
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit;
	uint8_t type;
	if (d->inlined)
		return d->inlined;
	struct inlined_index *x = alloc_zeroed(1, sizeof *x);
	while (x && dwarf && dwarf_get_units(dwarf, cu, &cu, NULL, &type, &unit, NULL) == 0) {
		struct dwarf_walk w = {.left = walk_unit(&unit)};
		if (type != DW_UT_type && !inlined_copies_append_all(image, x, &w, &unit, 0))
			break;
		d->walk.ended |= w.ended;
	}
	if (walk_interrupted()) { /* incomplete: the next query builds it again */
		inlined_index_free(x);
		return NULL;
	}
	if (x && x->count)
		sort_stable(x->all, x->count, sizeof *x->all, inlined_copies_compare_by_name);
	return d->inlined = x;
}

/* The first copy whose name is not less than the searched component. */
static size_t inlined_copies_lower_bound(const struct inlined_index *x, const struct search *s)
{
	size_t lo = 0, hi = x->count;
	while (lo < hi) {
		const size_t mid = lo + (hi - lo) / 2;
		if (strncmp(x->all[mid].name, s->last, s->length) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static void look_through(struct search *s)
{
	const struct inlined_index *x = inlined_copies_index(s->image);
	for (size_t i = x ? inlined_copies_lower_bound(x, s) : 0;
	     x && i < x->count && !strncmp(x->all[i].name, s->last, s->length); i++)
		inlined_copies_collect_address(s, &x->all[i].block);
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
	const char *colon = strrchr(name, ':');
	/* An address or FILE:LINE names no function, and the index takes long to build. */
	if (!*name || strchr("*$&0123456789", *name) || (colon && isdigit((unsigned char)colon[1])))
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
	sort_stable(out, s.count, sizeof *out, inlined_copies_compare_by_address);
	return s.count;
}
