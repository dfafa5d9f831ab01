/* Expressions of C: what is typed with a variable of the program in it. Its operators, conversions
 * and types are C's; names that are none of the program's are the inspector's words, each evaluated
 * by itself, as are calls (`str(name)`). For scripting/ only.
 *
 * Names are bound when the text is compiled: to the variables of one call or of a place in the
 * program. Values are read each time. */
#ifndef CYCLOPS_SCRIPTING_C_C_H
#define CYCLOPS_SCRIPTING_C_C_H

#include "scripting/c/value.h"

struct c_expr;

/* Where a text's names are looked up. */
struct c_scope {
	enum { C_FRAME, C_PLACE } kind;
	/* C_FRAME: the call, 0: the innermost; later evaluations are about the same call */
	size_t level;
	/* C_PLACE: an address; evaluations are about the innermost call of its function */
	uint64_t addr;
};

/* The inspector's words, as whoever compiles gives them. */
struct c_words {
	void *ctx;
	/* Whether the word keeps its meaning although a variable has the name; `next` follows it.
	 */
	bool (*is_word)(void *ctx, const char *name, char next);
	/* Compiles "rob.count", "str(66572)"; NULL with *err. */
	void *(*compile)(void *ctx, const char *text, struct err *err);
	bool (*eval)(void *ctx, void *word, struct c_value *out, struct err *err);
	void (*free)(void *ctx, void *word);
};

/* NULL with *is_c false: the text has nothing of C that only C can read. NULL with *is_c true and
 * *err: it has, and is wrong. */
struct c_expr *c_compile(const struct program *p, const struct machine *m,
                         const struct c_scope *scope, const struct c_words *words, const char *text,
                         bool *is_c, struct err *err);
void c_free(struct c_expr *e); /* takes NULL */
/* Whether its names are about whatever call of a function there is, and it may have none now. */
bool c_awaits_call(const struct c_expr *e);
/* Whether its names are about a call, and whether it goes on. */
bool c_is_of_call(const struct c_expr *e);
bool c_lasts(struct c_expr *e, struct c_calls *calls);
/* The level of that call now. False: it doesn't go on. */
bool c_level(struct c_expr *e, struct c_calls *calls, size_t *level);
/* False with *err. calls is the moment's: c_calls_init(). */
bool c_eval(struct c_expr *e, struct c_calls *calls, struct c_value *out, struct err *err);
/* The type that is named, as in `ptype struct node`, or that the function of the name has: false if
 * the text is neither. */
bool c_type_named(const struct program *p, const struct machine *m, const struct c_scope *scope,
                  const char *text, struct ctype *out);

#endif
