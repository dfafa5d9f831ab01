/* Conditions to trees: a parser of the part of Lua's expressions that runs in C. What it does not
 * know it refuses; Lua says then whether that is an expression at all. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/isa/regs.h"
#include "core/machine/machine.h"
#include "core/base/nearest_word.h"
#include "core/defs/stats.h"
#include "loader/program.h"
#include "hwviews/session/session.h"
#include "scripting/expr/where_priv.h"
#include "scripting/expr/words.h"

struct parser {
	const struct session *s;
	enum event_id id;
	const char *at;    /* the next token begins here, or behind blanks */
	unsigned depth;
	bool own;
	struct err *err;
	const struct symbol *symbol; /* the last that was named; NULL: none */
	uint16_t symbol_node;        /* where its address stands */
	/* says of which enumeration there is no such word, "" if none; NULL: nobody asks */
	struct err *wrong_word;
	unsigned count;
	struct where_node node[WHERE_NODES_MAX];
};

/* Binary operators as Lua binds them, all to the left; longer spellings first. */
static const struct binary {
	const char *text;
	unsigned binds;
	enum where_op op;
} operators[] = {
	{"or", 1, W_OR},  {"and", 2, W_AND},  {"==", 3, W_EQ},  {"~=", 3, W_NE},  {"!=", 3, W_NE},
	{"<<", 7, W_SHL}, {">>", 7, W_SHR},   {"<=", 3, W_LE},  {">=", 3, W_GE},  {"<", 3, W_LT},
	{">", 3, W_GT},   {"|", 4, W_BOR},    {"~", 5, W_XOR},  {"&", 6, W_BAND}, {"+", 9, W_ADD},
	{"-", 9, W_SUB},  {"//", 10, W_IDIV}, {"*", 10, W_MUL}, {"%", 10, W_MOD},
};
enum { OPERATORS = sizeof operators / sizeof *operators, UNARY_BINDS = 11 };

/* What Lua and expressions have besides names of the machine: before all of them, and behind words
 * of events. */
static const char *const reserved[] = {
	"break", "do", "else",  "elseif", "end",    "for",      "function", "goto",
	"if",    "in", "local", "repeat", "return", "then",     "until",    "while",
	"and",   "or", "not",   "ipairs", "pairs",  "tonumber", "tostring", NULL};
static const char *const tables[] = {"math", "string", "view", "stat", "config", NULL};

static bool outside(struct parser *p, const char *what, size_t n)
{
	return err_set(p->err, "not in the subset that runs without Lua: '%.*s'",
	               (int)(n < 60 ? n : 60), what);
}

static bool outside_here(struct parser *p)
{
	return *p->at ? outside(p, p->at, strlen(p->at))
	              : err_set(p->err, "the condition ends too early");
}

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static void blanks(struct parser *p)
{
	p->at += strspn(p->at, " \t");
}

/* The next token is this one. A word must end there. */
static bool next_is(struct parser *p, const char *text)
{
	size_t n = strlen(text);
	blanks(p);
	return !strncmp(p->at, text, n) && (!isalpha((unsigned char)*text) || !is_name(p->at[n]));
}

static bool take(struct parser *p, const char *text)
{
	if (!next_is(p, text))
		return false;
	p->at += strlen(text);
	return true;
}

static bool add(struct parser *p, struct where_node n, uint16_t *out)
{
	if (p->count == WHERE_NODES_MAX) {
		free(n.text);
		return err_set(p->err, "the condition is too long to run without Lua");
	}
	*out = (uint16_t)p->count;
	p->node[p->count++] = n;
	return true;
}

