/* Microprograms, and m.cop: the profiling co-processor of a machine. */
#include <stdlib.h>
#include <string.h>

#include "core/prof/common/prof.h"
#include "hwviews/cop/cop_rows.h"
#include "hwviews/cop/cop_slots.h"
#include "hwviews/program/code_lines.h"
#include "loader/microprogram.h"
#include "scripting/api/api.h"
#include "scripting/api/microprogram.h"
#include "scripting/api/tuples.h"

#define COP "cyclops.machine.cop"

/* ---- machines ---- */
static struct lua_machine *api_cop_check_machine(lua_State *L)
{
	struct lua_machine *m = api_machine_of_part(L, 1, COP);
	if (!session_cop(m->s))
		binding_fail(L, "%s has no co-processor: it needs cop.enable=true", m->name);
	return m;
}

static void api_cop_write_registers(lua_State *L, struct lua_machine *m,
                                    const struct device_write *writes, size_t n)
{
	api_change(L, m,
	           &(struct change){.kind = JOURNAL_DEVICE,
	                            .a = DEVICE_COP,
	                            .bytes = writes,
	                            .n = n * sizeof *writes});
}

/* A copy of the program, for the session to keep. */
static struct microprogram *api_cop_clone_microprogram(lua_State *L,
                                                       const struct lua_microprogram *l)
{
	struct err err;
	struct microprogram *p =
		l->text ? microprogram_new(l->text, strlen(l->text), l->p->path, l->defines,
	                                   l->define_count, NULL, &err)
			: microprogram_open(l->p->path, l->defines, l->define_count, NULL, &err);
	if (!p)
		binding_fail(L, "%s", err.msg);
	return p;
}

/* Takes a program, or makes one: from a text of several lines, or a file. */
static struct lua_microprogram *take_program(lua_State *L)
{
	lua_settop(L, 3);
	if (lua_type(L, 2) != LUA_TSTRING)
		return microprogram_at(L, 2);
	return microprogram_push(L, 2, !strchr(lua_tostring(L, 2), '\n'), "microprogram");
}

static void api_cop_retain_microprogram(lua_State *L, struct lua_machine *m,
                                        const struct lua_microprogram *l)
{
	struct err err;
	if (!session_add_microprogram(m->s, api_cop_clone_microprogram(L, l), &err))
		binding_fail(L, "%s", err.msg);
}

static int api_cop_load_microprogram(lua_State *L)
{
	struct lua_machine *m = api_cop_check_machine(L);
	const struct lua_microprogram *l = take_program(L);
	struct err err;
	size_t n;
	struct device_write *writes =
		cop_load(machine_config(m->s->machine), &l->p->image, &n, &err);
	if (!writes)
		return binding_fail(L, "%s", err.msg);
	/* Owned by Lua, so that an error does not leak it. */
	void *copy = lua_newuserdatauv(L, n * sizeof *writes, 0);
	memcpy(copy, writes, n * sizeof *writes);
	free(writes);
	api_cop_write_registers(L, m, copy, n);
	api_cop_retain_microprogram(L, m, l);
	return 0;
}

static int api_cop_load_names(lua_State *L)
{
	struct lua_machine *m = api_cop_check_machine(L);
	api_cop_retain_microprogram(L, m, take_program(L));
	return 0;
}

/* A register by name or offset. */
static uint64_t api_cop_check_offset(lua_State *L, int index)
{
	struct err err;
	unsigned at;
	if (lua_type(L, index) == LUA_TSTRING) {
		if (!cop_register_find(lua_tostring(L, index), &at, &err))
			binding_fail(L, "%s", err.msg);
		return at;
	}
	const lua_Integer offset = luaL_checkinteger(L, index);
	if (offset < 0 || offset % 8 || offset >= COP_REGISTERS_END)
		binding_fail(L,
		             "no register of the co-processor is at %lld; expected multiples of 8 "
		             "below 0x70000",
		             (long long)offset);
	return (uint64_t)offset;
}

