/* What the files of expressions share: expr.c and, for what is C, expr_c.c and expr_computed.c. */
#ifndef CYCLOPS_SCRIPTING_EXPR_EXPR_PRIV_H
#define CYCLOPS_SCRIPTING_EXPR_EXPR_PRIV_H

#include "scripting/c/c.h"
#include "scripting/expr/expr.h"
#include "scripting/expr/words.h"
#include "scripting/host/host.h"

struct exprs {
	struct lua_host *host; /* owned */
	lua_State *L;          /* its */
	struct words *w;       /* owned by Lua */
	int words;             /* registry: w */
	int env;               /* registry: what expressions see as _ENV */
	int show;              /* registry: the function that shows a table */
	unsigned level;        /* of the selected call, as long as the cycle is level_cycle */
	uint64_t level_cycle;
	struct c_calls calls;  /* of the evaluation under way */
	struct c_value last;   /* what was computed last by expr_compute(), with calls */
	struct c_kept *kept;   /* owned: values that were printed, variables of its own */
	struct c_limits limits;
	expr_change_fn *change; /* how assignments are made; NULL: there are none */
	void *change_ctx;
};

struct expr {
	struct exprs *x;
	int ref;   /* registry: the function */
	char *lua; /* owned: its text */
	struct c_expr *c; /* owned: instead of both, what is C */
	bool alone;
};

/* Compiles what is Lua. NULL with *err. */
struct expr *expr_compile_lua(struct exprs *x, const char *text, struct err *err);
/* What is C: its value, and its value where a whole number is needed. False with *err. */
void expr_set_text(struct expr_value *v, enum expr_type type, const char *s);
/* A Lua value, in C. */
void expr_to_c(const struct expr_value *v, struct c_value *out);
bool expr_eval_c(struct expr *e, const struct machine *m, const struct event *ev,
                 struct expr_value *out, struct err *err);
bool expr_integer_c(struct expr *e, struct expr_value *out, struct err *err);

/* Where names are looked up. */
struct c_scope expr_scope_of(const struct exprs *x, enum expr_scope scope, uint64_t addr);

/* The value, with x->calls as they are on m. */
bool expr_c_value_of(struct expr *e, const struct machine *m, const struct event *ev,
                     struct c_value *v, struct err *err);
bool expr_plain_value(const struct exprs *x, const struct c_value *of, struct expr_value *out,
                      struct err *err);

#endif
