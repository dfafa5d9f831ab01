/* Machines with a co-processor in plain Lua, record by record: for references of microprograms.
 * record_host SCRIPT.lua
 *
 *   m = machine.new{program =, args = {}, firmware =, microcode =, set = {"name=value", ...}}
 *                            a machine that is about to run, with the oracle's blocks; the file
 *                            `microcode` is loaded into it
 *   m:next()                 up to the end of the next record: the record, and whether the engine
 *                            halted; nil when the program has ended. `clocks`: its time if the next
 *                            one waits
 *   m:differs(model)         the first difference between the co-processor and the model's v, x,
 *                            cam, valid, data (from 0 on; a nil one is not compared), or nil
 *   m:state()                these as tables
 *   m:finish_handler(at, n)  until firmware that counts its interrupts at this address has handled n
 *   m:write{{offset, value}, ...}
 *                            as firmware would, without time
 *   m:insts(n)               next() ends n instructions from here at the latest
 *   m:executed()             the number of its microinstructions, and a set of the executed ones
 *   m:edges()                {{pc, target, count}, ...} of what has committed
 *   m:stat(name)  m:symbol(name)  m:u64(address) */
#include <lauxlib.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/machine/change.h"
#include "core/machine/machine.h"
#include "core/machine/params.h"
#include "core/pipe/pipe.h"
#include "core/prof/common/prof.h"
#include "core/prof/cop/cop.h"
#include "core/prof/cop/micro_asm.h"
#include "core/prof/oracle/oracle.h"
#include "loader/launch.h"

enum { ARGS = 8, WRITES = 2048 };
static const char kind_of_machine[] = "machine";

struct held {
	struct config cfg;
	struct program *program; /* owned, as the machine */
	struct machine *machine;
	uint64_t until; /* instructions */
	/* of microinstructions, those lost after wrong predictions included, up to the last record
	 */
	uint64_t clocks;
	unsigned count; /* microinstructions */
	bool executed[MICRO_CODE_MAX];
};

static struct held *record_host_machine(lua_State *L)
{
	return luaL_checkudata(L, 1, kind_of_machine);
}

static const struct prof *record_host_prof(lua_State *L)
{
	return machine_pipe(record_host_machine(L)->machine)->prof;
}

/* ---- making one ---- */
static const char *record_host_read_text(lua_State *L, int table, const char *name)
{
	lua_getfield(L, table, name);
	const char *s = lua_tostring(L, -1);
	lua_pop(L, 1); /* the table keeps it */
	return s;
}

static void record_host_parse_settings(lua_State *L, struct held *h)
{
	struct err err;
	config_default(&h->cfg);
	if (!config_set_assignment(&h->cfg, "cop.enable=true", &err) ||
	    !config_set_assignment(&h->cfg, "oracle.enable=true", &err) ||
	    !config_set_assignment(&h->cfg, "oracle.blocks=true", &err))
		luaL_error(L, "%s", err.msg);
	lua_getfield(L, 1, "set");
	for (lua_Integer i = 1; lua_istable(L, -1) && lua_rawgeti(L, -1, i) == LUA_TSTRING; i++) {
		if (!config_set_assignment(&h->cfg, lua_tostring(L, -1), &err))
			luaL_error(L, "%s", err.msg);
		lua_pop(L, 1);
	}
	lua_settop(L, 2);
}

static void record_host_change_device(lua_State *L, struct held *h,
                                      const struct device_write *writes, size_t n)
{
	struct err err;
	if (!machine_change(h->machine,
	                    &(struct change){.kind = JOURNAL_DEVICE,
	                                     .a = DEVICE_COP,
	                                     .bytes = writes,
	                                     .n = n * sizeof *writes},
	                    &err))
		luaL_error(L, "%s", err.msg);
}

