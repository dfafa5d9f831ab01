/* Resolution of names: the order in which the meanings of a word are tried. */
#include "scripting/expr/words.h"

#include <lauxlib.h>
#include <limits.h>
#include <string.h>

#include "core/base/nearest_word.h"
#include "core/isa/csr.h"
#include "core/isa/regs.h"
#include "core/machine/machine.h"
#include "core/os/os.h"
#include "core/os/thread.h"
#include "hwviews/grid/view.h"
#include "hwviews/program/csrs.h"
#include "hwviews/program/frames.h"
#include "scripting/binding.h"

/* Meaning found for a name, cached as kind << 8 | number. */
enum kind { KIND_REG = 1, KIND_PC, KIND_CYCLE, KIND_INSTS, KIND_NEWEST, KIND_THREAD };

static const struct {
	const char *name;
	enum kind kind;
	const char *help;
} values[] = {
	{"pc", KIND_PC, "address of the oldest instruction not yet committed"},
	{"cycle", KIND_CYCLE, "cycles done"},
	{"insts", KIND_INSTS, "instructions of the program committed"},
	{"newest", KIND_NEWEST, "the newest cycle that was reached"},
	{"thread", KIND_THREAD,
         "number of the thread that is looked at: the one that runs, or that `thread` chose"},
};
enum { VALUES = sizeof values / sizeof *values };

/* A floating-point register as a number: a NaN-boxed single, else a double. */
static double fp_value(uint64_t bits)
{
	double d;
	float f;
	uint32_t low = (uint32_t)bits;
	if (bits >> 32 == UINT32_MAX) {
		memcpy(&f, &low, sizeof f);
		return (double)f;
	}
	memcpy(&d, &bits, sizeof d);
	return d;
}

/* A register of the selected frame; in a condition on an event, of the machine. */
static uint64_t words_register(const struct words *w, const struct machine *m, unsigned reg)
{
	if (w->s && !w->ev && m == w->s->machine)
		return frames_register(w->s, reg);
	return reg == FRAMES_PC ? machine_seen_pc(m) : machine_seen_reg(m, reg);
}

static void push_kind(lua_State *L, const struct words *w, lua_Integer code)
{
	const struct machine *m = words_machine(L, w);
	unsigned n = (unsigned)code & 0xff;
	uint64_t word;
	struct run_history h;
	switch ((enum kind)(code >> 8)) {
	case KIND_REG:
		word = words_register(w, m, n);
		if (n >= REG_F0)
			lua_pushnumber(L, fp_value(word));
		else
			lua_pushinteger(L, (lua_Integer)word);
		break;
	case KIND_PC:
		lua_pushinteger(L, (lua_Integer)words_register(w, m, FRAMES_PC));
		break;
	case KIND_CYCLE:
		lua_pushinteger(L, (lua_Integer)machine_cycle(m));
		break;
	case KIND_INSTS:
		lua_pushinteger(L, (lua_Integer)machine_insts(m));
		break;
	case KIND_NEWEST:
		run_history(w->s->run, &h);
		lua_pushinteger(L, (lua_Integer)h.newest_cycle);
		break;
	case KIND_THREAD:
		lua_pushinteger(L, os_thread_number(machine_seen_thread(m)));
		break;
	}
}

static lua_Integer words_kind_of_name(const char *name)
{
	int reg = reg_from_name(name);
	if (reg >= 0)
		return KIND_REG << 8 | reg;
	for (int i = 0; i < VALUES; i++)
		if (!strcmp(values[i].name, name))
			return (lua_Integer)values[i].kind << 8;
	return 0;
}

