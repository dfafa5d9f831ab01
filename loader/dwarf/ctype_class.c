/* Writes classes of C++ as gdb's ptype does: bases, access labels, methods. */
#include <dwarf.h>
#include <stdio.h>
#include <string.h>

#include "loader/demangle.h"
#include "loader/dwarf/ctype_write.h"
#include "loader/dwarf/location.h"
#include "loader/dwarf/walk.h"

enum access { NO_ACCESS, PUBLIC, PROTECTED, PRIVATE };

static const char *const access_name[] = {
	[PUBLIC] = "public", [PROTECTED] = "protected", [PRIVATE] = "private"};

/* The state of writing a class's members. */
struct body {
	struct textbuf *out;
	struct ctype_how how;
	enum access now; /* label written last; NO_ACCESS: none */
	bool is_class, labels;
};

static enum access access_of(Dwarf_Die *die, bool in_class)
{
	Dwarf_Attribute attr;
	Dwarf_Word v;
	if (!dwarf_attr_integrate(die, DW_AT_accessibility, &attr) ||
	    dwarf_formudata(&attr, &v) != 0)
		return in_class ? PRIVATE : PUBLIC;
	return v == DW_ACCESS_private ? PRIVATE : v == DW_ACCESS_protected ? PROTECTED : PUBLIC;
}

static bool ctype_class_has_flag(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attr;
	bool is = false;
	return dwarf_attr_integrate(die, name, &attr) && dwarf_formflag(&attr, &is) == 0 && is;
}

/* Whether a member is the compiler's pointer to the virtual table. */
static bool is_table(Dwarf_Die *die)
{
	const char *name = dwarf_diename(die);
	return name && !strncmp(name, "_vptr", 5) && (name[5] == '.' || name[5] == '$');
}

static bool is_method(Dwarf_Die *die)
{
	return dwarf_tag(die) == DW_TAG_subprogram && dwarf_diename(die) &&
	       !ctype_class_has_flag(die, DW_AT_artificial);
}

static bool ctype_class_is_field(Dwarf_Die *die)
{
	const int tag = dwarf_tag(die);
	return tag == DW_TAG_member || tag == DW_TAG_variable;
}

/* Whether access labels are needed: some member's access is not the keyword's default. */
static bool needs_labels(Dwarf_Die *class, bool is_class, struct dwarf_walk *walk)
{
	Dwarf_Die child;
	if (!walk_child(walk, class, &child))
		return false;
	do {
		const int tag = dwarf_tag(&child);
		if (!ctype_class_is_field(&child) && tag != DW_TAG_subprogram &&
		    tag != DW_TAG_typedef)
			continue;
		const enum access a = is_table(&child) ? PRIVATE : access_of(&child, is_class);
		if (is_class ? a != PRIVATE : a != PUBLIC)
			return true;
	} while (walk_next(walk, &child));
	return false;
}

static void ctype_class_append_access_label(struct body *b, enum access access)
{
	if (b->now == access)
		return;
	b->now = access;
	textbuf_add(b->out, "%*s%s:\n", (int)(4 * b->how.indent) - 2, "", access_name[access]);
}

static void ctype_class_append_bases(struct body *b, Dwarf_Die *class)
{
	Dwarf_Die child, type;
	Dwarf_Attribute attr;
	unsigned count = 0;
	char name[SCOPED_MAX];
	if (!walk_child(b->how.walk, class, &child))
		return;
	do {
		if (dwarf_tag(&child) != DW_TAG_inheritance ||
		    !dwarf_attr(&child, DW_AT_type, &attr) || !walk_type(&attr, &type))
			continue;
		textbuf_add(b->out, "%s%s %s%s", count++ ? ", " : " : ",
		            access_name[access_of(&child, b->is_class)],
		            dwarf_attr(&child, DW_AT_virtuality, &attr) ? "virtual " : "",
		            scoped_name(b->how.walk, &type, name, sizeof name));
	} while (count < CTYPE_LINES_MAX && walk_next(b->how.walk, &child));
}

