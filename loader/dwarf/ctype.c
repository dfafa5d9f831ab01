#include "loader/dwarf/ctype.h"

#include "loader/dwarf/walk.h"

#include <dwarf.h>
#include <string.h>

enum { CHAIN_MAX = 64, NESTED_MAX = 16 };

static const struct {
	const char *name;
	enum ctype_kind kind;
	unsigned size;
	bool is_signed;
} made[] = {
	{"char", CTYPE_CHAR, 1, false},          {"signed char", CTYPE_CHAR, 1, true},
	{"bool", CTYPE_BOOL, 1, false},          {"short", CTYPE_INT, 2, true},
	{"unsigned short", CTYPE_INT, 2, false}, {"int", CTYPE_INT, 4, true},
	{"unsigned int", CTYPE_INT, 4, false},   {"long", CTYPE_INT, 8, true},
	{"unsigned long", CTYPE_INT, 8, false},  {"float", CTYPE_FLOAT, 4, true},
	{"double", CTYPE_FLOAT, 8, true},        {"void", CTYPE_VOID, 0, false},
	/* after the preferred types of this size */
	{"long long", CTYPE_INT, 8, true},       {"unsigned long long", CTYPE_INT, 8, false},
	{"unsigned char", CTYPE_CHAR, 1, false},
	{"long double", CTYPE_FLOAT, 16, true},
	{"__int128", CTYPE_INT, 16, true},
	{"__int128 unsigned", CTYPE_INT, 16, false},
	{"complex float", CTYPE_COMPLEX, 8, true},
	{"complex double", CTYPE_COMPLEX, 16, true},
	{"complex long double", CTYPE_COMPLEX, 32, true},
};

struct ctype ctype_made(enum ctype_kind kind, unsigned size, bool is_signed)
{
	for (size_t i = 0; i < sizeof made / sizeof *made; i++)
		if (made[i].kind == kind && made[i].size == size && made[i].is_signed == is_signed)
			return (struct ctype){.kind = kind,
			                      .size = size,
			                      .is_signed = is_signed,
			                      .name = made[i].name};
	return (struct ctype){0};
}

static unsigned ctype_word_bytes(const struct ctype *t)
{
	return t->is_32bit ? 4 : 8;
}

struct ctype ctype_long(bool is_signed, bool is_32bit)
{
	struct ctype t = ctype_made(CTYPE_INT, 8, is_signed);
	t.is_32bit = is_32bit;
	t.size = ctype_word_bytes(&t);
	return t;
}

static bool ctype_read_attribute_number(Dwarf_Die *die, unsigned name, uint64_t *out)
{
	Dwarf_Attribute attr;
	Dwarf_Word word;
	if (!dwarf_attr_integrate(die, name, &attr) || dwarf_formudata(&attr, &word) != 0)
		return false;
	*out = word;
	return true;
}

static void ctype_classify_base_type(struct ctype *t)
{
	uint64_t encoding = 0;
	ctype_read_attribute_number(&t->die, DW_AT_encoding, &encoding);
	t->is_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char ||
	               encoding == DW_ATE_float;
	switch (encoding) {
	case DW_ATE_boolean: t->kind = CTYPE_BOOL; break;
	case DW_ATE_float: t->kind = CTYPE_FLOAT; break;
	case DW_ATE_complex_float: t->kind = CTYPE_COMPLEX; break;
	case DW_ATE_signed_char: case DW_ATE_unsigned_char: case DW_ATE_UTF:
		t->kind = t->size == 1 ? CTYPE_CHAR : CTYPE_INT;
		break;
	case DW_ATE_signed: case DW_ATE_unsigned: t->kind = CTYPE_INT; break;
	default: t->kind = CTYPE_UNKNOWN; break;
	}
}

static struct ctype ctype_resolve_type(Dwarf_Die *die, unsigned depth);
static struct ctype ctype_resolve_type_of(Dwarf_Die *die, unsigned depth);

