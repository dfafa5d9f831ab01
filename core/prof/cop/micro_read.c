/* Reading a line of a microprogram: words, numbers, registers and symbols. */
#include "core/prof/cop/micro_read.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/nearest_word.h"

enum { DEPTH_MAX = 32 }; /* of brackets in a number */

static bool micro_read_is_word_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Whether there is a name at `at` that a wrong line defines. */
static bool is_broken(const struct reader *r, const char *at)
{
	char name[MICRO_NAME_MAX];
	size_t n = 0;
	while (at + n < r->end && micro_read_is_word_char(at[n]) && n < sizeof name - 1)
		n++;
	memcpy(name, at, n);
	name[n] = '\0';
	const struct symbol *s = r->symbols ? symbol_find(r->symbols, name) : NULL;
	return s && s->kind == SYMBOL_BROKEN;
}

bool read_fail(struct reader *r, const char *at, const char *fmt, ...)
{
	char text[400];
	va_list args;
	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	for (char *c = text; *c; c++)
		if (iscntrl((unsigned char)*c))
			*c = '?';
	r->follows = is_broken(r, at);
	return err_set(r->err, "%s:%u:%u: %s", r->file, r->number, (unsigned)(at - r->line) + 1,
	               text);
}

char read_peek(struct reader *r)
{
	while (r->at < r->end && isspace((unsigned char)*r->at))
		r->at++;
	return r->at < r->end ? *r->at : '\0';
}

bool read_accept(struct reader *r, char c)
{
	if (read_peek(r) != c || !c)
		return false;
	r->at++;
	return true;
}

/* Describes the next token, for messages. */
static const char *micro_read_describe_token(struct reader *r, char *buf, size_t n)
{
	const char c = read_peek(r), *end = r->at;
	if (!c)
		return "the line ends";
	while (end < r->end && (isalnum((unsigned char)*end) || *end == '_'))
		end++;
	if (end == r->at && isprint((unsigned char)c))
		end++;
	if (end == r->at)
		snprintf(buf, n, "there is the byte 0x%02x", (unsigned char)c);
	else
		snprintf(buf, n, "there is '%.*s'", end - r->at < 40 ? (int)(end - r->at) : 40,
		         r->at);
	return buf;
}

bool read_expect(struct reader *r, char c, const char *right)
{
	char buf[64];
	if (read_accept(r, c))
		return true;
	const char *there = micro_read_describe_token(r, buf, sizeof buf);
	return READ_FAIL(r, r->at, "'%c' is missing: %s; expected %s", c, there, right);
}

bool read_end(struct reader *r, const char *right)
{
	char buf[64];
	if (!read_peek(r))
		return true;
	const char *there = micro_read_describe_token(r, buf, sizeof buf);
	return READ_FAIL(r, r->at, "the line should end here: %s; expected %s", there, right);
}

const char *read_word(struct reader *r, char *out, size_t n)
{
	const char c = read_peek(r), *begin = r->at;
	size_t used = 0;
	if (micro_read_is_word_char(c) && !isdigit((unsigned char)c))
		for (; r->at < r->end && micro_read_is_word_char(*r->at); r->at++)
			if (used < n - 1)
				out[used++] = *r->at;
	out[used] = '\0';
	return begin;
}

bool read_accept_word(struct reader *r, const char *word)
{
	char w[64];
	const char *before = r->at;
	read_word(r, w, sizeof w);
	if (!strcmp(w, word))
		return true;
	r->at = before;
	return false;
}

/* ---- names ---- */
struct symbol *symbol_find(const struct symbols *s, const char *name)
{
	for (unsigned i = 0; i < s->count; i++)
		if (!strcmp(s->at[i].name, name))
			return &s->at[i];
	return NULL;
}

static const char *const symbol_what[] = {[SYMBOL_LABEL] = "a label",
                                          [SYMBOL_NUMBER] = "a number",
                                          [SYMBOL_REGISTER] = "a register's name",
                                          [SYMBOL_BROKEN] = "a name"};

bool symbol_add(struct reader *r, const char *at, const struct symbol *made)
{
	struct symbols *s = r->symbols;
	const struct symbol *old = symbol_find(s, made->name);
	if (old && old->line)
		return READ_FAIL(r, at, "'%s' is %s already, since line %u; use another name",
		                 made->name, symbol_what[old->kind], old->line);
	if (old)
		return READ_FAIL(r, at,
		                 "'%s' is %s in every program (%" PRIu64 "); use another name",
		                 made->name, symbol_what[old->kind], old->value);
	if (s->count == s->room) {
		const unsigned room = s->room ? s->room * 2 : 32;
		struct symbol *grown = alloc_resize(s->at, room * sizeof *grown);
		if (!grown) {
			r->out_of_memory = true;
			return err_set(r->err, "out of memory");
		}
		s->at = grown;
		s->room = room;
	}
	s->at[s->count++] = *made;
	return true;
}

