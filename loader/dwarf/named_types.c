#include "loader/dwarf/named_types.h"

#include <dwarf.h>
#include <stdio.h>

#include "loader/dwarf/ctype.h"
#include "loader/dwarf/index.h"
#include "loader/dwarf/scoped.h"
#include "loader/program_priv.h"

struct listing {
	const struct program *image;
	named_type_fn *fn;
	void *ctx;
};

/* The file that a unit was compiled from. */
static void unit_file(Dwarf_Die *unit, char *buf, size_t n)
{
	Dwarf_Attribute attr;
	const char *name = dwarf_diename(unit);
	const char *folder =
		dwarf_attr(unit, DW_AT_comp_dir, &attr) ? dwarf_formstring(&attr) : NULL;
	if (name && *name != '/' && folder)
		snprintf(buf, n, "%s/%s", folder, name);
	else
		snprintf(buf, n, "%s", name ? name : "?");
}

/* Finds where an entry is declared; file is the unit's by default. */
static void named_types_find_declaration_place(const struct listing *l, Dwarf_Die *die,
                                               struct named_type *t, char *file, size_t n)
{
	Dwarf_Die unit;
	Dwarf_Attribute attr;
	Dwarf_Word line, number;
	t->file = file;
	snprintf(file, n, "?");
	if (!dwarf_cu_die(die->cu, &unit, NULL, NULL, NULL, NULL, NULL, NULL))
		return;
	unit_file(&unit, file, n);
	const char *name;
	if (!dwarf_attr(die, DW_AT_decl_file, &attr) || dwarf_formudata(&attr, &number) != 0 ||
	    !(name = lines_file(l->image, die, number)) ||
	    !dwarf_attr(die, DW_AT_decl_line, &attr) || dwarf_formudata(&attr, &line) != 0 ||
	    line > INT32_MAX)
		return;
	t->file = name;
	t->line = (unsigned)line;
}

static void named_types_report_type(void *ctx, const char *scope, const char *name, bool cplus,
                                    Dwarf_Die *die)
{
	const struct listing *l = ctx;
	char full[SCOPED_MAX + 256], target[512], declared[sizeof full + sizeof target + 16],
		file[512];
	struct named_type t = {.declared = declared, .name = full};
	const int tag = dwarf_tag(die);
	const char *keyword = cplus                            ? ""
	                      : tag == DW_TAG_enumeration_type ? "enum "
	                      : tag == DW_TAG_union_type       ? "union "
	                                                       : "struct ";
	snprintf(full, sizeof full, "%s%s%s", scope, *scope ? "::" : "", name);
	if (tag == DW_TAG_typedef) {
		const struct ctype of = ctype_of(die);
		snprintf(declared, sizeof declared, "typedef %s %s;",
		         ctype_text(&of, NULL, target, sizeof target), full);
	} else if (tag == DW_TAG_base_type) {
		/* "unsigned long" for compilers' "long unsigned int" */
		const struct ctype of = ctype_at(die);
		t.name = ctype_text(&of, NULL, declared, sizeof declared);
	} else {
		snprintf(declared, sizeof declared, "%s%s;", keyword, full);
	}
	named_types_find_declaration_place(l, die, &t, file, sizeof file);
	l->fn(l->ctx, &t);
}

static void each_of(const struct program *image, named_type_fn *fn, void *ctx)
{
	struct listing l = {image, fn, ctx};
	index_each_type(image, named_types_report_type, &l);
}

void named_types_each(const struct program *p, named_type_fn *fn, void *ctx)
{
	const struct program *library;
	walk_begin(p);
	each_of(p, fn, ctx);
	for (unsigned i = 0; (library = program_library(p, i)); i++)
		each_of(library, fn, ctx);
}