/* Reads the count of the array's dimension; its elements are arrays of the remaining dimensions. */
static void array_type(struct ctype *t, unsigned depth)
{
	Dwarf_Die range;
	struct ctype element = ctype_resolve_type_of(&t->die, depth + 1);
	struct dwarf_walk w = walk_of_type();
	uint64_t bytes = element.size;
	unsigned i = 0;
	t->kind = CTYPE_ARRAY;
	t->count_known = false;
	if (!walk_child(&w, &t->die, &range))
		return;
	bool known = true;
	do {
		uint64_t upper = 0, lower = 0, count;
		if (dwarf_tag(&range) != DW_TAG_subrange_type || i++ < t->dimension)
			continue;
		ctype_read_attribute_number(&range, DW_AT_lower_bound, &lower);
		bool here = ctype_read_attribute_number(&range, DW_AT_count, &count);
		if (!here && ctype_read_attribute_number(&range, DW_AT_upper_bound, &upper)) {
			here = true;
			count = upper - lower + 1;
		}
		if (i - 1 == t->dimension) {
			t->count_known = here;
			t->count = here ? count : 0;
		}
		known = known && here && !__builtin_mul_overflow(bytes, count, &bytes);
	} while (walk_next(&w, &range));
	t->size = known && bytes <= UINT32_MAX ? bytes : 0;
}

/* depth: how many arrays this type is nested in; a corrupt type may be its own element. */
static struct ctype ctype_resolve_type(Dwarf_Die *die, unsigned depth)
{
	struct ctype t = {.die = *die, .named = *die};
	uint8_t address_bytes = 8;
	Dwarf_Die unit;
	/* void has no entry */
	if (die->cu && dwarf_diecu(die, &unit, &address_bytes, NULL))
		t.is_32bit = address_bytes == 4;
	if (depth > CHAIN_MAX)
		return (struct ctype){0};
	for (unsigned i = 0; i < CHAIN_MAX; i++) {
		const int tag = dwarf_tag(&t.die);
		Dwarf_Attribute attr;
		if (tag != DW_TAG_typedef && tag != DW_TAG_const_type &&
		    tag != DW_TAG_volatile_type && tag != DW_TAG_restrict_type &&
		    tag != DW_TAG_atomic_type)
			break;
		if (i == CHAIN_MAX - 1)
			return (struct ctype){0};
		if (!dwarf_attr(&t.die, DW_AT_type, &attr)) {
			t.kind = CTYPE_VOID;
			return t;
		}
		if (!walk_type(&attr, &t.die))
			return (struct ctype){0};
	}
	ctype_read_attribute_number(&t.die, DW_AT_byte_size, &t.size);
	switch (dwarf_tag(&t.die)) {
	case DW_TAG_base_type:
		ctype_classify_base_type(&t);
		break;
	case DW_TAG_enumeration_type: {
		struct ctype under = {0};
		Dwarf_Attribute attr;
		if (dwarf_attr(&t.die, DW_AT_type, &attr))
			under = ctype_resolve_type_of(&t.die, depth + 1);
		t.kind = CTYPE_ENUM;
		t.is_signed = under.is_signed;
		break;
	}
	case DW_TAG_reference_type: case DW_TAG_rvalue_reference_type:
		t.is_reference = true;
		__attribute__((fallthrough));
	case DW_TAG_pointer_type:
		t.kind = CTYPE_POINTER;
		t.size = ctype_word_bytes(&t);
		break;
	case DW_TAG_array_type: array_type(&t, depth); break;
	case DW_TAG_ptr_to_member_type:
		t.kind = CTYPE_MEMBER;
		t.size = ctype_resolve_type_of(&t.die, depth + 1).kind == CTYPE_FUNCTION ? 16 : 8;
		break;
	case DW_TAG_structure_type: case DW_TAG_class_type: t.kind = CTYPE_STRUCT; break;
	case DW_TAG_union_type: t.kind = CTYPE_UNION; break;
	case DW_TAG_subroutine_type: case DW_TAG_subprogram: t.kind = CTYPE_FUNCTION; break;
	case DW_TAG_unspecified_type: t.kind = CTYPE_VOID; break;
	default: return (struct ctype){0};
	}
	const bool wide = t.size == 16 && (t.kind == CTYPE_INT || t.kind == CTYPE_FLOAT);
	if (ctype_is_scalar(&t) && (t.size == 0 || t.size > 8) && !wide)
		t.kind = CTYPE_UNKNOWN;
	/* Its two parts are floating-point numbers. */
	if (t.kind == CTYPE_COMPLEX && t.size != 8 && t.size != 16 && t.size != 32)
		t.kind = CTYPE_UNKNOWN;
	return t;
}

static struct ctype ctype_resolve_type_of(Dwarf_Die *die, unsigned depth)
{
	Dwarf_Attribute attr;
	Dwarf_Die type;
	if (!dwarf_attr_integrate(die, DW_AT_type, &attr))
		return ctype_made(CTYPE_VOID, 0, false);
	if (!walk_type(&attr, &type))
		return (struct ctype){0};
	return ctype_resolve_type(&type, depth);
}

