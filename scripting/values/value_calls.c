/* Calls customisation modules: sequences become values, and values texts. */
#include "scripting/binding.h"
#include "scripting/values/value_modules_priv.h"

#include <lauxlib.h>
#include <stdio.h>
#include <string.h>

/* add(pc, value [, kind]) */
static int value_call_add_value(lua_State *L)
{
	struct module *m = module_of(L);
	int whole[2];
	const lua_Integer pc = lua_tointegerx(L, 1, &whole[0]),
			  value = lua_tointegerx(L, 2, &whole[1]);
	unsigned kind = 0;
	if (!m->answer)
		return luaL_error(L, "add is there while sequence runs");
	if (!whole[0] || !whole[1])
		return luaL_error(L, "add(PC, VALUE): %s: a whole number is needed, not %s",
		                  whole[0] ? "VALUE" : "PC",
		                  luaL_tolstring(L, whole[0] ? 2 : 1, NULL));
	if (lua_isnoneornil(L, 3)) {
		if (m->kinds > 1)
			return luaL_error(
				L, "add(PC, VALUE, KIND): this module has %d kinds: which one?",
				(int)m->kinds);
	} else {
		const char *name = luaL_checkstring(L, 3);
		const size_t skip = strlen(m->name) + 1;
		while (kind < m->kinds &&
		       strcmp(strlen(m->kind[kind].name) > skip ? m->kind[kind].name + skip
		                                                : m->name,
		              name) != 0)
			kind++;
		if (kind == m->kinds)
			return luaL_error(
				L, "add(PC, VALUE, KIND): '%s' is none of this module's kinds",
				name);
	}
	value_answer_add(m->answer, (uint64_t)pc, m->all->module[m->number].first_kind + kind,
	                 (uint64_t)value);
	return 0;
}

/* Sets a field unless the method of sampling does not provide it. */
static void set_known(lua_State *L, const char *name, const struct vsample_tuple *t,
                      unsigned unknown, uint64_t value)
{
	if (!(t->unknown & unknown))
		binding_set_integer(L, name, value);
}

/* Pushes a tuple as a table of the words that the module captures. */
static void push_tuple(lua_State *L, const struct module *m, const struct vsample_tuple *t)
{
	struct inst in;
	inst_decode(t->word, &in);
	const unsigned bits = m->capture.fields[in.op], flags = inst_flags(&in);
	lua_createtable(L, 0, 12);
	binding_set_integer(L, "pc", t->pc);
	binding_set_integer(L, "word", t->word);
	binding_set_integer(L, "length", in.len);
	binding_set_integer(L, "place", t->place);
	binding_set_text(L, "op", op_info[in.op].mnemonic);
	binding_set_text(L, "class", inst_kind_name[inst_kind(in.op)]);
	binding_set_integer(L, "imm", (uint64_t)(int64_t)in.imm);
	if (in.rd != REG_SINK)
		binding_set_text(L, "rd", reg_name(in.rd));
	const unsigned source[] = {in.rs1, in.rs2, in.rs3};
	static const char *const source_name[] = {"source1", "source2", "source3"};
	for (unsigned i = 0; i < 3; i++)
		if (source[i])
			binding_set_text(L, source_name[i], reg_name(source[i]));
	if (flags & OPF_MEMORY)
		binding_set_integer(L, "bytes", op_info[in.op].mem_bytes);
	if (bits & VSAMPLE_OPERANDS) {
		set_known(L, "rs1", t, VSAMPLE_NO_OPERAND, t->operand[0]);
		set_known(L, "rs2", t, VSAMPLE_NO_OPERAND << 1, t->operand[1]);
		set_known(L, "rs3", t, VSAMPLE_NO_OPERAND << 2, t->operand[2]);
	}
	if ((bits & VSAMPLE_RESULT) && in.rd != REG_SINK)
		set_known(L, "result", t, VSAMPLE_NO_RESULT, t->result);
	if ((bits & VSAMPLE_ADDRESS) && (flags & OPF_MEMORY))
		set_known(L, "address", t, VSAMPLE_NO_ADDRESS, t->address);
	if ((bits & VSAMPLE_LATENCY) && (flags & OPF_LOAD))
		set_known(L, "latency", t, VSAMPLE_NO_LATENCY, t->latency);
	if (t->delayed) {
		lua_pushboolean(L, true);
		lua_setfield(L, -2, "delayed");
	}
	if (bits & VSAMPLE_CONTEXT) {
		set_known(L, "ra", t, VSAMPLE_NO_RA, t->ra);
		set_known(L, "top", t, VSAMPLE_NO_TOP, t->top);
	}
	for (unsigned i = 0; i < VSAMPLE_EXTRAS; i++)
		if (bits & (unsigned)VSAMPLE_EXTRA << i)
			set_known(L, m->all->extra_name[i], t,
			          (unsigned)VSAMPLE_NO_EXTRA << i, t->extra[i]);
}

