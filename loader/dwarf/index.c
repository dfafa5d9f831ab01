#include "loader/dwarf/index.h"

#include <dwarf.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/sort.h"
#include "loader/demangle.h"
#include "loader/dwarf/scoped.h"
#include "loader/dwarf/walk.h"
#include "loader/program_priv.h"

struct named {
	const char *name; /* borrowed from libdw */
	const char *scope; /* of struct names: "geo::Shape", "" in C */
	Dwarf_Off die;
	Dwarf_Off unit;   /* its DIE */
	Dwarf_Off type;   /* of an enumerator: its type; else 0 */
	uint16_t tag;
	bool external;
	bool abstract;    /* a function with inlined copies; its code is in another DIE */
	bool cplus;       /* a type is named without a keyword */
	bool apart;       /* its offsets are in .debug_types, as before DWARF 5 */
};

static bool dwarf_index_entry_at(const struct program *image, const struct named *e,
                                 Dwarf_Off offset, Dwarf_Die *die)
{
	Dwarf *dwarf = program_dwarf(image);
	return e->apart ? dwarf_offdie_types(dwarf, offset, die) : dwarf_offdie(dwarf, offset, die);
}

struct names {
	struct named *all; /* [count], owned: by name */
	size_t count, room;
	void *scopes;      /* owned: tsearch()'s tree of texts */
};

/* Context of the entries of one part of a unit. */
struct place_in {
	const struct program *p;
	struct names *x;
	struct dwarf_walk *w;
	Dwarf_Off unit;
	bool apart;
	bool scoped, cplus;
};

/* Memory per entry, including libdw's and spare room of the array. */
enum { ENTRY_BYTES = 128 };
enum { NAMESPACES_MAX = 16, NAME_BYTES_MAX = 4096 };

static bool dwarf_index_append_name(const struct program *p, struct names *x, struct named e)
{
	if (!debug_limit_take(&p->debug->limit, ENTRY_BYTES))
		return false;
	struct named *grown = alloc_grow(x->all, x->count, &x->room, sizeof *grown, 256);
	if (!grown)
		return false;
	x->all = grown;
	x->all[x->count++] = e;
	return true;
}

static bool dwarf_index_die_has_attribute(Dwarf_Die *die, unsigned attr)
{
	Dwarf_Attribute a;
	return dwarf_attr_integrate(die, attr, &a) != NULL;
}

static bool is_wanted(int tag)
{
	switch (tag) {
	case DW_TAG_variable: case DW_TAG_subprogram: case DW_TAG_typedef: case DW_TAG_base_type:
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:
		return true;
	default:
		return false;
	}
}

/* Rejects overlong names, which would be slow to compare. */
static bool dwarf_index_name_is_usable(const char *name)
{
	return name && strnlen(name, NAME_BYTES_MAX) < NAME_BYTES_MAX;
}

