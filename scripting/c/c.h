/* C expressions: expressions with variables of the program. Operators, conversions and types are
 * C's; names that are not the program's are the inspector's words, each evaluated separately, as
 * are calls (`str(name)`). For scripting/ only.
 *
 * Names are bound when the text is compiled: to the variables of one call or of a place in the
 * program. Values are read each time. */
#ifndef CYCLOPS_SCRIPTING_C_C_H
#define CYCLOPS_SCRIPTING_C_C_H

#include "scripting/c/value.h"

struct c_expr;

/* Scope in which a text's names are looked up. */
struct c_scope {
	enum { C_FRAME, C_PLACE, C_NO_VARIABLES } kind;
	/* C_FRAME: the call, 0: the innermost; later evaluations use the same call */
	size_t level;
	/* C_PLACE: an address; evaluations use the innermost call of its function */
	uint64_t addr;
};

/* Target and value of an assignment. */
struct c_target {
	enum { C_TO_MEMORY, C_TO_REG, C_TO_PC } kind;
	uint64_t addr;     /* C_TO_MEMORY: from here on, */
	const void *bytes; /* [n] */
	size_t n;
	unsigned reg;      /* C_TO_REG */
	uint64_t bits;     /* C_TO_REG, C_TO_PC */
};

/* A call of a function of the program (scripting/c/calling.h): registers and memory to set before
 * it, and its results. Argument places are not used by its performer. */
enum { C_STACK_MAX = 4096, C_PUSHED_MAX = 64 };
struct c_invocation {
	uint64_t function;
	uint64_t back;     /* return address: in the call's stack, where nothing is executed */
	uint64_t sp, top;  /* the call's stack is [sp, top) */
	uint8_t stack[C_STACK_MAX]; /* its bytes, up to top */
	uint64_t set;      /* bit r: register r is reg[r] */
	uint64_t reg[64];
	uint64_t a[2], fa[2]; /* results */
	char name[80];     /* for messages */
	/* being built: */
	unsigned word;     /* bytes of an integer register */
	unsigned ints, floats, pushes;
	uint64_t pushed[C_PUSHED_MAX];
	uint64_t result;   /* address of a result in memory, 0: none */
	bool too_large;    /* the result */
};

/* Printed values, and the inspector's own variables ($i), of a session. */
struct c_kept;
struct c_kept *c_kept_new(void); /* NULL: memory is out */
void c_kept_free(struct c_kept *k); /* takes NULL */
/* Keeps a value as the newest; returns its number, from 1 on, 0: out of memory. */
size_t c_keep(struct c_kept *k, const struct c_calls *calls, const struct c_value *v);
size_t c_kept_count(const struct c_kept *k);
/* The value with this number; false with *err. */
bool c_kept_value(const struct c_kept *k, size_t number, struct c_value *out, struct err *err);
/* The variable of this name; void if there is none. */
void c_kept_variable(const struct c_kept *k, const char *name, struct c_value *out);
bool c_keep_variable(struct c_kept *k, const struct c_calls *calls, const char *name,
                     const struct c_value *v, struct err *err);
/* Name of the i-th variable; NULL if i is too large. */
const char *c_kept_name(const struct c_kept *k, size_t i);

/* The inspector's words, supplied by the caller of c_compile(). */
struct c_words {
	void *ctx;
	/* Whether the word has precedence over a variable of the same name; `next` follows it. */
	bool (*is_word)(void *ctx, const char *name, char next);
	/* Compiles "rob.count", "str(66572)"; NULL with *err. */
	void *(*compile)(void *ctx, const char *text, struct err *err);
	bool (*eval)(void *ctx, void *word, struct c_value *out, struct err *err);
	void (*free)(void *ctx, void *word);
	/* Whether "$NAME" is a register. */
	bool (*is_register)(void *ctx, const char *name);
	/* Address of a symbol that is not a variable of C; false: no such symbol. */
	bool (*symbol)(void *ctx, const char *name, uint64_t *addr, uint64_t *size);
	/* Size of the symbol that begins at the address, 0: none. */
	uint64_t (*symbol_size)(void *ctx, uint64_t addr);
	/* Makes an assignment; NULL: assignments are not allowed. */
	bool (*write)(void *ctx, const struct c_target *t, struct err *err);
	/* Calls a function of the program; NULL: functions are not called. */
	bool (*call)(void *ctx, struct c_invocation *call, struct err *err);
	struct c_kept *kept; /* borrowed */
};

/* Compiles a C expression. NULL with *is_c false: the text is a single word of the inspector, or
 * not C (reason in *err). NULL with *is_c true: the text has elements that only C has, and *err is
 * the error. */
struct c_expr *c_compile(const struct program *p, const struct machine *m,
                         const struct c_scope *scope, const struct c_words *words, const char *text,
                         bool *is_c, struct err *err);
void c_free(struct c_expr *e); /* takes NULL */
/* The tree of a Lua expression of operators, numbers, texts and words; suffixes: words like
 * rob[1].state, too. For scripting/expr/where.h; never evaluated. *whole false with *err: the tree
 * ends before the first other element. NULL with *err. */
struct c_expr *c_parse_lua(const char *text, bool suffixes, bool *whole, struct err *err);
/* True if the expression has names of the program, or other elements that only C has. */
bool c_has_variables(const struct c_expr *e);
/* Makes evaluation compute only types, so that a division by zero is no error. */
void c_only_types(struct c_expr *e);
/* True if the expression assigns, or calls functions of the program. */
bool c_assigns(const struct c_expr *e);
/* Calls fn for each word of the inspector's until it returns false. */
bool c_each_word(const struct c_expr *e, bool (*fn)(void *ctx, void *word), void *ctx);
/* True if names of the expression belong to a function, and have values in any call of it; there
 * may be none now. */
bool c_awaits_call(const struct c_expr *e);
/* True if names of the expression belong to a certain call; and true if that call has not returned.
 */
bool c_is_of_call(const struct c_expr *e);
bool c_lasts(struct c_expr *e, struct c_calls *calls);
/* The present level of that call. False: the call has ended. */
bool c_level(struct c_expr *e, struct c_calls *calls, size_t *level);
/* False with *err. calls: initialised by c_calls_init() for the present. */
bool c_eval(struct c_expr *e, struct c_calls *calls, struct c_value *out, struct err *err);
/* Finds a type by name, as in `ptype struct node`, or the type of a function of this name; false if
 * the text is neither. */
bool c_type_named(const struct program *p, const struct machine *m, const struct c_scope *scope,
                  const char *text, struct ctype *out);

#endif
