/* Microprograms, and m.cop: the profiling co-processor of a machine. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/textbuf.h"
#include "core/prof/common/prof.h"
#include "hwviews/cop/cop_rows.h"
#include "hwviews/cop/cop_slots.h"
#include "hwviews/program/code_lines.h"
#include "loader/microprogram.h"
#include "scripting/api/api.h"
#include "scripting/api/tuples.h"

#define COP "cyclops.machine.cop"
#define MICROPROGRAM "cyclops.microprogram"

enum { DEFINES_MAX = 64 };

/* ---- programs ---- */
struct lua_microprogram {
	struct microprogram *p; /* owned */
	char *text;             /* that it was made of, owned */
	struct micro_define defines[DEFINES_MAX]; /* names: owned */
	unsigned define_count;
};

static struct lua_microprogram *program_at(lua_State *L, int index)
{
	return luaL_checkudata(L, index, MICROPROGRAM);
}

static int program_gc(lua_State *L)
{
	struct lua_microprogram *l = program_at(L, 1);
	microprogram_free(l->p);
	free(l->text);
	for (unsigned i = 0; i < l->define_count; i++)
		free((char *)(uintptr_t)l->defines[i].name);
	*l = (struct lua_microprogram){0};
	return 0;
}

/* { NAME = NUMBER, ... } at index, or nothing. */
static void read_defines(lua_State *L, int index, struct lua_microprogram *l)
{
	if (lua_isnoneornil(L, index))
		return;
	luaL_checktype(L, index, LUA_TTABLE);
	for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
		if (lua_type(L, -2) != LUA_TSTRING || !lua_isinteger(L, -1))
			binding_fail(
				L, "other values of a microprogram's .equ: { NAME = NUMBER, ... }");
		if (l->define_count == DEFINES_MAX)
			binding_fail(L, "more than %d constants", DEFINES_MAX);
		char *name = strdup(lua_tostring(L, -2));
		if (!name)
			binding_fail(L, "out of memory for a microprogram");
		l->defines[l->define_count++] =
			(struct micro_define){name, (uint64_t)lua_tointeger(L, -1)};
	}
}

/* A line for each mistake. */
static void fail_with_all(lua_State *L, struct micro_mistakes *all, const struct err *err)
{
	char text[2000] = "";
	struct textbuf b = {text, sizeof text, 0};
	for (unsigned i = 0; i < all->count; i++)
		textbuf_add(&b, "%s%s", i ? "\n" : "", all->each[i].msg);
	if (!all->count)
		textbuf_add(&b, "%s", err->msg);
	micro_mistakes_free(all);
	binding_fail(L, "%s", text);
}

/* Pushes the program that the text or file at `index` is, with constants behind it. */
static struct lua_microprogram *push_program(lua_State *L, int index, bool file, const char *name)
{
	size_t n;
	const char *text = luaL_checklstring(L, index, &n);
	struct err err;
	struct lua_microprogram *l = lua_newuserdatauv(L, sizeof *l, 0);
	*l = (struct lua_microprogram){0};
	luaL_setmetatable(L, MICROPROGRAM);
	read_defines(L, index + 1, l);
	if (file)
		api_check_path(L, text, "a microprogram");
	else if (!(l->text = malloc(n + 1)))
		binding_fail(L, "out of memory for a microprogram");
	else
		memcpy(l->text, text, n + 1);
	struct micro_mistakes all;
	l->p = file ? microprogram_open(text, l->defines, l->define_count, &all, &err)
	            : microprogram_new(text, n, name, l->defines, l->define_count, &all, &err);
	if (!l->p)
		fail_with_all(L, &all, &err);
	return l;
}

static int assemble(lua_State *L)
{
	lua_settop(L, 3);
	push_program(L, 1, false, luaL_optstring(L, 3, "microprogram"));
	return 1;
}

static int get_count(lua_State *L)
{
	lua_pushinteger(L, program_at(L, 1)->p->image.count);
	return 1;
}

static int get_name(lua_State *L)
{
	lua_pushstring(L, program_at(L, 1)->p->image.name);
	return 1;
}

static int get_help(lua_State *L)
{
	lua_pushstring(L, program_at(L, 1)->p->image.help);
	return 1;
}

static int get_labels(lua_State *L)
{
	const struct micro_image *image = &program_at(L, 1)->p->image;
	lua_newtable(L);
	for (unsigned i = 0; i < image->label_count; i++)
		tuples_set_integer(L, image->labels[i].name, image->labels[i].at);
	return 1;
}

