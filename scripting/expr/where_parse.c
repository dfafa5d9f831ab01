/* Parses conditions into trees: the part of Lua's expressions that runs in C. Everything else is
 * refused; Lua then decides whether it is an expression at all. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/nearest_word.h"
#include "core/machine/machine.h"
#include "hwviews/session/session.h"
#include "loader/program.h"
#include "scripting/expr/where_parser.h"
#include "scripting/expr/where_priv.h"
#include "scripting/expr/words.h"

/* Binary operators with Lua's precedence, all left-associative; longer spellings first. */
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

const char *const where_reserved[] = {
	"break", "do", "else",  "elseif", "end",    "for",      "function", "goto",
	"if",    "in", "local", "repeat", "return", "then",     "until",    "while",
	"and",   "or", "not",   "ipairs", "pairs",  "tonumber", "tostring", NULL};
const char *const where_tables[] = {"math", "string", "view", "stat", "config", NULL};

bool where_outside(struct parser *p, const char *what, size_t n)
{
	return err_set(p->err, "not in the subset that runs without Lua: '%.*s'",
	               (int)(n < 60 ? n : 60), what);
}

bool where_outside_here(struct parser *p)
{
	return *p->at ? where_outside(p, p->at, strlen(p->at))
	              : err_set(p->err, "the condition ends too early");
}

bool where_is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static void where_parse_skip_blanks(struct parser *p)
{
	p->at += strspn(p->at, " \t");
}

bool where_next_is(struct parser *p, const char *text)
{
	size_t n = strlen(text);
	where_parse_skip_blanks(p);
	return !strncmp(p->at, text, n) &&
	       (!isalpha((unsigned char)*text) || !where_is_name(p->at[n]));
}

static bool where_parse_match_token(struct parser *p, const char *text)
{
	if (!where_next_is(p, text))
		return false;
	p->at += strlen(text);
	return true;
}

bool where_add(struct parser *p, struct where_node n, uint16_t *out)
{
	if (p->count == WHERE_NODES_MAX) {
		free(n.text);
		return err_set(p->err, "the condition is too long to run without Lua");
	}
	*out = (uint16_t)p->count;
	p->node[p->count++] = n;
	return true;
}

/* ---- operators ---- */
static bool where_parse_expression(struct parser *p, unsigned binds, uint16_t *out);

static const struct where_node *where_parse_constant_node(const struct parser *p, uint16_t at,
                                                          enum where_op op)
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

/* The only word of this type with this name, or -1. */
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

/* Reports a comparison of a word of an enumeration with a text that is none of its words: it never
 * holds. */
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
	err_set(p->wrong_word, "%s is never '%.60s'%s", name, text, nearest_tail(&near));
	const size_t used = strlen(p->wrong_word->msg);
	if (words <= FEW)
		snprintf(p->wrong_word->msg + used, sizeof p->wrong_word->msg - used, "%s %s",
		         near.best ? " Its words are" : "; its words are", list);
}

/* Reports a comparison of a symbol's address with a number: the user probably means the
 * variable. */
static void where_parse_check_symbol(struct parser *p, uint16_t a, uint16_t b)
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

static enum where_op where_parse_mirror_operator(enum where_op op)
{
	return op == W_LT ? W_GT : op == W_GT ? W_LT : op == W_LE ? W_GE : op == W_GE ? W_LE : op;
}

/* Adds a comparison; of a word of the event with a constant, as one node if there is one for it. */
static bool where_parse_add_comparison(struct parser *p, enum where_op op, uint16_t a, uint16_t b,
                                       uint16_t *out)
{
	if (p->node[a].op == W_INT && p->node[b].op == W_INT)
		where_parse_check_symbol(p, a, b);
	if (p->node[a].op == W_INT || p->node[a].op == W_TEXT)
		return p->node[b].op > W_TEXT
		               ? where_parse_add_comparison(p, where_parse_mirror_operator(op), b,
		                                            a, out)
		               : where_add(p, (struct where_node){.op = op, .a = a, .b = b}, out);
	const struct where_node *w = &p->node[a], *i = where_parse_constant_node(p, b, W_INT),
				*t = where_parse_constant_node(p, b, W_TEXT);
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
	return where_add(p, n, out);
}

static bool where_parse_add_binary(struct parser *p, enum where_op op, uint16_t a, uint16_t b,
                                   uint16_t *out)
{
	const struct where_node *x = where_parse_constant_node(p, a, W_INT),
				*y = where_parse_constant_node(p, b, W_INT);
	int64_t folded;
	if (op >= W_LT && op <= W_EQ)
		return where_parse_add_comparison(p, op, a, b, out);
	if (op > W_AND && x && y && where_arithmetic(op, x->i, y->i, &folded))
		return where_add(p, (struct where_node){.op = W_INT, .i = folded}, out);
	return where_add(p, (struct where_node){.op = op, .a = a, .b = b}, out);
}