void symbol_break(struct reader *r, const struct symbol *made)
{
	struct symbol s = *made;
	struct err unsaid, *said = r->err;
	const bool follows = r->follows;
	s.kind = SYMBOL_BROKEN;
	r->err = &unsaid;
	symbol_add(r, r->line, &s); /* fails if the name has a symbol, which is better */
	r->err = said;
	r->follows = follows;
}

int micro_register_of(const char *word, char letter)
{
	const int limit = letter == 'v' || letter == 'k' ? MICRO_VALUES : 8;
	if (*word != letter || !isdigit((unsigned char)word[1]) || strlen(word) > 3 ||
	    (word[1] == '0' && word[2]))
		return -1;
	if (word[2] && !isdigit((unsigned char)word[2]))
		return -1;
	const int n = atoi(word + 1);
	return n < limit ? n : -1;
}

/* Whether it looks like a register of any kind, existing or not. */
static bool like_register(const char *word)
{
	if (!strchr("vkxbt", *word) || !word[1])
		return false;
	return strspn(word + 1, "0123456789") == strlen(word + 1);
}

static bool is_reserved(const char *word)
{
	static const char *const others[] = {"cam", "if",     "goto",     "done", "interrupt",
	                                     "nop", "likely", "unlikely", "all"};
	for (unsigned i = 0; i < micro_source_count; i++)
		if (micro_sources[i].count == 1 && !strcmp(word, micro_sources[i].name))
			return true;
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (!strcmp(word, others[i]))
			return true;
	return like_register(word);
}

bool read_name(struct reader *r, char out[MICRO_NAME_MAX], const char *what)
{
	char word[80] = "", buf[64];
	const char *at = read_word(r, word, sizeof word);
	if (!*word) {
		const char *there = micro_read_describe_token(r, buf, sizeof buf);
		return READ_FAIL(
			r, at,
			"%s is missing: %s; expected letters, digits and '_', no digit first", what,
			there);
	}
	if (strlen(word) >= MICRO_NAME_MAX)
		return READ_FAIL(r, at, "'%s' is too long; expected at most %d letters", word,
		                 MICRO_NAME_MAX - 1);
	if (is_reserved(word))
		return READ_FAIL(r, at, "'%s' has a meaning already; use another name", word);
	memcpy(out, word, strlen(word) + 1);
	return true;
}

static bool micro_read_report_unknown(struct reader *r, const char *at, const char *word,
                                      unsigned kinds, const char *what)
{
	struct nearest nearest;
	nearest_init(&nearest, word);
	for (unsigned i = 0; i < r->symbols->count; i++)
		if (kinds >> r->symbols->at[i].kind & 1)
			nearest_offer(&nearest, r->symbols->at[i].name);
	return READ_FAIL(r, at, "no %s '%s'%s", what, word, nearest_tail(&nearest));
}

bool read_label(struct reader *r, uint64_t *out)
{
	char word[80] = "", buf[64];
	const char *at = read_word(r, word, sizeof word);
	if (!*word) {
		const char *there = micro_read_describe_token(r, buf, sizeof buf);
		return READ_FAIL(r, at, "a label is missing: %s", there);
	}
	const struct symbol *s = symbol_find(r->symbols, word);
	if (!s || s->kind != SYMBOL_LABEL)
		return micro_read_report_unknown(r, at, word, 1u << SYMBOL_LABEL, "label");
	*out = s->value;
	return true;
}

bool read_register(struct reader *r, char letter, unsigned *out)
{
	char word[80] = "", buf[64];
	const int limit = letter == 'v' || letter == 'k' ? MICRO_VALUES : 8;
	const char *at = read_word(r, word, sizeof word);
	const struct symbol *s = symbol_find(r->symbols, word);
	const int n = micro_register_of(s && s->kind == SYMBOL_REGISTER ? s->reg : word, letter);
	if (n >= 0) {
		*out = (unsigned)n;
		return true;
	}
	if (!*word) {
		const char *there = micro_read_describe_token(r, buf, sizeof buf);
		return READ_FAIL(r, at, "a register is missing: %s; expected %c0 to %c%d", there,
		                 letter, letter, limit - 1);
	}
	return READ_FAIL(r, at, "'%s' is no register that belongs here; expected %c0 to %c%d", word,
	                 letter, letter, limit - 1);
}

/* ---- numbers ---- */
static bool micro_read_sum_expr(struct reader *r, unsigned depth, uint64_t *out);

