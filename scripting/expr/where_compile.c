/* Conditions from trees of expressions (scripting/c/node.h): words are resolved, constants folded,
 * and a comparison of a word of the event with a constant becomes one node. Everything else is
 * refused, and left to C or Lua. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/nearest_word.h"
#include "core/defs/stats.h"
#include "core/isa/regs.h"
#include "core/machine/machine.h"
#include "hwviews/session/session.h"
#include "loader/program.h"
#include "scripting/c/node.h"
#include "scripting/expr/expr_priv.h"
#include "scripting/expr/where_priv.h"
#include "scripting/expr/words.h"

struct builder {
	const struct session *s;
	const struct c_expr *e;
	enum event_id id;
	bool own; /* only words of the event so far */
	struct err *err;
	unsigned count; /* at most one where_node per node of the tree */
	struct where_node node[C_NODES_MAX];
};

/* Names of Lua and of expressions other than the machine's: the first come before all words, the
 * others after words of events. */
static const char *const reserved_names[] = {
	"break", "do", "else",  "elseif", "end",    "for",      "function", "goto",
	"if",    "in", "local", "repeat", "return", "then",     "until",    "while",
	"and",   "or", "not",   "ipairs", "pairs",  "tonumber", "tostring", NULL};
static const char *const table_names[] = {"math", "string", "view", "stat", "config", NULL};

static bool where_refuse(struct builder *b, const struct c_node *n)
{
	return err_set(b->err, "not in the subset that runs without types and Lua: '%.*s'",
	               n->length < 60 ? n->length : 60, b->e->text + n->at);
}

static bool where_add(struct builder *b, struct where_node n, uint16_t *out)
{
	*out = (uint16_t)b->count;
	b->node[b->count++] = n;
	return true;
}

/* ---- words ---- */
static bool is_among(const char *name, const char *const *names)
{
	while (*names && strcmp(*names, name) != 0)
		names++;
	return *names;
}

static bool where_is_function(const char *name)
{
	const char *f, *help;
	if (is_among(name, reserved_names))
		return true;
	for (unsigned i = 0; (f = words_function_name(i, &help)); i++)
		if (!strcmp(name, f))
			return true;
	return false;
}

static bool where_symbol(const struct builder *b, const char *name, struct where_node *out)
{
	const struct symbol *sym = b->s ? program_symbol_by_name(b->s->program, name) : NULL;
	if (sym)
		*out = (struct where_node){.op = W_INT, .i = (int64_t)sym->addr};
	return sym;
}

/* rob.count or rob[1].state, `rest` after the queue's name. */
static bool where_queue_word(enum where_queue q, const char *rest, struct where_node *out)
{
	char *end;
	if (!strcmp(rest, ".count")) {
		*out = (struct where_node){.op = W_COUNT, .a = (uint16_t)q};
		return true;
	}
	if (*rest != '[' || !isdigit((unsigned char)rest[1]))
		return false;
	const unsigned long place = strtoul(rest + 1, &end, 10);
	if (end[0] != ']' || end[1] != '.' || place > INT32_MAX)
		return false;
	const int f = uop_field_find(end + 2);
	if (f < 0 || uop_field_info[f].type == FIELD_INST)
		return false;
	*out = (struct where_node){.op = W_ENTRY,
	                           .a = (uint16_t)f,
	                           .b = (uint16_t)q,
	                           .type = (uint16_t)uop_field_info[f].type,
	                           .i = (int64_t)place};
	return true;
}

/* Finds a statistic of this machine. */
static bool where_statistic(const struct builder *b, const char *name, struct where_node *out)
{
	for (size_t i = 0; i < stat_row_count; i++)
		if (!strcmp(stat_rows[i].name, name) &&
		    stat_exists(machine_config(b->s->machine), &stat_rows[i])) {
			*out = (struct where_node){.op = stat_rows[i].derived ? W_RATIO : W_COUNTER,
			                           .a = (uint16_t)i};
			return true;
		}
	return false;
}

