/* Words of the co-processor: its registers, by number and by its program's names, its conditions,
 * cop.slot[I] and cop.word[I]. */
#include "scripting/expr/words.h"

#include <inttypes.h>
#include <lauxlib.h>
#include <stdio.h>
#include <string.h>

#include "hwviews/cop/cop_rows.h"
#include "hwviews/cop/cop_slots.h"
#include "scripting/binding.h"

#define SLOTS_META "cyclops.cop_slots"
#define SLOT_META "cyclops.cop_slot"
#define WORDS_META "cyclops.cop_words"

static const struct cop *cop_here(lua_State *L, const struct words *w)
{
	const struct cop *c = cop_of(machine_pipe(words_machine(L, w))->prof);
	if (!c)
		binding_fail(L, "this machine has no co-processor (cop.enable = false)");
	return c;
}

static const struct micro_image *image_here(const struct words *w)
{
	return w->s ? session_micro_image(w->s) : NULL;
}

/* The integer at index 2, below n; else a Lua error. */
static unsigned words_cop_check_index(lua_State *L, const char *what, unsigned n)
{
	const lua_Integer i = luaL_checkinteger(L, 2);
	if (i < 0 || i >= (lua_Integer)n)
		binding_fail(L, "%s 0 to %d", what, (int)n - 1);
	return (unsigned)i;
}

/* ---- cop.slot[I] ---- */
static void push_columns(luaL_Buffer *b, const struct micro_image *image)
{
	for (unsigned i = 0; image && i < image->column_count; i++) {
		luaL_addchar(b, ' ');
		luaL_addstring(b, image->columns[i].name);
	}
}

static int slot_index(lua_State *L)
{
	const struct words_place *at = luaL_checkudata(L, 1, SLOT_META);
	const struct micro *m = &cop_here(L, at->words)->micro;
	const struct micro_image *image = image_here(at->words);
	const char *name = luaL_checkstring(L, 2);
	const int column = slot_column(image, name);
	if (column >= 0) {
		const struct slot_value v = slot_value(m, image, (unsigned)column, at->number);
		if (!v.known)
			lua_pushnil(L);
		else if (v.ratio)
			lua_pushnumber(L, v.d);
		else
			lua_pushinteger(L, (lua_Integer)v.n);
	} else if (!strcmp(name, "key")) {
		lua_pushinteger(L, m->cam[at->number]);
	} else if (!strcmp(name, "valid")) {
		lua_pushboolean(L, slot_valid(m, at->number));
	} else {
		luaL_Buffer b;
		luaL_buffinit(L, &b);
		push_columns(&b, image);
		luaL_pushresult(&b);
		return binding_fail(L, "a slot has no '%s'; it has key valid%s", name,
		                    lua_tostring(L, -1));
	}
	return 1;
}

static int slot_tostring(lua_State *L)
{
	const struct words_place *at = luaL_checkudata(L, 1, SLOT_META);
	const struct micro *m = &cop_here(L, at->words)->micro;
	char text[64];
	snprintf(text, sizeof text, "0x%" PRIx32 "%s", m->cam[at->number],
	         slot_valid(m, at->number) ? "" : ", off");
	lua_pushstring(L, text);
	return 1;
}

static int slots_index(lua_State *L)
{
	const struct words_place *at = luaL_checkudata(L, 1, SLOTS_META);
	const unsigned entry = words_cop_check_index(L, "the associative array has entries",
	                                             cop_here(L, at->words)->micro.cam_n);
	lua_getiuservalue(L, 1, 1);
	words_push_place(L, -1, (struct words_place){at->words, entry, 0}, SLOT_META);
	return 1;
}

/* ---- cop.word[I] ---- */
static int words_index(lua_State *L)
{
	const struct words_place *at = luaL_checkudata(L, 1, WORDS_META);
	const struct micro *m = &cop_here(L, at->words)->micro;
	lua_pushinteger(L,
	                m->data[words_cop_check_index(L, "the data array has words", m->data_n)]);
	return 1;
}