/* Adds the class's own types to all: they need no scope inside it. */
static unsigned own_types(struct body *b, Dwarf_Die *class, struct ctype_parameter *all,
                          unsigned count)
{
	Dwarf_Die child;
	if (walk_child(b->how.walk, class, &child))
		do
			if (dwarf_tag(&child) == DW_TAG_typedef && dwarf_diename(&child))
				all[count++] =
					(struct ctype_parameter){child.addr, dwarf_diename(&child)};
		while (count < CTYPE_TEMPLATE_MAX && walk_next(b->how.walk, &child));
	return count;
}

/* Appends " [with T = int]"; returns the number of arguments. */
static unsigned ctype_class_append_template_arguments(struct body *b, Dwarf_Die *class,
                                                      struct ctype_parameter *all)
{
	Dwarf_Die child, type;
	Dwarf_Attribute attr;
	unsigned count = 0;
	if (!walk_child(b->how.walk, class, &child))
		return 0;
	do {
		const char *name = dwarf_diename(&child);
		if (dwarf_tag(&child) != DW_TAG_template_type_parameter || !name ||
		    !dwarf_attr(&child, DW_AT_type, &attr) || !walk_type(&attr, &type))
			continue;
		struct ctype_how plain = b->how;
		plain.expand = false;
		textbuf_add(b->out, "%s%s = ", count ? ", " : " [with ", name);
		ctype_declare(b->out, &type, "", "", plain);
		all[count++] = (struct ctype_parameter){type.addr, name};
	} while (count < CTYPE_TEMPLATE_MAX && walk_next(b->how.walk, &child));
	textbuf_add(b->out, "%s", count ? "]" : "");
	return count;
}

static unsigned ctype_class_append_fields(struct body *b, Dwarf_Die *class)
{
	const struct ctype t = ctype_at(class);
	struct cmembers all = ctype_members(&t, b->how.walk);
	struct cmember m;
	unsigned count = 0;
	all.statics = true;
	while (count < CTYPE_LINES_MAX && cmember_next(&all, &m)) {
		if (m.is_base || is_table(&m.die))
			continue;
		if (b->labels)
			ctype_class_append_access_label(b, access_of(&m.die, b->is_class));
		ctype_write_member(b->out, &m, b->how);
		count++;
	}
	return count;
}

/* The `this` parameter of a method; addr NULL: none, it is static. */
static Dwarf_Die ctype_class_object_parameter(Dwarf_Die *method, struct dwarf_walk *walk)
{
	Dwarf_Die child;
	if (walk_child(walk, method, &child))
		do
			if (dwarf_tag(&child) == DW_TAG_formal_parameter)
				return ctype_class_has_flag(&child, DW_AT_artificial)
				               ? child
				               : (Dwarf_Die){0};
		while (walk_next(walk, &child));
	return (Dwarf_Die){0};
}

static bool is_const(Dwarf_Die *object)
{
	const struct ctype pointer = ctype_of(object);
	Dwarf_Die die = pointer.die, target;
	Dwarf_Attribute attr;
	return pointer.kind == CTYPE_POINTER && die.addr && dwarf_attr(&die, DW_AT_type, &attr) &&
	       walk_type(&attr, &target) && dwarf_tag(&target) == DW_TAG_const_type;
}

static void ctype_class_append_method(struct body *b, Dwarf_Die *die, const char *class_name)
{
	Dwarf_Die child, object = ctype_class_object_parameter(die, b->how.walk);
	Dwarf_Attribute attr;
	const char *name = dwarf_diename(die);
	unsigned count = 0;
	struct ctype_how plain = b->how;
	plain.expand = false;
	ctype_class_append_access_label(b, access_of(die, b->is_class));
	textbuf_add(b->out, "%*s%s", (int)(4 * b->how.indent), "",
	            dwarf_attr(die, DW_AT_vtable_elem_location, &attr) ? "virtual "
	            : object.addr                                      ? ""
	                                                               : "static ");
	const size_t n = strcspn(class_name, "<");
	if (*name != '~' && (strncmp(name, class_name, n) != 0 || name[n])) {
		ctype_declare_of(b->out, die, "", "", plain);
		textbuf_add(b->out, " ");
	}
	textbuf_add(b->out, "%s(", name);
	if (walk_child(b->how.walk, die, &child))
		do {
			const int tag = dwarf_tag(&child);
			if ((tag != DW_TAG_formal_parameter ||
			     ctype_class_has_flag(&child, DW_AT_artificial)) &&
			    tag != DW_TAG_unspecified_parameters)
				continue;
			textbuf_add(b->out, "%s", count++ ? ", " : "");
			if (tag == DW_TAG_unspecified_parameters)
				textbuf_add(b->out, "...");
			else
				ctype_declare_of(b->out, &child, "", "", plain);
		} while (walk_next(b->how.walk, &child));
	textbuf_add(b->out, "%s)%s;\n", count ? "" : "void",
	            object.addr && is_const(&object) ? " const" : "");
}

