/* Shared by the files of expressions: expr.c and, for C, expr_c.c and expr_computed.c. */
#ifndef CYCLOPS_SCRIPTING_EXPR_EXPR_PRIV_H
#define CYCLOPS_SCRIPTING_EXPR_EXPR_PRIV_H

#include <string.h>

#include "scripting/c/c.h"
#include "scripting/expr/expr.h"
#include "scripting/expr/words.h"
#include "scripting/host/host.h"

struct exprs {
	struct lua_host *host; /* owned */
	lua_State *L;          /* borrowed from host */
	struct words *w;       /* owned by Lua */
	int words;             /* registry: w */
	int env;               /* registry: _ENV of expressions */
	int show;              /* registry: the function that shows a table */
	unsigned level;        /* of the selected call, valid in cycle level_cycle */
	uint64_t level_cycle;
	struct c_calls calls;  /* of the evaluation under way */
	struct c_value last;   /* last value of expr_compute(), with calls */
	struct c_kept *kept;   /* owned: printed values, and the inspector's own variables */
	struct c_limits limits;
	expr_change_fn *change; /* makes assignments; NULL: none are allowed */
	expr_call_fn *call;     /* calls the program's functions; NULL: none are called */
	void *change_ctx;
};

struct expr {
	struct exprs *x;
	int ref;   /* registry: the function */
	char *lua; /* owned: its text */
	struct c_expr *c; /* owned: C, in place of both */
	bool alone;
};

/* The text of an expression that is Lua. */
static inline const char *expr_lua_text(const struct expr *e)
{
	return e->lua + strlen("return ");
}
/* Compiles Lua. NULL with *err. */
struct expr *expr_compile_lua(struct exprs *x, const char *text, struct err *err);
/* Sets a text value, truncated. */
void expr_set_text(struct expr_value *v, enum expr_type type, const char *s);
/* Converts a Lua value to a C value. */
void expr_to_c(const struct exprs *x, const struct expr_value *v, struct c_value *out);
/* Evaluate a C expression; the second where an integer is needed. False with *err. */
bool expr_eval_c(struct expr *e, const struct machine *m, const struct event *ev,
                 struct expr_value *out, struct err *err);
bool expr_integer_c(struct expr *e, struct expr_value *out, struct err *err);

/* Scope in which names are looked up. */
struct c_scope expr_scope_of(const struct exprs *x, enum expr_scope scope, uint64_t addr);

/* Evaluates it, with x->calls unwound on m. */
bool expr_c_value_of(struct expr *e, const struct machine *m, const struct event *ev,
                     struct c_value *v, struct err *err);
bool expr_plain_value(const struct exprs *x, const struct c_value *of, struct expr_value *out,
                      struct err *err);

#endif
