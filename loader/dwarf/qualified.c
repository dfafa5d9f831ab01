#include "loader/dwarf/qualified.h"

#include <dwarf.h>
#include <string.h>

#include "loader/dwarf/index.h"
#include "loader/dwarf/walk.h"
#include "loader/program_priv.h"

enum { BLOCKS_MAX = 16 };

static bool is_named(Dwarf_Die *die, const char *name)
{
	Dwarf_Attribute attr;
	const char *is =
		dwarf_attr_integrate(die, DW_AT_name, &attr) ? dwarf_formstring(&attr) : NULL;
	return is && !strcmp(is, name) && !dwarf_attr(die, DW_AT_declaration, &attr);
}

/* Looks in this block, then in nested ones. */
static bool in_block(struct dwarf_walk *walk, Dwarf_Die *block, const char *name, unsigned depth,
                     struct scope_name *out)
{
	Dwarf_Die child;
	if (depth > BLOCKS_MAX || !walk_child(walk, block, &child))
		return false;
	do {
		const int tag = dwarf_tag(&child);
		if ((tag != DW_TAG_variable && tag != DW_TAG_formal_parameter) ||
		    !is_named(&child, name))
			continue;
		out->kind = tag == DW_TAG_variable ? SCOPE_VARIABLE : SCOPE_PARAMETER;
		out->die = child;
		return true;
	} while (walk_next(walk, &child));
	if (!walk_child(walk, block, &child))
		return false;
	do
		if (dwarf_tag(&child) == DW_TAG_lexical_block &&
		    in_block(walk, &child, name, depth + 1, out))
			return true;
	while (walk_next(walk, &child));
	return false;
}

static bool in_unit(struct dwarf_walk *walk, Dwarf_Die *unit, const char *name,
                    struct scope_name *out)
{
	Dwarf_Die child;
	if (!walk_child(walk, unit, &child))
		return false;
	do {
		const int tag = dwarf_tag(&child);
		if ((tag != DW_TAG_variable && tag != DW_TAG_subprogram) || !is_named(&child, name))
			continue;
		out->kind = tag == DW_TAG_variable ? SCOPE_VARIABLE : SCOPE_FUNCTION;
		out->die = child;
		return true;
	} while (walk_next(walk, &child));
	return false;
}

/* Whether the last components of path are name. */
static bool qualified_path_ends_with(const char *path, const char *name)
{
	const size_t n = path ? strlen(path) : 0, k = strlen(name);
	return k && k <= n && !strcmp(path + n - k, name) && (k == n || path[n - k - 1] == '/');
}

static enum qualified of_file(const struct program *image, const char *file, const char *name,
                              struct scope_name *out)
{
	Dwarf *dwarf = program_dwarf(image);
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit;
	uint8_t type;
	enum qualified answer = QUALIFIED_NO_SCOPE;
	while (dwarf && dwarf_get_units(dwarf, cu, &cu, NULL, &type, &unit, NULL) == 0) {
		if (type == DW_UT_type || !qualified_path_ends_with(dwarf_diename(&unit), file))
			continue;
		if (in_unit(walk_of(image), &unit, name, out)) {
			out->image = image;
			return QUALIFIED_FOUND;
		}
		answer = QUALIFIED_NO_NAME;
	}
	return answer;
}

enum qualified scope_find_qualified(const struct program *p, const struct scope_chain *chain,
                                    const char *scope, const char *name, struct scope_name *out)
{
	struct scope_name function;
	const struct program *library;
	*out = (struct scope_name){.program = p};
	if (index_find(p, chain, 0, scope, &function) && function.kind == SCOPE_FUNCTION) {
		Dwarf_Die die = function.die;
		out->image = function.image;
		out->function = function.die;
		out->program = NULL;
		if (!in_block(walk_of(function.image), &die, name, 0, out))
			return QUALIFIED_NO_NAME;
		out->name = dwarf_diename(&out->die);
		return QUALIFIED_FOUND;
	}
	enum qualified answer = of_file(p, scope, name, out);
	for (unsigned i = 0; answer == QUALIFIED_NO_SCOPE && (library = program_library(p, i)); i++)
		answer = of_file(library, scope, name, out);
	if (answer == QUALIFIED_FOUND)
		out->name = dwarf_diename(&out->die);
	return answer;
}
