/* Text that makes text: .macro, .rept, .irp, .irpc, and words defined by .eqv. An expansion is a
 * text of its own, whose statements are in the line of its use. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "loader/asm/directives.h"

enum {
	PARAMETERS_MAX = 32,
	EXPANSION_MAX = 1 << 20, /* bytes of one */
	EXPANDED_MAX = 1 << 28   /* of all */
};

struct parameter {
	struct span name, otherwise; /* in the text, or in the macro's */
	bool required, rest;         /* :req, :vararg */
};

struct macro {
	char *text; /* owned: its name, its parameters and its body */
	struct span name, body;
	struct parameter parameter[PARAMETERS_MAX];
	unsigned count;
	bool percent; /* RARS: %NAME is a parameter, and labels are the expansion's own */
};

/* A word for a text. */
struct word {
	char *text; /* owned */
	struct span name, value;
};

struct asm_macros {
	struct macro *macros; /* owned; [count], newest last */
	unsigned count, cap;
	struct word *words; /* owned; [word_count] */
	unsigned word_count, word_cap;
	unsigned uses;   /* of macros: \@ */
	unsigned bodies; /* expanded, of .irp, too: labels of their own */
	bool alternate;  /* .altmacro: names of parameters need no mark, LOCAL, <TEXT>, %NUMBER */
	size_t expanded; /* bytes */
};

void macros_free(struct asm_macros *m)
{
	for (unsigned i = 0; m && i < m->count; i++)
		free(m->macros[i].text);
	for (unsigned i = 0; m && i < m->word_count; i++)
		free(m->words[i].text);
	if (m) {
		free(m->macros);
		free(m->words);
	}
	free(m);
}

static bool macro_span_same(struct span x, struct span y)
{
	return x.n == y.n && !memcmp(x.at, y.at, x.n);
}

static struct span macro_word(struct span s)
{
	size_t n = 0;
	while (n < s.n && is_name(s.at[n]))
		n++;
	return (struct span){s.at, n};
}

static struct span macro_skip(struct span s, size_t n)
{
	return span_trim((struct span){s.at + n, s.n - n});
}

/* ---- expansions ---- */
/* Appends to an expansion. */
static bool macro_put(struct assembler *a, struct bytes *out, const char *from, size_t n)
{
	if (out->n + n > EXPANSION_MAX || (a->macros->expanded += n) > EXPANDED_MAX)
		return asm_fault(a, a->statement.at, "a macro makes more than %d KB of text",
		                 EXPANSION_MAX >> 10);
	bytes_put(out, from, n);
	return !out->failed || asm_out_of_memory(a);
}

/* Whether a label of this name begins a statement of the body. */
static bool macro_has_label(const struct macro *m, struct span name)
{
	for (const char *at = m->body.at, *end = at + m->body.n; at < end;) {
		const char *next = memchr(at, '\n', (size_t)(end - at));
		const struct span line =
			span_trim((struct span){at, (size_t)((next ? next : end) - at)});
		const struct span word = macro_word(line);
		if (word.n && word.n < line.n && line.at[word.n] == ':' &&
		    macro_span_same(word, name))
			return true;
		at = next ? next + 1 : end;
	}
	return false;
}

/* .altmacro: the names of the LOCAL lines at the beginning of a body, and where they end. */
enum { LOCALS_MAX = 16 };
static const char *macro_read_locals(struct span body, struct span *names, unsigned *count)
{
	const char *at = body.at, *const end = at + body.n;
	*count = 0;
	while (at < end) {
		const char *next = memchr(at, '\n', (size_t)(end - at));
		struct span line = span_trim((struct span){at, (size_t)((next ? next : end) - at)});
		const struct span word = macro_word(line);
		if (line.n && !span_is(word, "LOCAL") && !span_is(word, "local"))
			break;
		line = line.n ? macro_skip(line, word.n) : line;
		while (line.n && *count < LOCALS_MAX) {
			const struct span name = macro_word(line);
			if (name.n)
				names[(*count)++] = name;
			line = macro_skip(line, name.n ? name.n : 1);
		}
		at = next ? next + 1 : end;
	}
	return at;
}