static void record_host_load_microcode(lua_State *L, struct held *h, const char *path)
{
	struct micro_image image;
	struct err err;
	luaL_Buffer b;
	size_t n;
	char part[4096];
	FILE *f = fopen(path, "r");
	if (!f)
		luaL_error(L, "cannot open %s", path);
	luaL_buffinit(L, &b);
	while ((n = fread(part, 1, sizeof part, f)) > 0)
		luaL_addlstring(&b, part, n);
	fclose(f);
	luaL_pushresult(&b);
	const char *text = lua_tolstring(L, -1, &n);
	if (!micro_assemble(text, n, path, NULL, 0, &image, &err))
		luaL_error(L, "%s", err.msg);
	h->count = image.count;
	struct device_write *writes = cop_load(&h->cfg, &image, &n, &err);
	micro_image_free(&image);
	if (!writes)
		luaL_error(L, "%s", err.msg);
	record_host_change_device(L, h, writes, n);
	free(writes);
}

static void record_host_drop_output(void *ctx, int fd, const void *bytes, size_t n)
{
	(void)ctx, (void)fd, (void)bytes, (void)n;
}

static int machine_make(lua_State *L)
{
	luaL_checktype(L, 1, LUA_TTABLE);
	lua_settop(L, 1);
	struct held *h = lua_newuserdatauv(L, sizeof *h, 0);
	memset(h, 0, sizeof *h);
	luaL_setmetatable(L, kind_of_machine);
	record_host_parse_settings(L, h);
	char *argv[ARGS + 2] = {(char *)(uintptr_t)record_host_read_text(L, 1, "program")},
			  *env[] = {NULL};
	struct launch l = {.path = argv[0],
	                   .argc = 1,
	                   .argv = argv,
	                   .env = env,
	                   .firmware = record_host_read_text(L, 1, "firmware"),
	                   .stdin_fd = -1,
	                   .output = record_host_drop_output};
	struct err err;
	lua_getfield(L, 1, "args");
	while (lua_istable(L, -1) && l.argc <= ARGS && lua_rawgeti(L, -1, l.argc) == LUA_TSTRING) {
		argv[l.argc++] = (char *)(uintptr_t)lua_tostring(L, -1);
		lua_pop(L, 1);
	}
	lua_settop(L, 2);
	h->program = launch_program(&l, &err);
	h->machine = h->program ? launch_machine(&l, h->program, &h->cfg, &err) : NULL;
	h->until = UINT64_MAX;
	if (!h->machine)
		return luaL_error(L, "%s", err.msg);
	if (record_host_read_text(L, 1, "microcode"))
		record_host_load_microcode(L, h, record_host_read_text(L, 1, "microcode"));
	lua_settop(L, 2);
	return 1;
}

static int record_host_free_machine(lua_State *L)
{
	struct held *h = record_host_machine(L);
	machine_free(h->machine);
	program_free(h->program);
	return 0;
}

/* ---- running ---- */
static void record_host_set_field(lua_State *L, const char *name, uint64_t value)
{
	lua_pushinteger(L, (lua_Integer)value);
	lua_setfield(L, -2, name);
}

static int push_record(lua_State *L, const struct cop_record *r, bool halted)
{
	struct held *h = record_host_machine(L);
	const struct stats *s = machine_stats(h->machine);
	const uint64_t clocks = s->cop_micro + 2 * s->cop_mispredicted, before = h->clocks;
	h->clocks = clocks;
	lua_createtable(L, 0, 11);
	record_host_set_field(L, "clocks", clocks - before);
	record_host_set_field(L, "kind", r->kind);
	record_host_set_field(L, "pc", r->pc);
	record_host_set_field(L, "inst", r->inst);
	record_host_set_field(L, "rs1", r->rs1);
	record_host_set_field(L, "rs2", r->rs2);
	record_host_set_field(L, "result", r->result);
	record_host_set_field(L, "addr", r->addr);
	record_host_set_field(L, "target", r->target);
	record_host_set_field(L, "events", r->events);
	record_host_set_field(L, "seq", r->seq);
	lua_pushboolean(L, halted);
	return 2;
}