/* ---- leaves ---- */
static bool number(struct parser *p, uint16_t *out)
{
	const char *s = p->at;
	bool hex = s[0] == '0' && (s[1] == 'x' || s[1] == 'X');
	size_t n = hex ? 2 + strspn(s + 2, "0123456789abcdefABCDEF") : strspn(s, "0123456789");
	uint64_t v = 0;
	if (p->id == EV_COUNT && !hex && s[n] == '.' && isdigit((unsigned char)s[n + 1])) {
		n += 1 + strspn(s + n + 1, "0123456789");
		if (!is_name(s[n]) && s[n] != '.') {
			p->at += n;
			return add(p, (struct where_node){.op = W_FLOAT, .d = strtod(s, NULL)},
			           out);
		}
	}
	if ((hex && n == 2) || is_name(s[n]) || s[n] == '.') {
		while (is_name(s[n]) || s[n] == '.')
			n++;
		return outside(p, s, n);
	}
	for (size_t i = hex ? 2 : 0; i < n; i++) {
		unsigned digit = isdigit((unsigned char)s[i])
		                         ? (unsigned)(s[i] - '0')
		                         : (unsigned)(tolower(s[i]) - 'a') + 10;
		/* A decimal number that is too long is a float. */
		if (!hex && v > ((uint64_t)INT64_MAX - digit) / 10)
			return outside(p, s, n);
		v = v * (hex ? 16 : 10) + digit;
	}
	p->at += n;
	return add(p, (struct where_node){.op = W_INT, .i = (int64_t)v}, out);
}

static bool text(struct parser *p, uint16_t *out)
{
	char quote = *p->at;
	size_t n = strcspn(p->at + 1, quote == '"' ? "\"\\\r\n" : "'\\\r\n");
	if (p->at[1 + n] != quote)
		return outside_here(p);
	char *copy = strndup(p->at + 1, n);
	if (!copy)
		return err_set(p->err, "out of memory for a condition");
	p->at += n + 2;
	return add(p, (struct where_node){.op = W_TEXT, .text = copy}, out);
}

static bool is_among(const char *name, const char *const *names)
{
	while (*names && strcmp(*names, name) != 0)
		names++;
	return *names;
}

static bool is_function(const char *name)
{
	const char *f, *help;
	if (is_among(name, reserved))
		return true;
	for (unsigned i = 0; (f = words_function_name(i, &help)); i++)
		if (!strcmp(name, f))
			return true;
	return false;
}

/* rob.count, rob[1].state: behind the queue's name. */
static bool queue_word(struct parser *p, enum where_queue q, uint16_t *out)
{
	struct where_node n = {.op = W_COUNT, .a = (uint16_t)q};
	char *end;
	if (next_is(p, ".count") && !is_name(p->at[6]) && p->at[6] != '.') {
		p->at += 6;
		return add(p, n, out);
	}
	if (*p->at != '[' || !isdigit((unsigned char)p->at[1]))
		return outside_here(p);
	const unsigned long place = strtoul(p->at + 1, &end, 10);
	size_t length = 0;
	char name[32];
	if (end[0] != ']' || end[1] != '.' || place > INT32_MAX)
		return outside_here(p);
	while (is_name(end[2 + length]))
		length++;
	if (length >= sizeof name || end[2 + length] == '.')
		return outside_here(p);
	memcpy(name, end + 2, length);
	name[length] = '\0';
	const int f = uop_field_find(name);
	if (f < 0 || uop_field_info[f].type == FIELD_INST)
		return outside_here(p);
	p->at = end + 2 + length;
	n = (struct where_node){.op = W_ENTRY,
	                        .a = (uint16_t)f,
	                        .b = (uint16_t)q,
	                        .type = (uint16_t)uop_field_info[f].type,
	                        .i = (int64_t)place};
	return add(p, n, out);
}

/* `group.name`, a statistic that this machine has; `name` has been read. */
static bool statistic(struct parser *p, const char *group, uint16_t *out)
{
	char name[256];
	size_t n = 1;
	if (*p->at != '.')
		return outside_here(p);
	while (is_name(p->at[n]) || p->at[n] == '.')
		n++;
	if (strlen(group) + n >= sizeof name)
		return outside_here(p);
	snprintf(name, sizeof name, "%s%.*s", group, (int)n, p->at);
	for (size_t i = 0; i < stat_row_count; i++)
		if (!strcmp(stat_rows[i].name, name) &&
		    stat_exists(machine_config(p->s->machine), &stat_rows[i])) {
			p->at += n;
			return add(p,
			           (struct where_node){.op = stat_rows[i].derived ? W_RATIO
			                                                          : W_COUNTER,
			                               .a = (uint16_t)i},
			           out);
		}
	return outside_here(p);
}

