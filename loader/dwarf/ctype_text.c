/* Writes types in C syntax. */
#include <dwarf.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "loader/dwarf/ctype_write.h"
#include "loader/dwarf/walk.h"

enum {
	DECLARATOR_MAX = 512,
	DEPTH_MAX = CTYPE_DEPTH_MAX,
	EXPAND_MAX = 4,
	LINES_MAX = CTYPE_LINES_MAX
};

static bool ctype_text_get_type_die(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attr;
	return dwarf_attr_integrate(die, DW_AT_type, &attr) && walk_type(&attr, type);
}

void ctype_declare_of(struct textbuf *out, Dwarf_Die *die, const char *qualifiers,
                            const char *declarator, struct ctype_how how)
{
	Dwarf_Die type;
	how.depth++;
	if (ctype_text_get_type_die(die, &type))
		ctype_declare(out, &type, qualifiers, declarator, how);
	else
		textbuf_add(out, "%svoid%s%s", qualifiers, *declarator ? " " : "", declarator);
}

static void ctype_text_append_parameters(struct textbuf *out, Dwarf_Die *die, struct ctype_how how)
{
	Dwarf_Die child, type;
	unsigned count = 0;
	Dwarf_Attribute attr;
	how.expand = false;
	textbuf_add(out, "(");
	if (walk_child(how.walk, die, &child))
		do {
			const int tag = dwarf_tag(&child);
			if (tag != DW_TAG_formal_parameter && tag != DW_TAG_unspecified_parameters)
				continue;
			textbuf_add(out, "%s", count++ ? ", " : "");
			/* The object parameter of a method, which is constant. */
			const bool object = dwarf_attr(&child, DW_AT_artificial, &attr) &&
			                    ctype_text_get_type_die(&child, &type) &&
			                    dwarf_tag(&type) == DW_TAG_pointer_type;
			if (tag == DW_TAG_unspecified_parameters)
				textbuf_add(out, "...");
			else
				ctype_declare_of(out, &child, "", object ? " const" : "", how);
		} while (walk_next(how.walk, &child));
	if (!count &&
	    (dwarf_attr_integrate(die, DW_AT_prototyped, &attr) || scoped_is_cplus(die)))
		textbuf_add(out, "void");
	textbuf_add(out, ")");
}

static bool ctype_text_read_array_bound(Dwarf_Die *range, unsigned name, uint64_t *v)
{
	Dwarf_Attribute attr;
	Dwarf_Word word;
	if (!dwarf_attr(range, name, &attr) || dwarf_formudata(&attr, &word) != 0)
		return false;
	*v = word;
	return true;
}

static void ctype_text_append_dimensions(struct textbuf *out, Dwarf_Die *die, unsigned from,
                                         struct dwarf_walk *walk)
{
	Dwarf_Die range;
	uint64_t v;
	unsigned i = 0;
	if (!walk_child(walk, die, &range))
		return;
	do {
		if (dwarf_tag(&range) != DW_TAG_subrange_type || i++ < from)
			continue;
		if (ctype_text_read_array_bound(&range, DW_AT_count, &v))
			textbuf_add(out, "[%" PRIu64 "]", v);
		else if (ctype_text_read_array_bound(&range, DW_AT_upper_bound, &v))
			textbuf_add(out, "[%" PRIu64 "]", v + 1);
		else
			textbuf_add(out, "[]");
	} while (walk_next(walk, &range));
}

/* Whether the type, or its target or elements, is an unnamed struct, union or enum, whose members
 * are therefore listed where it is used. */
static bool is_unnamed(Dwarf_Die *die)
{
	Dwarf_Die at = *die;
	for (unsigned i = 0; i < DEPTH_MAX; i++) {
		switch (dwarf_tag(&at)) {
		case DW_TAG_structure_type: case DW_TAG_union_type: case DW_TAG_enumeration_type:
			return !dwarf_diename(&at);
		case DW_TAG_const_type: case DW_TAG_volatile_type: case DW_TAG_pointer_type:
		case DW_TAG_array_type:
			if (!ctype_text_get_type_die(&at, &at))
				return false;
			break;
		default:
			return false;
		}
	}
	return false;
}