static int machine_next(lua_State *L)
{
	struct held *h = record_host_machine(L);
	const struct prof *d = record_host_prof(L);
	const struct stats *s = machine_stats(h->machine);
	while (machine_insts(h->machine) < h->until) {
		const uint64_t samples = s->cop_samples, interrupts = s->cop_interrupts,
			       micro = s->cop_micro;
		const struct cop_record r =
			d->cop->st->count ? *cop_record_at(d, 0) : (struct cop_record){0};
		const bool more = machine_step(h->machine);
		if (s->cop_micro > micro)
			h->executed[d->cop->micro.st->last.at] = true;
		if (s->cop_samples > samples)
			return push_record(L, &r, s->cop_interrupts > interrupts);
		if (!more)
			return 0;
	}
	return 0;
}

static uint64_t u64_at(lua_State *L, uint64_t at)
{
	uint64_t v = 0;
	if (!machine_peek(record_host_machine(L)->machine, at, &v, sizeof v))
		luaL_error(L, "no memory there");
	return v;
}

static int finish_handler(lua_State *L)
{
	struct held *h = record_host_machine(L);
	const uint64_t at = (uint64_t)luaL_checkinteger(L, 2),
		       n = (uint64_t)luaL_checkinteger(L, 3);
	while (u64_at(L, at) < n && machine_step(h->machine))
		;
	/* none of the program's commits before the handler ends, but the next may begin */
	const uint64_t insts = machine_stats(h->machine)->insts;
	while (machine_stats(h->machine)->insts == insts && u64_at(L, at) == n &&
	       machine_step(h->machine))
		;
	return 0;
}

static int record_host_limit_insts(lua_State *L)
{
	struct held *h = record_host_machine(L);
	h->until = machine_insts(h->machine) + (uint64_t)luaL_checkinteger(L, 2);
	return 0;
}

static int machine_executed(lua_State *L)
{
	const struct held *h = record_host_machine(L);
	lua_pushinteger(L, h->count);
	lua_newtable(L);
	for (unsigned i = 0; i < h->count; i++)
		if (h->executed[i]) {
			lua_pushboolean(L, true);
			lua_rawseti(L, -2, i);
		}
	return 2;
}

static int machine_write(lua_State *L)
{
	struct held *h = record_host_machine(L);
	struct device_write writes[WRITES];
	const size_t n = lua_rawlen(L, 2);
	if (n > WRITES)
		return luaL_error(L, "too many writes at once");
	for (size_t i = 0; i < n; i++) {
		lua_rawgeti(L, 2, (lua_Integer)i + 1);
		lua_rawgeti(L, -1, 1);
		lua_rawgeti(L, -2, 2);
		writes[i] = (struct device_write){(uint64_t)luaL_checkinteger(L, -2),
		                                  (uint64_t)luaL_checkinteger(L, -1)};
		lua_settop(L, 2);
	}
	record_host_change_device(L, h, writes, n);
	return 0;
}

/* ---- comparing ---- */
static uint64_t record_host_array_word(const struct micro *e, unsigned array, unsigned i)
{
	switch (array) {
	case 0: return e->st->v[i];
	case 1: return e->st->x[i];
	case 2: return e->cam[i];
	case 3: return e->valid[i / 64] >> i % 64 & 1;
	default: return e->data[i];
	}
}

static const char *const array_name[] = {"v", "x", "cam", "valid", "data"};
enum { ARRAYS = sizeof array_name / sizeof *array_name };

static void array_sizes(const struct micro *e, unsigned out[ARRAYS])
{
	const unsigned n[ARRAYS] = {MICRO_VALUES, MICRO_INDEXES, e->cam_n, e->cam_n, e->data_n};
	memcpy(out, n, sizeof n);
}

static int machine_differs(lua_State *L)
{
	const struct micro *e = &record_host_prof(L)->cop->micro;
	unsigned n[ARRAYS];
	array_sizes(e, n);
	luaL_checktype(L, 2, LUA_TTABLE);
	for (unsigned a = 0; a < ARRAYS; a++) {
		lua_getfield(L, 2, array_name[a]);
		luaL_checktype(L, -1, LUA_TTABLE);
		for (unsigned i = 0; i < n[a]; i++) {
			lua_rawgeti(L, -1, i);
			const uint64_t want = (uint64_t)(lua_isinteger(L, -1)
			                                         ? lua_tointeger(L, -1)
			                                         : lua_toboolean(L, -1)),
				       got = record_host_array_word(e, a, i);
			lua_pop(L, 1);
			if (want == got)
				continue;
			char said[128];
			snprintf(said, sizeof said, "%s[%u] is 0x%llx, not 0x%llx", array_name[a],
			         i, (unsigned long long)got, (unsigned long long)want);
			lua_pushstring(L, said);
			return 1;
		}
		lua_pop(L, 1);
	}
	return 0;
}

