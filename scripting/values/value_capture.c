/* Reads the words that a customisation module captures of each operation. */
#include "core/isa/op.h"
#include "scripting/values/value_modules_priv.h"

#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/nearest_word.h"
#include "core/base/hash.h"
#include "core/defs/stats.h"
#include "core/defs/system_word.h"
#include "loader/program.h"

/* The bit of an extra word (struct vsample_extra). Modules that ask for the same name
 * share a word. */
static unsigned extra_bit(lua_State *L, struct module *m, const char *name,
                          const struct vsample_extra *x)
{
	struct value_modules *all = m->all;
	struct vsample_extra *have = all->source.capture.extra;
	unsigned i = 0;
	while (i < VSAMPLE_EXTRAS && have[i].source &&
	       (have[i].source != x->source || have[i].number != x->number))
		i++;
	if (i == VSAMPLE_EXTRAS)
		luaL_error(L,
		           "capture: '%s' is one word too many: all modules together name at most "
		           "%d registers, counters, states and places",
		           name, VSAMPLE_EXTRAS);
	if (!have[i].source) {
		have[i] = *x;
		snprintf(all->extra_name[i], sizeof all->extra_name[i], "%s", name);
	}
	return (unsigned)VSAMPLE_EXTRA << i;
}

static void refuse_word(lua_State *L, const char *word)
{
	static const char *const words[] = {"operands", "result", "address", "latency",
	                                    "context",  "all",    "pc",      "cycle",
#define W(id, name, help) name,
	                                    SYSTEM_WORDS(W)
#undef W
	};
	struct nearest n;
	struct err err;
	nearest_init(&n, word);
	for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
		nearest_offer(&n, words[i]);
	if (!n.best && strchr(word, '.') && !stat_find(word, &err))
		luaL_error(L, "capture: %s", err.msg);
	luaL_error(L, "capture: unknown capture '%s'; %s", word,
	           nearest_said(&n, "expected operands, result, address, latency, context, all, "
	                            "pc, a register, cycle, a counter, thread, process, blocked, "
	                            "pending or *SYMBOL"));
}

/* The source of a word that is no field of the instruction's. False: there is none. */
static bool value_capture_source(const char *word, struct vsample_extra *x)
{
	static const char *const system[] = {
#define W(id, name, help) name,
		SYSTEM_WORDS(W)
#undef W
	};
	const int reg = reg_from_name(word);
	*x = (struct vsample_extra){VSAMPLE_CYCLE, 0};
	if (!strcmp(word, "cycle"))
		return true;
	if (reg >= 0) {
		*x = (struct vsample_extra){VSAMPLE_REG, (uint64_t)reg};
		return true;
	}
	for (unsigned i = 0; i < SYSTEM_WORD_COUNT; i++)
		if (!strcmp(word, system[i])) {
			*x = (struct vsample_extra){VSAMPLE_SYSTEM, i};
			return true;
		}
	/* unlike that of other places; then value_capture_locate() */
	*x = (struct vsample_extra){VSAMPLE_MEMORY, hash_text(word)};
	return *word == '*' && word[1];
}

static unsigned word_bits(lua_State *L, struct module *m, const char *word)
{
	struct err err;
	unsigned bits;
	struct vsample_extra extra;
	if (!strcmp(word, "pc"))
		return VSAMPLE_TUPLE;
	if (strcmp(word, "none") != 0 && vsample_read_capture(word, &bits, &err))
		return bits | VSAMPLE_TUPLE;
	if (value_capture_source(word, &extra))
		return extra_bit(L, m, word, &extra) | VSAMPLE_TUPLE;
	const struct stat_row *row = stat_find(word, &err);
	if (row && !row->derived)
		return extra_bit(
			       L, m, word,
			       &(struct vsample_extra){VSAMPLE_STAT, (uint64_t)(row - stat_rows)}) |
		       VSAMPLE_TUPLE;
	if (row)
		luaL_error(L, "capture: %s is computed from counters, and no counter itself", word);
	refuse_word(L, word);
	return 0;
}

/* Parses words such as "result a0" into bits. */
static unsigned words_bits(lua_State *L, struct module *m, const char *text)
{
	unsigned bits = VSAMPLE_TUPLE;
	char word[48];
	for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
		const size_t n = strcspn(text, " ");
		snprintf(word, sizeof word, "%.*s", (int)n, text);
		bits |= word_bits(L, m, word);
		text += n;
	}
	return bits;
}

/* The value at the top of the stack: a text, a list of texts, or false. */
static unsigned value_capture_read_words(lua_State *L, struct module *m, const char *key)
{
	unsigned bits = VSAMPLE_TUPLE;
	if (lua_isboolean(L, -1) && !lua_toboolean(L, -1))
		return 0;
	if (lua_type(L, -1) == LUA_TSTRING)
		return words_bits(L, m, lua_tostring(L, -1));
	if (!lua_istable(L, -1))
		luaL_error(L,
		           "capture.%s: a text such as \"result a0\", a list of words, or false is "
		           "needed, not %s",
		           key, host_a(lua_type(L, -1)));
	for (lua_Integer i = 1; lua_rawgeti(L, -1, i) != LUA_TNIL; i++, lua_pop(L, 1)) {
		if (lua_type(L, -1) != LUA_TSTRING)
			luaL_error(L, "capture.%s: its words are texts", key);
		bits |= words_bits(L, m, lua_tostring(L, -1));
	}
	lua_pop(L, 1);
	return bits;
}