/* Overloads are listed together, at the place of the first. */
static unsigned ctype_class_append_methods(struct body *b, Dwarf_Die *class, bool has_fields)
{
	const char *class_name = dwarf_diename(class);
	Dwarf_Die child, other;
	unsigned count = 0;
	if (!walk_child(b->how.walk, class, &child))
		return 0;
	do {
		bool before = false;
		if (!is_method(&child) || !walk_child(b->how.walk, class, &other))
			continue;
		const char *name = dwarf_diename(&child);
		do {
			if (!is_method(&other) || strcmp(dwarf_diename(&other), name) != 0)
				continue;
			before |= dwarf_dieoffset(&other) < dwarf_dieoffset(&child);
			if (before)
				break;
			if (!count++ && has_fields && b->now)
				textbuf_add(b->out, "\n");
			ctype_class_append_method(b, &other, class_name ? class_name : "");
		} while (count < CTYPE_LINES_MAX && walk_next(b->how.walk, &other));
	} while (count < CTYPE_LINES_MAX && walk_next(b->how.walk, &child));
	return count;
}

static void ctype_class_append_typedefs(struct body *b, Dwarf_Die *class, bool first)
{
	Dwarf_Die child;
	unsigned count = 0;
	struct ctype_how plain = b->how;
	plain.expand = false;
	if (!walk_child(b->how.walk, class, &child))
		return;
	do {
		const char *name = dwarf_diename(&child);
		if (dwarf_tag(&child) != DW_TAG_typedef || !name)
			continue;
		if (!count++ && !first)
			textbuf_add(b->out, "\n");
		if (b->labels)
			ctype_class_append_access_label(b, access_of(&child, b->is_class));
		textbuf_add(b->out, "%*stypedef ", (int)(4 * b->how.indent), "");
		ctype_declare_of(b->out, &child, "", name, plain);
		textbuf_add(b->out, ";\n");
	} while (count < CTYPE_LINES_MAX && walk_next(b->how.walk, &child));
}

void ctype_write_class(struct textbuf *out, Dwarf_Die *die, struct ctype_how how)
{
	struct ctype_parameter all[CTYPE_TEMPLATE_MAX];
	struct body b = {.out = out, .how = how, .is_class = dwarf_tag(die) == DW_TAG_class_type};
	const unsigned named = ctype_class_append_template_arguments(&b, die, all),
		       count = named < CTYPE_TEMPLATE_MAX ? own_types(&b, die, all, named) : named;
	ctype_class_append_bases(&b, die);
	if (count) {
		b.how.parameter = all;
		b.how.count = count;
	}
	b.how.indent++;
	b.labels = needs_labels(die, b.is_class, how.walk);
	textbuf_add(out, " {\n");
	const unsigned has_fields = ctype_class_append_fields(&b, die),
		       has_methods = ctype_class_append_methods(&b, die, has_fields);
	if (!has_fields && !has_methods)
		textbuf_add(out, "%*s<no data fields>\n", (int)(4 * b.how.indent), "");
	ctype_class_append_typedefs(&b, die, !has_fields && !has_methods);
	textbuf_add(out, "%*s}", (int)(4 * how.indent), "");
}