static int machine_state(lua_State *L)
{
	const struct micro *e = &record_host_prof(L)->cop->micro;
	unsigned n[ARRAYS];
	array_sizes(e, n);
	lua_newtable(L);
	for (unsigned a = 0; a < ARRAYS; a++) {
		lua_newtable(L);
		for (unsigned i = 0; i < n[a]; i++) {
			lua_pushinteger(L, (lua_Integer)record_host_array_word(e, a, i));
			lua_rawseti(L, -2, i);
		}
		lua_setfield(L, -2, array_name[a]);
	}
	return 1;
}

/* ---- asking ---- */
static int machine_edges(lua_State *L)
{
	const struct oracle *o = oracle_of(record_host_prof(L));
	lua_newtable(L);
	for (uint32_t i = 0; i < oracle_entries(o, ORACLE_EDGES); i++) {
		const struct oracle_entry *e = oracle_entry(o, ORACLE_EDGES, i);
		const uint64_t row[] = {e->key[0], e->key[1], e->count, e->aux};
		lua_newtable(L);
		for (int j = 0; j < 4; j++) {
			lua_pushinteger(L, (lua_Integer)row[j]);
			lua_rawseti(L, -2, j + 1);
		}
		lua_rawseti(L, -2, (lua_Integer)i + 1);
	}
	return 1;
}

static int machine_stat(lua_State *L)
{
	const char *name = luaL_checkstring(L, 2);
	for (unsigned i = 0; i < stat_row_count; i++)
		if (strcmp(stat_rows[i].name, name) == 0) {
			lua_pushnumber(L, stat_value(machine_stats(record_host_machine(L)->machine),
			                             &stat_rows[i]));
			return 1;
		}
	return luaL_error(L, "no statistic %s", name);
}

static int machine_symbol(lua_State *L)
{
	const struct symbol *s =
		program_symbol_by_name(record_host_machine(L)->program, luaL_checkstring(L, 2));
	if (s)
		lua_pushinteger(L, (lua_Integer)s->addr);
	return s ? 1 : 0;
}

static int machine_u64(lua_State *L)
{
	lua_pushinteger(L, (lua_Integer)u64_at(L, (uint64_t)luaL_checkinteger(L, 2)));
	return 1;
}

static const luaL_Reg methods[] = {{"next", machine_next},
                                   {"insts", record_host_limit_insts},
                                   {"finish_handler", finish_handler},
                                   {"write", machine_write},
                                   {"executed", machine_executed},
                                   {"differs", machine_differs},
                                   {"state", machine_state},
                                   {"edges", machine_edges},
                                   {"stat", machine_stat},
                                   {"symbol", machine_symbol},
                                   {"u64", machine_u64},
                                   {"__gc", record_host_free_machine},
                                   {NULL, NULL}};
static const luaL_Reg functions[] = {{"new", machine_make}, {NULL, NULL}};

int main(int argc, char **argv)
{
	lua_State *L = luaL_newstate();
	if (!L || argc != 2) {
		fprintf(stderr, "usage: record_host SCRIPT.lua\n");
		return 2;
	}
	luaL_openlibs(L);
	luaL_newmetatable(L, kind_of_machine);
	luaL_setfuncs(L, methods, 0);
	lua_pushvalue(L, -1);
	lua_setfield(L, -2, "__index");
	luaL_newlib(L, functions);
	lua_setglobal(L, "machine");
	if (luaL_dofile(L, argv[1])) {
		fprintf(stderr, "%s\n", lua_tostring(L, -1));
		return 1;
	}
	lua_close(L);
	return 0;
}
