/* The microassembler's operands: registers, fields, numbers, entries of the two arrays. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/base/nearest_word.h"
#include "core/prof/cop/micro_build.h"

static bool read_source_word(const char *word, struct operand *o)
{
	static const struct {
		char letter;
		unsigned first;
	} files[] = {{'v', MS_V}, {'k', MS_K}, {'x', MS_X}};
	for (unsigned i = 0; i < sizeof files / sizeof *files; i++) {
		const int n = micro_register_of(word, files[i].letter);
		if (n >= 0) {
			o->number = files[i].first + (unsigned)n;
			return true;
		}
	}
	for (unsigned i = 0; i < micro_source_count; i++) {
		if (micro_sources[i].count == 1 && micro_sources[i].number != MS_LITERAL &&
		    !strcmp(word, micro_sources[i].name)) {
			o->number = micro_sources[i].number;
			return true;
		}
	}
	return false;
}

static bool unknown_operand(struct reader *r, const char *at, const char *word)
{
	struct nearest nearest;
	const struct symbol *s = symbol_find(r->symbols, word);
	const int target = micro_register_of(s && s->kind == SYMBOL_REGISTER ? s->reg : word, 't');
	if (target >= 0)
		return READ_FAIL(r, at,
		                 "'%s' is a target register, which no operation reads or writes; "
		                 "expected .target t%d = LABEL, and goto t%d there",
		                 word, target, target);
	nearest_init(&nearest, word);
	for (unsigned i = 0; i < micro_source_count; i++)
		if (micro_sources[i].count == 1)
			nearest_offer(&nearest, micro_sources[i].name);
	for (unsigned i = 0; i < r->symbols->count; i++)
		if (r->symbols->at[i].kind != SYMBOL_LABEL)
			nearest_offer(&nearest, r->symbols->at[i].name);
	if (strchr("vkxbt", *word) && strlen(word) > 1 &&
	    strspn(word + 1, "0123456789") == strlen(word + 1))
		return READ_FAIL(r, at, "no register '%s'; expected %c0 to %c%d", word, *word,
		                 *word, strchr("vk", *word) ? MICRO_VALUES - 1 : 7);
	if (s)
		return READ_FAIL(
			r, at,
			"'%s' is a label, which is no operand; expected a register, a field "
			"of the record or a number",
			word);
	return READ_FAIL(r, at, "nothing is called '%s'; %s", word,
	                 nearest_said(&nearest, "expected v0-v15, k0-k15, x0-x7, a field of the "
	                                        "record (pc, result, ...), a number"));
}

static bool set_literal(struct reader *r, struct operand *o, const char *at)
{
	if (!o->literal)
		return true;
	if (o->literal > 0xffff)
		return READ_FAIL(r, at,
		                 "%" PRId64 " does not fit the literal; expected 0 to 65535; put "
		                            "larger numbers into a constant (.const k0 = ...)",
		                 (int64_t)o->literal);
	o->has_literal = true;
	return true;
}

/* Reads the index in brackets after a base register. */
static bool read_data_index(struct reader *r, struct operand *o)
{
	char word[80];
	read_peek(r);
	const char *at = r->at;
	read_word(r, word, sizeof word);
	const struct symbol *s = symbol_find(r->symbols, word);
	const char *meant = s && s->kind == SYMBOL_REGISTER ? s->reg : word;
	const int x = micro_register_of(meant, 'x');
	if (x >= 0) {
		o->index = MDI_X + (unsigned)x;
	} else if (!strcmp(word, "match")) {
		o->index = MDI_MATCH;
	} else if (*word && (!s || s->kind != SYMBOL_NUMBER)) {
		return READ_FAIL(
			r, at, "'%s' can't be added to a base; expected x0 to x7, match, a number",
			word);
	} else {
		r->at = at;
		if (!read_number(r, &o->literal) || !set_literal(r, o, at))
			return false;
		o->index = o->has_literal ? MDI_LITERAL : MDI_ZERO;
	}
	return read_expect(r, ']', "b0[x1]");
}

static bool micro_operand_read_memory(struct reader *r, unsigned base, struct operand *o)
{
	uint64_t lane;
	o->kind = OPERAND_MEMORY;
	o->number = base;
	o->index = MDI_ZERO;
	if (read_accept(r, '[')) {
		o->bracketed = true;
		if (!read_data_index(r, o))
			return false;
	}
	if (!read_accept(r, '.'))
		return true;
	if (!read_limited(r, 3, "a lane", &lane))
		return false;
	o->lane = (unsigned)lane;
	o->has_lane = true;
	return true;
}

static bool read_cam(struct reader *r, struct operand *o)
{
	o->kind = OPERAND_CAM;
	if (!read_accept(r, '['))
		return true;
	o->kind = OPERAND_ENTRY;
	return read_register(r, 'x', &o->number) && read_expect(r, ']', "cam[x0]");
}

bool read_operand(struct reader *r, struct operand *o)
{
	char word[80];
	const char c = read_peek(r);
	*o = (struct operand){.kind = OPERAND_SOURCE, .at = r->at};
	read_word(r, word, sizeof word);
	if (!strcmp(word, "cam"))
		return read_cam(r, o);
	const struct symbol *s = symbol_find(r->symbols, word);
	const char *meant = s && s->kind == SYMBOL_REGISTER ? s->reg : word;
	const int base = micro_register_of(meant, 'b');
	if (base >= 0)
		return micro_operand_read_memory(r, (unsigned)base, o);
	if (*word && read_source_word(meant, o))
		return true;
	if (*word && (!s || s->kind != SYMBOL_NUMBER))
		return unknown_operand(r, o->at, word);
	if (!c || c == ',' || c == '|')
		return READ_FAIL(r, r->at, "an operand is missing");
	r->at = o->at;
	if (!read_number(r, &o->literal) || !set_literal(r, o, o->at))
		return false;
	o->number = o->has_literal ? MS_LITERAL : MS_ZERO;
	return true;
}