/* What is said about the machine where there is no event, in the order of words.c. */
static bool resolve_alone(struct parser *p, const char *name, uint16_t *out)
{
	static const char *const queues[] = {"rob", "lsq", "fetchq"};
	/* groups with words beside statistics */
	static const char *const own[] = {"sampler", "cop", "vsample", NULL};
	const int reg = reg_from_name(name);
	if (is_function(name) || reg >= REG_F0 || !strcmp(name, "newest") ||
	    !strcmp(name, "thread") || !p->s || !p->s->machine)
		return outside(p, name, strlen(name));
	if (reg >= 0)
		return add(p, (struct where_node){.op = W_REG, .a = (uint16_t)reg}, out);
	if (!strcmp(name, "pc"))
		return add(p, (struct where_node){.op = W_PLACE}, out);
	if (!strcmp(name, "cycle") || !strcmp(name, "insts"))
		return add(p, (struct where_node){.op = *name == 'c' ? W_CYCLE : W_INSTS}, out);
	if (is_among(name, tables) || is_among(name, own) || words_is_xprof(name))
		return outside(p, name, strlen(name));
	for (unsigned i = 0; i < 3 && (*p->at == '[' || next_is(p, ".count")); i++)
		if (!strcmp(name, queues[i]))
			return queue_word(p, (enum where_queue)i, out);
	if (words_is_group(name))
		return statistic(p, name, out);
	const struct symbol *sym = program_symbol_by_name(p->s->program, name);
	return sym && *p->at != '.'
	               ? add(p, (struct where_node){.op = W_INT, .i = (int64_t)sym->addr}, out)
	               : outside(p, name, strlen(name));
}

/* A word about the machine, beside those of the event: a later look finds something else. */
static bool word_of_machine(struct parser *p, struct where_node n, uint16_t *out)
{
	p->own = false;
	return add(p, n, out);
}

/* In the order of words.c. */
static bool resolve(struct parser *p, const char *name, uint16_t *out)
{
	int field = event_find_field(p->id, name), reg = reg_from_name(name),
	    f = uop_field_find(name);
	if (is_function(name))
		return outside(p, name, strlen(name));
	if (field >= 0)
		return add(
			p,
			(struct where_node){.op = W_FIELD,
		                            .a = (uint16_t)field,
		                            .type = (uint16_t)event_info[p->id].fields[field].type},
			out);
	if (!strcmp(name, "seq") || !strcmp(name, "pc"))
		return add(p, (struct where_node){.op = *name == 's' ? W_SEQ : W_PC}, out);
	if (reg >= 0 && reg < REG_F0)
		return word_of_machine(p, (struct where_node){.op = W_REG, .a = (uint16_t)reg},
		                       out);
	if (!strcmp(name, "cycle") || !strcmp(name, "insts"))
		return word_of_machine(
			p, (struct where_node){.op = *name == 'c' ? W_CYCLE : W_INSTS}, out);
	if (f == UOP_FIELD_op)
		return add(p, (struct where_node){.op = W_OP}, out);
	if (reg >= 0 || !strcmp(name, "event") || !strcmp(name, "newest") ||
	    !strcmp(name, "thread") || (f >= 0 && uop_field_info[f].type == FIELD_INST))
		return outside(p, name, strlen(name));
	if (f >= 0)
		return word_of_machine(
			p,
			(struct where_node){.op = W_UOP,
		                            .a = (uint16_t)f,
		                            .type = (uint16_t)uop_field_info[f].type},
			out);
	const struct symbol *sym = p->s ? program_symbol_by_name(p->s->program, name) : NULL;
	if (!sym || is_among(name, tables) || words_is_group(name))
		return outside(p, name, strlen(name));
	if (!add(p, (struct where_node){.op = W_INT, .i = (int64_t)sym->addr}, out))
		return false;
	p->symbol = sym;
	p->symbol_node = *out;
	return true;
}

