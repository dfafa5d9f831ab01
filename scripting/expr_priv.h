/* Shared by the files of expressions. */
#ifndef CYCLOPS_SCRIPTING_EXPR_PRIV_H
#define CYCLOPS_SCRIPTING_EXPR_PRIV_H

#include <lua.h>

#include "hwviews/field.h"
#include "hwviews/session.h"
#include "scripting/expr.h"

struct exprs {
	lua_State *L;              /* owned */
	struct session *s;         /* borrowed, may be NULL */
	const struct machine *m;   /* of the evaluation under way */
	size_t bytes;              /* that Lua holds */
	int env;                   /* registry: what expressions see as _ENV */
	int show;                  /* registry: the function that shows a table */
	int views;                 /* registry: tables of views built in this evaluation, by their words */
	bool views_used;
};

static inline struct exprs *exprs_of(lua_State *L)
{
	return *(struct exprs **)lua_getextraspace(L);
}

/* The machine under evaluation; a Lua error if there is none. */
const struct machine *expr_machine(lua_State *L);

/* Each fills the environment table on top of the stack.
 * ---- expr_names.c ---- */
void expr_open_names(lua_State *L);

/* ---- expr_hw.c ---- */
void expr_open_hw(lua_State *L);
void expr_push_value(lua_State *L, struct field_value v);
/* Pushes the table of a group of statistics, parameters or a queue ("sim", "rob"); false if there is none. */
bool expr_push_group(lua_State *L, const char *name);
/* Pushes the table of a view ("btb", "mem sp 64"); false with *err if there is none or it can't be built. */
bool expr_push_view(lua_State *L, const char *words, struct err *err);

#endif
