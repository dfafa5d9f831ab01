/* The engine as a Lua module, for tests that compare it with a reference: micro_host SCRIPT.lua
 *
 *   e = engine.new{code =, cam =, data =, seed =, head =}
 *                                one with a sample buffer of 64 records, the first at `head`
 *   e:load(text)                 assembles and loads it; an error in the text is one of Lua
 *   e:start(class, at)           its routine
 *   e:lfsr(value)  e:data(i, value)  e:cam(i, value, valid)  e:poke(at, w0, w1)
 *                                its random register, its arrays, its microcode
 *   e:push{pc =, inst =, ..., kind =}
 *                                a record arrives
 *   e:clock()                    one clock: returns what was executed, or nil; checks what nothing
 *                                may change
 *   e:set(FILE, i, value)        register i of "v", "k", "x" or "b"
 *   e:invalidate()  e:clear()    of the associative array, and of the data array
 *   e:waits()  e:resume()  e:state()  e:count()
 *   engine.disassemble(w0, w1)   engine.words(text): {{w0, w1}, ...}
 *   engine.canonical(w0, w1)     w0, w1, or nil of an invalid one */
#include <lauxlib.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/prof/cop/micro_asm.h"
#include "core/prof/cop/micro_code.h"

enum { RECORDS = 64 };
static const char kind_of_engine[] = "engine";

struct engine {
	struct micro m;
	struct cop_record ring[RECORDS];
	struct micro_records records;
	size_t bytes;
	uint8_t *memory, *before; /* owned: the arena, and a copy */
};

static struct engine *micro_host_engine(lua_State *L)
{
	return luaL_checkudata(L, 1, kind_of_engine);
}

static lua_Integer micro_host_read_field(lua_State *L, int table, const char *name,
                                         lua_Integer otherwise)
{
	lua_getfield(L, table, name);
	const lua_Integer v = luaL_optinteger(L, -1, otherwise);
	lua_pop(L, 1);
	return v;
}

static int engine_new(lua_State *L)
{
	const struct micro_sizes sizes = {(unsigned)micro_host_read_field(L, 1, "code", 256),
	                                  (unsigned)micro_host_read_field(L, 1, "cam", 16),
	                                  (unsigned)micro_host_read_field(L, 1, "data", 64),
	                                  (uint32_t)micro_host_read_field(L, 1, "watchdog", 0)};
	const lua_Integer seed = micro_host_read_field(L, 1, "seed", 1),
			  head = micro_host_read_field(L, 1, "head", 0);
	struct engine *e = lua_newuserdatauv(L, sizeof *e, 0);
	struct arena a = {0};
	memset(e, 0, sizeof *e);
	micro_place(&e->m, &a, &sizes);
	e->bytes = (a.used + 63) & ~(size_t)63;
	e->memory = aligned_alloc(64, e->bytes);
	e->before = malloc(e->bytes);
	if (!e->memory || !e->before)
		return luaL_error(L, "out of memory");
	memset(e->memory, 0, e->bytes);
	a = (struct arena){.base = e->memory};
	micro_place(&e->m, &a, &sizes);
	micro_reset(&e->m, (uint32_t)seed);
	e->records = (struct micro_records){e->ring, RECORDS, (unsigned)head % RECORDS, 0};
	luaL_setmetatable(L, kind_of_engine);
	return 1;
}

static int engine_gc(lua_State *L)
{
	struct engine *e = micro_host_engine(L);
	free(e->memory);
	free(e->before);
	return 0;
}

static int engine_load(lua_State *L)
{
	struct engine *e = micro_host_engine(L);
	size_t n;
	const char *text = luaL_checklstring(L, 2, &n);
	struct micro_image image;
	struct err err;
	if (!micro_assemble(text, n, "text", NULL, 0, &image, &err))
		return luaL_error(L, "%s", err.msg);
	const bool ok = micro_load(&e->m, &image, &err);
	micro_image_free(&image);
	return ok ? 0 : luaL_error(L, "%s", err.msg);
}

static int engine_start(lua_State *L)
{
	micro_host_engine(L)->m.st->start[luaL_checkinteger(L, 2)] =
		(uint16_t)luaL_checkinteger(L, 3);
	return 0;
}

static int engine_lfsr(lua_State *L)
{
	micro_set_lfsr(&micro_host_engine(L)->m, (uint32_t)luaL_checkinteger(L, 2));
	return 0;
}