/* Calls the module with a sequence. Called protected, with a light userdata of it. */
static int call_sequence(lua_State *L)
{
	struct module *m = module_of(L);
	const struct value_sequence *s = lua_touserdata(L, 1);
	lua_rawgeti(L, LUA_REGISTRYINDEX, m->sequence);
	lua_createtable(L, (int)s->count, 2);
	binding_set_integer(L, "number", s->number);
	lua_pushboolean(L, s->behind_gap);
	lua_setfield(L, -2, "behind_gap");
	for (uint32_t i = 0; i < s->count; i++) {
		push_tuple(L, m, &s->tuple[i]);
		lua_rawseti(L, -2, (lua_Integer)i + 1);
	}
	lua_pushcfunction(L, value_call_add_value);
	if (!m->first.at) {
		lua_call(L, 2, 0);
		return 0;
	}
	const struct value_answer *a = m->answer;
	value_state_read(L, a->state ? a->state : m->first.at, a->state ? a->state_n : m->first.n);
	lua_pushvalue(L, -1);
	lua_insert(L, 2); /* below the function */
	lua_call(L, 3, 0);
	value_state_write(L, 2, &m->said);
	return 0;
}

bool value_call_turn(void *ctx, unsigned module, const struct value_sequence *s,
                     struct value_answer *a, struct err *err)
{
	const struct value_modules *all = ctx;
	struct module *m = all->at[module];
	lua_State *L = host_state(m->host);
	struct err why;
	lua_pushcfunction(L, call_sequence);
	lua_pushlightuserdata(L, (void *)(uintptr_t)s);
	m->answer = a;
	const bool ok = host_call_within(m->host, 1, 0, all->steps, m->name, &why);
	m->answer = NULL;
	const bool news = ok && m->first.at &&
	                  (a->state_n != m->said.n || !a->state ||
	                   memcmp(a->state, m->said.at, m->said.n) != 0);
	if (news)
		value_answer_remember(a, m->said.at, m->said.n);
	return ok || err_set(err, "values: %s: %.400s", m->name, why.msg);
}

/* Formats a value. Called protected, with value, kind's name, pc; leaves the result as a text, or
 * nil. */
static int call_format(lua_State *L)
{
	const struct module *m = module_of(L);
	lua_rawgeti(L, LUA_REGISTRYINDEX, m->format);
	lua_insert(L, 1);
	lua_call(L, 3, 1);
	if (lua_type(L, -1) != LUA_TSTRING && lua_type(L, -1) != LUA_TNUMBER)
		lua_pushnil(L);
	else
		luaL_tolstring(L, -1, NULL);
	return 1;
}

char *value_call_format(void *ctx, unsigned kind, uint64_t pc, uint64_t value, char *buf, size_t n)
{
	struct value_modules *all = ctx;
	struct module *m = all->at[all->kind[kind].module];
	struct err err;
	snprintf(buf, n, value < 10 ? "%llu" : "0x%llx", (unsigned long long)value);
	if (m->format == LUA_NOREF || m->answer)
		return buf;
	lua_State *L = host_state(m->host);
	const size_t skip = strlen(m->name) + 1;
	const char *name = all->kind[kind].name;
	lua_pushcfunction(L, call_format);
	lua_pushinteger(L, (lua_Integer)value);
	lua_pushstring(L, strlen(name) > skip ? name + skip : name);
	lua_pushinteger(L, (lua_Integer)pc);
	if (!host_call_within(m->host, 3, 1, all->steps, m->name, &err)) {
		if (!all->format_known)
			err_set(&all->format_failure, "values: %s: format: %.400s", m->name,
			        err.msg);
		all->format_failed = all->format_failed || !all->format_known;
		all->format_known = true;
		return buf;
	}
	if (lua_type(L, -1) == LUA_TSTRING)
		snprintf(buf, n, "%s", lua_tostring(L, -1));
	lua_pop(L, 1);
	return buf;
}