void ctype_write_member(struct textbuf *out, const struct cmember *m, struct ctype_how how)
{
	char bits[16] = "";
	if (m->bit_size)
		snprintf(bits, sizeof bits, " : %u", m->bit_size);
	textbuf_add(out, "%*s%s", (int)(4 * how.indent), "", m->is_static ? "static " : "");
	struct ctype_how inner = how;
	Dwarf_Die named = m->type.named;
	inner.expand = named.addr && is_unnamed(&named) && how.indent < EXPAND_MAX;
	inner.dimension = 0;
	inner.depth++;
	if (named.addr)
		ctype_declare(out, &named, "", m->name ? m->name : "", inner);
	else
		textbuf_add(out, "void%s%s", m->name ? " " : "", m->name ? m->name : "");
	textbuf_add(out, "%s;\n", bits);
}

static void ctype_text_append_members(struct textbuf *out, Dwarf_Die *die, struct ctype_how how)
{
	const struct ctype t = ctype_at(die);
	struct cmembers all = ctype_members(&t, how.walk);
	struct cmember m;
	unsigned i = 0;
	textbuf_add(out, " {\n");
	how.indent++;
	for (; i < LINES_MAX && cmember_next(&all, &m); i++)
		ctype_write_member(out, &m, how);
	if (i == LINES_MAX)
		textbuf_add(out, "%*s...\n", (int)(4 * how.indent), "");
	else if (!i)
		textbuf_add(out, "%*s<no members>\n", (int)(4 * how.indent), "");
	textbuf_add(out, "%*s}", (int)(4 * (how.indent - 1)), "");
}

/* Shortens compilers' "long int" to "long", as people write it. */
static const char *ctype_text_short_base_name(const char *name)
{
	static const char *const names[][2] = {
		{"short int", "short"},
		{"short unsigned int", "unsigned short"},
		{"long int", "long"},
		{"long unsigned int", "unsigned long"},
		{"long long int", "long long"},
		{"long long unsigned int", "unsigned long long"},
	};
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(names[i][0], name))
			return names[i][1];
	return name;
}

/* Appends struct, union or enum and a name; of base types and typedefs the name alone. */
static void ctype_text_append_type_name(struct textbuf *out, Dwarf_Die *die, const char *qualifiers,
                                        struct ctype_how how)
{
	const int tag = dwarf_tag(die);
	char scoped[SCOPED_MAX];
	const bool cplus = scoped_is_cplus(die);
	const char *name = dwarf_diename(die);
	Dwarf_Attribute attr;
	if (cplus && tag != DW_TAG_base_type && name)
		name = scoped_name(how.walk, die, scoped, sizeof scoped);
	const bool scoped_enum = cplus && dwarf_attr(die, DW_AT_enum_class, &attr);
	const char *word = tag == DW_TAG_structure_type     ? "struct"
	                   : tag == DW_TAG_class_type       ? "class"
	                   : tag == DW_TAG_union_type       ? "union"
	                   : tag == DW_TAG_enumeration_type ? scoped_enum ? "enum class" : "enum"
	                                                    : NULL;
	textbuf_add(out, "%s", qualifiers);
	if (cplus && !how.expand && name)
		word = NULL;
	if (!word) {
		textbuf_add(out, "%s", name ? ctype_text_short_base_name(name) : "<unnamed type>");
		return;
	}
	textbuf_add(out, "%s%s%s", word, name ? " " : "", name ? name : "");
	if (!how.expand)
		textbuf_add(out, "%s", name ? "" : " {...}");
	else if (dwarf_attr(die, DW_AT_declaration, &attr))
		textbuf_add(out, " {\n%*s<incomplete type>\n%*s}", (int)(4 * (how.indent + 1)), "",
		            (int)(4 * how.indent), "");
	else if (tag == DW_TAG_enumeration_type)
		ctype_write_enum(out, die, how.walk);
	else if (cplus)
		ctype_write_class(out, die, how);
	else
		ctype_text_append_members(out, die, how);
}