static int engine_push(lua_State *L)
{
	struct engine *e = micro_host_engine(L);
	if (e->records.count == RECORDS)
		return luaL_error(L, "the sample buffer is full");
	struct cop_record *r = &e->ring[(e->records.head + e->records.count++) % RECORDS];
	*r = (struct cop_record){.pc = (uint64_t)micro_host_read_field(L, 2, "pc", 0),
	                         .inst = (uint64_t)micro_host_read_field(L, 2, "inst", 0),
	                         .rs1 = (uint64_t)micro_host_read_field(L, 2, "rs1", 0),
	                         .rs2 = (uint64_t)micro_host_read_field(L, 2, "rs2", 0),
	                         .result = (uint64_t)micro_host_read_field(L, 2, "result", 0),
	                         .addr = (uint64_t)micro_host_read_field(L, 2, "addr", 0),
	                         .target = (uint64_t)micro_host_read_field(L, 2, "target", 0),
	                         .latency = (uint32_t)micro_host_read_field(L, 2, "latency", 0),
	                         .events = (uint16_t)micro_host_read_field(L, 2, "events", 0),
	                         .kind = (uint16_t)micro_host_read_field(L, 2, "kind", 0)};
	return 0;
}

static void micro_host_set_field(lua_State *L, const char *name, uint64_t value)
{
	lua_pushinteger(L, (lua_Integer)value);
	lua_setfield(L, -2, name);
}

static int engine_clock(lua_State *L)
{
	struct engine *e = micro_host_engine(L);
	struct micro_trace t;
	const bool waits = micro_waits(&e->m, &e->records);
	memcpy(e->before, e->memory, e->bytes);
	const enum micro_outcome outcome = micro_cycle(&e->m, &e->records, &t);
	if (waits && (memcmp(e->before, e->memory, e->bytes) != 0 || outcome || t.kind))
		return luaL_error(L, "it waited, but something changed");
	if (!waits && !t.kind && !memcmp(e->before, e->memory, e->bytes))
		return luaL_error(L, "it did not wait, but nothing changed");
	if (micro_check(&e->m, e->records.count))
		return luaL_error(L, "%s", micro_check(&e->m, e->records.count));
	if (outcome) {
		e->records.head = (e->records.head + 1) % RECORDS;
		e->records.count--;
	}
	if (t.kind == MICRO_SLOT_EMPTY)
		return 0;
	lua_newtable(L);
	micro_host_set_field(L, "kind", t.kind);
	micro_host_set_field(L, "at", t.at);
	micro_host_set_field(L, "goal", t.next.goal);
	micro_host_set_field(L, "next", t.next.at);
	micro_host_set_field(L, "fault", t.fault);
	micro_host_set_field(L, "outcome", t.outcome);
	micro_host_set_field(L, "wrong", t.wrong);
	return outcome == (enum micro_outcome)t.outcome
	               ? 1
	               : luaL_error(L, "the trace has another outcome");
}

static int engine_waits(lua_State *L)
{
	const struct engine *e = micro_host_engine(L);
	lua_pushboolean(L, micro_waits(&e->m, &e->records));
	return 1;
}

static int engine_count(lua_State *L)
{
	lua_pushinteger(L, micro_host_engine(L)->records.count);
	return 1;
}

static int engine_resume(lua_State *L)
{
	micro_resume(&micro_host_engine(L)->m);
	return 0;
}

#define PUSH_ARRAY(L, name, array, n) \
	do { \
		lua_createtable((L), (int)(n), 0); \
		for (unsigned i_ = 0; i_ < (n); i_++) { \
			lua_pushinteger((L), (lua_Integer)(array)[i_]); \
			lua_rawseti((L), -2, (lua_Integer)i_); \
		} \
		lua_setfield((L), -2, (name)); \
	} while (0)

static int engine_state(lua_State *L)
{
	const struct engine *e = micro_host_engine(L);
	const struct micro_state *st = e->m.st;
	lua_newtable(L);
	PUSH_ARRAY(L, "v", st->v, MICRO_VALUES);
	PUSH_ARRAY(L, "x", st->x, MICRO_INDEXES);
	PUSH_ARRAY(L, "cam", e->m.cam, e->m.cam_n);
	PUSH_ARRAY(L, "data", e->m.data, e->m.data_n);
	lua_createtable(L, (int)e->m.cam_n, 0);
	for (unsigned i = 0; i < e->m.cam_n; i++) {
		lua_pushboolean(L, e->m.valid[i / 64] >> i % 64 & 1);
		lua_rawseti(L, -2, i);
	}
	lua_setfield(L, -2, "valid");
	micro_host_set_field(L, "lfsr", st->lfsr);
	micro_host_set_field(L, "conditions", st->conditions);
	micro_host_set_field(L, "match", st->match);
	micro_host_set_field(L, "halted", st->halted);
	micro_host_set_field(L, "fault", st->fault);
	micro_host_set_field(L, "fault_at", st->fault_at);
	return 1;
}

static struct micro_word micro_host_read_word(lua_State *L, int at)
{
	return (struct micro_word){
		{(uint64_t)luaL_checkinteger(L, at), (uint64_t)luaL_checkinteger(L, at + 1)}};
}

static int micro_host_disassemble(lua_State *L)
{
	char text[MICRO_TEXT_MAX];
	lua_pushstring(L, micro_disassemble(micro_host_read_word(L, 1), text, sizeof text));
	return 1;
}