/* Resolves a word without an event, in the order of words.c; rest: the text after the name. */
static bool where_resolve_alone(const struct builder *b, const char *word, const char *name,
                                const char *rest, struct where_node *out)
{
	static const char *const queues[] = {"rob", "lsq", "fetchq"};
	/* groups with words besides statistics */
	static const char *const own[] = {"sampler", "cop", "vsample", NULL};
	const int reg = reg_from_name(name);
	if (where_is_function(name) || reg >= REG_F0 || !strcmp(name, "newest") ||
	    !strcmp(name, "thread") || !b->s || !b->s->machine)
		return false;
	const bool cycle = !strcmp(name, "cycle");
	if (reg >= 0)
		*out = (struct where_node){.op = W_REG, .a = (uint16_t)reg};
	else if (!strcmp(name, "pc"))
		*out = (struct where_node){.op = W_PLACE};
	else if (cycle || !strcmp(name, "insts"))
		*out = (struct where_node){.op = cycle ? W_CYCLE : W_INSTS};
	if (reg >= 0 || !strcmp(name, "pc") || cycle || !strcmp(name, "insts"))
		return !*rest;
	if (is_among(name, table_names) || is_among(name, own) || words_is_xprof(name))
		return false;
	for (unsigned i = 0; i < 3 && (*rest == '[' || !strcmp(rest, ".count")); i++)
		if (!strcmp(name, queues[i]))
			return where_queue_word((enum where_queue)i, rest, out);
	if (words_is_group(name))
		return *rest == '.' && where_statistic(b, word, out);
	return !*rest && where_symbol(b, name, out);
}

/* The machine's word: the condition is no longer about the event alone, and later evaluation may
 * differ. */
static bool where_of_machine(struct builder *b, struct where_node n, struct where_node *out)
{
	b->own = false;
	*out = n;
	return true;
}

/* Resolves a word about an event in the order of words.c. */
static bool where_resolve_event(struct builder *b, const char *name, struct where_node *out)
{
	const int field = event_find_field(b->id, name), reg = reg_from_name(name),
		  f = uop_field_find(name);
	if (where_is_function(name))
		return false;
	if (field >= 0) {
		*out = (struct where_node){.op = W_FIELD,
		                           .a = (uint16_t)field,
		                           .type = (uint16_t)event_info[b->id].fields[field].type};
		return true;
	}
	if (!strcmp(name, "seq") || !strcmp(name, "pc")) {
		*out = (struct where_node){.op = *name == 's' ? W_SEQ : W_PC};
		return true;
	}
	if (reg >= 0 && reg < REG_F0)
		return where_of_machine(b, (struct where_node){.op = W_REG, .a = (uint16_t)reg},
		                        out);
	if (!strcmp(name, "cycle") || !strcmp(name, "insts"))
		return where_of_machine(
			b, (struct where_node){.op = *name == 'c' ? W_CYCLE : W_INSTS}, out);
	if (f == UOP_FIELD_op) {
		*out = (struct where_node){.op = W_OP};
		return true;
	}
	if (reg >= 0 || !strcmp(name, "event") || !strcmp(name, "newest") ||
	    !strcmp(name, "thread") || (f >= 0 && uop_field_info[f].type == FIELD_INST))
		return false;
	if (f >= 0)
		return where_of_machine(
			b,
			(struct where_node){.op = W_UOP,
		                            .a = (uint16_t)f,
		                            .type = (uint16_t)uop_field_info[f].type},
			out);
	return !is_among(name, table_names) && !words_is_group(name) && where_symbol(b, name, out);
}

/* The word of a node: C_WORD, or a function of the program, in buf; NULL for any other node. */
static const char *where_word_of(const struct builder *b, const struct c_node *n, char *buf,
                                 size_t room)
{
	if (n->op == C_WORD)
		return n->word;
	if (n->op != C_VARIABLE || n->name.kind != SCOPE_FUNCTION || n->length >= room)
		return NULL;
	memcpy(buf, b->e->text + n->at, n->length);
	buf[n->length] = '\0';
	return buf;
}