/* .altmacro: makes texts of the arguments %NUMBER and <TEXT>; room owns the numbers. */
static bool macro_alternate_arguments(struct assembler *a, const struct macro *m,
                                      struct span *value, char **room)
{
	enum { DIGITS_MAX = 24 };
	int64_t number;
	if (!a->macros->alternate)
		return true;
	*room = alloc_bytes(m->count * DIGITS_MAX + 1);
	if (!*room)
		return asm_out_of_memory(a);
	for (unsigned i = 0; i < m->count; i++) {
		struct span *v = &value[i];
		char *digits = *room + i * DIGITS_MAX;
		if (v->n > 1 && *v->at == '<' && v->at[v->n - 1] == '>') {
			*v = (struct span){v->at + 1, v->n - 2};
		} else if (v->n > 1 && *v->at == '%') {
			if (!expr_constant(a, (struct span){v->at + 1, v->n - 1}, &number))
				return false;
			const int n = snprintf(digits, DIGITS_MAX, "%" PRId64, number);
			*v = (struct span){digits, (size_t)n};
		}
	}
	return true;
}

/* Writes the body with the parameters' values in their places. */
static bool macro_substitute(struct assembler *a, const struct macro *m, const struct span *value,
                             struct bytes *out)
{
	const char *at = m->body.at, *const end = at + m->body.n;
	const unsigned use = a->macros->bodies++;
	const bool alternate = a->macros->alternate;
	struct span locals[LOCALS_MAX];
	unsigned local_count = 0, local;
	char number[24];
	if (alternate)
		at = macro_read_locals(m->body, locals, &local_count);
	while (at < end) {
		const bool mark = *at == '\\' || (m->percent && (*at == '%' || *at == '$'));
		const char *word = at + mark;
		if (!mark && !is_name_start(*at)) {
			if (!macro_put(a, out, at++, 1))
				return false;
			continue;
		}
		if (mark && word < end && *at == '\\' && *word == '@') {
			const int n = snprintf(number, sizeof number, "%u", a->macros->uses);
			if (!macro_put(a, out, number, (size_t)n))
				return false;
			at = word + 1;
			continue;
		}
		if (mark && word + 1 < end && *word == '(' && word[1] == ')') {
			at = word + 2;
			continue;
		}
		const struct span name = macro_word((struct span){word, (size_t)(end - word)});
		unsigned i = mark || alternate ? 0 : m->count;
		while (i < m->count && !macro_span_same(name, m->parameter[i].name))
			i++;
		const char *next = name.n ? name.at + name.n : at + 1;
		for (local = 0; local < local_count && !macro_span_same(name, locals[local]);)
			local++;
		if (local < local_count && !mark) {
			const int n = snprintf(number, sizeof number, ".LL%u_%u", use, local);
			if (!macro_put(a, out, number, (size_t)n))
				return false;
			at = next;
			continue;
		}
		if (alternate && next < end && *next == '&')
			next++;
		const bool own = !mark && m->percent && macro_has_label(m, name);
		if (i < m->count ? !macro_put(a, out, value[i].at, value[i].n)
		                 : !macro_put(a, out, at, (size_t)(next - at)))
			return false;
		if (own) {
			const int n = snprintf(number, sizeof number, "_M%u", use);
			if (!macro_put(a, out, number, (size_t)n))
				return false;
		}
		at = next;
	}
	return true;
}

/* Assembles an expansion, and frees it. */
static bool macro_assemble(struct assembler *a, struct bytes *out, bool ok)
{
	if (ok && a->nesting >= ASM_NESTING_MAX)
		ok = asm_fault(a, a->statement.at, "macros nested too deep; at most %d",
		               ASM_NESTING_MAX);
	if (ok && out->n) {
		const struct span statement = a->statement;
		const bool left = a->macro_left;
		a->nesting++;
		a->frozen++;
		a->macro_left = false;
		assemble_text(a, (const char *)out->at, (const char *)out->at + out->n);
		a->macro_left = left;
		a->frozen--;
		a->nesting--;
		a->statement = statement;
		a->fault_at = NULL;
	}
	free(out->at);
	return ok;
}

