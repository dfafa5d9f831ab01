/* Objects of classes with virtual functions: their dynamic class, found by the table that they
 * point to in the C++ ABI of GNU and Clang; and the entries of their tables. */
#include "scripting/c/vtable.h"

#include <string.h>

enum { NESTED_MAX = 16, TABLES_MAX = 64, WORD = 8 };

static bool is_dynamic(const struct ctype *t, struct dwarf_walk *walk, unsigned depth)
{
	struct cmembers members = ctype_members(t, walk);
	struct cmember m;
	members.virtuals = true;
	while (depth < NESTED_MAX && cmember_next(&members, &m))
		if (m.is_virtual || (m.name && !strncmp(m.name, "_vptr", 5)) ||
		    (m.is_base && is_dynamic(&m.type, walk, depth + 1)))
			return true;
	return false;
}

bool c_is_dynamic(const struct ctype *t)
{
	struct dwarf_walk walk = walk_of_type();
	return t->kind == CTYPE_STRUCT && is_dynamic(t, &walk, 0);
}

/* Address of the first table of a dynamic object. */
static bool table_of(const struct c_calls *calls, const struct c_value *v, uint64_t *table)
{
	return v->where == C_MEMORY && frame_read(&calls->mem, v->addr, table, sizeof *table);
}

bool c_real_object(const struct c_calls *calls, const struct c_value *v, struct c_value *out)
{
	static const char prefix[] = "vtable for ";
	uint64_t table;
	int64_t to_top;
	Dwarf_Die die;
	if (!c_is_dynamic(&v->type) || !table_of(calls, v, &table))
		return false;
	const struct symbol *sym = program_symbol_at(calls->program, table);
	if (!sym || strncmp(sym->name, prefix, sizeof prefix - 1) != 0 ||
	    table - sym->addr >= sym->size ||
	    !frame_read(&calls->mem, table - 2 * WORD, &to_top, sizeof to_top) ||
	    !scope_find_type(calls->program, NULL, SCOPE_NO_KEYWORD,
	                     sym->name + sizeof prefix - 1, &die))
		return false;
	*out = (struct c_value){.type = ctype_at(&die),
	                        .where = C_MEMORY,
	                        .addr = v->addr + (uint64_t)to_top,
	                        .reg = -1};
	return out->type.kind == CTYPE_STRUCT;
}

/* ---- the tables ---- */
/* The virtual table shared by all subobjects at one address; of: the outermost of them, found
 * first. */
struct table {
	struct c_value of;
	int last; /* last entry; -1: no entries */
};

struct tables {
	const struct c_calls *calls;
	struct dwarf_walk walk;
	unsigned count;
	struct table all[TABLES_MAX]; /* [count], by address */
};

static struct table *table_at(struct tables *t, const struct c_value *v)
{
	unsigned i = 0;
	while (i < t->count && t->all[i].of.addr < v->addr)
		i++;
	if (i < t->count && t->all[i].of.addr == v->addr)
		return &t->all[i];
	if (t->count == TABLES_MAX)
		return NULL;
	memmove(&t->all[i + 1], &t->all[i], (t->count++ - i) * sizeof *t->all);
	t->all[i] = (struct table){*v, -1};
	return &t->all[i];
}

static void c_vtable_collect_tables(struct tables *t, const struct c_value *v, unsigned depth)
{
	struct table *at = depth < NESTED_MAX && is_dynamic(&v->type, &t->walk, 0) ? table_at(t, v)
	                                                                          : NULL;
	if (!at)
		return;
	const int last = ctype_last_virtual(&v->type, t->calls->program, &t->walk);
	at->last = last > at->last ? last : at->last;
	struct cmembers members = ctype_members(&v->type, &t->walk);
	struct cmember m;
	struct c_value base;
	members.virtuals = true;
	while (cmember_next(&members, &m))
		if (m.is_base &&
		    (m.is_virtual ? c_virtual_base(t->calls, v, &m, &base) : c_part(v, &m, &base)))
			c_vtable_collect_tables(t, &base, depth + 1);
}

bool c_each_vtable(const struct c_calls *calls, const struct c_value *v, c_vtable_fn *fn, void *ctx)
{
	struct tables t = {.calls = calls, .walk = walk_of_type()};
	uint64_t address;
	if (v->where != C_MEMORY || !c_is_dynamic(&v->type))
		return false;
	c_vtable_collect_tables(&t, v, 0);
	for (unsigned i = 0; i < t.count; i++)
		if (t.all[i].last >= 0 && table_of(calls, &t.all[i].of, &address))
			fn(ctx, &t.all[i].of, address, (unsigned)t.all[i].last + 1);
	return true;
}
