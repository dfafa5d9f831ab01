#include "tests/fuzz/grammar.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/defs/config.h"
#include "core/defs/events.h"
#include "core/defs/stats.h"
#include "core/machine/params.h"
#include "hwviews/grid/view.h"
#include "hwviews/reports/report.h"
#include "hwviews/session/uop_fields.h"
#include "scripting/binding.h"
#include "scripting/expr/expr.h"
#include "ui/console/command.h"

enum { DEPTH_MAX = 11, WORD_MAX = 48, WORDS_MAX = 64 };

void grammar_begin(struct grammar *g, const uint8_t *choices, size_t n)
{
	*g = (struct grammar){.at = choices, .end = choices + n};
}

/* 0 when the input is used up. */
static unsigned grammar_choose(struct grammar *g, size_t n)
{
	unsigned v = 0;
	for (size_t room = 1; room < n && g->at < g->end; room *= 256)
		v = v << 8 | *g->at++;
	return n ? (unsigned)(v % n) : 0;
}

static void grammar_append_bytes(struct grammar *g, const char *text, size_t n)
{
	if (g->n + n >= sizeof g->text) {
		g->at = g->end;
		return;
	}
	memcpy(g->text + g->n, text, n);
	g->n += n;
	g->text[g->n] = '\0';
}

static void grammar_append_text(struct grammar *g, const char *text)
{
	grammar_append_bytes(g, text, strlen(text));
}

/* ---- rules ---- */
/* %X stands for a rule or one of the terminals below, %% for itself. The first alternative of a
 * rule ends: it is taken when there are no choices left, or the text is too deep. */
struct rule {
	char name;
	const char *const *alternative; /* NULL at the end */
};
#define RULE(name, ...) {name, (const char *const[]){__VA_ARGS__, NULL}}

static const struct rule rules[] = {
#include "tests/fuzz/grammar.def"
};

/* Lua's keywords, which can't be names. */
static bool grammar_is_lua_keyword(const char *word, size_t n)
{
	static const char *const keywords[] = {
		"and",      "break",  "do",   "else", "elseif", "end",  "false", "for",
		"function", "goto",   "if",   "in",   "local",  "nil",  "not",   "or",
		"repeat",   "return", "then", "true", "until",  "while"};
	for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
		if (strlen(keywords[i]) == n && !memcmp(keywords[i], word, n))
			return true;
	return false;
}

/* A word of a documentation text; keys: one in front of `=`. */
static void put_word_of(struct grammar *g, const char *text, bool keys)
{
	const char *at[WORDS_MAX];
	size_t length[WORDS_MAX], n = 0;
	for (const char *s = text; *s && n < WORDS_MAX;) {
		size_t len = 0;
		while (isalnum((unsigned char)s[len]) || s[len] == '_')
			len++;
		const char *behind = s + len + strspn(s + len, " ");
		if (len && len < WORD_MAX && !grammar_is_lua_keyword(s, len) &&
		    !isdigit((unsigned char)*s) &&
		    (!keys || (*behind == '=' && behind[1] != '='))) {
			at[n] = s;
			length[n++] = len;
		}
		s += len + !len;
	}
	if (n) {
		const unsigned i = grammar_choose(g, n);
		grammar_append_bytes(g, at[i], length[i]);
	} else {
		grammar_append_text(g, "x");
	}
}

static const struct binding *pick_binding(struct grammar *g, const struct binding_area **area)
{
	unsigned areas = 0;
	while (binding_areas[areas])
		areas++;
	*area = binding_areas[grammar_choose(g, areas)];
	return &(*area)->bindings[grammar_choose(g, (*area)->count)];
}

static void grammar_expand_rule(struct grammar *g, char name);

static void put_template(struct grammar *g, const char *t)
{
	for (; *t; t++)
		if (*t == '%' && t[1] != '%')
			grammar_expand_rule(g, *++t);
		else
			grammar_append_bytes(g, t += *t == '%', 1);
}

