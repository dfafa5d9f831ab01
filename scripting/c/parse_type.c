/* Names of types in expressions: "unsigned long", "struct node *", "u32". */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "loader/dwarf/scoped.h"
#include "scripting/c/parse.h"

struct words_seen {
	unsigned count, longs, is_unsigned, is_signed, is_short, is_int, is_char, is_double,
		is_float, is_void, is_bool, is_wide, is_complex;
};

static bool base_word(struct parser *p, struct words_seen *w)
{
	const char *before = p->s;
	if (parse_take(p, "unsigned"))
		w->is_unsigned++;
	else if (parse_take(p, "signed"))
		w->is_signed++;
	else if (parse_take(p, "long"))
		w->longs++;
	else if (parse_take(p, "short"))
		w->is_short++;
	else if (parse_take(p, "int"))
		w->is_int++;
	else if (parse_take(p, "char"))
		w->is_char++;
	else if (parse_take(p, "double"))
		w->is_double++;
	else if (parse_take(p, "float"))
		w->is_float++;
	else if (parse_take(p, "void"))
		w->is_void++;
	else if (parse_take(p, "_Bool") || parse_take(p, "bool"))
		w->is_bool++;
	else if (parse_take(p, "__int128"))
		w->is_wide++;
	else if (parse_take(p, "_Complex") || parse_take(p, "complex"))
		w->is_complex++;
	else
		return p->s = before, false;
	w->count++;
	return true;
}

static struct ctype base_of(const struct words_seen *w, bool is_32bit)
{
	if (w->is_void || w->is_bool)
		return ctype_made(w->is_void ? CTYPE_VOID : CTYPE_BOOL, !w->is_void, false);
	if (w->is_double || w->is_float || w->is_complex) {
		const unsigned size = w->is_float ? 4 : w->longs ? 16 : 8;
		return w->is_complex ? ctype_made(CTYPE_COMPLEX, 2 * size, true)
		                     : ctype_made(CTYPE_FLOAT, size, true);
	}
	if (w->is_wide)
		return ctype_made(CTYPE_INT, 16, !w->is_unsigned);
	if (w->is_char)
		return w->is_unsigned ? ctype_unsigned_char()
		                      : ctype_made(CTYPE_CHAR, 1, w->is_signed);
	if (w->longs > 1)
		return ctype_long_long(!w->is_unsigned);
	if (w->longs)
		return ctype_long(!w->is_unsigned, is_32bit);
	return ctype_made(CTYPE_INT, w->is_short ? 2 : 4, !w->is_unsigned);
}

/* Finds u8, i32 and kin; call it only if the program has no type of that name. */
static bool short_type(const char *name, struct ctype *out)
{
	static const char *const names[] = {"u8",       "u16",    "u32",     "u64",      "i8",
	                                    "i16",      "i32",    "i64",     "s8",       "s16",
	                                    "s32",      "s64",    "uint8_t", "uint16_t", "uint32_t",
	                                    "uint64_t", "int8_t", "int16_t", "int32_t",  "int64_t"};
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
		if (strcmp(names[i], name) != 0)
			continue;
		const unsigned size = 1u << i % 4;
		const bool is_signed = names[i][0] != 'u';
		*out = ctype_made(size == 1 ? CTYPE_CHAR : CTYPE_INT, size, is_signed);
		return true;
	}
	return false;
}

bool parse_type_name(struct parser *p, struct ctype *out, bool *declared)
{
	const char *before = p->s;
	struct words_seen w = {0};
	char name[SCOPED_MAX];
	Dwarf_Die die;
	*declared = false;
	while (parse_take(p, "const") || parse_take(p, "volatile"))
		continue;
	const enum scope_keyword keyword = parse_take(p, "struct")  ? SCOPE_STRUCT
	                                   : parse_take(p, "class") ? SCOPE_STRUCT
	                                   : parse_take(p, "union") ? SCOPE_UNION
	                                   : parse_take(p, "enum")  ? SCOPE_ENUM
	                                                            : SCOPE_NO_KEYWORD;
	while (!keyword &&
	       (base_word(p, &w) || parse_take(p, "const") || parse_take(p, "volatile")))
		continue;
	const bool is_32bit = p->e->program && program_is_32bit(p->e->program);
	if (w.count) {
		*out = base_of(&w, is_32bit);
	} else {
		parse_skip(p);
		if (!parse_scoped_name(p, name, sizeof name) &&
		    !parse_plain_name(p, name, sizeof name))
			return p->s = before, false;
		*declared = scope_find_type(p->e->program, parse_chain(p), keyword, name, &die);
		if (*declared)
			*out = ctype_at(&die);
		else if (keyword || !short_type(name, out))
			return p->s = before, false;
	}
	out->is_32bit = is_32bit;
	while (parse_take(p, "*") || parse_take(p, "const") || parse_take(p, "volatile"))
		if (p->s[-1] == '*')
			*out = ctype_pointer_to(*out);
	parse_skip(p);
	return true;
}