static bool where_build_word(struct builder *b, const struct c_node *n, uint16_t *out)
{
	char name[128], text[128];
	const char *word = where_word_of(b, n, text, sizeof text);
	struct where_node made = {0};
	size_t length = 0;
	while (word && (isalnum((unsigned char)word[length]) || word[length] == '_'))
		length++;
	if (!word || length >= sizeof name)
		return where_refuse(b, n);
	memcpy(name, word, length);
	name[length] = '\0';
	const bool known = b->id == EV_COUNT
	                           ? where_resolve_alone(b, word, name, word + length, &made)
	                           : !word[length] && where_resolve_event(b, name, &made);
	return known ? where_add(b, made, out) : where_refuse(b, n);
}

static bool where_build_constant(struct builder *b, const struct c_node *n, uint16_t *out)
{
	const struct c_value *v = &n->value;
	struct where_node made = {.op = v->truth ? W_BOOL : W_INT};
	uint64_t bits;
	struct err err;
	if (v->where == C_TEXT || *v->text) {
		made.op = v->nil ? W_NIL : W_TEXT;
		if (!v->nil && !(made.text = alloc_text(v->text)))
			return err_set(b->err, "out of memory for a condition");
		return where_add(b, made, out);
	}
	if (v->type.kind != CTYPE_INT || !c_bits(NULL, v, &bits, &err))
		return where_refuse(b, n);
	made.i = (int64_t)bits;
	return where_add(b, made, out);
}

/* ---- operators ---- */
static const enum where_op operator_of[] = {
	[C_EITHER] = W_OR,   [C_BOTH] = W_AND, [C_LT] = W_LT,   [C_GT] = W_GT,   [C_LE] = W_LE,
	[C_GE] = W_GE,       [C_NE] = W_NE,    [C_EQ] = W_EQ,   [C_OR] = W_BOR,  [C_XOR] = W_XOR,
	[C_AND] = W_BAND,    [C_SHL] = W_SHL,  [C_SHR] = W_SHR, [C_ADD] = W_ADD, [C_SUB] = W_SUB,
	[C_MUL] = W_MUL,     [C_DIV] = W_IDIV, [C_MOD] = W_MOD, [C_NOT] = W_NOT, [C_NEGATE] = W_NEG,
	[C_INVERT] = W_BNOT,
};

/* Whether words of this type are always integers. */
static bool is_integer(unsigned type)
{
	return type == FIELD_NUMBER || type == FIELD_BYTES || type == FIELD_CYCLE ||
	       type == FIELD_CYCLES || type == FIELD_SEQ || type == FIELD_ADDRESS ||
	       type == FIELD_PC || type == FIELD_VALUE;
}

/* The value of this type with this name; *twin: a second value with the same name (RV32 has such
 * operations), or -1. Returns -1 if there is none, or a third. */
static int64_t word_of_name(enum field_type type, const char *name, int64_t *twin)
{
	enum { WORDS = 1024 };
	int64_t found = -1;
	*twin = -1;
	for (int64_t i = 0; i < WORDS; i++) {
		struct field_value v = field_value(type, (uint64_t)i);
		if (v.kind != FIELD_IS_TEXT || strcmp(v.text, name) != 0)
			continue;
		if (*twin >= 0)
			return -1;
		*(found >= 0 ? twin : &found) = i;
	}
	return found;
}

static enum where_op where_mirror(enum where_op op)
{
	return op == W_LT ? W_GT : op == W_GT ? W_LT : op == W_LE ? W_GE : op == W_GE ? W_LE : op;
}

/* Adds a comparison: of an event's word with a constant as a single node, if such a node exists. */
static bool where_add_comparison(struct builder *b, enum where_op op, uint16_t x, uint16_t y,
                                 uint16_t *out)
{
	const struct where_node *w = &b->node[x], *with = &b->node[y];
	if ((w->op == W_INT || w->op == W_TEXT) && with->op > W_TEXT)
		return where_add_comparison(b, where_mirror(op), y, x, out);
	struct where_node n = {.op = op, .a = x, .b = y};
	int64_t name = -1, twin = -1;
	if (with->op == W_TEXT && ((op == W_EQ && w->op == W_OP) ||
	                           (op >= W_NE && w->op == W_FIELD && w->type == FIELD_LEVEL)))
		name = word_of_name(w->op == W_OP ? FIELD_OP : FIELD_LEVEL, with->text, &twin);
	if (w->op == W_FIELD && is_integer(w->type) && with->op == W_INT)
		n = (struct where_node){.op = op - W_LT + W_FIELD_LT, .a = w->a, .i = with->i};
	else if (w->op == W_PC && with->op == W_INT)
		n = (struct where_node){.op = op - W_LT + W_PC_LT, .i = with->i};
	else if (name >= 0 && w->op == W_FIELD && twin < 0)
		n = (struct where_node){.op = op - W_LT + W_FIELD_LT, .a = w->a, .i = name};
	else if (name >= 0 && w->op == W_OP)
		n = (struct where_node){.op = W_OP_IS, .i = name,
		                        .a = (uint16_t)(twin >= 0 ? twin : name)};
	return where_add(b, n, out);
}