static int api_cop_read_register(lua_State *L)
{
	struct lua_machine *m = api_cop_check_machine(L);
	lua_pushinteger(L, (lua_Integer)cop_read(machine_pipe(m->s->machine)->prof,
	                                         (unsigned)api_cop_check_offset(L, 2)));
	return 1;
}

static int write_registers(lua_State *L)
{
	struct lua_machine *m = api_cop_check_machine(L);
	if (lua_type(L, 2) != LUA_TTABLE) {
		const struct device_write w = {api_cop_check_offset(L, 2),
		                               (uint64_t)luaL_checkinteger(L, 3)};
		api_cop_write_registers(L, m, &w, 1);
		return 0;
	}
	const size_t n = lua_rawlen(L, 2);
	struct device_write *writes = lua_newuserdatauv(L, (n + 1) * sizeof *writes, 0);
	for (size_t i = 0; i < n; i++) {
		if (lua_rawgeti(L, 2, (lua_Integer)i + 1) != LUA_TTABLE ||
		    lua_rawgeti(L, -1, 1) == LUA_TNIL || lua_rawgeti(L, -2, 2) != LUA_TNUMBER)
			return binding_fail(
				L, "m.cop:write: entry %d is not { REGISTER, VALUE }",
				(int)i + 1);
		writes[i] = (struct device_write){api_cop_check_offset(L, -2),
		                                  (uint64_t)luaL_checkinteger(L, -1)};
		lua_pop(L, 3);
	}
	api_cop_write_registers(L, m, writes, n);
	return 0;
}

static int api_cop_switch_tagging(lua_State *L)
{
	struct lua_machine *m = api_cop_check_machine(L);
	luaL_checktype(L, 2, LUA_TBOOLEAN);
	const uint64_t control = session_cop(m->s)->st->control & ~(uint64_t)COP_TAG;
	const struct device_write w = {COP_CONTROL,
	                               control | (lua_toboolean(L, 2) ? COP_TAG : 0)};
	api_cop_write_registers(L, m, &w, 1);
	return 0;
}

static int api_cop_resume(lua_State *L)
{
	struct lua_machine *m = api_cop_check_machine(L);
	const struct device_write w = {COP_RESUME, 1};
	api_cop_write_registers(L, m, &w, 1);
	return 0;
}

static void push_registers(lua_State *L, const struct lua_machine *m, char letter)
{
	const char name[] = {letter, '\0'};
	lua_createtable(L, (int)micro_register_count(letter), 1);
	for (unsigned i = 0; i < micro_register_count(letter); i++) {
		lua_pushinteger(L, (lua_Integer)micro_register_value(session_cop(m->s)->micro.st,
		                                                     letter, i));
		lua_rawseti(L, -2, i);
	}
	lua_setfield(L, -2, name);
}

static int api_cop_push_registers(lua_State *L)
{
	const struct lua_machine *m = api_cop_check_machine(L);
	const struct micro_image *image = session_micro_image(m->s);
	char letter;
	unsigned number;
	lua_newtable(L);
	for (const char *l = "vkxbt"; *l; l++)
		push_registers(L, m, *l);
	lua_newtable(L);
	for (unsigned i = 0; image && i < image->alias_count; i++)
		if (micro_register_find(NULL, image->aliases[i].reg, &letter, &number))
			binding_set_integer(
				L, image->aliases[i].name,
				micro_register_value(session_cop(m->s)->micro.st, letter, number));
	lua_setfield(L, -2, "named");
	return 1;
}

