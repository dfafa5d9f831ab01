#include "loader/dwarf/code_index.h"

#include <dwarf.h>
#include <search.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/sort.h"
#include "loader/dwarf/walk.h"
#include "loader/program_priv.h"

enum { NO_PARENT = -1, NAMESPACES_MAX = 32, LISTS_DEPTH_MAX = 64 };
/* Most work for a unit: for its outer blocks, and for what few programs need. */
enum { OUTER_BYTES = WALK_BYTES / 2, FEW_BYTES = WALK_BYTES / 16 };

/* A DIE with code, or a namespace around some. */
struct block {
	Dwarf_Die die;
	int parent; /* the namespace around it, by number; NO_PARENT: none */
};

struct span {
	Dwarf_Addr start, end; /* end exclusive */
	Dwarf_Addr reach;      /* the greatest end of this span and of those before it */
	unsigned block;        /* its number */
};

/* Blocks in the order of their DIEs, and their ranges by address. */
struct span_table {
	struct block *blocks; /* [block_count], owned */
	struct span *spans;   /* [span_count], owned */
	size_t block_count, block_room, span_count, span_room;
};

struct unit_blocks {
	Dwarf_Off unit;           /* offset of its DIE */
	struct span_table outer;  /* outside functions and types */
	struct span_table nested; /* all functions; filled when outer has no answer */
	bool has_nested;
	bool lists_known, has_lists; /* code_index_unit_has_lists() */
};

struct code_index {
	struct span_table units;
	bool has_units;
	void *blocks; /* owned: tsearch()'s tree of struct unit_blocks, by unit */
};

/* Context of filling a table. */
struct filling {
	const struct program *image;
	struct dwarf_walk w;
	struct span_table *table;
};

/* The work allowed for a unit. */
static uint64_t code_index_budget(Dwarf_Die *unit, uint64_t most)
{
	const uint64_t whole = walk_unit(unit);
	return whole < most ? whole : most;
}

/* Makes room for one more element; false: no memory, or none is left of the limit. */
static bool code_index_reserve(struct filling *f, void **array, size_t count, size_t *room,
                               size_t size)
{
	if (count < *room)
		return true;
	const size_t grown = *room ? 2 * *room : 64;
	void *larger = debug_limit_take(&f->image->debug->limit, (grown - *room) * size)
	                       ? alloc_resize_array(*array, grown, size)
	                       : NULL;
	if (!larger)
		return false;
	*array = larger;
	*room = grown;
	return true;
}

/* Appends a block with its ranges; false: there is no room, or the walk is over. */
static bool code_index_append_block(struct filling *f, Dwarf_Die *die, int parent)
{
	struct span_table *t = f->table;
	Dwarf_Addr base, start, end;
	void *blocks = t->blocks;
	if (!code_index_reserve(f, &blocks, t->block_count, &t->block_room, sizeof *t->blocks))
		return false;
	t->blocks = blocks;
	t->blocks[t->block_count] = (struct block){*die, parent};
	for (ptrdiff_t at = 0; (at = dwarf_ranges(die, at, &base, &start, &end)) > 0;) {
		void *spans = t->spans;
		if (!walk_take(&f->w, WALK_RANGE_BYTES) ||
		    !code_index_reserve(f, &spans, t->span_count, &t->span_room, sizeof *t->spans))
			return false;
		t->spans = spans;
		if (start < end)
			t->spans[t->span_count++] = (struct span){
				.start = start, .end = end, .block = (unsigned)t->block_count};
	}
	t->block_count++;
	return true;
}

static bool code_index_append_outer(struct filling *f, Dwarf_Die *parent, int number,
                                    unsigned depth)
{
	Dwarf_Die child;
	if (!walk_child(&f->w, parent, &child))
		return true;
	do {
		const int tag = dwarf_tag(&child);
		if (!walk_is_block(tag))
			continue;
		const int own = (int)f->table->block_count;
		if (!code_index_append_block(f, &child, number) ||
		    (tag == DW_TAG_namespace && depth < NAMESPACES_MAX &&
		     !code_index_append_outer(f, &child, own, depth + 1)))
			return false;
	} while (walk_next(&f->w, &child));
	return true;
}

