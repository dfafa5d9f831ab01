/* Shared by the files of the Lua API. For scripting/ only.
 *
 * A machine is a userdata of type MACHINE. Closing it, explicitly or by the collector, leaves the
 * userdata with s == NULL; objects made from it (m.regs, a snapshot) check that first. */
#ifndef CYCLOPS_SCRIPTING_API_H
#define CYCLOPS_SCRIPTING_API_H

#include <lauxlib.h>
#include <lua.h>

#include "core/machine/change.h"
#include "core/run/run.h"
#include "hwviews/grid/view.h"
#include "scripting/binding.h"
#include "scripting/expr/expr.h"
#include "scripting/expr/words.h"
#include "scripting/host/host.h"
#include "scripting/script_options.h"

#define MACHINE "cyclops.machine"

struct script {
	struct lua_host *host; /* owned */
	struct script_options opt;
	char *path;            /* its file's path, owned; NULL: none */
	char *folder;          /* the folder of that; owned */
	char *const *argv;     /* its arguments while it runs; [argc], borrowed */
	int argc;
	int env;               /* registry: the globals */
	int show;              /* registry: the function that formats a value */
	struct lua_machine *machines; /* open ones, the newest first */
	bool loaded;           /* the last text was Lua */
	unsigned made;         /* machines made so far */
	struct hook *hooks;    /* the oldest first */
	unsigned hooked;       /* hooks made so far */
	int by_machine;        /* registry: machines by address, weak */
	int event;             /* registry: the event object that hooks get */
	struct lua_event *e;   /* that object */
	/* a hook failed in the current or last motion: why, and where */
	bool failed;
	struct err failure;
	char failure_trace[4096];
	unsigned failed_hook;  /* the number of that hook */
	/* number of the hook that requested a stop in this motion; 0: none */
	unsigned stopped_by;
	struct own_view *own_views; /* defined by cyclops.view, the newest first; define_view.c */
	struct view_list views;     /* for sessions, oldest first */
	/* defined by cyclops.command, the oldest first; define_command.c */
	struct own_command *commands;
	/* strings of definitions, also of replaced ones: panes may still show them */
	struct own_text *texts;
	unsigned texts_count;
	/* a closed machine's commands left an incomplete file; lost_why: the reason */
	bool lost;
	struct err lost_why;        /* of the first */
	/* the view or hook whose function runs now and may change nothing; NULL: none */
	const char *reader;
	struct run *volatile moving; /* the innermost motion under way, for script_interrupt() */
};

/* User values of a machine: objects made from it. */
enum {
	MACHINE_WORDS = 1,
	MACHINE_ENV,
	MACHINE_PARTS,
	MACHINE_HOOKS /* functions by number */,
	MACHINE_VALUES
};

struct lua_machine {
	struct script *script;    /* borrowed */
	struct plugin_set *plugins; /* owned; NULL: none */
	struct value_modules *values; /* owned; NULL: none */
	struct session *s;        /* owned if `owned`; NULL: closed */
	struct words *w;          /* user value MACHINE_WORDS */
	struct exprs *exprs;      /* owned; expressions in texts */
	void *commands;           /* owned, made by the command port on first use */
	int input;                /* host descriptor of the guest's input, owned; -1: none */
	int text;                 /* descriptor of the executable assembled from a text, owned; -1:
				   * none */
	bool owned;               /* the script made it */
	bool echo;                /* guest output goes to the script's */
	bool in_hook;             /* a hook of it runs: changes take effect after the cycle */
	struct state_table *states; /* owned; the oldest first */
	int kept;                 /* registry: the userdata of a machine that is not owned */
	char name[64];
	struct lua_machine *next; /* of script->machines */
};

static inline struct script *script_of(lua_State *L)
{
	return host_owner(host_of(L));
}

/* parts.c */
/* The open machine at `index`; a Lua error if it is closed or something else. */
struct lua_machine *api_machine(lua_State *L, int index);
/* The machine of a part (m.regs, m.mem), a userdata made by api_push_part(): its user value 1. */
struct lua_machine *api_machine_of_part(lua_State *L, int index, const char *type);
/* Pushes the part of the machine at `index`, creating it on first use. The metatable `type` must
 * exist. */
void api_push_part(lua_State *L, int index, const char *type);
/* Makes the metatable of a kind of parts, with these functions; scripts can neither see nor change
 * it. */
void api_new_part(lua_State *L, const char *type, const luaL_Reg *functions);
/* Like api_new_part(), for a part with the methods of binding object `name`. Its other fields are
 * evaluated as in expressions: m.sampler. */
void api_new_worded_part(lua_State *L, const char *type, const char *name);
/* The session of the machine in argument 1. */
static inline struct session *api_session(lua_State *L)
{
	return api_machine(L, 1)->s;
}
/* Pushes the userdata of a machine. */
void api_push_again(lua_State *L, struct lua_machine *m);
/* Raises an error if the machine is moving (in a hook or condition). */
void api_refuse_moving(lua_State *L, const struct lua_machine *m, const char *what);

