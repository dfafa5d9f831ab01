/* `info types`: types in the program's debug information; `info vtbl`: the tables of virtual
 * functions of an object. */
#include "ui/cmd/info_types.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/sort.h"
#include "core/machine/machine.h"
#include "loader/dwarf/named_types.h"
#include "scripting/expr/expr.h"
#include "ui/console/answer_data.h"
#include "ui/console/args.h"

/* ---- info types ---- */
struct type_row {
	char *name, *declared, *file; /* owned */
	unsigned line;
};

struct type_list {
	const char *pattern;
	struct type_row *rows; /* owned; [count] */
	size_t count, room;
	bool out_of_memory;
};

static void info_types_collect_type(void *ctx, const struct named_type *t)
{
	struct type_list *l = ctx;
	if (l->out_of_memory || !parse_matches(l->pattern, t->name))
		return;
	struct type_row *grown = alloc_grow(l->rows, l->count, &l->room, sizeof *grown, 256);
	l->out_of_memory = !grown;
	if (!grown)
		return;
	l->rows = grown;
	struct type_row *r = &l->rows[l->count++];
	*r = (struct type_row){alloc_text(t->name), alloc_text(t->declared), alloc_text(t->file),
	                       t->line};
	l->out_of_memory = !r->name || !r->declared || !r->file;
}

static bool is_typedef(const struct type_row *r)
{
	return !strncmp(r->declared, "typedef ", 8);
}

static int info_types_compare_by_file(const void *pa, const void *pb)
{
	const struct type_row *a = pa, *b = pb;
	const int file = strcmp(a->file, b->file), name = strcmp(a->name, b->name);
	/* A structure comes before a typedef of the same name. */
	const int typedefs = is_typedef(a) - is_typedef(b);
	return file ? file : name ? name : typedefs;
}

static void put_types(struct console *c, struct type_list *l)
{
	const struct type_row *before = NULL;
	json_t *rows = answer_data_rows(c, "types");
	if (l->count)
		sort_stable(l->rows, l->count, sizeof *l->rows, info_types_compare_by_file);
	for (size_t i = 0; i < l->count; i++) {
		const struct type_row *r = &l->rows[i];
		const bool same = before && !strcmp(before->file, r->file);
		if (same && !strcmp(before->name, r->name))
			continue;
		if (!same)
			console_print(c, "\nFile %s:\n", r->file);
		if (r->line)
			console_print(c, "%u:\t%s\n", r->line, r->declared);
		else
			console_print(c, "\t%s\n", r->declared);
		json_t *row = data_row(rows);
		data_text(row, "type", r->name);
		data_text(row, "declared", r->declared);
		data_text(row, "file", r->file);
		data_count(row, "line", r->line);
		before = r;
	}
}

enum command_result info_types(struct console *c, const char *args)
{
	struct type_list l = {.pattern = args};
	named_types_each(c->session->program, info_types_collect_type, &l);
	if (!l.out_of_memory) {
		console_print(c, *args ? "All types matching \"%s\":\n" : "All defined types:\n",
		              args);
		put_types(c, &l);
	}
	for (size_t i = 0; i < l.count; i++) {
		free(l.rows[i].name);
		free(l.rows[i].declared);
		free(l.rows[i].file);
	}
	free(l.rows);
	return l.out_of_memory ? console_fail(c, "out of memory for a list of types") : CMD_OK;
}

/* ---- info vtbl ---- */
struct vtbl_list {
	struct console *c;
	json_t *rows;
	unsigned count;
};

static void info_types_print_vtable(void *ctx, const char *class, uint64_t table, uint64_t object,
                                    unsigned entries)
{
	struct vtbl_list *l = ctx;
	struct console *c = l->c;
	json_t *row = data_row(l->rows), *functions = json_array();
	data_text(row, "class", class);
	data_addr(row, "table", table);
	data_addr(row, "object", object);
	json_object_set_new(row, "functions", functions);
	console_print(c, "%svtable for '%s' @ 0x%" PRIx64 " (subobject @ 0x%" PRIx64 "):\n",
	              l->count++ ? "\n" : "", class, table, object);
	for (unsigned i = 0; i < entries; i++) {
		uint64_t to;
		char place[256];
		const uint64_t at = table + 8 * (uint64_t)i;
		if (!machine_peek(c->session->machine, at, &to, sizeof to)) {
			console_print(c, "[%u]: <error: Cannot access memory at address 0x%" PRIx64
			                 ">\n",
			              i, at);
			break;
		}
		program_addr_text(c->session->program, to, place, sizeof place);
		console_print(c, "[%u]: 0x%" PRIx64, i, to);
		console_print(c, *place == '0' ? "\n%.0s" : " <%s>\n", place);
		data_word(functions, place);
	}
}

enum command_result info_vtbl(struct console *c, const char *args)
{
	struct vtbl_list l = {.c = c};
	if (!*args)
		return console_fail(c, "no object given; expected info vtbl of an object of C++, "
		                       "or a pointer to one");
	struct expr *e = expr_compile(c->exprs, args, &c->err);
	const bool ok = e && expr_knows_names(e, &c->err) && expr_compute(e, &c->err);
	if (ok)
		l.rows = answer_data_rows(c, "tables");
	const bool told = ok && expr_each_vtable(c->exprs, info_types_print_vtable, &l, &c->err);
	expr_free(e);
	return told ? CMD_OK : CMD_ERROR;
}