static bool word(struct parser *p, uint16_t *out)
{
	char name[128];
	p->at += *p->at == '$'; /* C programmers write $a0 */
	size_t n = 0;
	while (is_name(p->at[n]))
		n++;
	const bool alone = p->id == EV_COUNT;
	if (!n || isdigit((unsigned char)*p->at) || n >= sizeof name || p->at[n] == '$' ||
	    (p->at[n] == '.' && !alone))
		return outside_here(p);
	memcpy(name, p->at, n);
	name[n] = '\0';
	p->at += n;
	if (!strcmp(name, "true") || !strcmp(name, "false"))
		return add(p, (struct where_node){.op = W_BOOL, .i = *name == 't'}, out);
	if (!strcmp(name, "nil"))
		return add(p, (struct where_node){.op = W_NIL}, out);
	return alone ? resolve_alone(p, name, out) : resolve(p, name, out);
}

/* ---- operators ---- */
static bool expression(struct parser *p, unsigned binds, uint16_t *out);

static const struct where_node *constant(const struct parser *p, uint16_t at, enum where_op op)
{
	return p->node[at].op == op ? &p->node[at] : NULL;
}

/* Whether words of this type are always integers. */
static bool is_integer(unsigned type)
{
	return type == FIELD_NUMBER || type == FIELD_BYTES || type == FIELD_CYCLE ||
	       type == FIELD_CYCLES || type == FIELD_SEQ || type == FIELD_ADDRESS ||
	       type == FIELD_PC || type == FIELD_VALUE;
}

/* The one word of this type that has this name, or -1. */
static int64_t word_of_name(enum field_type type, const char *name)
{
	enum { WORDS = 1024 };
	int64_t found = -1;
	for (int64_t i = 0; i < WORDS; i++) {
		struct field_value v = field_value(type, (uint64_t)i);
		if (v.kind != FIELD_IS_TEXT || strcmp(v.text, name) != 0)
			continue;
		if (found >= 0)
			return -1;
		found = i;
	}
	return found;
}

static const char *name_of_field(const struct parser *p, const struct where_node *w)
{
	return w->op == W_OP      ? "op"
	       : w->op == W_FIELD ? event_info[p->id].fields[w->a].name
	                          : uop_field_info[w->a].name;
}

/* A word of an enumeration is compared with a text that is none of its words: that never holds. */
static void check_word(struct parser *p, const struct where_node *w, const char *text)
{
	enum { WORDS = 1024, FEW = 12 };
	const bool worded = w->op == W_OP || w->op == W_FIELD || w->op == W_UOP || w->op == W_ENTRY;
	const enum field_type type = w->op == W_OP ? FIELD_OP : (enum field_type)w->type;
	struct nearest near;
	char list[256] = "";
	unsigned words = 0;
	if (!p->wrong_word || *p->wrong_word->msg || !worded || type == FIELD_INST)
		return;
	nearest_init(&near, text);
	for (uint64_t i = 0; i < WORDS; i++) {
		const struct field_value v = field_value(type, i);
		const size_t used = strlen(list);
		if (v.kind != FIELD_IS_TEXT)
			continue;
		if (!strcmp(v.text, text))
			return;
		nearest_offer(&near, v.text);
		if (words++ < FEW)
			snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", v.text);
	}
	if (!words)
		return;
	const char *name = name_of_field(p, w);
	if (near.best)
		err_set(p->wrong_word, "%s is never '%.60s'; did you mean '%s'?", name, text,
		        near.best);
	else
		err_set(p->wrong_word, "%s is never '%.60s'", name, text);
	const size_t used = strlen(p->wrong_word->msg);
	if (words <= FEW)
		snprintf(p->wrong_word->msg + used, sizeof p->wrong_word->msg - used, "%s %s",
		         near.best ? " Its words are" : "; its words are", list);
}