static bool where_parse_unary(struct parser *p, enum where_op op, uint16_t *out)
{
	uint16_t a = 0;
	if (!where_parse_expression(p, UNARY_BINDS, &a))
		return false;
	const struct where_node *i = where_parse_constant_node(p, a, W_INT);
	if (i && op != W_NOT)
		return where_add(p,
		                 (struct where_node){
					 .op = W_INT,
					 .i = op == W_NEG ? (int64_t)(0 - (uint64_t)i->i) : ~i->i},
		                 out);
	return where_add(p, (struct where_node){.op = op, .a = a}, out);
}

static bool where_parse_operand(struct parser *p, uint16_t *out)
{
	where_parse_skip_blanks(p);
	if (where_next_is(p, "--"))
		return where_outside_here(p);
	if (where_parse_match_token(p, "not"))
		return where_parse_unary(p, W_NOT, out);
	if (where_parse_match_token(p, "-"))
		return where_parse_unary(p, W_NEG, out);
	if (!where_next_is(p, "~=") && where_parse_match_token(p, "~"))
		return where_parse_unary(p, W_BNOT, out);
	if (where_parse_match_token(p, "("))
		return where_parse_expression(p, 0, out) &&
		       (where_parse_match_token(p, ")") || where_outside_here(p));
	if (*p->at == '"' || *p->at == '\'')
		return where_text(p, out);
	return isdigit((unsigned char)*p->at) ? where_number(p, out) : where_word(p, out);
}

static const struct binary *where_parse_next_operator(struct parser *p)
{
	static const char *const others[] = {"--", "..", "::"};
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (where_next_is(p, others[i]))
			return NULL;
	for (size_t i = 0; i < OPERATORS; i++)
		if (where_next_is(p, operators[i].text))
			return &operators[i];
	return NULL;
}

/* Parses operators that bind more tightly than `binds`. */
static bool where_parse_expression(struct parser *p, unsigned binds, uint16_t *out)
{
	const struct binary *o;
	uint16_t right = 0;
	if (p->depth == WHERE_DEPTH_MAX)
		return err_set(p->err, "the condition is nested too deeply to run without Lua");
	p->depth++;
	*out = 0;
	bool ok = where_parse_operand(p, out);
	while (ok && (o = where_parse_next_operator(p)) && o->binds > binds) {
		p->at += strlen(o->text);
		ok = where_parse_expression(p, o->binds, &right) &&
		     where_parse_add_binary(p, o->op, *out, right, out);
	}
	p->depth--;
	return ok;
}

/* Splits the top-level `and` into its operands, from left to right. */
static bool where_parse_split_and(struct where *w, unsigned at)
{
	if (w->node[at].op == W_AND && w->parts < WHERE_PARTS_MAX - 1) {
		/* The left operand of the last `and` is such a chain itself. */
		unsigned right = w->node[at].b;
		if (!where_parse_split_and(w, w->node[at].a) || w->parts == WHERE_PARTS_MAX)
			return false;
		w->part[w->parts++] = (uint16_t)right;
		return true;
	}
	if (w->parts == WHERE_PARTS_MAX)
		return false;
	w->part[w->parts++] = (uint16_t)at;
	return true;
}

static struct where *where_parse_build_tree(const struct parser *p, uint16_t top)
{
	struct where *w = alloc_zeroed(1, sizeof *w + p->count * sizeof *w->node);
	if (!w)
		return NULL;
	w->id = p->id;
	w->own = p->own;
	w->count = p->count;
	w->top = top;
	memcpy(w->node, p->node, p->count * sizeof *w->node);
	if (!where_parse_split_and(w, top)) {
		w->parts = 1;
		w->part[0] = top;
	}
	return w;
}

static struct where *where_parse_compile(const struct session *s, enum event_id id,
                                         const char *text_of, struct err *wrong_word,
                                         struct err *err)
{
	struct where *w = NULL;
	uint16_t top = 0;
	struct parser *p = alloc_zeroed(1, sizeof *p);
	if (p) {
		*p = (struct parser){.s = s,
		                     .id = id,
		                     .at = text_of,
		                     .own = true,
		                     .err = err,
		                     .wrong_word = wrong_word};
		bool ok = where_parse_expression(p, 0, &top);
		where_parse_skip_blanks(p);
		if (ok && (!*p->at || where_outside_here(p)))
			w = where_parse_build_tree(p, top);
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
	return where_parse_compile(s, id, text_of, NULL, err);
}

bool where_wrong_word(const struct session *s, enum event_id id, const char *text_of,
                      struct err *err)
{
	struct err wrong = {0}, outside;
	where_free(where_parse_compile(s, id, text_of, &wrong, &outside));
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