static int dwarf_index_compare_by_text(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* The shared copy of this text; "" if there is no room. */
static const char *scope_of(const struct place_in *in, const char *text, size_t n)
{
	char buf[SCOPED_MAX];
	if (!n || n >= sizeof buf)
		return "";
	memcpy(buf, text, n);
	buf[n] = '\0';
	void *const *known = tfind(buf, &in->x->scopes, dwarf_index_compare_by_text);
	if (known)
		return *known;
	char *own =
		debug_limit_take(&in->p->debug->limit, ENTRY_BYTES + n) ? alloc_text(buf) : NULL;
	if (own && tsearch(own, &in->x->scopes, dwarf_index_compare_by_text))
		return own;
	free(own);
	return "";
}

/* The scope inside a DIE: "geo::Shape" for members of Shape. */
static const char *inner_scope(const struct place_in *in, const char *outer, Dwarf_Die *die)
{
	char buf[SCOPED_MAX];
	const char *name = dwarf_diename(die);
	Dwarf_Attribute attr;
	if (dwarf_attr(die, DW_AT_export_symbols, &attr))
		return outer; /* members of inline namespaces belong to the outer one */
	if (!name && dwarf_tag(die) != DW_TAG_namespace)
		return outer;
	const int n = snprintf(buf, sizeof buf, "%s%s%s", outer, *outer ? "::" : "",
	                       name ? name : "(anonymous namespace)");
	return n > 0 && (size_t)n < sizeof buf ? scope_of(in, buf, (size_t)n) : outer;
}

/* The scope of a DIE that is defined outside its declaration, by its mangled name. */
static const char *linked_scope(const struct place_in *in, const char *here, Dwarf_Die *die,
                                const char *name)
{
	char buf[DEMANGLED_MAX];
	Dwarf_Attribute attr;
	const char *linked = dwarf_attr_integrate(die, DW_AT_linkage_name, &attr)
	                             ? dwarf_formstring(&attr)
	                             : NULL;
	if (!linked || !dwarf_index_name_is_usable(linked) || !demangle(linked, buf))
		return here;
	const size_t stem = name_stem(buf), n = strlen(name);
	if (stem == n && !memcmp(buf, name, n))
		return "";
	return stem > n + 2 && !memcmp(buf + stem - n, name, n) &&
	                       !memcmp(buf + stem - n - 2, "::", 2)
	               ? scope_of(in, buf, stem - n - 2)
	               : here;
}

/* Adds the enumerators of a type; false: no room. */
static bool add_enumerators(const struct place_in *in, Dwarf_Die *type, const char *scope)
{
	Dwarf_Die child;
	Dwarf_Attribute attr;
	struct dwarf_walk *w = in->w;
	if (dwarf_attr(type, DW_AT_enum_class, &attr))
		scope = inner_scope(in, scope, type);
	if (!walk_child(w, type, &child))
		return true;
	do {
		const char *name =
			dwarf_tag(&child) == DW_TAG_enumerator ? dwarf_diename(&child) : NULL;
		if (dwarf_index_name_is_usable(name) &&
		    !dwarf_index_append_name(in->p, in->x,
		                             (struct named){.name = name,
		                                            .scope = scope,
		                                            .die = dwarf_dieoffset(&child),
		                                            .unit = in->unit,
		                                            .apart = in->apart,
		                                            .type = dwarf_dieoffset(type),
		                                            .tag = DW_TAG_enumerator}))
			return false;
	} while (walk_next(w, &child));
	return true;
}

/* Whether a class's member is a constant: static, with a value. */
static bool dwarf_index_is_class_constant(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	return dwarf_attr(die, DW_AT_const_value, &attr) && dwarf_attr(die, DW_AT_external, &attr);
}

static bool add_children(const struct place_in *in, Dwarf_Die *parent, const char *scope,
                         unsigned depth)
{
	Dwarf_Die child;
	const bool in_class = depth && dwarf_tag(parent) != DW_TAG_namespace;
	if (depth > NAMESPACES_MAX || !walk_child(in->w, parent, &child))
		return true;
	do {
		int tag = dwarf_tag(&child);
		Dwarf_Attribute attr;
		if ((tag == DW_TAG_namespace || (in->scoped && scoped_opens(tag))) &&
		    !add_children(in, &child, inner_scope(in, scope, &child), depth + 1))
			return false;
		if (tag == DW_TAG_enumeration_type && !add_enumerators(in, &child, scope))
			return false;
		if (in_class && tag == DW_TAG_member)
			tag = DW_TAG_variable;
		if (!is_wanted(tag) ||
		    (in_class && tag == DW_TAG_variable
		             ? !dwarf_index_is_class_constant(&child)
		             : dwarf_attr(&child, DW_AT_declaration, &attr) != NULL))
			continue;
		const char *name = dwarf_attr_integrate(&child, DW_AT_name, &attr)
		                           ? dwarf_formstring(&attr)
		                           : NULL;
		if (!dwarf_index_name_is_usable(name))
			continue;
		const bool linked = in->scoped &&
		                    (tag == DW_TAG_variable || tag == DW_TAG_subprogram);
		if (!dwarf_index_append_name(
			    in->p, in->x,
			    (struct named){
				    .name = name,
				    .scope = linked ? linked_scope(in, scope, &child, name) : scope,
				    .die = dwarf_dieoffset(&child),
				    .unit = in->unit,
				    .apart = in->apart,
				    .tag = (uint16_t)tag,
				    .external =
					    dwarf_index_die_has_attribute(&child, DW_AT_external),
				    .abstract = dwarf_attr(&child, DW_AT_inline, &attr),
				    .cplus = in->cplus}))
			return false;
	} while (walk_next(in->w, &child));
	return true;
}

static int dwarf_index_compare_by_name(const void *pa, const void *pb)
{
	const struct named *a = pa, *b = pb;
	const int order = strcmp(a->name, b->name);
	return order ? order : a->die < b->die ? -1 : a->die > b->die;
}

/* Whether the unit is of types in a section of their own, as before DWARF 5. */
static bool dwarf_index_is_apart(Dwarf_Die *unit, uint8_t type)
{
	Dwarf_Half version;
	return type == DW_UT_type &&
	       (dwarf_cu_info(unit->cu, &version, NULL, NULL, NULL, NULL, NULL, NULL) != 0 ||
	        version < 5);
}

static const struct names *dwarf_index_get_names(const struct program *p)
{
	struct program_debug *d = p->debug;
	if (d->names)
		return d->names;
	d->names = alloc_zeroed(1, sizeof *d->names);
	Dwarf *dwarf = program_dwarf(p);
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit;
	uint8_t type;
	while (d->names && dwarf &&
	       dwarf_get_units(dwarf, cu, &cu, NULL, &type, &unit, NULL) == 0) {
		struct dwarf_walk w = {.left = walk_unit(&unit)};
		const struct place_in in = {.p = p,
		                            .x = d->names,
		                            .w = &w,
		                            .unit = dwarf_dieoffset(&unit),
		                            .apart = dwarf_index_is_apart(&unit, type),
		                            .scoped = scoped_unit(&unit),
		                            .cplus = scoped_is_cplus(&unit)};
		if (!add_children(&in, &unit, "", 0))
			break;
		d->walk.ended |= w.ended;
	}
	if (walk_interrupted()) { /* incomplete: the next query builds it again */
		names_free(d->names);
		d->names = NULL;
	}
	if (d->names && d->names->count)
		sort_stable(d->names->all, d->names->count, sizeof d->names->all[0],
		            dwarf_index_compare_by_name);
	return d->names;
}

void names_free(struct names *x)
{
	if (!x)
		return;
	free(x->all);
	tdestroy(x->scopes, free);
	free(x);
}

static bool dwarf_index_entry_matches_tag(const struct named *e, int tag)
{
	switch (tag) {
	case 0:
		return e->tag == DW_TAG_variable || e->tag == DW_TAG_subprogram ||
		       e->tag == DW_TAG_enumerator;
	case DW_TAG_typedef:
		return e->tag == DW_TAG_typedef || e->tag == DW_TAG_base_type ||
		       (e->cplus && (e->tag == DW_TAG_structure_type ||
		                     e->tag == DW_TAG_class_type || e->tag == DW_TAG_union_type ||
		                     e->tag == DW_TAG_enumeration_type));
	case DW_TAG_structure_type:
		return e->tag == DW_TAG_structure_type || e->tag == DW_TAG_class_type;
	default:
		return e->tag == tag;
	}
}

static size_t dwarf_index_lower_bound_by_name(const struct names *x, const char *name)
{
	size_t lo = 0, hi = x->count;
	while (lo < hi) {
		const size_t mid = lo + (hi - lo) / 2;
		if (strcmp(x->all[mid].name, name) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

void index_each_type(const struct program *image, index_type_fn *fn, void *ctx)
{
	const struct names *x = dwarf_index_get_names(image);
	Dwarf_Die die;
	for (size_t i = 0; x && i < x->count; i++) {
		const struct named *e = &x->all[i];
		if (e->tag != DW_TAG_variable && e->tag != DW_TAG_subprogram &&
		    e->tag != DW_TAG_enumerator &&
		    dwarf_index_entry_at(image, e, e->die, &die))
			fn(ctx, e->scope, e->name, e->cplus, &die);
	}
}

/* Skips anonymous namespaces, which names don't mention. */
static const char *behind_nobody(const char *scope)
{
	static const char anonymous[] = "(anonymous namespace)";
	while (!strncmp(scope, anonymous, sizeof anonymous - 1))
		scope += sizeof anonymous - 1 + (scope[sizeof anonymous - 1] ? 2 : 0);
	return scope;
}

/* How near a declaration in `scope` is to code in `here` that names it with the prefix `asked`: 1 +
 * the length of the enclosing scope that both share; 0: no match. */
static size_t dwarf_index_scope_nearness(const char *scope, const char *here, const char *asked,
                                         size_t n)
{
	scope = behind_nobody(scope);
	const size_t all = strlen(scope);
	if (n > all || memcmp(scope + all - n, asked, n) != 0)
		return 0;
	size_t before = all - n;
	if (n && before) {
		if (before < 2 || memcmp(scope + before - 2, "::", 2) != 0)
			return 0;
		before -= 2;
	}
	if (!before)
		return 1;
	here = behind_nobody(here);
	const bool around = !strncmp(here, scope, before) &&
	                    (!here[before] || here[before] == ':');
	return around ? before + 1 : 0;
}

struct asked {
	int tag;
	const char *scope; /* [length], the prefix before the name */
	size_t length;
	const char *name, *here;
};

static const struct named *best_of(const struct names *x, const struct asked *a, Dwarf_Off unit)
{
	const struct named *best = NULL;
	size_t best_rank = 0;
	for (size_t i = x ? dwarf_index_lower_bound_by_name(x, a->name) : 0;
	     x && i < x->count && !strcmp(x->all[i].name, a->name); i++) {
		const struct named *e = &x->all[i];
		const size_t near =
			dwarf_index_entry_matches_tag(e, a->tag)
				? dwarf_index_scope_nearness(e->scope, a->here, a->scope, a->length)
				: 0;
		const size_t place = e->abstract ? 0 : e->unit == unit ? 3 : e->external ? 2 : 1;
		const size_t rank = near ? 4 * near + place : 0;
		if (rank > best_rank) {
			best = e;
			best_rank = rank;
		}
	}
	return best;
}

/* The beginning of a name's last component. */
static const char *last_component(const char *name)
{
	const size_t stem = name_stem(name);
	const char *last = name;
	unsigned depth = 0;
	for (size_t i = 0; i < stem; i++) {
		depth += name[i] == '<' && strncmp(last, "operator", 8) != 0;
		depth -= depth && name[i] == '>';
		if (!depth && name[i] == ':' && name[i + 1] == ':')
			last = name + i + 2;
	}
	return last;
}

/* Formats the scope of the function around: "geo::Box". */
static void scope_of_chain(const struct scope_chain *chain, char *buf, size_t n)
{
	char linked[DEMANGLED_MAX];
	Dwarf_Attribute attr;
	Dwarf_Die function;
	const bool inside = chain->first < chain->count;
	if (inside)
		function = chain->block[chain->first];
	const bool is_linked = inside && dwarf_attr_integrate(&function, DW_AT_linkage_name, &attr);
	const char *name = is_linked ? dwarf_formstring(&attr) : NULL;
	*buf = '\0';
	if (!name || !demangle(name, linked))
		return;
	linked[name_stem(linked)] = '\0';
	const char *last = last_component(linked);
	if (last > linked)
		snprintf(buf, n, "%.*s", (int)(last - linked) - 2, linked);
}

/* Formats template arguments as compilers do: "S<int, 3>", "U<U<int> >". */
static const char *dwarf_index_format_template_name(const char *name, char *buf, size_t n)
{
	size_t k = 0;
	if (!strchr(name, '<') || strstr(name, "operator"))
		return name;
	for (const char *s = name; *s && k + 3 < n; s++) {
		if (*s == ' ' && k && strchr(",<> ", buf[k - 1]))
			continue;
		if (*s == ' ' && strchr(",<>", s[1]) && s[1] && s[1] != '>')
			continue;
		if (k && *s != ' ' && (buf[k - 1] == ',' || (*s == '>' && buf[k - 1] == '>')))
			buf[k++] = ' ';
		buf[k++] = *s;
	}
	buf[k] = '\0';
	return buf;
}

bool index_find(const struct program *p, const struct scope_chain *chain, int tag, const char *name,
                struct scope_name *out)
{
	char as_written[SCOPED_MAX];
	name = dwarf_index_format_template_name(name, as_written, sizeof as_written);
	struct asked a = {.tag = tag, .name = last_component(name), .scope = name};
	char here[SCOPED_MAX] = "";
	a.length = a.name > name ? (size_t)(a.name - name) - 2 : 0;
	if (!strncmp(name, "::", 2)) { /* a name of the global scope */
		a.scope += a.length ? 2 : 0;
		a.length -= a.length ? 2 : 0;
	} else if (chain) {
		scope_of_chain(chain, here, sizeof here);
	}
	a.here = here;
	const struct program *first = chain ? chain->image : p;
	const struct program *images[IMAGES_MAX + 4] = {first, first == p ? p->firmware : p},
						  *library;
	for (unsigned i = 0, n = images[1] ? 2 : 1; (library = program_library(p, i)); i++)
		if (library != first)
			images[n++] = library;
	for (unsigned i = 0; images[i]; i++) {
		Dwarf_Die unit = chain && i == 0 ? chain->block[0] : (Dwarf_Die){0};
		const struct named *e = best_of(dwarf_index_get_names(images[i]), &a,
		                                unit.addr ? dwarf_dieoffset(&unit) : 0);
		if (!e)
			continue;
		*out = (struct scope_name){.name = e->name,
		                           .image = images[i],
		                           .program = p,
		                           .kind = e->tag == DW_TAG_variable     ? SCOPE_VARIABLE
		                                   : e->tag == DW_TAG_subprogram ? SCOPE_FUNCTION
		                                   : e->tag == DW_TAG_enumerator ? SCOPE_ENUMERATOR
		                                                                 : SCOPE_TYPE};
		if (e->type)
			dwarf_index_entry_at(images[i], e, e->type, &out->type);
		return dwarf_index_entry_at(images[i], e, e->die, &out->die);
	}
	return false;
}