static int get_constants(lua_State *L)
{
	const struct micro_image *image = &program_at(L, 1)->p->image;
	lua_newtable(L);
	for (unsigned i = 0; i < image->constant_count; i++)
		tuples_set_integer(L, image->constants[i].name, image->constants[i].value);
	return 1;
}

static int get_words(lua_State *L)
{
	const struct micro_image *image = &program_at(L, 1)->p->image;
	lua_createtable(L, (int)image->count, 0);
	for (unsigned i = 0; i < image->count; i++) {
		lua_createtable(L, 2, 0);
		for (int k = 0; k < 2; k++) {
			lua_pushinteger(L, (lua_Integer)image->words[i].w[k]);
			lua_rawseti(L, -2, k + 1);
		}
		lua_rawseti(L, -2, (lua_Integer)i + 1);
	}
	return 1;
}

static int text_of(lua_State *L)
{
	const struct micro_image *image = &program_at(L, 1)->p->image;
	const lua_Integer at = luaL_checkinteger(L, 2);
	char text[MICRO_TEXT_MAX];
	if (at < 0 || at >= (lua_Integer)image->count)
		return binding_fail(L, "microinstruction %d of %d; right: 0 to %d", (int)at,
		                    (int)image->count, (int)image->count - 1);
	lua_pushstring(L, micro_text(image, (unsigned)at, text, sizeof text));
	return 1;
}

/* A listing. */
static int program_tostring(lua_State *L)
{
	const struct micro_image *image = &program_at(L, 1)->p->image;
	char text[MICRO_TEXT_MAX], line[MICRO_TEXT_MAX + 64];
	luaL_Buffer b;
	luaL_buffinit(L, &b);
	for (unsigned at = 0; at < image->count; at++) {
		for (unsigned i = 0; i < image->label_count; i++) {
			if (image->labels[i].at != at)
				continue;
			snprintf(line, sizeof line, "%s%s:", at || i ? "\n" : "",
			         image->labels[i].name);
			luaL_addstring(&b, line);
		}
		snprintf(line, sizeof line, "%s%4u  %s", luaL_bufflen(&b) ? "\n" : "", at,
		         micro_text(image, at, text, sizeof text));
		luaL_addstring(&b, line);
	}
	luaL_pushresult(&b);
	return 1;
}

static const struct binding functions[] = {
	{"microprogram", assemble,
         "cyclops.microprogram(TEXT[, { NAME = NUMBER, ... }[, FILE]]) -> MICROPROGRAM",
         "Assembles a program for the profiling co-processor (`help microcode`), with other values "
         "for its .equ. What is wrong with it is an error "
         "that says FILE:LINE:COLUMN, and what would be right. `require \"cyclops.cop\".assemble` "
         "is the same."},
};

static const struct binding program_methods[] = {
	{"text", text_of, "mp:text(AT) -> TEXT",
         "The microinstruction at this place, from 0 on, with the program's names."},
};

static const struct binding program_values[] = {
	{"count", get_count, "mp.count", "Microinstructions."},
	{"name", get_name, "mp.name", "What it is called (.program); \"\" if it does not say."},
	{"help", get_help, "mp.help", "What it says of itself."},
	{"labels", get_labels, "mp.labels",
         "{ NAME = PLACE, ... }: places in the microcode, from 0 on."},
	{"constants", get_constants, "mp.constants", "{ NAME = NUMBER, ... }: its .equ."},
	{"words", get_words, "mp.words",
         "{ { LOW, HIGH }, ... }: 128 bits each, as the machine has them."},
};

const struct binding_area area_microprograms = {
	.name = "microprograms",
	.object = "cyclops",
	.summary = "programs for the profiling co-processor",
	.text = "    local mp = cyclops.microprogram [[\n"
	        "    .fields load: pc\n"
	        "    .on load: count\n"
	        "    count: sadd.32 v0, v0, 1 | done\n"
	        "    ]]\n"
	        "    m.cop:load(mp)",
	.bindings = functions,
	.count = sizeof functions / sizeof *functions,
};

const struct binding_area area_microprogram = {
	.name = "microprogram",
	.object = "microprogram",
	.summary = "a program for the co-processor; as a text it is a listing",
	.text = "",
	.bindings = program_methods,
	.count = sizeof program_methods / sizeof *program_methods,
};

