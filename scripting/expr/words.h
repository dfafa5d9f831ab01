/* Words: names of a machine's parts, for expressions and scripts. Registers, symbols, statistics,
 * queues, parameters, views, functions that read memory, and, while an event is delivered, fields
 * of the event and of its instruction.
 *
 * Each `struct words` belongs to one machine; a Lua state may have several. It is a userdata that
 * all tables and functions made from it refer to, so it outlives them. When the machine is closed,
 * set `s` to NULL: every word then fails with a message. Words do not change the machine. */
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
	/* borrowed; NULL: no program, or the machine was closed */
	struct session *s;
	const struct machine *m; /* of the evaluation under way, NULL: the session's */
	const struct event *ev;  /* the event evaluated, NULL: none */
	bool sample;             /* the event is empty: only the kinds of its words count */
	/* only checks whether a name has a meaning: its value is not used */
	bool names_only;
	bool views_used;         /* tables of views are cached: words_forget_views() */
	/* tables of views are not cached: evaluations are at different moments */
	bool live;
	/* names (scripting/binding.h) that messages may suggest, too; NULL: none */
	const char *object;
};

/* Pushes a new struct words, a userdata, for this session (may be NULL), and returns it. */
struct words *words_new(lua_State *L, struct session *s);
/* Pushes the environment in which the words of the userdata at `index` are names: a read-only
 * table. The table on top of the stack, which is popped, holds further names, such as the base
 * library's. */
void words_push_env(lua_State *L, int index);
/* Whether a name has a meaning that precedes variables of the program: a register, a count, and, if
 * `next` follows it, a function or a group. */
bool words_come_first(const char *name, char next);
/* Drops cached tables of views, with the userdata at `index`; call when the machine has changed. */
void words_forget_views(lua_State *L, int index);

/* Names of the functions and values, NULL if i is too large; for completion and help. */
const char *words_name(unsigned i, const char **help);

/* ---- words_values.c ---- */
/* The machine of the evaluation; a Lua error if there is none. */
const struct machine *words_machine(lua_State *L, const struct words *w);

/* An element of a table of the machine, by number; its fields are looked up when used. */
struct words_place {
	struct words *words; /* kept alive by its user value */
	uint32_t number, part; /* a part of the element, such as a way of a set; else 0 */
};
/* Pushes a place as a userdata with this metatable; the words' userdata is at `index`. */
void words_push_place(lua_State *L, int index, struct words_place at, const char *meta);

void words_push_value(lua_State *L, struct field_value v);
/* Pushes a cell's number, or its text. */
void words_push_cell(lua_State *L, const struct cell *c);
/* Pushes a field of an instruction in flight; nil if u is NULL or the hardware has no value yet. */
void words_push_uop_field(lua_State *L, const struct words *w, const struct uop *u,
                          enum uop_field f);
/* Creates a metatable under this name, unless it exists, for words of hardware. index: returns a
 * field of the value; text: its text. */
void words_metatable(lua_State *L, const char *name, lua_CFunction index, lua_CFunction text);

/* ---- words_event.c ---- */
/* Pushes an event as a table of its own: name, cycle, seq, pc, op and the fields of its kind, as
 * field_value() gives them. */
void words_push_event(lua_State *L, const struct event *ev);
/* Pushes the event's field i. */
void words_push_event_field(lua_State *L, const struct event *ev, unsigned i);

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

/* Pushes the meaning of a word for the event under evaluation: its fields, seq, pc, event. False:
 * none. */
bool words_push_event_word(lua_State *L, const struct words *w, const char *name);
/* Likewise for the words of the event's instruction. */
bool words_push_inst_word(lua_State *L, const struct words *w, const char *name);
/* True if a name is a group of statistics or parameters, or a queue ("sim", "rob"). */
bool words_is_group(const char *name);
/* words_xprof.c. words_is_xprof: true if a group has words of Xprof. words_push_xprof: pushes the
 * word for the key (an integer or a string) at `key`, false if there is none. words_tell_xprof: the
 * possible keys, for messages. */
bool words_is_xprof(const char *group);
bool words_push_xprof(lua_State *L, const char *group, int key);
const char *words_tell_xprof(const char *group);
void words_open_xprof(lua_State *L);
/* words_sampler.c: likewise for group "sampler", which also has statistics and parameters. */
bool words_push_sampler(lua_State *L, int key);
const char *words_tell_sampler(void);
void words_open_sampler(lua_State *L);
/* words_cop.c: likewise for group "cop". Statistics and parameters hide register names of the
 * microprogram. */
bool words_push_cop(lua_State *L, int key);
bool words_push_cop_named(lua_State *L, const char *name);
const char *words_tell_cop(void);
void words_open_cop(lua_State *L);
/* words_vsample.c: likewise for group "vsample". */
bool words_push_vsample(lua_State *L, int key);
const char *words_tell_vsample(void);
/* Pushes a group's table; false if there is none. */
bool words_push_group(lua_State *L, const char *name);
/* Pushes the table of a view ("btb", "mem sp 64"). False with *err if there is no such view, or it
 * can't be built. */
bool words_push_view(lua_State *L, const char *words, struct err *err);

#endif