/* ---- uses ---- */
/* The end of an argument that begins at `at`: a comma, or a blank if no commas separate them. */
static const char *macro_argument_end(const char *at, const char *end, bool blanks)
{
	unsigned depth = 0;
	while (at < end && (depth || (*at != ',' && !(blanks && (*at == ' ' || *at == '\t'))))) {
		if (*at == '"' || *at == '\'') {
			at += scan_quoted(at, (size_t)(end - at), 0);
			continue;
		}
		depth += *at == '(';
		depth -= *at == ')' && depth;
		at++;
	}
	return at;
}

static bool macro_read_arguments(struct assembler *a, const struct macro *m, struct span s,
                                 struct span *value)
{
	bool given[PARAMETERS_MAX] = {false};
	unsigned next = 0;
	/* RARS: NAME(ARGUMENTS) */
	if (m->percent && s.n > 1 && *s.at == '(' && s.at[s.n - 1] == ')')
		s = span_trim((struct span){s.at + 1, s.n - 2});
	const char *const end = s.at + s.n;
	const bool blanks = macro_argument_end(s.at, end, false) == end;
	for (unsigned i = 0; i < m->count; i++)
		value[i] = m->parameter[i].otherwise;
	for (const char *at = s.at; at < end;) {
		const char *stop = macro_argument_end(at, end, blanks);
		if (next < m->count && m->parameter[next].rest)
			stop = end;
		struct span one = span_trim((struct span){at, (size_t)(stop - at)});
		const struct span word = macro_word(one), tail = macro_skip(one, word.n);
		unsigned i = m->count;
		if (word.n && tail.n > 1 && *tail.at == '=' && tail.at[1] != '=')
			for (i = 0; i < m->count && !macro_span_same(word, m->parameter[i].name);
			     i++)
				;
		if (i < m->count)
			one = macro_skip(tail, 1);
		else
			i = next++;
		if (i >= m->count)
			return asm_fault(a, at, "%.*s takes %u argument%s", (int)m->name.n,
			                 m->name.at, m->count, m->count == 1 ? "" : "s");
		if (!m->percent && !m->parameter[i].rest && one.n > 1 && *one.at == '"' &&
		    one.at[one.n - 1] == '"')
			one = (struct span){one.at + 1, one.n - 2};
		if (one.n)
			value[i] = one;
		given[i] = true;
		at = stop + (stop < end);
		while (at < end && (*at == ' ' || *at == '\t'))
			at++;
	}
	for (unsigned i = 0; i < m->count; i++)
		if (m->parameter[i].required && !given[i])
			return asm_fault(a, a->statement.at, "%.*s needs %.*s", (int)m->name.n,
			                 m->name.at, (int)m->parameter[i].name.n,
			                 m->parameter[i].name.at);
	return true;
}

bool macro_use(struct assembler *a, struct span name, struct span rest, bool *done)
{
	struct span value[PARAMETERS_MAX];
	struct bytes out = {0};
	unsigned i = a->macros ? a->macros->count : 0;
	while (i && !macro_span_same(a->macros->macros[i - 1].name, name))
		i--;
	*done = i > 0;
	if (!i)
		return true;
	/* A macro that defines another moves the list. */
	const struct macro m = a->macros->macros[i - 1];
	const bool in_words = a->in_words;
	char *values = NULL;
	const bool ok = macro_read_arguments(a, &m, rest, value) &&
	                macro_alternate_arguments(a, &m, value, &values) &&
	                macro_substitute(a, &m, value, &out);
	a->macros->uses++;
	a->in_words = false; /* the expansion's statements are new ones */
	const bool all = macro_assemble(a, &out, ok);
	a->in_words = in_words;
	free(values);
	return all;
}

/* ---- definitions ---- */
static bool macros_ready(struct assembler *a)
{
	if (!a->macros)
		a->macros = alloc_zeroed(1, sizeof *a->macros);
	return a->macros || asm_out_of_memory(a);
}