static int api_cop_push_record(lua_State *L)
{
	const struct lua_machine *m = api_cop_check_machine(L);
	const struct prof *d = machine_pipe(m->s->machine)->prof;
	const size_t i = tuples_place(L, 2, d->cop->st->count);
	if (i == d->cop->st->count)
		return 0;
	const struct cop_record *r = cop_record_at(d, i);
	const uint64_t values[RECORD_FIELD_COUNT] = {r->pc,     r->inst, r->rs1,   r->rs2,
	                                             r->result, r->addr, r->target};
	lua_newtable(L);
	for (unsigned f = 0; f < RECORD_FIELD_COUNT; f++)
		if (r->fields >> f & 1)
			binding_set_integer(L, record_field_name[f], values[f]);
	binding_set_integer(L, "seq", r->seq);
	binding_set_integer(L, "arrived", r->arrived);
	binding_set_integer(L, "latency", r->latency);
	binding_set_integer(L, "words", r->words);
	binding_set_integer(L, "events", r->events);
	lua_pushstring(L, inst_kind_name[r->kind]);
	lua_setfield(L, -2, "class");
	return 1;
}

static void push_slot(lua_State *L, const struct lua_machine *m, const struct micro_image *image,
                      unsigned entry)
{
	const struct micro *micro = &session_cop(m->s)->micro;
	lua_createtable(L, 0, 8);
	for (unsigned i = 0; image && i < image->column_count; i++) {
		const struct slot_value v = slot_value(micro, image, i, entry);
		if (!v.known)
			continue;
		if (v.ratio)
			lua_pushnumber(L, v.d);
		else
			lua_pushinteger(L, (lua_Integer)v.n);
		lua_setfield(L, -2, image->columns[i].name);
	}
	binding_set_integer(L, "slot", entry);
	binding_set_integer(L, "key", micro->cam[entry]);
	lua_pushboolean(L, slot_valid(micro, entry));
	lua_setfield(L, -2, "valid");
}

static int api_cop_push_cam_slots(lua_State *L)
{
	const struct lua_machine *m = api_cop_check_machine(L);
	const struct micro_image *image = session_micro_image(m->s);
	const struct micro *micro = &session_cop(m->s)->micro;
	lua_Integer n = 0;
	lua_newtable(L);
	for (unsigned i = 0; i < micro->cam_n; i++) {
		if (!slot_used(micro, image, i))
			continue;
		push_slot(L, m, image, i);
		lua_rawseti(L, -2, ++n);
	}
	return 1;
}

static int api_cop_set_filter_bits(lua_State *L)
{
	static const char *const tables[] = {"high", "low", NULL};
	struct lua_machine *m = api_cop_check_machine(L);
	const enum cop_table t = (enum cop_table)luaL_checkoption(L, 2, NULL, tables);
	const uint64_t pc = api_address(L, 3, m->s);
	const struct prof *d = machine_pipe(m->s->machine)->prof;
	struct device_write writes[8];
	size_t n = 0;
	for (unsigned i = 0; i < (unsigned)CONFIG(d->cfg, cop_filter_hashes); i++) {
		const uint64_t bit = cop_table_bit(d->cfg, pc, i), at = bit / 64;
		uint64_t word = d->cop->table[t][at];
		for (size_t k = 0; k < n; k++)
			if (writes[k].offset == (t ? COP_LOW : COP_HIGH) + 8 * at)
				word = writes[k].value;
		writes[n++] = (struct device_write){(t ? COP_LOW : COP_HIGH) + 8 * at,
		                                    word | UINT64_C(1) << bit % 64};
	}
	writes[n++] = (struct device_write){COP_TABLES, d->cop->st->tables | UINT64_C(1) << t};
	api_cop_write_registers(L, m, writes, n);
	return 0;
}

static int api_cop_explain(lua_State *L)
{
	const struct lua_machine *m = api_cop_check_machine(L);
	char text[512];
	struct code code;
	if (lua_isnoneornil(L, 2)) {
		lua_pushstring(L, why_cop(m->s, text, sizeof text));
		return 1;
	}
	const uint64_t pc = api_address(L, 2, m->s);
	if (!code_at(m->s, pc, &code))
		return binding_fail(L, "no instruction is at 0x%llx", (unsigned long long)pc);
	lua_pushstring(L, why_wanted(m->s, inst_kind(code.inst.op), code.pc + code.prefix,
	                             text, sizeof text));
	return 1;
}