static int words_report_unknown_name(lua_State *L, const struct words *w, const char *name)
{
	struct nearest n;
	const struct event_info *info = w->ev ? &event_info[w->ev->id] : NULL;
	const char *word, *help;
	size_t symbols = 0;
	nearest_init(&n, name);
	for (unsigned i = 0; (word = words_name(i, &help)); i++)
		nearest_offer(&n, word);
	for (unsigned i = 0; info && i < info->field_count; i++)
		nearest_offer(&n, info->fields[i].name);
	for (unsigned i = 0; info && i < UOP_FIELD_COUNT; i++)
		nearest_offer(&n, uop_field_info[i].name);
	/* Names with an underscore in front are those of libraries. */
	const struct symbol *sym = w->s ? program_symbols(w->s->program, &symbols) : NULL;
	for (size_t i = 0; i < symbols; i++)
		if (*sym[i].name != '_' || *name == '_')
			nearest_offer(&n, sym[i].name);
	if (w->object)
		binding_offer(L, w->object, &n);
	/* cycles: sim.cycles */
	for (size_t i = stat_row_count; i-- > 0;) {
		const char *dot = strrchr(stat_rows[i].name, '.');
		if (dot && !strcmp(dot + 1, name))
			n.best = stat_rows[i].name;
	}
	const char *apart = w->s ? program_names_apart(w->s->program) : NULL;
	return binding_fail(L, "no register, symbol, statistic or function is called '%s'%s%s%s",
	                    name, nearest_tail(&n), apart ? "; the program: " : "",
	                    apart ? apart : "");
}

/* Pushes a control register. These come after symbols: a program may have a function `time`. */
static bool push_csr(lua_State *L, const struct words *w, const char *name)
{
	int csr = csr_find(name);
	uint64_t v;
	if (csr < 0 || !w->s)
		return false;
	if (!csrs_read(w->s, (unsigned)csr, &v))
		binding_fail(L, "it is %s", csrs_lack(w->s, (unsigned)csr));
	lua_pushinteger(L, (lua_Integer)v);
	return true;
}

static bool words_push_symbol(lua_State *L, const struct words *w, const char *name)
{
	const struct symbol *sym = w->s ? program_symbol_by_name(w->s->program, name) : NULL;
	if (sym)
		lua_pushinteger(L, (lua_Integer)sym->addr);
	return sym;
}

static bool push_view(lua_State *L, const char *name)
{
	struct err err;
	if (!view_named(words_here(L)->s, name))
		return false;
	if (!words_push_view(L, name, &err))
		binding_fail(L, "%s", err.msg);
	return true;
}

/* Sets names[name] to the value on top of the stack, which stays. */
static void words_cache_name(lua_State *L)
{
	lua_pushvalue(L, 2);
	lua_pushvalue(L, -2);
	lua_rawset(L, lua_upvalueindex(2));
}

/* Whether a name has any meaning, now or at a later evaluation. Leaves values on the stack. */
static bool words_name_is_known(lua_State *L, const struct words *w, const char *name)
{
	return words_push_event_word(L, w, name) || words_kind_of_name(name) ||
	       words_push_inst_word(L, w, name) || words_is_group(name) ||
	       words_push_symbol(L, w, name) ||
	       (w->s && (csr_find(name) >= 0 || view_named(w->s, name)));
}

/* __index of the environment. Upvalue 2: cache of meanings, initially the functions and
 * libraries. */
static int env_index(lua_State *L)
{
	const struct words *w = words_here(L);
	const char *name = luaL_checkstring(L, 2);
	lua_Integer code;
	lua_settop(L, 2);
	lua_pushvalue(L, 2);
	int known = lua_rawget(L, lua_upvalueindex(2));
	if (w->names_only)
		return known != LUA_TNIL || words_name_is_known(L, w, name)
		               ? 0
		               : words_report_unknown_name(L, w, name);
	if (known == LUA_TFUNCTION || (known == LUA_TTABLE && !w->ev))
		return 1;
	if (words_push_event_word(L, w, name))
		return 1;
	if (known == LUA_TNUMBER) {
		push_kind(L, w, lua_tointeger(L, 3));
		return 1;
	}
	if ((code = words_kind_of_name(name))) {
		lua_pushinteger(L, code);
		words_cache_name(L);
		push_kind(L, w, code);
		return 1;
	}
	if (words_push_inst_word(L, w, name))
		return 1;
	if (known == LUA_TTABLE) {
		lua_pushvalue(L, 3);
		return 1;
	}
	if (words_push_group(L, name)) {
		words_cache_name(L);
		return 1;
	}
	if (words_push_symbol(L, w, name) || push_csr(L, w, name) || push_view(L, name))
		return 1;
	return words_report_unknown_name(L, w, name);
}

