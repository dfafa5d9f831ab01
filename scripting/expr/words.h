/* Words: what a name means about a machine, to expressions and scripts alike. Registers, symbols,
 * statistics, queues, parameters, views, the functions that read memory, and, while an event is
 * told, its fields and those of its instruction.
 *
 * One `struct words` is about one machine; several may live in one Lua state. It is a userdata that
 * all tables and functions made of it hold on to, so none outlives it. Who closes the machine sets
 * `s` to NULL: every word then fails with a message. Nothing here changes the machine. */
#ifndef CYCLOPS_SCRIPTING_EXPR_WORDS_H
#define CYCLOPS_SCRIPTING_EXPR_WORDS_H

#include <lua.h>

#include "core/base/err.h"
#include "core/defs/events.h"
#include "hwviews/grid/field_text.h"
#include "hwviews/grid/grid.h"
#include "hwviews/session/session.h"
#include "hwviews/session/uop_fields.h"

struct words {
	/* borrowed; NULL: there is no program, or its machine was closed */
	struct session *s;
	const struct machine *m; /* of the evaluation under way, NULL: the session's */
	const struct event *ev;  /* that it is about, NULL: none */
	bool sample;             /* the event means nothing: only the kinds of its words count */
	/* a name is asked for to see whether it means anything: its value is of no interest */
	bool names_only;
	bool views_used;         /* tables of views are kept: words_forget_views() */
	/* no table of a view is kept: who asks does so at different moments */
	bool live;
	/* whose names (scripting/binding.h) messages may suggest too; NULL: nobody's */
	const char *object;
};

/* Pushes a new one, a userdata, about this session (may be NULL), and returns it. */
struct words *words_new(lua_State *L, struct session *s);
/* Pushes the environment in which the words of the userdata at `index` are names: a table that
 * can't be assigned to. The table on top of the stack, which is popped, holds further names, such
 * as the base library's. */
void words_push_env(lua_State *L, int index);
/* Whether a name means something before variables of the program are thought of: a register, a
 * count, and, where `next` follows it, a function or a group. */
bool words_come_first(const char *name, char next);
/* What views showed is of one moment only: to be called when that is over, with the userdata at
 * `index`. */
void words_forget_views(lua_State *L, int index);

/* The machine under evaluation; a Lua error if there is none. */
const struct machine *words_machine(lua_State *L, const struct words *w);

/* Names of the functions and values, NULL behind the last; for completion and help. */
const char *words_name(unsigned i, const char **help);

/* A place of a table of the machine, by number: what stands there is looked up when it is asked
 * for. */
struct words_place {
	struct words *words; /* its user value */
	uint32_t number, part; /* of what has parts, such as a way of a set; else 0 */
};
/* Pushes one as a userdata of this metatable; that of the words is at `index`. */
void words_push_place(lua_State *L, int index, struct words_place at, const char *meta);

void words_push_value(lua_State *L, struct field_value v);
/* Its number, or its text. */
void words_push_cell(lua_State *L, const struct cell *c);
/* Pushes an event as a table of its own: name, cycle, seq, pc, op and the fields of its kind, as
 * field_value() has them. */
void words_push_event(lua_State *L, const struct event *ev);

/* ---- for the files of words only; called from functions whose first upvalue is the userdata ----
 */
static inline struct words *words_here(lua_State *L)
{
	return lua_touserdata(L, lua_upvalueindex(1));
}

/* words_functions.c: sets the functions in the table on top; the userdata is at `index`. */
void words_open_functions(lua_State *L, int index);
const char *words_function_name(unsigned i, const char **help);
/* words_hw.c: sets stat, config, view in the table on top. */
void words_open_hw(lua_State *L, int index);

/* A field of an instruction in flight; nil if u is NULL or the hardware has none yet. */
void words_push_uop_field(lua_State *L, const struct words *w, const struct uop *u,
                          enum uop_field f);
/* Pushes what a word means for the event under evaluation: its fields, seq, pc, event. False:
 * nothing. */
bool words_push_event_word(lua_State *L, const struct words *w, const char *name);
/* The same for the words of its instruction. */
bool words_push_inst_word(lua_State *L, const struct words *w, const char *name);
/* Whether a name is that of a group of statistics, parameters or a queue ("sim", "rob"). */
bool words_is_group(const char *name);
/* words_xprof.c: whether a group has words of Xprof; pushes the one for the key at `key`, a whole
 * number or a string, false if there is none; what it may be, for people. */
bool words_is_xprof(const char *group);
bool words_push_xprof(lua_State *L, const char *group, int key);
const char *words_tell_xprof(const char *group);
void words_open_xprof(lua_State *L);
/* words_sampler.c: the same of group "sampler", which has statistics and parameters, too. */
bool words_push_sampler(lua_State *L, int key);
const char *words_tell_sampler(void);
void words_open_sampler(lua_State *L);
/* words_cop.c: the same of group "cop". Names that the program gives its registers come behind
 * statistics and parameters. */
bool words_push_cop(lua_State *L, int key);
bool words_push_cop_named(lua_State *L, const char *name);
const char *words_tell_cop(void);
void words_open_cop(lua_State *L);
/* words_vsample.c: the same of group "vsample". */
bool words_push_vsample(lua_State *L, int key);
const char *words_tell_vsample(void);
/* Pushes its table; false if there is none. */
bool words_push_group(lua_State *L, const char *name);
/* Pushes the table of a view ("btb", "mem sp 64"); false with *err if there is none or it can't be
 * built. */
bool words_push_view(lua_State *L, const char *words, struct err *err);

/* A metatable under this name, unless there is one: what its values' fields and their text are. For
 * the words of hardware. */
void words_metatable(lua_State *L, const char *name, lua_CFunction index, lua_CFunction text);

#endif
