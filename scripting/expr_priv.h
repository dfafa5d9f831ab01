/* Shared by the files of expressions. */
#ifndef CYCLOPS_SCRIPTING_EXPR_PRIV_H
#define CYCLOPS_SCRIPTING_EXPR_PRIV_H

#include <lua.h>

#include "hwviews/field.h"
#include "hwviews/session.h"
#include "hwviews/uop_fields.h"
#include "scripting/expr.h"

struct exprs {
	lua_State *L;              /* owned */
	struct session *s;         /* borrowed, may be NULL */
	const struct machine *m;   /* of the evaluation under way */
	const struct event *ev;    /* that it is about, NULL: none */
	bool sample;               /* the event means nothing: only the kinds of its words count */
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
/* A field of an instruction in flight; nil if u is NULL or the hardware has none yet. */
void expr_push_uop_field(lua_State *L, const struct uop *u, enum uop_field f);

/* ---- expr_event.c ---- */
/* Pushes an event as a table of its own: name, cycle, seq, pc, op and the fields of its kind, as field_value() has them. */
void expr_push_event(lua_State *L, const struct event *ev);
/* Pushes what a word means for the event under evaluation: its fields, seq, pc, event. False: nothing. */
bool expr_push_event_word(lua_State *L, const char *name);
/* The same for the words of its instruction. */
bool expr_push_inst_word(lua_State *L, const char *name);

/* ---- expr_hw.c ---- */
/* Pushes the table of a group of statistics, parameters or a queue ("sim", "rob"); false if there is none. */
bool expr_push_group(lua_State *L, const char *name);
/* Pushes the table of a view ("btb", "mem sp 64"); false with *err if there is none or it can't be built. */
bool expr_push_view(lua_State *L, const char *words, struct err *err);

#endif