struct ctype ctype_of(Dwarf_Die *die)
{
	return ctype_resolve_type_of(die, 0);
}

struct ctype ctype_at(Dwarf_Die *die)
{
	return ctype_resolve_type(die, 0);
}

struct ctype ctype_long_long(bool is_signed)
{
	struct ctype t = ctype_made(CTYPE_INT, 8, is_signed);
	t.name = is_signed ? "long long" : "unsigned long long";
	return t;
}

struct ctype ctype_unsigned_char(void)
{
	struct ctype t = ctype_made(CTYPE_CHAR, 1, false);
	t.name = "unsigned char";
	return t;
}

struct ctype ctype_pointer_to(struct ctype t)
{
	/* A part of an array, or a made one, has no DIE to point to: point to its element. */
	t = t.made ? ctype_target(&t) : t;
	t.stars++;
	t.is_reference = false;
	t.kind = CTYPE_POINTER;
	t.size = ctype_word_bytes(&t);
	t.is_signed = false;
	return t;
}

struct ctype ctype_array_of(struct ctype t, uint64_t count)
{
	t = t.made ? ctype_target(&t) : t;
	t.kind = CTYPE_ARRAY;
	t.is_reference = false;
	t.made = count;
	t.count = count;
	t.count_known = true;
	if (__builtin_mul_overflow(t.size, count, &t.size) || t.size > UINT32_MAX)
		t.size = 0;
	return t;
}

struct ctype ctype_containing(const struct ctype *t)
{
	Dwarf_Die die = t->die, class;
	Dwarf_Attribute attr;
	if (t->kind != CTYPE_MEMBER || !dwarf_attr(&die, DW_AT_containing_type, &attr) ||
	    !walk_type(&attr, &class))
		return (struct ctype){0};
	return ctype_resolve_type(&class, 0);
}

char ctype_wide_prefix(const struct ctype *t)
{
	static const struct {
		const char *name;
		char prefix;
	} wide[] = {{"wchar_t", 'L'}, {"char16_t", 'u'}, {"char32_t", 'U'}};
	Dwarf_Die die = t->named;
	Dwarf_Attribute attr;
	if (t->kind != CTYPE_INT || t->stars || t->made || (t->size != 2 && t->size != 4))
		return 0;
	for (unsigned i = 0; die.addr && i < CHAIN_MAX; i++) {
		const char *name = dwarf_diename(&die);
		for (unsigned k = 0; name && k < sizeof wide / sizeof *wide; k++)
			if (!strcmp(name, wide[k].name))
				return wide[k].prefix;
		if (!dwarf_attr(&die, DW_AT_type, &attr) || !walk_type(&attr, &die))
			break;
	}
	return 0;
}

struct ctype ctype_behind_typedef(const struct ctype *t)
{
	Dwarf_Die named = t->named;
	const bool is_one = !t->stars && !t->made && named.addr &&
	                    dwarf_tag(&named) == DW_TAG_typedef;
	return is_one ? ctype_of(&named) : *t;
}

static struct ctype made_again(const struct ctype *t)
{
	struct ctype r = {0};
	for (size_t i = 0; i < sizeof made / sizeof *made; i++)
		if (!strcmp(made[i].name, t->name)) {
			r = ctype_made(made[i].kind, made[i].size, made[i].is_signed);
			if (t->is_32bit &&
			    (!strcmp(t->name, "long") || !strcmp(t->name, "unsigned long")))
				r = ctype_long(r.is_signed, true);
			break;
		}
	r.is_32bit = t->is_32bit;
	return r;
}

static struct ctype without_stars(const struct ctype *t)
{
	struct ctype r = *t;
	r = ctype_at((Dwarf_Die *)&t->named);
	if (t->dimension) {
		r.dimension = t->dimension;
		array_type(&r, 0);
	}
	return r;
}

struct ctype ctype_target(const struct ctype *t)
{
	struct ctype r;
	if (t->made) {
		r = *t;
		r.made = 0;
		if (!t->stars)
			return t->name ? made_again(t) : without_stars(&r);
		r.kind = CTYPE_POINTER;
		r.size = ctype_word_bytes(&r);
		r.is_signed = r.count_known = false;
		return r;
	}
	if (t->stars > 1) {
		r = *t;
		r.stars--;
		return r;
	}
	if (t->stars) {
		return t->name ? made_again(t) : without_stars(t);
	}
	if (t->kind == CTYPE_ARRAY) {
		r = *t;
		r.dimension++;
		array_type(&r, 0);
		struct dwarf_walk w = walk_of_type();
		Dwarf_Die range;
		unsigned i = 0;
		if (walk_child(&w, &r.die, &range))
			do
				i += dwarf_tag(&range) == DW_TAG_subrange_type;
			while (walk_next(&w, &range));
		if (r.dimension < i)
			return r;
	}
	return ctype_of((Dwarf_Die *)&t->die);
}