static bool code_index_append_nested(struct filling *f, Dwarf_Die *parent, unsigned depth)
{
	Dwarf_Die child;
	if (depth >= NAMESPACES_MAX || !walk_child(&f->w, parent, &child))
		return true;
	do {
		const int tag = dwarf_tag(&child);
		if (!walk_is_block(tag) && tag != DW_TAG_structure_type &&
		    tag != DW_TAG_class_type)
			continue;
		if ((tag == DW_TAG_subprogram &&
		     !code_index_append_block(f, &child, NO_PARENT)) ||
		    !code_index_append_nested(f, &child, depth + 1))
			return false;
	} while (walk_next(&f->w, &child));
	return true;
}

static int code_index_compare_spans(const void *pa, const void *pb)
{
	const struct span *a = pa, *b = pb;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->block < b->block ? -1 : a->block > b->block;
}

static void code_index_sort(struct span_table *t)
{
	Dwarf_Addr reach = 0;
	if (t->span_count)
		sort_stable(t->spans, t->span_count, sizeof *t->spans, code_index_compare_spans);
	for (size_t i = 0; i < t->span_count; i++) {
		reach = t->spans[i].end > reach ? t->spans[i].end : reach;
		t->spans[i].reach = reach;
	}
}

static void code_index_free_table(struct span_table *t)
{
	free(t->blocks);
	free(t->spans);
	*t = (struct span_table){0};
}

/* Sorts a filled table. False, with an empty table, if Ctrl-C ended the walk: the next query fills
 * it again. */
static bool code_index_finish(struct filling *f)
{
	if (walk_interrupted()) {
		code_index_free_table(f->table);
		return false;
	}
	f->image->debug->walk.ended |= f->w.ended;
	code_index_sort(f->table);
	return true;
}