unsigned ctype_parameters(const struct ctype *function, struct ctype *out, unsigned max, bool *more)
{
	struct dwarf_walk walk = walk_of_type();
	Dwarf_Die die = function->die, child;
	Dwarf_Attribute attr;
	unsigned n = 0;
	*more = false;
	if (!die.addr)
		return 0;
	if (walk_child(&walk, &die, &child))
		do {
			*more |= dwarf_tag(&child) == DW_TAG_unspecified_parameters;
			if (dwarf_tag(&child) != DW_TAG_formal_parameter)
				continue;
			if (n < max)
				out[n] = ctype_of(&child);
			n++;
		} while (walk_next(&walk, &child));
	*more |= !n && !dwarf_attr_integrate(&die, DW_AT_prototyped, &attr) &&
	         !scoped_is_cplus(&die);
	return n;
}

bool ctype_by_reference(const struct ctype *t)
{
	Dwarf_Die die = t->die;
	Dwarf_Attribute attr;
	Dwarf_Word how;
	return die.addr && dwarf_attr(&die, DW_AT_calling_convention, &attr) &&
	       !dwarf_formudata(&attr, &how) && how == DW_CC_pass_by_reference;
}

bool ctype_argument(const struct ctype *t, unsigned i, struct dwarf_walk *walk, struct ctype *out)
{
	Dwarf_Die die = t->die, child;
	if (!die.addr || !walk_child(walk, &die, &child))
		return false;
	do
		if (dwarf_tag(&child) == DW_TAG_template_type_parameter && !i--) {
			*out = ctype_of(&child);
			return out->kind != CTYPE_UNKNOWN;
		}
	while (walk_next(walk, &child));
	return false;
}

/* The vtable index of a virtual function; -1: none. */
static int ctype_class_vtable_index(const struct program *image, Dwarf_Die *function)
{
	enum { ENTRIES_MAX = 1000 };
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t n;
	return dwarf_tag(function) == DW_TAG_subprogram &&
	                       dwarf_attr_integrate(function, DW_AT_vtable_elem_location, &attr) &&
	                       location_ops(image, &attr, 0, &ops, &n) && n == 1 &&
	                       ops[0].atom == DW_OP_constu && ops[0].number < ENTRIES_MAX
	               ? (int)ops[0].number
	               : -1;
}

int ctype_last_virtual(const struct ctype *t, const struct program *image, struct dwarf_walk *walk)
{
	Dwarf_Die class = t->die, child;
	int last = -1;
	if (t->kind != CTYPE_STRUCT || !walk_child(walk, &class, &child))
		return last;
	do {
		const int entry = ctype_class_vtable_index(image, &child);
		last = entry > last ? entry : last;
	} while (walk_next(walk, &child));
	return last;
}

bool ctype_virtual_name(const struct ctype *t, const struct program *image,
                        struct dwarf_walk *walk, unsigned entry, char *buf, size_t n)
{
	Dwarf_Die class = t->die, child;
	char name[DEMANGLED_MAX];
	Dwarf_Attribute attr;
	if (t->kind != CTYPE_STRUCT || !walk_child(walk, &class, &child))
		return false;
	do {
		const char *linked = ctype_class_vtable_index(image, &child) == (int)entry &&
		                                     dwarf_attr(&child, DW_AT_linkage_name, &attr)
		                             ? dwarf_formstring(&attr)
		                             : NULL;
		if (!linked || strnlen(linked, DEMANGLED_MAX) == DEMANGLED_MAX ||
		    !demangle(linked, name))
			continue;
		snprintf(buf, n, "%s", name);
		return true;
	} while (walk_next(walk, &child));
	return false;
}

int ctype_virtual_entry(const struct ctype *function, const struct program *image)
{
	Dwarf_Die die = function->die;
	return die.addr ? ctype_class_vtable_index(image, &die) : -1;
}

bool ctype_virtual_named(const struct ctype *t, const struct program *image,
                         struct dwarf_walk *walk, const char *name, struct ctype *out)
{
	Dwarf_Die class = t->die, child;
	unsigned found = 0;
	if (t->kind != CTYPE_STRUCT || !walk_child(walk, &class, &child))
		return false;
	do {
		const char *own = dwarf_diename(&child);
		if (!own || strcmp(own, name) != 0 || ctype_class_vtable_index(image, &child) < 0)
			continue;
		*out = ctype_at(&child);
		found++;
	} while (walk_next(walk, &child));
	return found == 1 && out->kind == CTYPE_FUNCTION;
}
