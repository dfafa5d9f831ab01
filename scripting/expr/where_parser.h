/* The parser of conditions: where_parse.c reads operators, where_names.c numbers, texts and names.
 */
#ifndef CYCLOPS_SCRIPTING_EXPR_WHERE_PARSER_H
#define CYCLOPS_SCRIPTING_EXPR_WHERE_PARSER_H

#include "loader/program.h"
#include "hwviews/session/session.h"
#include "scripting/expr/where_priv.h"

struct parser {
	const struct session *s;
	enum event_id id;
	const char *at; /* the next token, maybe after blanks */
	unsigned depth;
	bool own;
	struct err *err;
	const struct symbol *symbol; /* the last symbol named; NULL: none */
	uint16_t symbol_node;        /* the node with its address */
	/* where_wrong_word()'s *err, "" if no such error; NULL: not wanted */
	struct err *wrong_word;
	unsigned count;
	struct where_node node[WHERE_NODES_MAX];
};

/* Names of Lua and of expressions other than the machine's: where_reserved come before all words,
 * where_tables after words of events. */
extern const char *const where_reserved[];
extern const char *const where_tables[];
bool where_outside(struct parser *p, const char *what, size_t n);
bool where_outside_here(struct parser *p);
bool where_is_name(char c);
/* Whether the next token is this one, then skips it. A word must end there. */
bool where_next_is(struct parser *p, const char *text);
bool where_add(struct parser *p, struct where_node n, uint16_t *out);
bool where_number(struct parser *p, uint16_t *out);
bool where_text(struct parser *p, uint16_t *out);
bool where_word(struct parser *p, uint16_t *out);

#endif