static int micro_host_canonical_word(lua_State *L)
{
	const struct micro_inst in = micro_unpack(micro_host_read_word(L, 1));
	if (micro_invalid(&in))
		return 0;
	const struct micro_inst out = micro_canonical(&in);
	const struct micro_word w = micro_pack(&out);
	lua_pushinteger(L, (lua_Integer)w.w[0]);
	lua_pushinteger(L, (lua_Integer)w.w[1]);
	return 2;
}

/* Writes words into a running engine, for encodings that no text produces. */
static int engine_poke(lua_State *L)
{
	micro_host_engine(L)->m.code[luaL_checkinteger(L, 2)] = micro_host_read_word(L, 3);
	return 0;
}

static int micro_host_assemble_words(lua_State *L)
{
	size_t n;
	const char *text = luaL_checklstring(L, 1, &n);
	struct micro_image image;
	struct err err;
	if (!micro_assemble(text, n, "text", NULL, 0, &image, &err))
		return luaL_error(L, "%s", err.msg);
	lua_newtable(L);
	for (unsigned i = 0; i < image.count; i++) {
		lua_createtable(L, 2, 0);
		for (unsigned j = 0; j < 2; j++) {
			lua_pushinteger(L, (lua_Integer)image.words[i].w[j]);
			lua_rawseti(L, -2, j + 1);
		}
		lua_rawseti(L, -2, i + 1);
	}
	micro_image_free(&image);
	return 1;
}

static int engine_data(lua_State *L)
{
	micro_host_engine(L)->m.data[luaL_checkinteger(L, 2)] = (uint32_t)luaL_checkinteger(L, 3);
	return 0;
}

static int engine_cam(lua_State *L)
{
	const struct micro *m = &micro_host_engine(L)->m;
	const lua_Integer i = luaL_checkinteger(L, 2);
	m->cam[i] = (uint32_t)luaL_checkinteger(L, 3);
	m->valid[i / 64] = (m->valid[i / 64] & ~(UINT64_C(1) << i % 64)) |
	                   (uint64_t)lua_toboolean(L, 4) << i % 64;
	return 0;
}

/* Writes of the host while the engine stands, or between two clocks. */
static int engine_set(lua_State *L)
{
	static const char *const files[] = {"v", "k", "x", "b", NULL};
	struct micro_state *st = micro_host_engine(L)->m.st;
	const int file = luaL_checkoption(L, 2, NULL, files);
	const lua_Integer i = luaL_checkinteger(L, 3), value = luaL_checkinteger(L, 4);
	luaL_argcheck(L, i >= 0 && i < (file < 2 ? MICRO_VALUES : MICRO_INDEXES), 3,
	              "no such register");
	if (file < 2)
		(file ? st->k : st->v)[i] = (uint64_t)value;
	else
		(file == 2 ? st->x : st->b)[i] = (uint16_t)value;
	return 0;
}

static int engine_invalidate(lua_State *L)
{
	micro_invalidate_cam(&micro_host_engine(L)->m);
	return 0;
}

static int engine_clear(lua_State *L)
{
	micro_clear_data(&micro_host_engine(L)->m);
	return 0;
}

static const luaL_Reg methods[] = {{"load", engine_load},
                                   {"start", engine_start},
                                   {"lfsr", engine_lfsr},
                                   {"push", engine_push},
                                   {"clock", engine_clock},
                                   {"waits", engine_waits},
                                   {"resume", engine_resume},
                                   {"state", engine_state},
                                   {"count", engine_count},
                                   {"poke", engine_poke},
                                   {"data", engine_data},
                                   {"cam", engine_cam},
                                   {"set", engine_set},
                                   {"invalidate", engine_invalidate},
                                   {"clear", engine_clear},
                                   {"__gc", engine_gc},
                                   {NULL, NULL}};
static const luaL_Reg functions[] = {{"new", engine_new},
                                     {"disassemble", micro_host_disassemble},
                                     {"canonical", micro_host_canonical_word},
                                     {"words", micro_host_assemble_words},
                                     {NULL, NULL}};

int main(int argc, char **argv)
{
	lua_State *L = luaL_newstate();
	if (!L || argc != 2) {
		fprintf(stderr, "usage: micro_host SCRIPT.lua\n");
		return 2;
	}
	luaL_openlibs(L);
	luaL_newmetatable(L, kind_of_engine);
	luaL_setfuncs(L, methods, 0);
	lua_pushvalue(L, -1);
	lua_setfield(L, -2, "__index");
	luaL_newlib(L, functions);
	lua_setglobal(L, "engine");
	const bool failed = luaL_dofile(L, argv[1]);
	if (failed)
		fprintf(stderr, "%s\n", lua_tostring(L, -1));
	lua_close(L);
	return failed;
}