/* ---- members ---- */
static void ctype_read_bit_field(Dwarf_Die *die, struct cmember *m)
{
	uint64_t bits, at;
	if (!ctype_read_attribute_number(die, DW_AT_bit_size, &bits) || !bits || bits > 64)
		return;
	if (ctype_read_attribute_number(die, DW_AT_data_bit_offset, &at)) {
		m->offset = at / 8;
		m->bit_offset = (unsigned)(at % 8);
		m->bit_size = (unsigned)bits;
	} else if (ctype_read_attribute_number(die, DW_AT_bit_offset, &at)) {
		/* Before DWARF 4: counted from the highest bit of its storage unit. */
		uint64_t unit = m->type.size;
		ctype_read_attribute_number(die, DW_AT_byte_size, &unit);
		if (unit * 8 < at + bits)
			return;
		const uint64_t from = unit * 8 - at - bits;
		m->offset += from / 8;
		m->bit_offset = (unsigned)(from % 8);
		m->bit_size = (unsigned)bits;
	}
}

struct cmembers ctype_members(const struct ctype *t, struct dwarf_walk *walk)
{
	struct cmembers m = {.walk = walk};
	Dwarf_Die die = t->die;
	if ((t->kind != CTYPE_STRUCT && t->kind != CTYPE_UNION) || !walk_child(walk, &die, &m.next))
		m.next.addr = NULL;
	return m;
}

bool cmember_next(struct cmembers *members, struct cmember *out)
{
	while (members->next.addr) {
		Dwarf_Die die = members->next;
		Dwarf_Attribute attr;
		if (!walk_next(members->walk, &members->next))
			members->next.addr = NULL;
		const int tag = dwarf_tag(&die);
		const bool is_static = tag == DW_TAG_variable ||
		                       (tag == DW_TAG_member &&
		                        dwarf_attr(&die, DW_AT_external, &attr));
		if ((is_static && !members->statics) ||
		    (tag != DW_TAG_member && tag != DW_TAG_variable && tag != DW_TAG_inheritance))
			continue;
		const bool is_virtual = tag == DW_TAG_inheritance &&
		                        dwarf_attr(&die, DW_AT_virtuality, &attr);
		if (is_virtual && !members->virtuals)
			continue;
		*out = (struct cmember){.name = tag == DW_TAG_inheritance ? NULL
		                                                          : dwarf_diename(&die),
		                        .is_base = tag == DW_TAG_inheritance,
		                        .is_static = is_static,
		                        .is_virtual = is_virtual,
		                        .die = die,
		                        .type = ctype_of(&die)};
		if (!is_virtual)
			ctype_read_attribute_number(&die, DW_AT_data_member_location, &out->offset);
		ctype_read_bit_field(&die, out);
		return true;
	}
	return false;
}

bool cmember_location(const struct cmember *m, Dwarf_Attribute *attr)
{
	Dwarf_Die die = m->die;
	return dwarf_attr(&die, DW_AT_data_member_location, attr) != NULL;
}

/* The class's own members hide those of its bases. */
static bool member_named(const struct ctype *t, const char *name, struct dwarf_walk *walk,
                         unsigned depth, struct cmember *out)
{
	for (int bases = 0; bases <= 1; bases++) {
		struct cmembers members = ctype_members(t, walk);
		struct cmember m, inner;
		members.statics = members.virtuals = true;
		while (cmember_next(&members, &m)) {
			if (m.is_base != bases)
				continue;
			if (m.name && !strcmp(m.name, name)) {
				*out = m;
				return true;
			}
			if (!m.name && depth < NESTED_MAX &&
			    member_named(&m.type, name, walk, depth + 1, &inner)) {
				*out = inner;
				out->offset += m.offset;
				out->is_virtual |= m.is_virtual;
				return true;
			}
		}
	}
	return false;
}

bool ctype_member_named(const struct ctype *t, const char *name, struct cmember *out)
{
	struct dwarf_walk walk = walk_of_type();
	return member_named(t, name, &walk, 0, out);
}