static bool where_add_binary(struct builder *b, enum where_op op, uint16_t x, uint16_t y,
                             uint16_t *out)
{
	const bool constant = b->node[x].op == W_INT && b->node[y].op == W_INT;
	if (op >= W_LT && op <= W_EQ)
		return where_add_comparison(b, op, x, y, out);
	*out = x;
	return (op > W_AND && constant &&
	        where_arithmetic(op, b->node[x].i, b->node[y].i, &b->node[x].i)) ||
	       where_add(b, (struct where_node){.op = op, .a = x, .b = y}, out);
}

static bool where_add_unary(struct builder *b, enum where_op op, uint16_t x, uint16_t *out)
{
	struct where_node *n = &b->node[x];
	if (n->op != W_INT || op == W_NOT)
		return where_add(b, (struct where_node){.op = op, .a = x}, out);
	n->i = op == W_NEG ? (int64_t)(0 - (uint64_t)n->i) : ~n->i;
	*out = x;
	return true;
}

static bool where_build(struct builder *b, uint16_t i, uint16_t *out)
{
	const struct c_node *n = &b->e->nodes[i];
	uint16_t x = 0, y = 0;
	if (n->op == C_NUMBER)
		return where_build_constant(b, n, out);
	if (n->op == C_WORD || n->op == C_VARIABLE)
		return where_build_word(b, n, out);
	const enum where_op op =
		n->op < sizeof operator_of / sizeof *operator_of ? operator_of[n->op] : W_NIL;
	if (op == W_NIL)
		return where_refuse(b, n);
	if (!where_build(b, n->arg[0], &x))
		return false;
	if (n->args == 1)
		return where_add_unary(b, op, x, out);
	return where_build(b, n->arg[1], &y) && where_add_binary(b, op, x, y, out);
}

static void where_drop_texts(struct builder *b)
{
	for (unsigned i = 0; i < b->count; i++)
		free(b->node[i].text);
	b->count = 0;
}

/* ---- trees of C that need no types ---- */
/* A number whose type does not matter. */
static bool where_is_plain_number(const struct c_node *n)
{
	return n->op == C_NUMBER && n->value.where == C_BYTES && !*n->value.text &&
	       n->value.type.kind == CTYPE_INT && n->value.type.is_signed;
}

static bool where_is_plain_text(const struct c_node *n)
{
	return n->op == C_NUMBER && n->value.where == C_TEXT;
}

static bool where_is_plain_function(const struct c_node *n)
{
	return n->op == C_VARIABLE && n->name.kind == SCOPE_FUNCTION;
}

/* *wide: the value has 64 bits. */
static bool where_is_plain_value(const struct c_expr *e, uint16_t i, bool *wide)
{
	const struct c_node *n = &e->nodes[i];
	bool a, b;
	*wide = n->op == C_WORD || where_is_plain_function(n) ||
	        (where_is_plain_number(n) && n->value.type.size == 8);
	switch (n->op) {
	case C_NEGATE:
		return where_is_plain_value(e, n->arg[0], wide);
	case C_ADD:
	case C_SUB:
	case C_MUL:
		if (!where_is_plain_value(e, n->arg[0], &a) ||
		    !where_is_plain_value(e, n->arg[1], &b))
			return false;
		*wide = true;
		return a || b;
	default:
		return *wide || where_is_plain_number(n);
	}
}

