/* The microassembler's directives. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/base/nearest_word.h"
#include "core/defs/events.h"
#include "core/prof/cop/micro_asm.h"
#include "core/prof/cop/micro_assembly.h"

static const char *const show_name[MICRO_SHOW_COUNT] = {
#define S(id, name) [MICRO_SHOW_##id] = name,
	MICRO_SHOWS(S)
#undef S
};

static bool read_class(struct reader *r, unsigned *out)
{
	struct nearest nearest;
	char word[80], all[160] = "";
	const char *at = read_word(r, word, sizeof word);
	nearest_init(&nearest, word);
	for (unsigned i = 0; i < INST_KIND_COUNT; i++) {
		if (!strcmp(word, inst_kind_name[i])) {
			*out = i;
			return true;
		}
		nearest_offer(&nearest, inst_kind_name[i]);
		const size_t n = strlen(all);
		snprintf(all + n, sizeof all - n, "%s%s", i ? ", " : "", inst_kind_name[i]);
	}
	if (!*word)
		return READ_FAIL(r, at, "a class is missing; expected %s", all);
	if (nearest.best)
		return READ_FAIL(r, at, "no class '%s'; did you mean '%s'? (%s)", word,
		                 nearest.best, all);
	return READ_FAIL(r, at, "no class '%s'; expected %s", word, all);
}

/* "load, store:" as a set. */
static bool read_classes(struct reader *r, uint32_t *out, const char *right)
{
	unsigned one;
	*out = 0;
	do {
		if (!read_class(r, &one))
			return false;
		*out |= 1u << one;
	} while (read_accept(r, ','));
	return read_expect(r, ':', right);
}

static bool read_field(struct reader *r, uint16_t *fields)
{
	struct nearest nearest;
	char word[80], all[80] = "";
	const char *at = read_word(r, word, sizeof word);
	nearest_init(&nearest, word);
	for (unsigned i = 0; i < RECORD_FIELD_COUNT; i++) {
		if (!strcmp(word, record_field_name[i])) {
			*fields |= (uint16_t)(1u << i);
			return true;
		}
		nearest_offer(&nearest, record_field_name[i]);
		const size_t n = strlen(all);
		snprintf(all + n, sizeof all - n, "%s%s", i ? ", " : "", record_field_name[i]);
	}
	if (!strcmp(word, "latency") || !strcmp(word, "events") || !strcmp(word, "class"))
		return READ_FAIL(
			r, at,
			"'%s' is in every record; expected those of %s that the program reads",
			word, all);
	if (nearest.best)
		return READ_FAIL(r, at, "no field '%s'; did you mean '%s'? (%s)", word,
		                 nearest.best, all);
	return READ_FAIL(r, at, "no field '%s'; expected %s", word, all);
}

static bool do_program(struct assembly *a)
{
	struct reader *r = &a->r;
	if (*a->image.name)
		return READ_FAIL(r, r->at,
		                 "the program is called '%s' already; expected one .program",
		                 a->image.name);
	read_peek(r);
	const char *at = r->at;
	size_t n = 0;
	for (; r->at < r->end && (isalnum((unsigned char)*r->at) || *r->at == '_' || *r->at == '-');
	     r->at++)
		n++;
	if (!n || n >= MICRO_NAME_MAX)
		return READ_FAIL(
			r, at,
			"a name of 1 to %d letters, digits, '-' and '_' is needed; expected "
			".program value-profile \"what it does\"",
			MICRO_NAME_MAX - 1);
	memcpy(a->image.name, at, n);
	a->image.name[n] = '\0';
	if (!read_accept(r, '"'))
		return true;
	const char *end = memchr(r->at, '"', (size_t)(r->end - r->at));
	n = end ? (size_t)(end - r->at) : 0;
	if (!end || n >= MICRO_HELP_MAX)
		return READ_FAIL(r, r->at - 1, "%s; expected at most %d letters between two '\"'",
		                 end ? "this is too long" : "the closing '\"' is missing",
		                 MICRO_HELP_MAX - 1);
	memcpy(a->image.help, r->at, n);
	r->at = end + 1;
	return true;
}