const struct binding_area area_microprogram_values = {
	.name = "listings",
	.object = "microprogram.",
	.summary = "what a program for the co-processor consists of",
	.text = "",
	.bindings = program_values,
	.count = sizeof program_values / sizeof *program_values,
};

/* ---- machines ---- */
static struct lua_machine *machine_here(lua_State *L)
{
	struct lua_machine *m = api_machine_of_part(L, 1, COP);
	if (!session_cop(m->s))
		binding_fail(L, "%s has no co-processor: it needs cop.enable=true", m->name);
	return m;
}

static void change(lua_State *L, struct lua_machine *m, const struct device_write *writes, size_t n)
{
	api_change(L, m,
	           &(struct change){.kind = JOURNAL_DEVICE,
	                            .a = DEVICE_COP,
	                            .bytes = writes,
	                            .n = n * sizeof *writes});
}

/* The same program once more, for the session to keep. */
static struct microprogram *again(lua_State *L, const struct lua_microprogram *l)
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

/* A program, or what one is made of: a text of several lines, or a file. */
static struct lua_microprogram *take_program(lua_State *L)
{
	lua_settop(L, 3);
	if (lua_type(L, 2) != LUA_TSTRING)
		return program_at(L, 2);
	return push_program(L, 2, !strchr(lua_tostring(L, 2), '\n'), "microprogram");
}

static void keep(lua_State *L, struct lua_machine *m, const struct lua_microprogram *l)
{
	struct err err;
	if (!session_add_microprogram(m->s, again(L, l), &err))
		binding_fail(L, "%s", err.msg);
}

static int load(lua_State *L)
{
	struct lua_machine *m = machine_here(L);
	const struct lua_microprogram *l = take_program(L);
	struct err err;
	size_t n;
	struct device_write *writes =
		cop_load(machine_config(m->s->machine), &l->p->image, &n, &err);
	if (!writes)
		return binding_fail(L, "%s", err.msg);
	/* Lua's, so that an error does not lose it. */
	void *copy = lua_newuserdatauv(L, n * sizeof *writes, 0);
	memcpy(copy, writes, n * sizeof *writes);
	free(writes);
	change(L, m, copy, n);
	keep(L, m, l);
	return 0;
}

static int names(lua_State *L)
{
	struct lua_machine *m = machine_here(L);
	keep(L, m, take_program(L));
	return 0;
}

static uint64_t offset_at(lua_State *L, int index)
{
	const lua_Integer offset = luaL_checkinteger(L, index);
	if (offset < 0 || offset % 8 || offset >= COP_REGISTERS_END)
		binding_fail(L,
		             "no register of the co-processor is at %lld; right: multiples of 8 "
		             "below 0x70000",
		             (long long)offset);
	return (uint64_t)offset;
}

static int read_register(lua_State *L)
{
	struct lua_machine *m = machine_here(L);
	lua_pushinteger(L, (lua_Integer)cop_read(machine_pipe(m->s->machine)->prof,
	                                         (unsigned)offset_at(L, 2)));
	return 1;
}

static int write_registers(lua_State *L)
{
	struct lua_machine *m = machine_here(L);
	if (lua_type(L, 2) != LUA_TTABLE) {
		const struct device_write w = {offset_at(L, 2), (uint64_t)luaL_checkinteger(L, 3)};
		change(L, m, &w, 1);
		return 0;
	}
	const size_t n = lua_rawlen(L, 2);
	struct device_write *writes = lua_newuserdatauv(L, (n + 1) * sizeof *writes, 0);
	for (size_t i = 0; i < n; i++) {
		if (lua_rawgeti(L, 2, (lua_Integer)i + 1) != LUA_TTABLE ||
		    lua_rawgeti(L, -1, 1) != LUA_TNUMBER || lua_rawgeti(L, -2, 2) != LUA_TNUMBER)
			return binding_fail(
				L, "m.cop:write{ { OFFSET, VALUE }, ... }: entry %d is not so",
				(int)i + 1);
		writes[i] =
			(struct device_write){offset_at(L, -2), (uint64_t)luaL_checkinteger(L, -1)};
		lua_pop(L, 3);
	}
	change(L, m, writes, n);
	return 0;
}