/* An address of the program is compared with a number: who writes that means the variable. */
static void check_symbol(struct parser *p, uint16_t a, uint16_t b)
{
	const struct symbol *sym = p->symbol;
	if (!p->wrong_word || *p->wrong_word->msg || !sym ||
	    (p->symbol_node != a && p->symbol_node != b))
		return;
	const bool whole = sym->size == 1 || sym->size == 2 || sym->size == 4 || sym->size == 8;
	err_set(p->wrong_word,
	        "'%s' is an address in conditions of events, 0x%" PRIx64
	        ", and compared with a number that never changes",
	        sym->name, sym->addr);
	const size_t used = strlen(p->wrong_word->msg);
	if (!sym->code)
		snprintf(p->wrong_word->msg + used, sizeof p->wrong_word->msg - used,
		         "; mem%u(%s) is what is there", whole ? (unsigned)sym->size * 8 : 64,
		         sym->name);
}

static enum where_op mirrored(enum where_op op)
{
	return op == W_LT ? W_GT : op == W_GT ? W_LT : op == W_LE ? W_GE : op == W_GE ? W_LE : op;
}

/* A comparison of a word of the event with a constant, in one node where there is one for it. */
static bool compare(struct parser *p, enum where_op op, uint16_t a, uint16_t b, uint16_t *out)
{
	if (p->node[a].op == W_INT && p->node[b].op == W_INT)
		check_symbol(p, a, b);
	if (p->node[a].op == W_INT || p->node[a].op == W_TEXT)
		return p->node[b].op > W_TEXT
		               ? compare(p, mirrored(op), b, a, out)
		               : add(p, (struct where_node){.op = op, .a = a, .b = b}, out);
	const struct where_node *w = &p->node[a], *i = constant(p, b, W_INT),
				*t = constant(p, b, W_TEXT);
	struct where_node n = {.op = op, .a = a, .b = b};
	int64_t name = -1;
	if (t && op >= W_NE)
		check_word(p, w, t->text);
	if (t && ((op == W_EQ && w->op == W_OP) ||
	          (op >= W_NE && w->op == W_FIELD && w->type == FIELD_LEVEL)))
		name = word_of_name(w->op == W_OP ? FIELD_OP : FIELD_LEVEL, t->text);
	if (w->op == W_FIELD && is_integer(w->type) && i)
		n = (struct where_node){.op = op - W_LT + W_FIELD_LT, .a = w->a, .i = i->i};
	else if (w->op == W_PC && i)
		n = (struct where_node){.op = op - W_LT + W_PC_LT, .i = i->i};
	else if (name >= 0 && w->op == W_FIELD)
		n = (struct where_node){.op = op - W_LT + W_FIELD_LT, .a = w->a, .i = name};
	else if (name >= 0)
		n = (struct where_node){.op = W_OP_IS, .i = name};
	return add(p, n, out);
}

static bool combine(struct parser *p, enum where_op op, uint16_t a, uint16_t b, uint16_t *out)
{
	const struct where_node *x = constant(p, a, W_INT), *y = constant(p, b, W_INT);
	int64_t folded;
	if (op >= W_LT && op <= W_EQ)
		return compare(p, op, a, b, out);
	if (op > W_AND && x && y && where_arithmetic(op, x->i, y->i, &folded))
		return add(p, (struct where_node){.op = W_INT, .i = folded}, out);
	return add(p, (struct where_node){.op = op, .a = a, .b = b}, out);
}

static bool unary(struct parser *p, enum where_op op, uint16_t *out)
{
	uint16_t a = 0;
	if (!expression(p, UNARY_BINDS, &a))
		return false;
	const struct where_node *i = constant(p, a, W_INT);
	if (i && op != W_NOT)
		return add(p,
		           (struct where_node){.op = W_INT,
		                               .i = op == W_NEG ? (int64_t)(0 - (uint64_t)i->i)
		                                                : ~i->i},
		           out);
	return add(p, (struct where_node){.op = op, .a = a}, out);
}