static int env_newindex(lua_State *L)
{
	return binding_fail(L, "an expression sets nothing: `set` does");
}

/* Created in words_hw.c. */
static const char *const tables[][2] = {
	{"view", "view.NAME, view['NAME ARGS']: a view as a table of rows: view.ras[1].returns_to, "
                 "view['btb 3'][1].target"},
	{"stat", "stat['sim.ipc']: a statistic"},
	{"config", "config['pipe.rob_size']: a parameter of this machine"},
	{"rob",
         "rob.count, rob[1].pc: reorder buffer, oldest first; rob[1] has what `help fields` lists"},
	{"lsq", "lsq.count, lsq[1].addr: load/store queue, oldest first"},
	{"pflag", "pflag[0] (as decode has it, nil: a poppf is to bring it), pflag.commit, .fetch, "
                  ".leader: profile flags"},
	{"bdt", "bdt.locked, bdt[3].locked, bdt[3][0].leader: block descriptor table, by set and "
                "way; also follow insts bytes on used"},
	{"fetchq", "fetchq.count, fetchq[1].pc: fetch queue, oldest first"},
};
enum { TABLES = sizeof tables / sizeof *tables };

const char *words_name(unsigned i, const char **help)
{
	unsigned functions = 0;
	if (i < VALUES) {
		*help = values[i].help;
		return values[i].name;
	}
	i -= VALUES;
	for (unsigned k = 0; k < csr_info_count; k++) {
		if (csr_info[k].count > 1)
			continue;
		if (i-- == 0) {
			*help = csr_info[k].help;
			return csr_info[k].name;
		}
	}
	const char *function = words_function_name(i, help);
	if (function)
		return function;
	const char *ignored;
	while (words_function_name(functions, &ignored))
		functions++;
	i -= functions;
	if (i >= TABLES)
		return NULL;
	*help = tables[i][1];
	return tables[i][0];
}

bool words_come_first(const char *name, char next)
{
	const char *word, *help;
	if (words_kind_of_name(name))
		return true;
	if (next != '.' && next != '[' && next != '(')
		return false;
	for (unsigned i = 0; next == '(' && (word = words_function_name(i, &help)); i++)
		if (!strcmp(word, name))
			return true;
	if (next == '(')
		return false;
	for (unsigned i = 0; i < TABLES; i++)
		if (!strcmp(tables[i][0], name))
			return true;
	return words_is_group(name);
}

struct words *words_new(lua_State *L, struct session *s)
{
	struct words *w = lua_newuserdatauv(L, sizeof *w, 1);
	*w = (struct words){.s = s};
	lua_newtable(L);
	lua_setiuservalue(L, -2, 1);
	return w;
}

void words_forget_views(lua_State *L, int index)
{
	struct words *w = lua_touserdata(L, index);
	if (!w->views_used)
		return;
	index = lua_absindex(L, index);
	lua_newtable(L);
	lua_setiuservalue(L, index, 1);
	w->views_used = false;
}

void words_push_env(lua_State *L, int index)
{
	index = lua_absindex(L, index);
	words_open_functions(L, index);
	words_open_hw(L, index);
	lua_newtable(L); /* stays empty, so that __newindex rejects existing names, too */
	lua_createtable(L, 0, 3);
	lua_pushvalue(L, index);
	lua_pushvalue(L, -4);
	lua_pushcclosure(L, env_index, 2);
	lua_setfield(L, -2, "__index");
	lua_pushcfunction(L, env_newindex);
	lua_setfield(L, -2, "__newindex");
	lua_pushboolean(L, 0);
	lua_setfield(L, -2, "__metatable");
	lua_setmetatable(L, -2);
	lua_remove(L, -2);
}