/* Raises an error for a change while a view is being built. */
void api_refuse_reader(lua_State *L, const struct script *s, const char *what);

/* machine.c */
/* Pushes a machine for a session that may be in use already. */
struct lua_machine *api_push_machine(lua_State *L, struct session *s, bool owned, struct err *err);
void api_close_machine(struct lua_machine *m);

/* print.c */
/* Lua's `print`: to the script's output. */
int script_print(lua_State *L);
/* Prints the values on the stack as one line, tables by their contents; nothing if there are
 * none. */
int script_show(lua_State *L);

/* define_view.c: gives the script's views to the machine's session. */
void own_views_give(struct lua_machine *m);
void own_views_take(struct lua_machine *m);
void own_views_free(struct script *s);
/* define_command.c */
void own_commands_free(struct script *s);

/* define_text.c: strings of definitions, kept as long as the script. */
/* A copy of the text at `index`. */
const char *own_text(lua_State *L, int index);
void own_texts_free(struct script *s);
/* A copy of the string field of the table at 1; dflt if it is missing; an error if it is required
 * (dflt NULL). */
const char *own_option(lua_State *L, const char *what, const char *name, const char *dflt);

/* new.c: cyclops.machine{...} */
int api_new_machine(lua_State *L);
/* Adds the compressor's stages in the value on top: a FILE, a text, or a list of these in the order
 * of the chain. */
void api_add_stages(lua_State *L, struct plugin_set *set);

/* files.c: whether a file is an assembly text; assembling texts, paths[count], to one program gives
 * a descriptor of an executable, -1 with *err */
bool api_is_assembly(const char *path);
int api_assemble(char *const *paths, unsigned count, bool rv32, struct err *err);

/* options.c: reading a table of options */
/* Raises an error that names the nearest key if the table at `index` has a key that is not in names
 * (NULL at the end). */
void api_check_keys(lua_State *L, int index, const char *what, const char *const *names);
/* Pushes the field; returns true if it is not nil. A value of another type raises an error. */
bool api_option(lua_State *L, int index, const char *name, int type);
/* A non-negative count; dflt if the field is missing. */
uint64_t api_option_count(lua_State *L, int index, const char *name, uint64_t dflt);
bool api_option_flag(lua_State *L, int index, const char *name, bool dflt);

/* With --lua-safe, raises an error unless path is below the current directory or the script's own
 * folder, or is one of its arguments. */
void api_check_path(lua_State *L, const char *path, const char *what);

/* An address at `index`: an integer, or a text in the syntax of commands ("main", "words.c:41"). */
uint64_t api_address(lua_State *L, int index, const struct session *s);
/* A non-negative count; dflt if the argument is missing. */
uint64_t api_count(lua_State *L, int index, uint64_t dflt);

/* motion.c */
/* Pushes the table that describes why a motion ended. */
void api_push_stop(lua_State *L, struct lua_machine *m, const struct run_stop_info *info,
                   const char *reason);

struct compressor;
struct grid;

/* compressor.c */
/* Pushes the fields of an entry of a compressor's stage, as a table. */
void api_push_entry(lua_State *L, const struct compressor *c, unsigned stage, uint32_t entry);

/* views.c: pushes the grid in the light userdata at 1 as a table; must be called protected; does
 * not free the grid. */
int api_push_grid_table(lua_State *L);

/* stats.c */
int api_thread_stats(lua_State *L);

/* commands.c */
void api_push_expr_value(lua_State *L, const struct expr_value *v);

/* change.c: makes a change by hand, now or after the cycle; raises a Lua error if it is
 * impossible. */
void api_change(lua_State *L, struct lua_machine *m, const struct change *c);

/* hooks.c */
void hooks_close(struct lua_machine *m);
/* Called before a motion, and after it; the latter raises a Lua error if a hook failed. */
void hooks_begin(struct script *s);
void hooks_check(lua_State *L);

/* Create each area's metatables; called once per script. */
void api_open_machine(lua_State *L);
void api_open_regs(lua_State *L);
void api_open_mem(lua_State *L);
void api_open_state(lua_State *L);
void api_open_stats(lua_State *L);
void api_open_snapshots(lua_State *L);
void api_open_hooks(lua_State *L);
void api_open_event(lua_State *L);
void api_open_compressor(lua_State *L);
void api_open_stream(lua_State *L);
void api_open_messages(lua_State *L);
void api_open_profile(lua_State *L);
void api_open_sampler(lua_State *L);
void api_open_cop(lua_State *L);
void api_open_profileme(lua_State *L);
void api_open_value_profile(lua_State *L);

#endif