static int array_tostring(lua_State *L)
{
	lua_pushstring(L, luaL_testudata(L, 1, WORDS_META) ? "the data array: cop.word[0]"
	                                                   : "the associative array: cop.slot[0]");
	return 1;
}

/* ---- registers, conditions and state ---- */
static bool push_condition(lua_State *L, const struct micro_state *st, const char *name)
{
	static const char *const names[] = {"z", "lt", "sat", "xz", "xlt", "hit", "csat", "cz"};
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(names[i], name)) {
			lua_pushboolean(L, st->conditions >> i & 1);
			return true;
		}
	return false;
}

/* Pushes a microcode address, or nil. */
static void push_slot_place(lua_State *L, unsigned kind, unsigned at)
{
	if (kind == MICRO_SLOT_CODE)
		lua_pushinteger(L, at);
	else
		lua_pushnil(L);
}

static bool push_state(lua_State *L, const struct cop *c, const char *name)
{
	const struct micro_state *st = c->micro.st;
	const struct {
		const char *name;
		uint64_t value;
	} numbers[] = {{"lfsr", st->lfsr},          {"match", st->match},
	               {"waiting", c->st->count},   {"queued", c->st->way_count},
	               {"classes", c->st->classes}, {"region", c->st->match}};
	for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (!strcmp(numbers[i].name, name)) {
			lua_pushinteger(L, (lua_Integer)numbers[i].value);
			return true;
		}
	if (!strcmp(name, "at"))
		push_slot_place(L, st->execute.kind, st->execute.at);
	else if (!strcmp(name, "last"))
		push_slot_place(L, st->last.kind, st->last.at);
	else if (!strcmp(name, "halted"))
		lua_pushboolean(L, st->halted);
	else if (!strcmp(name, "fault"))
		lua_pushstring(L, micro_fault_name[st->fault]);
	else
		return push_condition(L, st, name);
	return true;
}

bool words_push_cop(lua_State *L, int key)
{
	struct words *w = words_here(L);
	char letter;
	unsigned number;
	if (lua_isinteger(L, key))
		return false;
	const char *name = lua_tostring(L, key);
	const bool slot = !strcmp(name, "slot");
	if (slot || !strcmp(name, "word")) {
		cop_here(L, w);
		words_push_place(L, lua_upvalueindex(1), (struct words_place){w, 0, 0},
		                 slot ? SLOTS_META : WORDS_META);
		return true;
	}
	const struct cop *c = cop_of(machine_pipe(words_machine(L, w))->prof);
	if (!c)
		return false;
	if (push_state(L, c, name))
		return true;
	if (!micro_register_find(NULL, name, &letter, &number))
		return false;
	lua_pushinteger(L, (lua_Integer)micro_register_value(c->micro.st, letter, number));
	return true;
}

bool words_push_cop_named(lua_State *L, const char *name)
{
	struct words *w = words_here(L);
	const struct cop *c = cop_of(machine_pipe(words_machine(L, w))->prof);
	char letter;
	unsigned number;
	if (!c || !micro_register_find(image_here(w), name, &letter, &number))
		return false;
	lua_pushinteger(L, (lua_Integer)micro_register_value(c->micro.st, letter, number));
	return true;
}

const char *words_tell_cop(void)
{
	return "cop.v0, cop.x0, ..., cop.NAME (a register of the program's), cop.slot[0].key, "
	       "cop.word[0], cop.at, cop.last, cop.waiting, cop.queued, "
	       "cop.halted, cop.fault, cop.hit, cop.z, ..., cop.lfsr, cop.match";
}

void words_open_cop(lua_State *L)
{
	words_metatable(L, SLOTS_META, slots_index, array_tostring);
	words_metatable(L, SLOT_META, slot_index, slot_tostring);
	words_metatable(L, WORDS_META, words_index, array_tostring);
}