static bool micro_read_digits(struct reader *r, uint64_t *out)
{
	char text[72];
	size_t n = 0;
	const char *at = r->at;
	while (r->at < r->end && micro_read_is_word_char(*r->at)) {
		if (n == sizeof text - 1)
			return READ_FAIL(r, at, "the number is too long; expected at most 64 bits");
		text[n++] = *r->at++;
	}
	text[n] = '\0';
	const bool binary = text[0] == '0' && (text[1] == 'b' || text[1] == 'B'),
		   hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	const char *from = binary || hex ? text + 2 : text;
	const int base = binary ? 2 : hex ? 16 : 10;
	uint64_t value = 0;
	for (const char *d = from; *d; d++) {
		const int digit = isdigit((unsigned char)*d) ? *d - '0'
		                  : isalpha((unsigned char)*d)
		                          ? tolower((unsigned char)*d) - 'a' + 10
		                          : 99;
		if (digit >= base)
			return READ_FAIL(r, at, "'%s' is no number; expected 10, 0xa or 0b1010",
			                 text);
		if (__builtin_mul_overflow(value, (uint64_t)base, &value) ||
		    __builtin_add_overflow(value, (uint64_t)digit, &value))
			return READ_FAIL(r, at, "%s is too large; expected at most 64 bits", text);
	}
	if (!*from)
		return READ_FAIL(r, at, "'%s' is no number; expected 10, 0xa or 0b1010", text);
	*out = value;
	return true;
}

static bool named_number(struct reader *r, uint64_t *out)
{
	char word[80] = "";
	const char *at = read_word(r, word, sizeof word);
	const struct symbol *s = symbol_find(r->symbols, word);
	if (!s || s->kind != SYMBOL_NUMBER)
		return micro_read_report_unknown(r, at, word, 1u << SYMBOL_NUMBER, "number");
	*out = s->value;
	return true;
}

static bool micro_read_primary_expr(struct reader *r, unsigned depth, uint64_t *out)
{
	char buf[64];
	const char c = read_peek(r);
	if (depth > DEPTH_MAX)
		return READ_FAIL(r, r->at, "more than %d brackets and signs in one another",
		                 DEPTH_MAX);
	if (c == '-' || c == '~') {
		r->at++;
		if (!micro_read_primary_expr(r, depth + 1, out))
			return false;
		*out = c == '-' ? -*out : ~*out;
		return true;
	}
	if (c == '(') {
		r->at++;
		return micro_read_sum_expr(r, depth + 1, out) &&
		       read_expect(r, ')', "as many ) as (");
	}
	if (isdigit((unsigned char)c))
		return micro_read_digits(r, out);
	if (micro_read_is_word_char(c))
		return named_number(r, out);
	const char *there = micro_read_describe_token(r, buf, sizeof buf);
	return READ_FAIL(r, r->at, "a number is missing: %s", there);
}

/* Reads a shift operator, c twice, if it is next; false: it is not. */
static bool accept_shift(struct reader *r, char c)
{
	if (read_peek(r) != c || r->at + 1 >= r->end || r->at[1] != c)
		return false;
	r->at += 2;
	return true;
}

static bool micro_read_product_expr(struct reader *r, unsigned depth, uint64_t *out)
{
	uint64_t right = 0;
	*out = 0;
	if (!micro_read_primary_expr(r, depth, out))
		return false;
	for (;;) {
		const bool times = read_accept(r, '*'), by = !times && read_accept(r, '/'),
			   and = !times && !by && read_accept(r, '&');
		const bool left = !times && !by && !and&&accept_shift(r, '<'),
			   down = !times && !by && !and&&!left && accept_shift(r, '>');
		if (!times && !by && !and && !left && !down)
			return true;
		read_peek(r);
		const char *at = r->at;
		if (!micro_read_primary_expr(r, depth, &right))
			return false;
		if (by && !right)
			return READ_FAIL(r, at, "this divides by 0");
		if ((left || down) && right > 63)
			return READ_FAIL(r, at, "this shifts by %" PRIu64 "; expected at most 63",
			                 right);
		*out = times  ? *out * right
		       : by   ? *out / right
		       : and  ? *out & right
		       : left ? *out << right
		              : *out >> right;
	}
}

static bool micro_read_sum_expr(struct reader *r, unsigned depth, uint64_t *out)
{
	uint64_t right = 0;
	*out = 0;
	if (!micro_read_product_expr(r, depth, out))
		return false;
	for (;;) {
		const bool plus = read_accept(r, '+');
		if (!plus && !read_accept(r, '-'))
			return true;
		if (!micro_read_product_expr(r, depth, &right))
			return false;
		*out = plus ? *out + right : *out - right;
	}
}

bool read_number(struct reader *r, uint64_t *out)
{
	return micro_read_sum_expr(r, 0, out);
}

bool read_limited(struct reader *r, uint64_t max, const char *what, uint64_t *out)
{
	read_peek(r);
	const char *at = r->at;
	if (!read_number(r, out))
		return false;
	return *out <= max ||
	       READ_FAIL(r, at, "%" PRId64 " is too much for %s; expected 0 to %" PRIu64,
	                 (int64_t)*out, what, max);
}
