/* Finds the namespace or class that a declaration is in. Debug information links only from outer to
 * inner entries: the search starts at the unit. */
#include "loader/dwarf/scoped.h"

#include "loader/dwarf/walk.h"

#include <dwarf.h>
#include <stdio.h>
#include <string.h>

enum { DEPTH_MAX = 32 };

static int scoped_unit_language(Dwarf_Die *die)
{
	Dwarf_Die unit;
	return die->addr && dwarf_cu_die(die->cu, &unit, NULL, NULL, NULL, NULL, NULL, NULL)
	               ? dwarf_srclang(&unit)
	               : -1;
}

static bool is_cplus(int language)
{
	return language == DW_LANG_C_plus_plus || language == DW_LANG_C_plus_plus_03 ||
	       language == DW_LANG_C_plus_plus_11 || language == DW_LANG_C_plus_plus_14 ||
	       (language >= 0x2b && language <= 0x2c) /* 17, 20: of DWARF 6 */ || language == 0x3a;
}

bool scoped_is_cplus(Dwarf_Die *die)
{
	return is_cplus(scoped_unit_language(die));
}

bool scoped_unit(Dwarf_Die *unit)
{
	const int l = dwarf_srclang(unit);
	return is_cplus(l) || l == DW_LANG_Rust;
}

bool scoped_opens(int tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_structure_type ||
	       tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

static bool scoped_tag_has_scope(int tag)
{
	return scoped_opens(tag) || tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block ||
	       tag == DW_TAG_enumeration_type;
}

/* Finds the child whose entry contains the offset. */
static bool scoped_find_child_at_offset(struct dwarf_walk *w, Dwarf_Die *parent, Dwarf_Off at,
                                        Dwarf_Die *out)
{
	Dwarf_Die child, last = {0};
	if (!walk_child(w, parent, &child))
		return false;
	do {
		if (dwarf_dieoffset(&child) > at)
			break;
		last = child;
	} while (walk_next(w, &child));
	*out = last;
	return last.addr != NULL;
}

static void scoped_compute_name(struct dwarf_walk *w, Dwarf_Die *die, char *buf, size_t n)
{
	const Dwarf_Off at = dwarf_dieoffset(die);
	struct dwarf_walk own = {.left = w->names_left};
	Dwarf_Die here, next;
	size_t used = 0;
	if (!dwarf_cu_die(die->cu, &here, NULL, NULL, NULL, NULL, NULL, NULL))
		return;
	for (unsigned depth = 0;
	     depth < DEPTH_MAX && scoped_find_child_at_offset(&own, &here, at, &next) &&
	     dwarf_dieoffset(&next) < at && scoped_tag_has_scope(dwarf_tag(&next));
	     depth++) {
		const int tag = dwarf_tag(&next);
		const char *name = dwarf_diename(&next);
		Dwarf_Attribute attr;
		here = next;
		if (!scoped_opens(tag) || (name && dwarf_attr(&here, DW_AT_export_symbols, &attr)))
			continue;
		if (!name && tag != DW_TAG_namespace)
			continue;
		const int more = snprintf(buf + used, n - used,
		                          "%s::", name ? name : "(anonymous namespace)");
		used += more > 0 && (size_t)more < n - used ? (size_t)more : n - used - 1;
	}
	w->names_left = own.left;
}

char *scoped_name(struct dwarf_walk *w, Dwarf_Die *die, char *buf, size_t n)
{
	Dwarf_Attribute attr;
	Dwarf_Die declared = *die;
	const char *name =
		dwarf_attr_integrate(die, DW_AT_name, &attr) ? dwarf_formstring(&attr) : NULL;
	buf[0] = '\0';
	if (dwarf_attr(die, DW_AT_specification, &attr))
		dwarf_formref_die(&attr, &declared);
	if (w->named != declared.addr || !declared.addr) {
		w->scope[0] = '\0';
		w->named = declared.addr;
		if (declared.addr && scoped_unit_language(&declared) >= 0 &&
		    scoped_is_cplus(&declared))
			scoped_compute_name(w, &declared, w->scope, sizeof w->scope);
	}
	snprintf(buf, n, "%s%s", w->scope, name ? name : "");
	return buf;
}
