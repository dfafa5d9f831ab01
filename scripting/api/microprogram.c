/* Microprograms of the co-processor as Lua objects, without a machine. */
#include "scripting/api/microprogram.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/textbuf.h"
#include "core/prof/cop/micro_code.h"
#include "loader/microprogram.h"
#include "scripting/api/api.h"
#include "scripting/api/tuples.h"

struct lua_microprogram *microprogram_at(lua_State *L, int index)
{
	return luaL_checkudata(L, index, MICROPROGRAM);
}

int microprogram_gc(lua_State *L)
{
	struct lua_microprogram *l = microprogram_at(L, 1);
	microprogram_free(l->p);
	free(l->text);
	for (unsigned i = 0; i < l->define_count; i++)
		free((char *)(uintptr_t)l->defines[i].name);
	*l = (struct lua_microprogram){0};
	return 0;
}

/* Reads { NAME = NUMBER, ... } at index, or nothing. */
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
		char *name = alloc_text(lua_tostring(L, -2));
		if (!name)
			binding_fail(L, "out of memory for a microprogram");
		l->defines[l->define_count++] =
			(struct micro_define){name, (uint64_t)lua_tointeger(L, -1)};
	}
}

/* Raises an error with a line for each mistake. */
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

struct lua_microprogram *microprogram_push(lua_State *L, int index, bool file, const char *name)
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
	else if (!(l->text = alloc_bytes(n + 1)))
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

static int microprogram_assemble_text(lua_State *L)
{
	lua_settop(L, 3);
	microprogram_push(L, 1, false, luaL_optstring(L, 3, "microprogram"));
	return 1;
}

static int get_count(lua_State *L)
{
	lua_pushinteger(L, microprogram_at(L, 1)->p->image.count);
	return 1;
}

static int microprogram_get_name(lua_State *L)
{
	lua_pushstring(L, microprogram_at(L, 1)->p->image.name);
	return 1;
}

static int get_help(lua_State *L)
{
	lua_pushstring(L, microprogram_at(L, 1)->p->image.help);
	return 1;
}

static int get_labels(lua_State *L)
{
	const struct micro_image *image = &microprogram_at(L, 1)->p->image;
	lua_newtable(L);
	for (unsigned i = 0; i < image->label_count; i++)
		binding_set_integer(L, image->labels[i].name, image->labels[i].at);
	return 1;
}

static int get_constants(lua_State *L)
{
	const struct micro_image *image = &microprogram_at(L, 1)->p->image;
	lua_newtable(L);
	for (unsigned i = 0; i < image->constant_count; i++)
		binding_set_integer(L, image->constants[i].name, image->constants[i].value);
	return 1;
}

static int get_words(lua_State *L)
{
	const struct micro_image *image = &microprogram_at(L, 1)->p->image;
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

static int microprogram_disassemble_at(lua_State *L)
{
	const struct micro_image *image = &microprogram_at(L, 1)->p->image;
	const lua_Integer at = luaL_checkinteger(L, 2);
	char text[MICRO_TEXT_MAX];
	if (at < 0 || at >= (lua_Integer)image->count)
		return binding_fail(L, "microinstruction %d of %d; expected 0 to %d", (int)at,
		                    (int)image->count, (int)image->count - 1);
	lua_pushstring(L, micro_text(image, (unsigned)at, text, sizeof text));
	return 1;
}

int microprogram_tostring(lua_State *L)
{
	const struct micro_image *image = &microprogram_at(L, 1)->p->image;
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
	{"microprogram", microprogram_assemble_text,
         "cyclops.microprogram(TEXT[, { NAME = NUMBER, ... }[, FILE]]) -> MICROPROGRAM",
         "Assembles a program for the profiling co-processor (`help microcode`), with other "
         "values for its .equ. An error names FILE:LINE:COLUMN and the expected syntax. `require "
         "\"cyclops.cop\".assemble` is the same."},
};
static const struct binding program_methods[] = {
	{"text", microprogram_disassemble_at, "mp:text(AT) -> TEXT",
         "The microinstruction at this place, from 0 on, with the program's names."},
};
static const struct binding program_values[] = {
	{"count", get_count, "mp.count", "Microinstructions."},
	{"name", microprogram_get_name, "mp.name",
         "Its name (.program); \"\" if it has none."},
	{"help", get_help, "mp.help", "Its description (.program)."},
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
	.summary = "a program for the co-processor; tostring() gives a listing",
	.text = "",
	.bindings = program_methods,
	.count = sizeof program_methods / sizeof *program_methods,
};
const struct binding_area area_microprogram_values = {
	.name = "listings",
	.object = "microprogram.",
	.summary = "contents of a program for the co-processor",
	.text = "",
	.bindings = program_values,
	.count = sizeof program_values / sizeof *program_values,
};