/* Whether a pointer's declarator needs parentheses: brackets after it bind before the star. */
static bool ctype_text_needs_parentheses(Dwarf_Die *pointer)
{
	Dwarf_Die target;
	for (unsigned i = 0; i < DEPTH_MAX && ctype_text_get_type_die(pointer, &target); i++) {
		const int tag = dwarf_tag(&target);
		if (tag != DW_TAG_const_type && tag != DW_TAG_volatile_type)
			return tag == DW_TAG_array_type || tag == DW_TAG_subroutine_type ||
			       tag == DW_TAG_subprogram;
		*pointer = target;
	}
	return false;
}

static bool binds_all(const Dwarf_Die *pointer)
{
	Dwarf_Die at = *pointer;
	return ctype_text_needs_parentheses(&at);
}

/* Resolves typedefs of the DIE's type; false if there are none. */
static bool through_typedefs(Dwarf_Die *die, Dwarf_Die *out)
{
	if (!ctype_text_get_type_die(die, out) || dwarf_tag(out) != DW_TAG_typedef)
		return false;
	for (unsigned i = 0; i < DEPTH_MAX && dwarf_tag(out) == DW_TAG_typedef; i++)
		if (!ctype_text_get_type_die(out, out))
			return false;
	return true;
}

void ctype_declare(struct textbuf *out, Dwarf_Die *die, const char *qualifiers,
                    const char *declarator, struct ctype_how how)
{
	char room[DECLARATOR_MAX];
	struct textbuf inner = {room, sizeof room, 0};
	const int tag = dwarf_tag(die);
	Dwarf_Die target;
	const unsigned dimension = how.dimension;
	room[0] = '\0';
	how.dimension = 0;
	for (unsigned i = 0; i < how.count; i++) {
		if (how.parameter[i].type == die->addr) {
			textbuf_add(out, "%s%s%s%s", qualifiers, how.parameter[i].name,
			            *declarator ? " " : "", declarator);
			return;
		}
	}
	if (how.depth > DEPTH_MAX) {
		textbuf_add(out, "<a type without end>");
		return;
	}
	switch (tag) {
	case DW_TAG_const_type:
	case DW_TAG_volatile_type:
	case DW_TAG_restrict_type:
	case DW_TAG_atomic_type: {
		const char *word = tag == DW_TAG_const_type      ? "const"
		                   : tag == DW_TAG_volatile_type ? "volatile"
		                   : tag == DW_TAG_restrict_type ? "restrict"
		                                                 : "_Atomic";
		/* A pointer's qualifier comes after its star. */
		if (how.expand && through_typedefs(die, &target) &&
		    dwarf_tag(&target) == DW_TAG_pointer_type && binds_all(&target))
			textbuf_add(&inner, "%s", qualifiers); /* gdb leaves it out there */
		else if (ctype_text_get_type_die(die, &target) &&
		         dwarf_tag(&target) == DW_TAG_pointer_type)
			textbuf_add(&inner, " %s%s%s", word,
			            *declarator && *declarator != '[' ? " " : "", declarator);
		/* An array's qualifier belongs to its elements, which have it as well. */
		else if (ctype_text_get_type_die(die, &target) &&
		         dwarf_tag(&target) == DW_TAG_array_type)
			textbuf_add(&inner, "%s", qualifiers);
		else
			textbuf_add(&inner, "%s%s ", qualifiers, word);
		if (inner.buf[0] == ' ')
			ctype_declare_of(out, die, qualifiers, room, how);
		else
			ctype_declare_of(out, die, room, declarator, how);
		return;
	}
	case DW_TAG_pointer_type: case DW_TAG_reference_type: case DW_TAG_rvalue_reference_type: {
		const char *star = tag == DW_TAG_pointer_type     ? "*"
		                   : tag == DW_TAG_reference_type ? "&"
		                                                  : "&&";
		Dwarf_Die at = *die;
		textbuf_add(&inner, ctype_text_needs_parentheses(&at) ? "(%s%s)" : "%s%s", star,
		            declarator);
		ctype_declare_of(out, die, qualifiers, room, how);
		return;
	}
	case DW_TAG_ptr_to_member_type: {
		const struct ctype t = ctype_at(die), of = ctype_containing(&t);
		char class[SCOPED_MAX];
		Dwarf_Die at = *die, class_die = of.die;
		textbuf_add(&inner, ctype_text_needs_parentheses(&at) ? "(%s::*%s)" : "%s::*%s",
		            class_die.addr ? scoped_name(how.walk, &class_die, class, sizeof class)
		                           : "?",
		            declarator);
		ctype_declare_of(out, die, qualifiers, room, how);
		return;
	}
	case DW_TAG_array_type:
		textbuf_add(&inner, "%s", declarator);
		ctype_text_append_dimensions(&inner, die, dimension, how.walk);
		ctype_declare_of(out, die, qualifiers, room, how);
		return;
	case DW_TAG_subroutine_type: case DW_TAG_subprogram:
		textbuf_add(&inner, "%s", declarator);
		ctype_text_append_parameters(&inner, die, how);
		ctype_declare_of(out, die, qualifiers, room, how);
		return;
	case DW_TAG_typedef:
		if (how.expand) {
			ctype_declare_of(out, die, qualifiers, declarator, how);
			return;
		}
		break;
	default:
		break;
	}
	ctype_text_append_type_name(out, die, qualifiers, how);
	textbuf_add(out, "%s%s", *declarator ? " " : "", declarator);
}