static const struct {
	const char *word, *template;
} kinds_of_argument[] = {
	{"FUNCTION", "%F"},       {"EVENT", "%v"},
	{"LINE", "%c"},           {"PATH", "%p"},
	{"FILE", "%p"},           {"EXPRESSION", "[==[%X]==]"},
	{"TABLE", "{ %K = %E }"}, {"{", "{ %K = %E }"},
	{"PC", "m.twice"},        {"ADDRESS", "%n"},
	{"PLACE", "'twice'"},     {"NAME", "'%W'"},
	{"VIEW", "%V"},           {"STREAM", "o"},
	{"MESSAGES", "o"},        {"COMPRESSOR", "o"},
	{"PROFILE", "o"},         {"TEXT", "%s"},
	{"WORDS", "%s"},          {"SNAPSHOT", "m:snapshot()"},
	{"MICROPROGRAM", "%s"},   {"REGISTER", "'%x'"},
};

/* Appends arguments in the order of the usage, "m:on(EVENT, FUNCTION)". */
static void grammar_append_arguments(struct grammar *g, const char *usage)
{
	const char *s = usage + strcspn(usage, "({");
	bool any = false;
	for (; *s && strncmp(s, "->", 2) != 0 && grammar_choose(g, 8) != 7; s++) {
		size_t len = 0;
		while (isupper((unsigned char)s[len]) || s[len] == '{')
			len++;
		if (!len)
			continue;
		const char *with = "%n";
		for (size_t i = 0; i < sizeof kinds_of_argument / sizeof *kinds_of_argument; i++)
			if (!strncmp(s, kinds_of_argument[i].word,
			             strlen(kinds_of_argument[i].word)))
				with = kinds_of_argument[i].template;
		if (any)
			grammar_append_text(g, ", ");
		put_template(g, with);
		any = true;
		s += *s == '{' ? strcspn(s, "}") : len;
		if (!*s)
			break;
	}
}

/* A call of anything in the API. */
static void put_call(struct grammar *g)
{
	const struct binding_area *area;
	const struct binding *outer = g->binding;
	g->binding = pick_binding(g, &area);
	const char *of = !strcmp(area->object, "cyclops")   ? "cyclops."
	                 : !strcmp(area->object, "machine") ? "m:"
	                 : !strcmp(area->object, "event")   ? "e:"
	                 : !strcmp(area->object, "mem")     ? "m.mem:"
	                 : !strcmp(area->object, "cop") || !strcmp(area->object, "sampler") ||
	                                 !strcmp(area->object, "profileme") ||
	                                 !strcmp(area->object, "values")
	                         ? NULL
	                         : "o:";
	if (strchr(area->object, '.')) {
		grammar_append_text(g, strcmp(area->object, "machine.") ? "tostring(o."
		                                                        : "tostring(m.");
		grammar_append_text(g, g->binding->name);
		grammar_append_text(g, ")");
		g->binding = outer;
		return;
	}
	grammar_append_text(g, of ? of : "m.");
	if (!of) {
		grammar_append_text(g, area->object);
		grammar_append_text(g, ":");
	}
	grammar_append_text(g, g->binding->name);
	grammar_append_text(g, "(");
	if (grammar_choose(g, 4) < 3)
		grammar_append_arguments(g, g->binding->usage);
	else
		put_template(g, "%A");
	grammar_append_text(g, ")");
	g->binding = outer;
}

static void grammar_append_command(struct grammar *g)
{
	unsigned i = grammar_choose(g, command_count);
	grammar_append_text(g, commands[i]->name);
}

static void put_expr_name(struct grammar *g)
{
	static const char *const registers[] = {"a0",    "sp",    "pc",      "cycle",
	                                        "insts", "fa0",   "ra",      "newest",
	                                        "main",  "twice", "counter", "numbers"};
	const char *help;
	unsigned n = 0;
	while (expr_name(n, &help))
		n++;
	const unsigned i = grammar_choose(g, n + sizeof registers / sizeof *registers);
	grammar_append_text(g, i < n ? expr_name(i, &help) : registers[i - n]);
}

/* ---- terminals ---- */
static void put_quoted(struct grammar *g, const char *text)
{
	grammar_append_text(g, "'");
	grammar_append_text(g, text);
	grammar_append_text(g, "'");
}