static bool where_is_plain_comparison(const struct c_expr *e, const struct c_node *n)
{
	const bool same = n->op == C_EQ || n->op == C_NE;
	bool wide;
	for (unsigned i = 0; i < 2; i++)
		if (!where_is_plain_value(e, n->arg[i], &wide) &&
		    !(same && where_is_plain_text(&e->nodes[n->arg[i]])))
			return false;
	return true;
}

static bool where_is_plain_condition(const struct c_expr *e, uint16_t i)
{
	const struct c_node *n = &e->nodes[i];
	switch (n->op) {
	case C_LT:
	case C_GT:
	case C_LE:
	case C_GE:
	case C_EQ:
	case C_NE:
		return where_is_plain_comparison(e, n);
	case C_BOTH:
	case C_EITHER:
		return where_is_plain_condition(e, n->arg[0]) &&
		       where_is_plain_condition(e, n->arg[1]);
	case C_NOT:
		return where_is_plain_condition(e, n->arg[0]);
	default:
		return false;
	}
}

/* Whether the tree means the same without types: comparisons of words and numbers, and their
 * conjunctions. */
static bool where_is_plain(const struct c_expr *e)
{
	bool wide;
	return where_is_plain_condition(e, e->root) || where_is_plain_value(e, e->root, &wide);
}

/* ---- whole conditions ---- */
/* Splits the top-level `and` into its operands, from left to right. */
static bool where_split_and(struct where *w, unsigned at)
{
	if (w->node[at].op == W_AND && w->parts < WHERE_PARTS_MAX - 1) {
		/* The left operand of the last `and` is such a chain itself. */
		unsigned right = w->node[at].b;
		if (!where_split_and(w, w->node[at].a) || w->parts == WHERE_PARTS_MAX)
			return false;
		w->part[w->parts++] = (uint16_t)right;
		return true;
	}
	if (w->parts == WHERE_PARTS_MAX)
		return false;
	w->part[w->parts++] = (uint16_t)at;
	return true;
}

static struct where *where_of_builder(const struct builder *b, uint16_t top)
{
	struct where *w = alloc_zeroed(1, sizeof *w + b->count * sizeof *w->node);
	if (!w)
		return err_set(b->err, "out of memory for a condition"), NULL;
	w->id = b->id;
	w->own = b->own;
	w->count = b->count;
	w->top = top;
	memcpy(w->node, b->node, b->count * sizeof *w->node);
	if (!where_split_and(w, top)) {
		w->parts = 1;
		w->part[0] = top;
	}
	return w;
}

static struct builder *where_new_builder(const struct session *s, enum event_id id,
                                         const struct c_expr *e, struct err *err)
{
	struct builder *b = alloc_bytes(sizeof *b);
	if (b)
		*b = (struct builder){.s = s, .e = e, .id = id, .own = true, .err = err};
	else
		err_set(err, "out of memory for a condition");
	return b;
}

static struct where *where_of_tree(const struct session *s, enum event_id id,
                                   const struct c_expr *e, struct err *err)
{
	struct builder *b = where_new_builder(s, id, e, err);
	uint16_t top = 0;
	struct where *w = b && where_build(b, e->root, &top) ? where_of_builder(b, top) : NULL;
	if (b && !w)
		where_drop_texts(b);
	free(b);
	return w;
}

struct where *where_compile(const struct session *s, enum event_id id, const char *text,
                            struct err *err)
{
	bool whole;
	struct c_expr *e = c_parse_lua(text, id == EV_COUNT, &whole, err);
	struct where *w = e && whole ? where_of_tree(s, id, e, err) : NULL;
	c_free(e);
	return w;
}

struct where *where_compile_value(const struct expr *e, struct err *err)
{
	const struct session *s = e->x->w->s;
	if (e->c && where_is_plain(e->c))
		return where_of_tree(s, EV_COUNT, e->c, err);
	if (!e->c && e->alone)
		return where_compile(s, EV_COUNT, expr_lua_text(e), err);
	return err_set(err, "the program's types, or Lua, give its meaning"), NULL;
}

void where_free(struct where *w)
{
	for (unsigned i = 0; w && i < w->count; i++)
		free(w->node[i].text);
	free(w);
}

