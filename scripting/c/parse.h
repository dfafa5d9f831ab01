/* Shared by the files that parse expressions: compile.c, parse.c, parse_name.c, parse_type.c and,
 * for Lua's operands, parse_lua.c. */
#ifndef CYCLOPS_SCRIPTING_C_PARSE_H
#define CYCLOPS_SCRIPTING_C_PARSE_H

#include "scripting/c/node.h"

struct parser {
	struct c_expr *e;
	const char *text, *s;
	struct scope_chain chain;
	bool has_chain;
	bool no_variables; /* names of the program are the inspector's words */
	bool is_c;         /* the text has an element that only C can read */
	bool lua;          /* the grammar is Lua's: its operands, and its precedence */
	bool suffixes;     /* Lua, for words with subscripts: rob[1].state */
	bool computes;  /* an operator means something else in the words' language */
	bool assigned; /* the value of an assignment: lists may be nested, and have texts */
	unsigned calls; /* open calls of the inspector's functions */
	unsigned depth;
	unsigned brackets; /* open brackets, within which a comma separates */
	struct err *err;
};

/* Result in place of a node's number. */
enum { PARSE_FAILED = UINT16_MAX };

/* ---- parse.c ---- */
void parse_skip(struct parser *p);
/* Skips the token if it is next. */
bool parse_take(struct parser *p, const char *token);
bool parse_word_char(char ch);
bool parse_word_start(char ch);
/* Returns PARSE_FAILED; sets the reason unless one is set. */
uint16_t parse_fail(struct parser *p, const char *what);
uint16_t parse_node(struct parser *p, enum c_op op, const char *from, unsigned args,
                    const uint16_t *arg);
uint16_t parse_leaf(struct parser *p, enum c_op op, const char *from, const char *word, size_t n);
uint16_t parse_constant(struct parser *p, const char *from, struct c_value v);
/* An expression without commas, such as an argument. */
uint16_t parse_expression(struct parser *p);
/* Operators and their operands, without assignments and `?:`. */
uint16_t parse_operators(struct parser *p);
/* An operand with its prefix and postfix operators. */
uint16_t parse_unary(struct parser *p);
static inline const struct scope_chain *parse_chain(const struct parser *p)
{
	return p->has_chain ? &p->chain : NULL;
}

/* ---- parse_name.c: numbers, texts, names ---- */
uint16_t parse_number(struct parser *p);
uint16_t parse_quoted(struct parser *p);
uint16_t parse_name(struct parser *p);
/* A plain name, cut to n - 1 characters; false if none is here. */
bool parse_plain_name(struct parser *p, char *name, size_t n);
/* Parses a name with scopes or template arguments: "geo::Shape", "Stack<int, 8>". False, with the
 * position unchanged, if there is none. */
bool parse_scoped_name(struct parser *p, char *name, size_t n);

/* ---- parse_lua.c ---- */
uint16_t parse_lua_operand(struct parser *p);

/* ---- parse_type.c ---- */
/* Parses a type's name with its stars; *declared: the program declares the type. False, with the
 * position unchanged, if there is none. */
bool parse_type_name(struct parser *p, struct ctype *out, bool *declared);

uint16_t parse_comma(struct parser *p);

#endif