static const struct binding methods[] = {
	{"load", api_cop_load_microprogram, "m.cop:load(PROGRAM[, { NAME = NUMBER, ... }])",
         "Stops and empties the co-processor, and starts this program in it: one of "
         "cyclops.microprogram, its text in several lines, or a "
         "file. A change: reverse motions undo it. In a hook it is made after the cycle."},
	{"names", api_cop_load_names, "m.cop:names(PROGRAM[, { NAME = NUMBER, ... }])",
         "Declares that firmware loads this program: views and expressions use its names from now "
         "on."},
	{"resume", api_cop_resume, "m.cop:resume()",
         "Continues after an interrupt or a fault, as firmware does. A change."},
	{"tag", api_cop_switch_tagging, "m.cop:tag(true|false)",
         "Switches tagging at decode on or off. Records that have been made are worked on. A "
         "change."},
	{"read", api_cop_read_register, "m.cop:read(REGISTER) -> N",
         "A register as firmware reads it, by name ('status', 'v3') or offset: `help microcode` "
         "lists them."},
	{"write", write_registers,
         "m.cop:write(REGISTER, VALUE), m.cop:write{ { REGISTER, VALUE }, ... }",
         "Writes registers, as one change."},
	{"mask", api_cop_set_filter_bits, "m.cop:mask('high'|'low', PLACE)",
         "Masks an instruction in a table, as a handler does, and enables the table's masking. A "
         "change."},
	{"registers", api_cop_push_registers,
         "m.cop:registers() -> { v = {...}, k = {...}, x = {...}, b = {...}, t = {...}, named = { "
         "NAME = N } }",
         "All registers, from [0] on, and those that the program names."},
	{"record", api_cop_push_record,
         "m.cop:record(I) -> { class =, latency =, events =, words =, seq =, arrived =, pc =, "
         "result =, ... }",
         "The I-th record of the sample buffer, 1 is the oldest, with the fields that it carries; "
         "nothing if there is none."},
	{"slots", api_cop_push_cam_slots,
         "m.cop:slots() -> { { slot =, valid =, key =, COLUMN = ... }, ... }",
         "Valid entries of the associative array, with the program's columns; a ratio is between "
         "0 and 1."},
	{"why", api_cop_explain, "m.cop:why([PLACE]) -> TEXT",
         "The co-processor's present work, or what it waits for. With PLACE: why decode would tag "
         "that instruction now, or not."},
};
const struct binding_area area_cop = {
	.name = "cop",
	.object = "cop",
	.summary = "a machine's profiling co-processor",
	.text = "    local m = cyclops.machine{ program = \"build/demos/sort\", cop = "
                "\"demos/microcode/value.mic\" }\n"
		"    m:run{ cycles = 100000 }\n"
		"    for _, slot in ipairs(m.cop:slots()) do print(m.where(slot.pc), slot.hits, "
                "slot.total) end\n"
		"m.cop.NAME is `cop.NAME` of expressions: a statistic, a parameter, a register "
                "(m.cop.v3, or its name in the program).",
	.bindings = methods,
	.count = sizeof methods / sizeof *methods,
};

static int get_cop(lua_State *L)
{
	api_push_part(L, 1, COP);
	return 1;
}

static const struct binding value[] = {
	{"cop", get_cop, "m.cop",
         "The profiling co-processor: `help lua cop`; its statistics, parameters and registers as "
         "words."},
};
const struct binding_area area_cop_value = {
	.name = "coprocessors",
	.object = "machine.",
	.summary = "reaching a machine's co-processor",
	.text = "",
	.bindings = value,
	.count = sizeof value / sizeof *value,
};

void api_open_cop(lua_State *L)
{
	static const luaL_Reg program[] = {
		{"__gc", microprogram_gc}, {"__tostring", microprogram_tostring}, {NULL, NULL}};
	tuples_new_type(L, MICROPROGRAM, "microprogram", program);
	api_new_worded_part(L, COP, "cop");
}
