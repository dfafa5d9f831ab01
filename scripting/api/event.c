#include "scripting/api/event.h"

#include <string.h>

#include "hwviews/grid/field_text.h"

#define EVENT "cyclops.event"
#define EVENT_INST "cyclops.event.inst"

static struct lua_event *check_event(lua_State *L, const char *type)
{
	struct lua_event *e = luaL_checkudata(L, 1, type);
	if (!e->ev)
		binding_fail(L, "event used after its hook returned; keep a copy with e:table()");
	return e;
}

/* Pushes a word about the event's instruction. */
static bool push_inst_word(lua_State *L, const struct lua_event *e, const char *name)
{
	const struct words w = {.s = e->m->s, .ev = e->ev};
	return words_push_inst_word(L, &w, name);
}

static int api_event_report_unknown_field(lua_State *L, const struct event *ev, const char *name)
{
	const struct event_info *info = &event_info[ev->id];
	luaL_Buffer b;
	luaL_buffinit(L, &b);
	for (unsigned i = 0; i < info->field_count; i++) {
		luaL_addstring(&b, info->fields[i].name);
		luaL_addstring(&b, ", ");
	}
	luaL_pushresult(&b);
	return binding_fail(L,
	                    "an event '%s' has no '%s'; it has %sname, cycle, seq, pc, op, and "
	                    "those of its instruction (help fields)",
	                    info->name, name, lua_tostring(L, -1));
}

/* Fields of all events; no event's own field may have such a name (tested). */
enum { WORD_PC = 1, WORD_SEQ, WORD_CYCLE, WORD_NAME, WORD_INST };
static const char *const words_of_all[] = {
	[WORD_PC] = "pc",     [WORD_SEQ] = "seq",   [WORD_CYCLE] = "cycle",
	[WORD_NAME] = "name", [WORD_INST] = "inst",
};
enum { WORDS_OF_ALL = sizeof words_of_all / sizeof *words_of_all };

/* Upvalues: the methods, and the numbers of words_of_all; the object of the instruction; the
 * event's address. Must be fast: a hook on every commit calls it for each instruction. */
static int event_index(lua_State *L)
{
	const struct lua_event *e = lua_touserdata(L, lua_upvalueindex(3));
	if (lua_touserdata(L, 1) != e || !e->ev)
		e = check_event(L, EVENT);
	const struct event *ev = e->ev;
	lua_pushvalue(L, 2);
	switch (lua_rawget(L, lua_upvalueindex(1))) {
	case LUA_TNIL:
		break;
	case LUA_TNUMBER:
		switch (lua_tointeger(L, -1)) {
		case WORD_CYCLE:
			lua_pushinteger(L, (lua_Integer)ev->cycle);
			return 1;
		case WORD_NAME:
			lua_pushstring(L, event_info[ev->id].name);
			return 1;
		case WORD_INST:
			lua_pushvalue(L, lua_upvalueindex(2));
			return 1;
		case WORD_SEQ:
			if (ev->seq)
				lua_pushinteger(L, (lua_Integer)ev->seq);
			else
				lua_pushnil(L);
			return 1;
		default:
			if (ev->seq || ev->pc)
				lua_pushinteger(L, (lua_Integer)ev->pc);
			else
				lua_pushnil(L);
			return 1;
		}
	default:
		return 1;
	}
	const char *name = luaL_checkstring(L, 2);
	const struct words w = {.s = e->m->s, .ev = ev};
	if (words_push_event_word(L, &w, name) || push_inst_word(L, e, name))
		return 1;
	return api_event_report_unknown_field(L, ev, name);
}

static int inst_index(lua_State *L)
{
	const struct lua_event *e = *(struct lua_event **)luaL_checkudata(L, 1, EVENT_INST);
	const char *name = luaL_checkstring(L, 2);
	if (!e->ev)
		return binding_fail(L, "event used after its hook returned");
	if (push_inst_word(L, e, name))
		return 1;
	return binding_fail(L, "an instruction has no '%s' (help fields)", name);
}

static int event_table(lua_State *L)
{
	words_push_event(L, check_event(L, EVENT)->ev);
	return 1;
}

static int event_tostring(lua_State *L)
{
	const struct lua_event *e = luaL_checkudata(L, 1, EVENT);
	char text[512], where[256];
	if (!e->ev) {
		lua_pushstring(L, "an event that is over");
		return 1;
	}
	field_text_of_event(e->m->s, e->ev, text, sizeof text);
	if (e->ev->seq)
		lua_pushfstring(L, "%s #%I %s%s%s", event_info[e->ev->id].name,
		                (lua_Integer)e->ev->seq,
		                session_where(e->m->s, e->ev->pc, where, sizeof where),
		                *text ? ": " : "", text);
	else
		lua_pushfstring(L, "%s%s%s", event_info[e->ev->id].name, *text ? ": " : "", text);
	return 1;
}

static const struct binding methods[] = {
	{"table", event_table, "e:table() -> TABLE",
         "A copy to keep: name, cycle, seq, pc, op and the event's fields."},
};

const struct binding_area area_event = {
	.name = "event",
	.object = "event",
	.summary = "what a hook gets",
	.text = "e.name, e.cycle, e.seq, e.pc, e.op; the event's own fields (`help events`: "
                "e.level, e.addr of mem); and those of its\n"
                "instruction while that is in flight (`help fields`: e.wrong_path, "
                "e.inst.result), nil otherwise. An event is valid while the\n"
                "hook runs. e.cycle is the cycle in which it happened, as stamps of instructions "
                "are (e.fetched, e.issued); hooks are called\n"
                "after it, when m.cycle, the number of cycles done, is one more: m:go(e:table()) "
                "leads there.",
	.bindings = methods,
	.count = sizeof methods / sizeof *methods,
};

void api_open_event(lua_State *L)
{
	struct script *s = script_of(L);
	static const luaL_Reg inst[] = {{"__index", inst_index}, {NULL, NULL}};
	static const luaL_Reg meta[] = {{"__tostring", event_tostring}, {NULL, NULL}};
	api_new_part(L, EVENT_INST, inst);
	api_new_part(L, EVENT, meta);
	s->e = lua_newuserdatauv(L, sizeof *s->e, 0);
	*s->e = (struct lua_event){0};
	luaL_getmetatable(L, EVENT);
	lua_newtable(L);
	binding_register_object(L, "event", 0);
	for (int i = 1; i < WORDS_OF_ALL; i++) {
		lua_pushinteger(L, i);
		lua_setfield(L, -2, words_of_all[i]);
	}
	struct lua_event **e = lua_newuserdatauv(L, sizeof *e, 0);
	*e = s->e;
	luaL_setmetatable(L, EVENT_INST);
	lua_pushlightuserdata(L, s->e);
	lua_pushcclosure(L, event_index, 3);
	lua_setfield(L, -2, "__index");
	lua_setmetatable(L, -2);
	s->event = luaL_ref(L, LUA_REGISTRYINDEX);
}
