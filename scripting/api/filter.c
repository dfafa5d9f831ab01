#include "core/defs/event_fields.h"
#include "scripting/api/filter.h"

#include <string.h>

#include "core/base/nearest_word.h"

static uint64_t event_bit(lua_State *L, const char *name)
{
	struct nearest n;
	int id = event_find(name);
	if (id >= 0)
		return UINT64_C(1) << id;
	nearest_init(&n, name);
	for (int i = 0; i < EV_COUNT; i++)
		nearest_offer(&n, event_info[i].name);
	binding_fail(L, "no event is called '%s'; %s", name,
	             nearest_said(&n, "cyclops.events() has their names"));
	return 0;
}

uint64_t api_event_mask(lua_State *L, int index)
{
	uint64_t mask = 0;
	if (lua_type(L, index) == LUA_TSTRING)
		return event_bit(L, lua_tostring(L, index));
	if (lua_type(L, index) != LUA_TTABLE)
		binding_fail(L, "an event's name is needed, or a list of them, not %s",
		             host_a(lua_type(L, index)));
	for (lua_Integer i = 1; lua_rawgeti(L, index, i) != LUA_TNIL; i++) {
		if (lua_type(L, -1) != LUA_TSTRING)
			binding_fail(L, "an event's name is needed, not %s",
			             host_a(lua_type(L, -1)));
		mask |= event_bit(L, lua_tostring(L, -1));
		lua_pop(L, 1);
	}
	lua_pop(L, 1);
	if (!mask)
		binding_fail(L, "no event given; cyclops.events() has their names");
	return mask;
}

static uint32_t kind_bit(lua_State *L, const char *name)
{
	for (unsigned k = 0; k < INST_KIND_COUNT; k++)
		if (!strcmp(inst_kind_name[k], name))
			return 1u << k;
	binding_fail(L,
	             "no class of instructions is called '%s'; expected load, store, atomic, "
	             "branch, jump, int, mul, div, fp and "
	             "system",
	             name);
	return 0;
}

/* Reads class = "load" or { "branch", "jump" }, on top of the stack. */
static uint32_t api_filter_read_classes(lua_State *L)
{
	uint32_t kinds = 0;
	if (lua_type(L, -1) == LUA_TSTRING)
		return kind_bit(L, lua_tostring(L, -1));
	if (lua_type(L, -1) != LUA_TTABLE)
		binding_fail(L, "class: a text or a list of texts is needed, not %s",
		             host_a(lua_type(L, -1)));
	for (lua_Integer i = 1; lua_rawgeti(L, -1, i) == LUA_TSTRING; i++, lua_pop(L, 1))
		kinds |= kind_bit(L, lua_tostring(L, -1));
	if (!lua_isnil(L, -1) || !kinds)
		binding_fail(L, "class: names of classes are needed: { \"branch\", \"jump\" }");
	lua_pop(L, 1);
	return kinds;
}

/* Reads pc = an address, a function (all of it), or { FROM, BEHIND }, on top of the stack. */
static void read_pc(lua_State *L, const struct lua_machine *m, struct event_filter *f)
{
	int top = lua_gettop(L);
	if (lua_type(L, top) == LUA_TTABLE) {
		lua_rawgeti(L, top, 1);
		lua_rawgeti(L, top, 2);
		if (lua_isnil(L, -1) || lua_isnil(L, -2))
			binding_fail(L, "pc: { FROM, BEHIND } is needed");
		f->pc_lo = api_address(L, top + 1, m->s);
		f->pc_hi = api_address(L, top + 2, m->s);
		if (f->pc_hi <= f->pc_lo)
			binding_fail(L, "pc: { FROM, BEHIND } holds no address: the second is the "
			                "first one after");
	} else {
		const struct symbol *sym = NULL;
		if (lua_type(L, top) == LUA_TSTRING)
			sym = program_symbol_by_name(m->s->program, lua_tostring(L, top));
		f->pc_lo = api_address(L, top, m->s);
		f->pc_hi = f->pc_lo + (sym && sym->size ? sym->size : 1);
	}
	lua_settop(L, top);
}

/* Compiles the condition without Lua for each event where that is possible; it may also narrow the
 * filter. */
static void compile_fast(const struct lua_machine *m, const char *text, struct api_filter *f)
{
	uint64_t mask = f->events.mask;
	struct err err; /* ignored: Lua evaluates it */
	for (unsigned id = 0; id < EV_COUNT; id++)
		if (mask >> id & 1)
			f->fast[id] = where_compile(m->s, (enum event_id)id, text, &err);
	if (!(mask & (mask - 1)) && f->fast[__builtin_ctzll(mask)])
		where_narrow(f->fast[__builtin_ctzll(mask)], &f->events);
}

void api_read_filter(lua_State *L, int index, const struct lua_machine *m, uint64_t mask,
                     struct api_filter *out)
{
	struct err err;
	*out = (struct api_filter){.events.mask = mask};
	index = lua_absindex(L, index);
	if (api_option(L, index, "pc", LUA_TNONE))
		read_pc(L, m, &out->events);
	if (api_option(L, index, "class", LUA_TNONE))
		out->events.kinds = api_filter_read_classes(L);
	lua_pop(L, 2);
	if (!api_option(L, index, "where", LUA_TSTRING)) {
		lua_pop(L, 1);
		return;
	}
	struct expr *where = expr_compile_in(m->exprs, lua_tostring(L, -1), EXPR_NOWHERE, 0, &err);
	for (int id = 0; where && id < EV_COUNT; id++)
		if (mask >> id & 1 && !expr_try_event(where, (enum event_id)id, &err)) {
			expr_free(where);
			where = NULL;
		}
	if (!where)
		binding_fail(L, "where: %s", err.msg);
	out->where = where;
	compile_fast(m, lua_tostring(L, -1), out);
	lua_pop(L, 1);
}

void api_filter_deinit(struct api_filter *f)
{
	expr_free(f->where);
	for (unsigned id = 0; id < EV_COUNT; id++)
		where_free(f->fast[id]);
	*f = (struct api_filter){.events = {.mask = f->events.mask}};
}

bool api_filter_passes(struct api_filter *f, const struct machine *m, const struct event *ev,
                       bool *passes, struct err *err)
{
	struct expr_value v;
	*passes = true;
	if (!f->where)
		return true;
	enum where_answer answer =
		f->fast[ev->id] ? where_test(f->fast[ev->id], m, ev) : WHERE_ASK_LUA;
	if (answer != WHERE_ASK_LUA) {
		*passes = answer == WHERE_YES;
		return true;
	}
	if (!expr_eval_event(f->where, m, ev, &v, err))
		return false;
	*passes = expr_true(&v);
	return true;
}
