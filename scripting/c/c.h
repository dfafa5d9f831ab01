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
	enum { C_FRAME, C_PLACE, C_NO_VARIABLES } kind;
	/* C_FRAME: the call, 0: the innermost; later evaluations are about the same call */
	size_t level;
	/* C_PLACE: an address; evaluations are about the innermost call of its function */
	uint64_t addr;
};

/* What an assignment writes. */
struct c_target {
	enum { C_TO_MEMORY, C_TO_REG, C_TO_PC } kind;
	uint64_t addr;     /* C_TO_MEMORY: from here on, */
	const void *bytes; /* [n] */
	size_t n;
	unsigned reg;      /* C_TO_REG */
	uint64_t bits;     /* C_TO_REG, C_TO_PC */
};

/* The values that were shown, and the variables of the inspector's own ($i): of a session. */
struct c_kept;
struct c_kept *c_kept_new(void); /* NULL: memory is out */
void c_kept_free(struct c_kept *k); /* takes NULL */
/* Keeps a value as the newest; its number, from 1 on, 0: there is no room. */
size_t c_keep(struct c_kept *k, const struct c_calls *calls, const struct c_value *v);
size_t c_kept_count(const struct c_kept *k);
/* The value of that number; false with *err. */
bool c_kept_value(const struct c_kept *k, size_t number, struct c_value *out, struct err *err);
/* The variable of that name; void if it has none. */
void c_kept_variable(const struct c_kept *k, const char *name, struct c_value *out);
bool c_keep_variable(struct c_kept *k, const struct c_calls *calls, const char *name,
                     const struct c_value *v, struct err *err);
/* Name of the i-th; NULL behind the last. */
const char *c_kept_name(const struct c_kept *k, size_t i);

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
	/* Whether "$NAME" is a register. */
	bool (*is_register)(void *ctx, const char *name);
	/* Where a symbol is that is no variable of C; false: there is none. */
	bool (*symbol)(void *ctx, const char *name, uint64_t *addr, uint64_t *size);
	/* As many bytes as the symbol at the address has, 0: none begins there. */
	uint64_t (*symbol_size)(void *ctx, uint64_t addr);
	/* Does what an assignment says; NULL: nothing is assigned here. */
	bool (*write)(void *ctx, const struct c_target *t, struct err *err);
	struct c_kept *kept; /* borrowed */
};

/* NULL with *is_c false: the text is a word of the inspector's alone, or no C; then *err says why
 * not. NULL with *is_c true and *err: it has something that only C can read, and is wrong. */
struct c_expr *c_compile(const struct program *p, const struct machine *m,
                         const struct c_scope *scope, const struct c_words *words, const char *text,
                         bool *is_c, struct err *err);
void c_free(struct c_expr *e); /* takes NULL */
/* Whether it has names of the program's C, or something else that only C knows. */
bool c_has_variables(const struct c_expr *e);
/* Whether scripting/expr/where.h, which knows no types, computes the same of its text: comparisons
 * of words and numbers, and their conjunctions. */
bool c_is_plain(const struct c_expr *e);
/* From now on only the types of its values count: a division by zero is none. */
void c_only_types(struct c_expr *e);
/* Whether it assigns. */
bool c_assigns(const struct c_expr *e);
/* Calls fn for each word of the inspector's until it returns false. */
bool c_each_word(const struct c_expr *e, bool (*fn)(void *ctx, void *word), void *ctx);
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