static int resume(lua_State *L)
{
	struct lua_machine *m = machine_here(L);
	const struct device_write w = {COP_RESUME, 1};
	change(L, m, &w, 1);
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

static int registers(lua_State *L)
{
	const struct lua_machine *m = machine_here(L);
	const struct micro_image *image = session_micro_image(m->s);
	char letter;
	unsigned number;
	lua_newtable(L);
	for (const char *l = "vkxbt"; *l; l++)
		push_registers(L, m, *l);
	lua_newtable(L);
	for (unsigned i = 0; image && i < image->alias_count; i++)
		if (micro_register_find(NULL, image->aliases[i].reg, &letter, &number))
			tuples_set_integer(
				L, image->aliases[i].name,
				micro_register_value(session_cop(m->s)->micro.st, letter, number));
	lua_setfield(L, -2, "named");
	return 1;
}

static int record(lua_State *L)
{
	const struct lua_machine *m = machine_here(L);
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
			tuples_set_integer(L, record_field_name[f], values[f]);
	tuples_set_integer(L, "seq", r->seq);
	tuples_set_integer(L, "arrived", r->arrived);
	tuples_set_integer(L, "latency", r->latency);
	tuples_set_integer(L, "words", r->words);
	tuples_set_integer(L, "events", r->events);
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
	tuples_set_integer(L, "slot", entry);
	tuples_set_integer(L, "key", micro->cam[entry]);
	lua_pushboolean(L, slot_valid(micro, entry));
	lua_setfield(L, -2, "valid");
}

static int slots(lua_State *L)
{
	const struct lua_machine *m = machine_here(L);
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

static int mask(lua_State *L)
{
	static const char *const tables[] = {"high", "low", NULL};
	struct lua_machine *m = machine_here(L);
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
	change(L, m, writes, n);
	return 0;
}

static int why(lua_State *L)
{
	const struct lua_machine *m = machine_here(L);
	char text[512];
	struct code code;
	if (lua_isnoneornil(L, 2)) {
		lua_pushstring(L, why_cop(m->s, text, sizeof text));
		return 1;
	}
	const uint64_t pc = api_address(L, 2, m->s);
	if (!code_at(m->s, pc, &code))
		return binding_fail(L, "no instruction is at 0x%llx", (unsigned long long)pc);
	lua_pushstring(L, why_wanted(m->s, inst_kind((enum op)code.inst.op), code.pc + code.prefix,
	                             text, sizeof text));
	return 1;
}

static const struct binding methods[] = {
	{"load", load, "m.cop:load(PROGRAM[, { NAME = NUMBER, ... }])",
         "Stops what the co-processor does, empties it, and begins with this program: one of "
         "cyclops.microprogram, its text in several lines, or a "
         "file. A change: reverse motions go back over it. In a hook it is made behind the cycle."},
	{"names", names, "m.cop:names(PROGRAM[, { NAME = NUMBER, ... }])",
         "The same program is what firmware loads: views and words know its names from now on."},
	{"resume", resume, "m.cop:resume()",
         "Goes on after an interrupt or a fault, as firmware does. A change."},
	{"read", read_register, "m.cop:read(OFFSET) -> N",
         "A register as firmware reads it (core/prof/cop/cop.h lists them)."},
	{"write", write_registers,
         "m.cop:write(OFFSET, VALUE), m.cop:write{ { OFFSET, VALUE }, ... }",
         "Writes them, as one change."},
	{"mask", mask, "m.cop:mask('high'|'low', PLACE)",
         "Masks an instruction in a table, as a handler does, and lets the table mask. A change."},
	{"registers", registers,
         "m.cop:registers() -> { v = {...}, k = {...}, x = {...}, b = {...}, t = {...}, named = { "
         "NAME = N } }",
         "All of them, from [0] on, and those that the program gives names."},
	{"record", record,
         "m.cop:record(I) -> { class =, latency =, events =, words =, seq =, arrived =, pc =, "
         "result =, ... }",
         "The I-th record of the sample buffer, the oldest is 1, with the fields that it carries; "
         "nothing if there is none."},
	{"slots", slots, "m.cop:slots() -> { { slot =, valid =, key =, COLUMN = ... }, ... }",
         "Entries of the associative array that hold something, with the columns of the program; a "
         "ratio is a share of 1."},
	{"why", why, "m.cop:why([PLACE]) -> TEXT",
         "What the co-processor does, or waits for; of an instruction: why decode would tag it "
         "now, or not."},
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
		"m.cop.NAME is what `cop` is to expressions: a statistic, a parameter, a register "
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
		{"__gc", program_gc}, {"__tostring", program_tostring}, {NULL, NULL}};
	tuples_new_type(L, MICROPROGRAM, "microprogram", program);
	api_new_worded_part(L, COP, "cop");
}