static bool operand(struct parser *p, uint16_t *out)
{
	blanks(p);
	if (next_is(p, "--"))
		return outside_here(p);
	if (take(p, "not"))
		return unary(p, W_NOT, out);
	if (take(p, "-"))
		return unary(p, W_NEG, out);
	if (!next_is(p, "~=") && take(p, "~"))
		return unary(p, W_BNOT, out);
	if (take(p, "("))
		return expression(p, 0, out) && (take(p, ")") || outside_here(p));
	if (*p->at == '"' || *p->at == '\'')
		return text(p, out);
	return isdigit((unsigned char)*p->at) ? number(p, out) : word(p, out);
}

static const struct binary *next_operator(struct parser *p)
{
	static const char *const others[] = {"--", "..", "::"};
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (next_is(p, others[i]))
			return NULL;
	for (size_t i = 0; i < OPERATORS; i++)
		if (next_is(p, operators[i].text))
			return &operators[i];
	return NULL;
}

/* What binds more tightly than `binds`. */
static bool expression(struct parser *p, unsigned binds, uint16_t *out)
{
	const struct binary *o;
	uint16_t right = 0;
	if (p->depth == WHERE_DEPTH_MAX)
		return err_set(p->err, "the condition is nested too deeply to run without Lua");
	p->depth++;
	*out = 0;
	bool ok = operand(p, out);
	while (ok && (o = next_operator(p)) && o->binds > binds) {
		p->at += strlen(o->text);
		ok = expression(p, o->binds, &right) && combine(p, o->op, *out, right, out);
	}
	p->depth--;
	return ok;
}

/* The operands of `and` at the top, from left to right. */
static bool split(struct where *w, unsigned at)
{
	if (w->node[at].op == W_AND && w->parts < WHERE_PARTS_MAX - 1) {
		/* What stands left of the last `and` is such a chain itself. */
		unsigned right = w->node[at].b;
		if (!split(w, w->node[at].a) || w->parts == WHERE_PARTS_MAX)
			return false;
		w->part[w->parts++] = (uint16_t)right;
		return true;
	}
	if (w->parts == WHERE_PARTS_MAX)
		return false;
	w->part[w->parts++] = (uint16_t)at;
	return true;
}

static struct where *built(const struct parser *p, uint16_t top)
{
	struct where *w = calloc(1, sizeof *w + p->count * sizeof *w->node);
	if (!w)
		return NULL;
	w->id = p->id;
	w->own = p->own;
	w->count = p->count;
	w->top = top;
	memcpy(w->node, p->node, p->count * sizeof *w->node);
	if (!split(w, top)) {
		w->parts = 1;
		w->part[0] = top;
	}
	return w;
}

static struct where *compile(const struct session *s, enum event_id id, const char *text_of,
                             struct err *wrong_word, struct err *err)
{
	struct where *w = NULL;
	uint16_t top = 0;
	struct parser *p = calloc(1, sizeof *p);
	if (p) {
		*p = (struct parser){.s = s,
		                     .id = id,
		                     .at = text_of,
		                     .own = true,
		                     .err = err,
		                     .wrong_word = wrong_word};
		bool ok = expression(p, 0, &top);
		blanks(p);
		if (ok && (!*p->at || outside_here(p)))
			w = built(p, top);
		if (ok && !*p->at && !w)
			err_set(err, "out of memory for a condition");
		for (unsigned i = 0; !w && i < p->count; i++)
			free(p->node[i].text);
	} else {
		err_set(err, "out of memory for a condition");
	}
	free(p);
	return w;
}

struct where *where_compile(const struct session *s, enum event_id id, const char *text_of,
                            struct err *err)
{
	return compile(s, id, text_of, NULL, err);
}

bool where_wrong_word(const struct session *s, enum event_id id, const char *text_of,
                      struct err *err)
{
	struct err wrong = {0}, outside;
	where_free(compile(s, id, text_of, &wrong, &outside));
	return *wrong.msg && (*err = wrong, true);
}

struct where *where_compile_value(const struct session *s, const char *text_of, struct err *err)
{
	return where_compile(s, EV_COUNT, text_of, err);
}

void where_free(struct where *w)
{
	for (unsigned i = 0; w && i < w->count; i++)
		free(w->node[i].text);
	free(w);
}