/* The block with the lowest number that holds the address; -1: none. */
static int code_index_search(const struct program *image, const struct span_table *t,
                             Dwarf_Addr addr)
{
	size_t lo = 0, hi = t->span_count;
	int best = -1;
	while (lo < hi) {
		const size_t mid = lo + (hi - lo) / 2;
		if (t->spans[mid].start <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (size_t i = lo; i-- > 0 && t->spans[i].reach > addr;) {
		if (!walk_take(walk_of(image), WALK_RANGE_BYTES))
			break;
		if (t->spans[i].end > addr && (best < 0 || t->spans[i].block < (unsigned)best))
			best = (int)t->spans[i].block;
	}
	return best;
}

static struct code_index *code_index_of(const struct program *image)
{
	if (!image->debug->code_index)
		image->debug->code_index = alloc_zeroed(1, sizeof *image->debug->code_index);
	return image->debug->code_index;
}

bool code_index_find_unit(const struct program *image, Dwarf_Addr addr, Dwarf_Die *unit)
{
	struct code_index *x = code_index_of(image);
	if (x && !x->has_units) {
		struct filling f = {image, {.left = WALK_BYTES}, &x->units};
		Dwarf_CU *cu = NULL;
		Dwarf_Die die;
		uint8_t type;
		while (dwarf_get_units(program_dwarf(image), cu, &cu, NULL, &type, &die, NULL) == 0)
			if (type != DW_UT_type && !code_index_append_block(&f, &die, NO_PARENT))
				break;
		x->has_units = code_index_finish(&f);
	}
	const int found = x ? code_index_search(image, &x->units, addr) : -1;
	if (found >= 0)
		*unit = x->units.blocks[found].die;
	return found >= 0;
}

static int code_index_compare_units(const void *pa, const void *pb)
{
	const struct unit_blocks *a = pa, *b = pb;
	return a->unit < b->unit ? -1 : a->unit > b->unit;
}

/* The tables of a unit; NULL: no memory, or interrupted. */
static struct unit_blocks *code_index_unit(const struct program *image, Dwarf_Die *unit)
{
	struct code_index *x = code_index_of(image);
	struct unit_blocks key = {.unit = dwarf_dieoffset(unit)}, *u;
	void *const *known = x ? tfind(&key, &x->blocks, code_index_compare_units) : NULL;
	if (known)
		return *known;
	if (!x || !(u = alloc_zeroed(1, sizeof *u)))
		return NULL;
	*u = key;
	struct filling f = {image, {.left = code_index_budget(unit, OUTER_BYTES)}, &u->outer};
	code_index_append_outer(&f, unit, NO_PARENT, 0);
	if (!code_index_finish(&f) || !tsearch(u, &x->blocks, code_index_compare_units)) {
		code_index_free_table(&u->outer);
		free(u);
		return NULL;
	}
	return u;
}

unsigned code_index_find_blocks(const struct program *image, Dwarf_Die *unit, Dwarf_Addr addr,
                                Dwarf_Die *blocks, unsigned max)
{
	struct unit_blocks *u = code_index_unit(image, unit);
	if (!u)
		return 0;
	const struct block *all = u->outer.blocks;
	const int found = code_index_search(image, &u->outer, addr);
	if (found >= 0) {
		unsigned depth = 0;
		for (int i = found; i >= 0; i = all[i].parent)
			depth++;
		unsigned at = depth;
		for (int i = found; i >= 0; i = all[i].parent)
			if (--at < max)
				blocks[at] = all[i].die;
		return depth < max ? depth : max;
	}
	if (!u->has_nested) {
		struct filling f = {
			image, {.left = code_index_budget(unit, FEW_BYTES)}, &u->nested};
		code_index_append_nested(&f, unit, 0);
		u->has_nested = code_index_finish(&f);
	}
	const int nested = code_index_search(image, &u->nested, addr);
	if (nested < 0 || !max)
		return 0;
	*blocks = u->nested.blocks[nested].die;
	return 1;
}

static bool code_index_is_list(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	if (!dwarf_attr(die, DW_AT_location, &attr))
		return false;
	switch (dwarf_whatform(&attr)) {
	case DW_FORM_sec_offset:
	case DW_FORM_data4:
	case DW_FORM_data8:
	case DW_FORM_loclistx:
		return true;
	default:
		return false;
	}
}

static bool code_index_find_list(struct dwarf_walk *w, Dwarf_Die *parent, unsigned depth)
{
	Dwarf_Die child;
	if (depth > LISTS_DEPTH_MAX || !walk_child(w, parent, &child))
		return false;
	do {
		const int tag = dwarf_tag(&child);
		if (tag == DW_TAG_variable || tag == DW_TAG_formal_parameter
		            ? code_index_is_list(&child)
		            : walk_is_block(tag) && code_index_find_list(w, &child, depth + 1))
			return true;
	} while (walk_next(w, &child));
	return false;
}

bool code_index_unit_has_lists(const struct program *image, Dwarf_Die *unit)
{
	struct unit_blocks *u = code_index_unit(image, unit);
	if (u && !u->lists_known) {
		struct dwarf_walk w = {.left = code_index_budget(unit, FEW_BYTES)};
		u->has_lists = code_index_find_list(&w, unit, 0);
		u->lists_known = !walk_interrupted();
	}
	return u && u->has_lists;
}

static void code_index_free_unit(void *unit)
{
	struct unit_blocks *u = unit;
	code_index_free_table(&u->outer);
	code_index_free_table(&u->nested);
	free(u);
}

void code_index_free(struct code_index *x)
{
	if (!x)
		return;
	code_index_free_table(&x->units);
	tdestroy(x->blocks, code_index_free_unit);
	free(x);
}