/* ---- words that never hold ---- */
static const char *where_field_name(const struct builder *b, const struct where_node *w)
{
	return w->op == W_OP      ? "op"
	       : w->op == W_FIELD ? event_info[b->id].fields[w->a].name
	                          : uop_field_info[w->a].name;
}

/* Reports a comparison of a word of an enumeration with a text that is none of its words: it never
 * holds. */
static void where_check_word(const struct builder *b, const struct where_node *w, const char *text,
                             struct err *err)
{
	enum { WORDS = 1024, FEW = 12 };
	const bool worded = w->op == W_OP || w->op == W_FIELD || w->op == W_UOP || w->op == W_ENTRY;
	const enum field_type type = w->op == W_OP ? FIELD_OP : (enum field_type)w->type;
	struct nearest near;
	char list[256] = "";
	unsigned words = 0;
	if (!worded || type == FIELD_INST)
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
	const char *name = where_field_name(b, w);
	err_set(err, "%s is never '%.60s'%s", name, text, nearest_tail(&near));
	const size_t used = strlen(err->msg);
	if (words <= FEW)
		snprintf(err->msg + used, sizeof err->msg - used, "%s %s",
		         near.best ? " Its words are" : "; its words are", list);
}

/* Reports a comparison of a symbol's address with a number: the user probably means the
 * variable. */
static void where_check_symbol(const struct builder *b, const char *name, struct err *err)
{
	const struct symbol *sym = program_symbol_by_name(b->s->program, name);
	const bool whole = sym->size == 1 || sym->size == 2 || sym->size == 4 || sym->size == 8;
	err_set(err,
	        "'%s' is an address in conditions of events, 0x%" PRIx64
	        ", and compared with a number that never changes",
	        sym->name, sym->addr);
	const size_t used = strlen(err->msg);
	if (!sym->code)
		snprintf(err->msg + used, sizeof err->msg - used, "; mem%u(%s) is what is there",
		         whole ? (unsigned)sym->size * 8 : 64, sym->name);
}

/* Checks a comparison. False: it never holds; *err has the reason. */
static bool where_check_comparison(struct builder *b, const struct c_node *n, struct err *err)
{
	uint16_t at[2] = {0, 0};
	if (!where_build(b, n->arg[0], &at[0]) || !where_build(b, n->arg[1], &at[1]))
		return true;
	const bool numbers = b->node[at[0]].op == W_INT && b->node[at[1]].op == W_INT;
	for (unsigned i = 2; i-- && b->id != EV_COUNT && numbers && !*err->msg;) {
		const struct c_node *side = &b->e->nodes[n->arg[i]];
		if (side->op == C_WORD)
			where_check_symbol(b, side->word, err);
	}
	for (unsigned i = 0; i < 2 && (n->op == C_EQ || n->op == C_NE) && !*err->msg; i++)
		if (b->node[at[!i]].op == W_TEXT)
			where_check_word(b, &b->node[at[i]], b->node[at[!i]].text, err);
	return !*err->msg;
}

static bool where_find_wrong_word(const struct session *s, enum event_id id, const struct c_expr *e,
                                  struct err *err)
{
	struct err why, wrong = {0};
	struct builder *b = where_new_builder(s, id, e, &why);
	bool fine = true;
	for (size_t i = 0; b && i < e->count && fine; i++) {
		const struct c_node *n = &e->nodes[i];
		fine = n->op < C_LT || n->op > C_NE || where_check_comparison(b, n, &wrong);
		where_drop_texts(b);
	}
	free(b);
	if (!fine)
		*err = wrong;
	return !fine;
}

bool where_wrong_word(const struct session *s, enum event_id id, const char *text, struct err *err)
{
	struct err outside;
	bool whole;
	struct c_expr *e = c_parse_lua(text, id == EV_COUNT, &whole, &outside);
	const bool found = e && where_find_wrong_word(s, id, e, err);
	c_free(e);
	return found;
}

bool where_wrong_value(const struct expr *e, struct err *err)
{
	const struct session *s = e->x->w->s;
	return e->c ? where_find_wrong_word(s, EV_COUNT, e->c, err)
	            : where_wrong_word(s, EV_COUNT, expr_lua_text(e), err);
}