static bool do_fields(struct assembly *a)
{
	struct reader *r = &a->r;
	uint32_t classes;
	uint16_t fields = 0;
	read_peek(r);
	const char *at = r->at;
	if (!read_classes(r, &classes, ".fields load: pc, result"))
		return false;
	if (read_peek(r))
		do {
			if (!read_field(r, &fields))
				return false;
		} while (read_accept(r, ','));
	for (unsigned i = 0; i < MICRO_CLASSES; i++) {
		if (!(classes >> i & 1))
			continue;
		if (a->fields_line[i])
			return READ_FAIL(r, at,
			                 "line %u already lists the fields of '%s'; expected one "
			                 ".fields for each class",
			                 a->fields_line[i], inst_kind_name[i]);
		a->fields_line[i] = r->number;
		a->image.fields[i] = fields;
	}
	a->image.classes |= classes;
	return true;
}

static bool do_on(struct assembly *a)
{
	struct reader *r = &a->r;
	uint32_t classes;
	uint64_t to;
	read_peek(r);
	const char *at = r->at;
	if (!read_classes(r, &classes, ".on load: LABEL") || !read_label(r, &to))
		return false;
	for (unsigned i = 0; i < MICRO_CLASSES; i++) {
		if (!(classes >> i & 1))
			continue;
		if (a->on_line[i])
			return READ_FAIL(r, at,
			                 "line %u already gives '%s' a routine; expected one .on "
			                 "for each class",
			                 a->on_line[i], inst_kind_name[i]);
		a->on_line[i] = r->number;
		a->image.start[i] = (uint16_t)to;
	}
	return true;
}

/* REGISTER = */
static bool read_assigned(struct assembly *a, char letter, const char *right, unsigned *out)
{
	return read_register(&a->r, letter, out) && read_expect(&a->r, '=', right);
}

static bool do_const(struct assembly *a)
{
	unsigned n;
	return read_assigned(a, 'k', ".const k0 = 255", &n) && read_number(&a->r, &a->image.k[n]);
}

static bool do_value(struct assembly *a)
{
	unsigned n;
	return read_assigned(a, 'v', ".value v0 = 1", &n) && read_number(&a->r, &a->image.v[n]);
}

static bool micro_directive_read_u16(struct assembly *a, char letter, const char *right,
                                     const char *what, uint16_t *registers)
{
	unsigned n;
	uint64_t value;
	if (!read_assigned(a, letter, right, &n) || !read_limited(&a->r, 0xffff, what, &value))
		return false;
	registers[n] = (uint16_t)value;
	return true;
}

static bool do_index(struct assembly *a)
{
	return micro_directive_read_u16(a, 'x', ".index x0 = 1", "an index register", a->image.x);
}

static bool do_base(struct assembly *a)
{
	return micro_directive_read_u16(a, 'b', ".base b0 = 256", "a base register", a->image.b);
}

static bool do_target(struct assembly *a)
{
	unsigned n;
	uint64_t to;
	if (!read_assigned(a, 't', ".target t0 = LABEL", &n) || !read_label(&a->r, &to))
		return false;
	a->image.t[n] = (uint16_t)to;
	return true;
}

static bool do_name(struct assembly *a)
{
	struct reader *r = &a->r;
	struct symbol s = {.kind = SYMBOL_REGISTER, .line = r->number};
	char word[80];
	read_peek(r);
	const char *at = r->at;
	if (!read_name(r, s.name, "a name") || !read_expect(r, '=', ".name hits = v3"))
		return false;
	const char *reg = read_word(r, word, sizeof word);
	bool known = false;
	for (const char *letter = "vkxbt"; *letter && !known; letter++)
		known = micro_register_of(word, *letter) >= 0;
	if (!known) {
		read_fail(r, reg,
		          "'%s' is no register; expected v0-v15, k0-k15, x0-x7, b0-b7, t0-t7",
		          word);
		symbol_break(r, &s);
		return false;
	}
	memcpy(s.reg, word, strlen(word) + 1);
	if (!symbol_add(r, at, &s))
		return false;
	if (!micro_grow((void **)&a->image.aliases, a->image.alias_count, sizeof *a->image.aliases))
		return micro_out_of_memory(a);
	struct micro_alias *made = &a->image.aliases[a->image.alias_count++];
	*made = (struct micro_alias){0};
	memcpy(made->name, s.name, sizeof made->name);
	memcpy(made->reg, s.reg, sizeof made->reg);
	return true;
}