static const char *const plain_words[] = {
	"main",  "twice",  "x",      "n",          "format",    "rep",     "gsub",    "find",
	"pack",  "concat", "unpack", "sort",       "insert",    "yield",   "wrap",    "resume",
	"close", "floor",  "random", "char",       "tointeger", "name",    "enable",  "1",
	"size",  "rob",    "all",    "count",      "-1",        "machine", "program", "__index",
	"ult",   "codes",  "len",    "guest.c:29", "*main",     "fetch",   "oracle",  "events"};

static bool put_terminal(struct grammar *g, char name)
{
	switch (name) {
	case 'b': put_call(g); return true;
	case 'y':
		grammar_append_command(g);
		return true;
	case 'x': put_expr_name(g); return true;
	case 'e':
		grammar_append_text(g, stat_rows[grammar_choose(g, stat_row_count)].name);
		return true;
	case 't':
		grammar_append_text(g, stat_rows[grammar_choose(g, stat_row_count)].name);
		return true;
	case 'u':
		grammar_append_text(g, params[grammar_choose(g, param_count)].name);
		return true;
	case 'P':
		put_quoted(g, params[grammar_choose(g, param_count)].name);
		return true;
	case 'j':
		grammar_append_text(g, event_info[grammar_choose(g, EV_COUNT)].name);
		return true;
	case 'v':
		put_quoted(g, event_info[grammar_choose(g, EV_COUNT)].name);
		return true;
	case 'J':
		grammar_append_text(g, views[grammar_choose(g, view_count)]->name);
		return true;
	case 'V':
		put_quoted(g, views[grammar_choose(g, view_count)]->name);
		return true;
	case 'R':
		grammar_append_text(g, reports[grammar_choose(g, report_count)]->name);
		return true;
	case 'k':
		grammar_append_text(g, uop_field_info[grammar_choose(g, UOP_FIELD_COUNT)].name);
		return true;
	case 'w':
	case 'W': {
		/* Mostly a word of the documentation of the called function, or of any. */
		const struct binding_area *area;
		const unsigned how = grammar_choose(g, 4);
		const char *plain = plain_words[grammar_choose(
			g, how ? 1 : sizeof plain_words / sizeof *plain_words)];
		if (how == 0)
			grammar_append_text(g, name == 'w' || (isalpha((unsigned char)*plain) &&
			                                       !strpbrk(plain, ":."))
			                               ? plain
			                               : "x");
		else if (how == 1)
			grammar_append_text(g, pick_binding(g, &area)->name);
		else
			put_word_of(g,
			            g->binding ? g->binding->usage : pick_binding(g, &area)->usage,
			            false);
		return true;
	}
	case 'K': {
		const struct binding_area *area;
		const struct binding *b = g->binding ? g->binding : pick_binding(g, &area);
		put_word_of(g, grammar_choose(g, 2) ? b->usage : b->help, true);
		return true;
	}
	case 'Q': {
		const struct param *p = &params[grammar_choose(g, param_count)];
		char number[40];
		if (p->type == PARAM_ENUM || p->type == PARAM_TEXT) {
			grammar_append_text(g, "'");
			put_word_of(g, p->unit, false);
			grammar_append_text(g, "'");
		} else {
			snprintf(number, sizeof number, "%" PRId64,
			         grammar_choose(g, 3) == 0 ? p->def
			         : grammar_choose(g, 2)    ? p->max
			                                   : p->min);
			grammar_append_text(g, number);
		}
		return true;
	}
	default:
		return false;
	}
}

static void grammar_expand_rule(struct grammar *g, char name)
{
	if (put_terminal(g, name))
		return;
	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
		if (rules[i].name != name)
			continue;
		size_t n = 0;
		while (rules[i].alternative[n])
			n++;
		const unsigned which = g->depth < DEPTH_MAX ? grammar_choose(g, n) : 0;
		g->depth++;
		put_template(g, rules[i].alternative[which]);
		g->depth--;
		return;
	}
	__builtin_trap(); /* a template names a missing rule */
}

const char *grammar_write(struct grammar *g, enum grammar_start start)
{
	g->n = 0;
	g->depth = 0;
	g->text[0] = '\0';
	grammar_expand_rule(g, "ZHXY"[start]);
	return g->text;
}