static char *ctype_text_format_declaration(const struct ctype *t, const char *name, bool expand,
                                           char *buf, size_t n)
{
	struct textbuf out = {buf, n, 0};
	char stars[DECLARATOR_MAX];
	Dwarf_Die named = t->named;
	unsigned count = t->stars < DEPTH_MAX ? t->stars : DEPTH_MAX;
	buf[0] = '\0';
	/* The target of a made pointer may be an array or a function. */
	struct ctype target = *t;
	for (unsigned i = 0; i < count; i++)
		target = ctype_target(&target);
	const bool brackets = count &&
	                      (target.kind == CTYPE_ARRAY || target.kind == CTYPE_FUNCTION) &&
	                      !t->name && dwarf_tag(&named) != DW_TAG_typedef;
	int used = snprintf(stars, sizeof stars, brackets ? "(%.*s%s)" : "%.*s%s", (int)count,
	                    "********************************", name ? name : "");
	if (t->made && used < (int)sizeof stars)
		snprintf(stars + used, sizeof stars - (size_t)used, "[%" PRIu64 "]", t->made);
	struct dwarf_walk walk = walk_of_type();
	const struct ctype_how how = {.expand = expand, .dimension = t->dimension, .walk = &walk};
	if (t->named.addr && !t->name)
		ctype_declare(&out, &named, "", stars, how);
	else
		textbuf_add(&out, "%s%s%s",
		            t->name                 ? t->name
		            : t->kind == CTYPE_VOID ? "void"
		                                    : "<unknown type>",
		            *stars ? " " : "", stars);
	return buf;
}

char *ctype_text(const struct ctype *t, const char *name, char *buf, size_t n)
{
	return ctype_text_format_declaration(t, name, false, buf, n);
}

char *ctype_long_text(const struct ctype *t, char *buf, size_t n)
{
	return ctype_text_format_declaration(t, NULL, true, buf, n);
}