/* Marks a symbol whose value was given as defined by the text, and returns it; NULL if it was not
 * given. */
static const struct symbol *mark_given(struct assembly *a, const struct symbol *made)
{
	struct symbol *old = symbol_find(&a->symbols, made->name);
	if (!old || !old->fixed || old->line || old->ours)
		return NULL;
	old->line = made->line;
	return old;
}

static bool do_equ(struct assembly *a)
{
	struct reader *r = &a->r;
	struct symbol s = {.kind = SYMBOL_NUMBER, .line = r->number};
	read_peek(r);
	const char *at = r->at;
	if (!read_name(r, s.name, "a name"))
		return false;
	if (!read_expect(r, '=', ".equ SLOTS = 256") || !read_number(r, &s.value)) {
		symbol_break(r, &s);
		mark_given(a, &s);
		return false;
	}
	const struct symbol *given = mark_given(a, &s);
	if (given) {
		s.value = given->value;
	} else if (!symbol_add(r, at, &s)) {
		return false;
	}
	if (!micro_grow((void **)&a->image.constants, a->image.constant_count,
	                sizeof *a->image.constants))
		return micro_out_of_memory(a);
	struct micro_constant *made = &a->image.constants[a->image.constant_count++];
	*made = (struct micro_constant){.value = s.value};
	memcpy(made->name, s.name, sizeof made->name);
	return true;
}

static bool column_of(struct assembly *a, uint8_t *out)
{
	struct reader *r = &a->r;
	char word[80];
	const char *at = read_word(r, word, sizeof word);
	for (unsigned i = 0; i < a->image.column_count; i++) {
		if (!strcmp(a->image.columns[i].name, word)) {
			*out = (uint8_t)i;
			return true;
		}
	}
	return READ_FAIL(
		r, at,
		"no column '%s' above this line; expected .column NAME = ratio COLUMN COLUMN",
		word);
}

static bool data_column(struct assembly *a, struct micro_column *c)
{
	struct reader *r = &a->r;
	unsigned base;
	uint64_t width = 32, lane = 0;
	if (!read_register(r, 'b', &base))
		return false;
	if (read_accept_word(r, "width")) {
		read_peek(r);
		const char *at = r->at;
		if (!read_number(r, &width))
			return false;
		if (width != 8 && width != 16 && width != 32)
			return READ_FAIL(
				r, at, "no width of %" PRIu64 " bits; expected 8, 16 or 32", width);
	}
	if (read_accept_word(r, "lane") &&
	    !read_limited(r, 32 / width - 1, "a lane of that width", &lane))
		return false;
	c->kind = MICRO_COLUMN_DATA;
	c->base = (uint8_t)base;
	c->width = (uint8_t)width;
	c->lane = (uint8_t)lane;
	return true;
}

static bool column_show(struct assembly *a, struct micro_column *c)
{
	struct reader *r = &a->r;
	char word[80];
	c->show = c->kind == MICRO_COLUMN_RATIO ? MICRO_SHOW_PERCENT : MICRO_SHOW_NUMBER;
	if (!read_accept_word(r, "as"))
		return true;
	const char *at = read_word(r, word, sizeof word);
	for (unsigned i = 0; i < MICRO_SHOW_COUNT; i++) {
		if (!strcmp(word, show_name[i])) {
			c->show = (uint8_t)i;
			return true;
		}
	}
	return READ_FAIL(r, at, "it can't be shown as '%s'; expected number, hex, pc or percent",
	                 word);
}

static const char column_right[] = ".column hits = cam, data b1 width 8 lane 0, or ratio A B; "
                                   "then: as number, hex, pc or percent";