static bool macro_parse_parameters(struct assembler *a, struct macro *m, struct span s)
{
	if (s.n > 1 && *s.at == '(' && s.at[s.n - 1] == ')')
		s = span_trim((struct span){s.at + 1, s.n - 2});
	while (s.n) {
		if (*s.at == ',') {
			s = macro_skip(s, 1);
			continue;
		}
		const bool mark = *s.at == '%' || *s.at == '$' || *s.at == '\\';
		m->percent |= mark && *s.at != '\\';
		s = macro_skip(s, mark);
		const struct span name = macro_word(s);
		if (!name.n)
			return asm_fault(a, a->statement.at, "expected .macro NAME PARAMETER,...");
		if (m->count == PARAMETERS_MAX)
			return asm_fault(a, a->statement.at, "at most %d parameters",
			                 PARAMETERS_MAX);
		struct parameter *p = &m->parameter[m->count++];
		*p = (struct parameter){.name = name, .otherwise = {name.at, 0}};
		s = macro_skip(s, name.n);
		if (s.n && *s.at == ':') {
			const struct span kind = macro_word(macro_skip(s, 1));
			p->required = span_is(kind, "req");
			p->rest = span_is(kind, "vararg");
			s = macro_skip(s, (size_t)(kind.at + kind.n - s.at));
		}
		if (s.n && *s.at == '=') {
			s = macro_skip(s, 1);
			const char *end = macro_argument_end(s.at, s.at + s.n, true);
			p->otherwise = (struct span){s.at, (size_t)(end - s.at)};
			if (p->otherwise.n > 1 && *s.at == '"')
				p->otherwise = (struct span){s.at + 1, p->otherwise.n - 2};
			s = macro_skip(s, (size_t)(end - s.at));
		}
	}
	return true;
}

static bool macro_add(struct assembler *a, const struct macro *m)
{
	struct asm_macros *all = a->macros;
	if (all->count == all->cap) {
		const unsigned cap = all->cap ? 2 * all->cap : 16;
		struct macro *macros = alloc_resize_array(all->macros, cap, sizeof *macros);
		if (!macros)
			return asm_out_of_memory(a);
		all->macros = macros;
		all->cap = cap;
	}
	all->macros[all->count++] = *m;
	return true;
}

bool macro_define(struct assembler *a, struct span head, struct span body, bool percent)
{
	struct macro m = {.percent = percent};
	/* The head and the body, in a text of the macro's own. */
	if (!macros_ready(a) || !(m.text = alloc_bytes(head.n + body.n + 1)))
		return asm_out_of_memory(a);
	memcpy(m.text, head.at, head.n);
	memcpy(m.text + head.n, body.at, body.n);
	const struct span own = span_trim((struct span){m.text, head.n});
	m.body = (struct span){m.text + head.n, body.n};
	m.name = macro_word(own);
	struct span rest = macro_skip(own, m.name.n);
	bool ok = m.name.n || asm_fault(a, a->statement.at, "expected .macro NAME PARAMETER,...");
	ok = ok && macro_parse_parameters(a, &m, rest) && macro_add(a, &m);
	if (!ok)
		free(m.text);
	return ok;
}

/* ---- .irp and .irpc ---- */
bool macro_repeat(struct assembler *a, struct span head, struct span body, bool characters)
{
	struct macro m = {.body = body, .count = 1};
	head = span_trim(head);
	m.parameter[0].name = macro_word(head);
	if (!m.parameter[0].name.n)
		return asm_fault(a, a->statement.at, "expected .irp NAME,VALUES");
	if (!macros_ready(a))
		return false;
	struct span s = macro_skip(head, m.parameter[0].name.n);
	if (s.n && *s.at == ',')
		s = macro_skip(s, 1);
	const char *at = s.at, *const end = at + s.n;
	const bool blanks = macro_argument_end(at, end, false) == end;
	do {
		const char *stop =
			characters ? at + (at < end) : macro_argument_end(at, end, blanks);
		const struct span one = span_trim((struct span){at, (size_t)(stop - at)});
		struct bytes out = {0};
		if (!asm_count_statement(a) ||
		    !macro_assemble(a, &out, macro_substitute(a, &m, &one, &out)))
			return false;
		at = stop + (stop < end && !characters);
	} while (at < end && !a->stop);
	return true;
}