/* Sets the capture of the operations of this kind, or of all (INST_KIND_COUNT). */
static void set_kind(struct module *m, unsigned kind, unsigned bits)
{
	for (unsigned op = 0; op < OP_COUNT; op++)
		if (kind == INST_KIND_COUNT || inst_kind(op) == kind)
			m->capture.fields[op] = (uint16_t)bits;
}

static bool set_op(struct module *m, const char *name, unsigned bits)
{
	bool found = false;
	for (unsigned op = 0; op < OP_COUNT; op++)
		if (op_info[op].mnemonic && !strcmp(op_info[op].mnemonic, name)) {
			m->capture.fields[op] = (uint16_t)bits;
			found = true;
		}
	return found;
}

static void refuse_key(lua_State *L, const char *key)
{
	struct nearest n;
	nearest_init(&n, key);
	nearest_offer(&n, "all");
	for (unsigned i = 0; i < INST_KIND_COUNT; i++)
		nearest_offer(&n, inst_kind_name[i]);
	for (unsigned op = 1; op < OP_COUNT; op++)
		nearest_offer(&n, op_info[op].mnemonic);
	luaL_error(L, "capture has no '%s': %s", key,
	           nearest_said(&n, "expected all, a class such as load, or an operation such as "
	                            "ld"));
}

/* Reads capture = { all = WORDS, CLASS = WORDS, OPERATION = WORDS }: the most specific entry
 * counts. */
void value_capture_read(lua_State *L, struct module *m, int table)
{
	if (lua_getfield(L, table, "capture") == LUA_TNIL)
		luaL_error(L, "no capture given; expected, for example, capture = { all = "
		              "\"result\" }");
	if (lua_type(L, -1) == LUA_TSTRING) {
		set_kind(m, INST_KIND_COUNT, value_capture_read_words(L, m, "all"));
		lua_pop(L, 1);
		return;
	}
	luaL_checktype(L, -1, LUA_TTABLE);
	const int capture = lua_gettop(L);
	if (lua_getfield(L, capture, "all") != LUA_TNIL)
		set_kind(m, INST_KIND_COUNT, value_capture_read_words(L, m, "all"));
	lua_pop(L, 1);
	for (unsigned i = 0; i < INST_KIND_COUNT; i++, lua_pop(L, 1))
		if (lua_getfield(L, capture, inst_kind_name[i]) != LUA_TNIL)
			set_kind(m, i, value_capture_read_words(L, m, inst_kind_name[i]));
	/* Operations that share a class's name (div) are meant as the class. In the table's order,
	 * for extra words: by operation. */
	for (unsigned op = 1; op < OP_COUNT; op++) {
		unsigned k = 0;
		while (k < INST_KIND_COUNT && strcmp(inst_kind_name[k], op_info[op].mnemonic) != 0)
			k++;
		if (k == INST_KIND_COUNT &&
		    lua_getfield(L, capture, op_info[op].mnemonic) != LUA_TNIL)
			set_op(m, op_info[op].mnemonic,
			       value_capture_read_words(L, m, op_info[op].mnemonic));
		lua_settop(L, capture);
	}
	for (lua_pushnil(L); lua_next(L, capture); lua_pop(L, 1)) {
		const char *key = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : NULL;
		struct module trial = {0};
		unsigned k = 0;
		while (key && k < INST_KIND_COUNT && strcmp(inst_kind_name[k], key) != 0)
			k++;
		if (!key)
			luaL_error(L, "capture takes names: capture = { all = \"result\" }");
		if (strcmp(key, "all") != 0 && k == INST_KIND_COUNT && !set_op(&trial, key, 0))
			refuse_key(L, key);
	}
	lua_pop(L, 1);
}

/* "*counter", "*counter+8" or "*0x12340": the address of 8 bytes; 0: there are none. */
static uint64_t value_capture_address(const struct program *p, const char *word)
{
	char name[48], *end;
	const uint64_t number = strtoull(word, &end, 0);
	if (!*end)
		return number;
	snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "+"), word);
	const char *rest = word + strcspn(word, "+");
	const struct symbol *s = program_symbol_by_name(p, name);
	const uint64_t offset = *rest ? strtoull(rest + 1, &end, 0) : 0;
	return s && (!*rest || !*end) ? s->addr + offset : 0;
}

void value_capture_locate(const struct value_modules *all)
{
	for (unsigned i = 0; i < VSAMPLE_EXTRAS; i++)
		if (all->source.capture.extra[i].source == VSAMPLE_MEMORY)
			value_daemon_locate(all->daemon, i,
			                    value_capture_address(all->facts.program,
			                                          all->extra_name[i] + 1));
}

void value_capture_merge(struct value_modules *all, const struct module *m)
{
	for (unsigned op = 0; op < OP_COUNT; op++)
		all->source.capture.fields[op] |= m->capture.fields[op];
	for (unsigned op = 0; op < OP_COUNT; op++)
		if (m->capture.fields[op] & VSAMPLE_LATENCY)
			all->source.capture.latencies = 1;
}