static bool column_is(struct assembly *a, struct micro_column *c)
{
	struct reader *r = &a->r;
	char word[80];
	if (!read_expect(r, '=', column_right))
		return false;
	const char *at = read_word(r, word, sizeof word);
	if (!strcmp(word, "data")) {
		if (!data_column(a, c))
			return false;
	} else if (!strcmp(word, "ratio")) {
		c->kind = MICRO_COLUMN_RATIO;
		if (!column_of(a, &c->a) || !column_of(a, &c->b))
			return false;
	} else if (strcmp(word, "cam") != 0) {
		return READ_FAIL(r, at, "a column can't show '%s'; expected %s", word,
		                 column_right);
	}
	return column_show(a, c);
}

static bool do_column(struct assembly *a)
{
	struct reader *r = &a->r;
	struct micro_column c = {0};
	char word[80];
	read_peek(r);
	const char *at = r->at;
	read_word(r, word, sizeof word);
	if (!*word || strlen(word) >= MICRO_NAME_MAX)
		return READ_FAIL(r, at, "a column's name of 1 to %d letters is needed; expected %s",
		                 MICRO_NAME_MAX - 1, column_right);
	for (unsigned i = 0; i < a->image.column_count; i++)
		if (!strcmp(a->image.columns[i].name, word))
			return READ_FAIL(r, at, "there is a column '%s' already; use another name",
			                 word);
	memcpy(c.name, word, strlen(word) + 1);
	const bool ok = column_is(a, &c); /* a wrong one is kept for later lines */
	if (a->image.column_count == UINT8_MAX)
		return READ_FAIL(r, r->line, "more than %d columns", UINT8_MAX);
	if (!micro_grow((void **)&a->image.columns, a->image.column_count,
	                sizeof *a->image.columns))
		return micro_out_of_memory(a);
	a->image.columns[a->image.column_count++] = c;
	return ok;
}

/*   name, usage, help */
#define DIRECTIVES(D)                                                                              \
	D(program, ".program NAME \"what it does\"", "the program's name")                         \
	D(fields, ".fields CLASS, ...: FIELD, ...",                                                \
	  "instructions of these classes are sampled; their records carry these fields, a word "   \
	  "each")                                                                                  \
	D(on, ".on CLASS, ...: LABEL", "the routine for their records")                            \
	D(const, ".const k0 = NUMBER", "what a constant register holds")                           \
	D(base, ".base b0 = NUMBER",                                                               \
	  "what a base register holds: where a table begins in the data array, in words")          \
	D(target, ".target t0 = LABEL",                                                            \
	  "what a target register holds: for branches that are too far")                           \
	D(value, ".value v0 = NUMBER",                                                             \
	  "what a value register holds at the beginning; 0 by default")                            \
	D(index, ".index x0 = NUMBER", "the same of an index register")                            \
	D(name, ".name NAME = REGISTER", "another name for a register of any kind")                \
	D(equ, ".equ NAME = NUMBER", "a name for a number")                                        \
	D(column,                                                                                  \
	  ".column NAME = cam | data b0 [width 8 lane 0] | ratio A B [as number | hex | pc | "     \
	  "percent]",                                                                              \
	  "a column of the table that views show: of each entry of the associative array its 32 "  \
	  "bits, its word in the data array, or one "                                              \
	  "column divided by another")

const struct micro_directive micro_directives[] = {
#define D(id, usage, help) {#id, usage, help},
	DIRECTIVES(D)
#undef D
};
const unsigned micro_directive_count = sizeof micro_directives / sizeof *micro_directives;

bool read_directive(struct assembly *a)
{
	static bool (*const run[])(struct assembly *) = {
#define D(id, usage, help) do_##id,
		DIRECTIVES(D)
#undef D
	};
	struct reader *r = &a->r;
	struct nearest nearest;
	char word[80];
	read_peek(r);
	const char *at = r->at++;
	read_word(r, word, sizeof word);
	nearest_init(&nearest, word);
	for (unsigned i = 0; i < micro_directive_count; i++) {
		if (!strcmp(word, micro_directives[i].name))
			return run[i](a) && read_end(r, micro_directives[i].usage);
		nearest_offer(&nearest, micro_directives[i].name);
	}
	if (nearest.best)
		return READ_FAIL(r, at, "no directive '.%s'; did you mean '.%s'?", word,
		                 nearest.best);
	return READ_FAIL(r, at,
	                 "no directive '.%s'; expected .program .fields .on .const .base .target "
	                 ".value .index .name .equ .column",
	                 word);
}