/* ---- words ---- */
static bool macro_define_word(struct assembler *a, struct span name, struct span value)
{
	if (!macros_ready(a))
		return false;
	struct asm_macros *all = a->macros;
	struct word w = {.text = alloc_bytes(name.n + value.n + 1)};
	if (all->word_count == all->word_cap) {
		const unsigned cap = all->word_cap ? 2 * all->word_cap : 16;
		struct word *words = alloc_resize_array(all->words, cap, sizeof *words);
		if (words) {
			all->words = words;
			all->word_cap = cap;
		}
	}
	if (!w.text || all->word_count == all->word_cap) {
		free(w.text);
		return asm_out_of_memory(a);
	}
	memcpy(w.text, name.at, name.n);
	memcpy(w.text + name.n, value.at, value.n);
	w.name = (struct span){w.text, name.n};
	w.value = (struct span){w.text + name.n, value.n};
	all->words[all->word_count++] = w;
	return true;
}

static const struct word *macro_find_word(const struct assembler *a, struct span name)
{
	for (unsigned i = a->macros->word_count; i--;)
		if (macro_span_same(a->macros->words[i].name, name))
			return &a->macros->words[i];
	return NULL;
}

/* Writes s with its words replaced; *any: there were some. */
static bool macro_replace_words(struct assembler *a, struct span s, struct bytes *out, bool *any)
{
	*any = false;
	for (size_t i = 0; i < s.n;) {
		size_t n = 1;
		const struct word *w = NULL;
		if (s.at[i] == '"' || s.at[i] == '\'') {
			n = scan_quoted(s.at, s.n, i) - i;
		} else if (is_name(s.at[i])) {
			n = macro_word((struct span){s.at + i, s.n - i}).n;
			w = macro_find_word(a, (struct span){s.at + i, n});
		}
		*any |= w != NULL;
		if (w ? !macro_put(a, out, w->value.at, w->value.n)
		      : !macro_put(a, out, s.at + i, n))
			return false;
		i += n;
	}
	return true;
}

bool macro_words(struct assembler *a, struct span s, bool *done)
{
	struct bytes out = {0};
	*done = false;
	if (!a->macros || !a->macros->word_count || a->in_words)
		return true;
	const bool ok = macro_replace_words(a, s, &out, done);
	if (!*done) {
		free(out.at);
		return ok;
	}
	a->in_words = true; /* a value is not replaced again */
	const bool all = macro_assemble(a, &out, ok);
	a->in_words = false;
	return all;
}

/* ---- directives ---- */
static bool macro_leave(struct assembler *a, struct arguments *g)
{
	(void)g;
	if (!a->frozen)
		return asm_fault(a, a->statement.at, ".exitm outside of a macro");
	a->macro_left = true;
	return true;
}

static bool macro_forget(struct assembler *a, struct arguments *g)
{
	const struct span name = span_trim(g->rest);
	for (unsigned i = a->macros ? a->macros->count : 0; i--;)
		if (macro_span_same(a->macros->macros[i].name, name)) {
			a->macros->macros[i].name.n = 0;
			return true;
		}
	return asm_fault(a, name.at, "no macro is called '%.*s'", (int)(name.n > 40 ? 40 : name.n),
	                 name.at);
}

/* .eqv NAME, TEXT; RARS needs no comma, and has no expressions. */
static bool macro_eqv(struct assembler *a, struct arguments *g)
{
	struct span s = span_trim(g->rest);
	size_t n = 0;
	while (n < s.n && is_name(s.at[n]))
		n++;
	const struct span name = {s.at, n};
	s = span_trim((struct span){s.at + n, s.n - n});
	if (s.n && *s.at == ',')
		s = span_trim((struct span){s.at + 1, s.n - 1});
	return n && s.n ? macro_define_word(a, name, s) : directive_usage(a, ".eqv NAME,TEXT");
}

static bool macro_alternate(struct assembler *a, struct arguments *g)
{
	if (macros_ready(a))
		a->macros->alternate = g->with;
	return a->macros != NULL;
}

const struct directive macro_directives[] = {
	{".altmacro", macro_alternate, 1, false},
	{".noaltmacro", macro_alternate, 0, false},
	{".mexit", macro_leave, 0, false},
	{".exitm", macro_leave, 0, false},
	{".purgem", macro_forget, 0, false},
	{".eqv", macro_eqv, 0, false},
	{0},
};
