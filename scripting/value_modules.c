#include "scripting/value_modules.h"

#include <errno.h>
#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/events.h"
#include "core/nearest.h"
#include "core/stats.h"
#include "scripting/host.h"
#include "scripting/value_machine.h"
#include "scripting/value_state.h"

enum { BYTES_MAX = 64 << 20, LOAD_STEPS = 10000000, FILE_MAX = 1 << 20, NAME_ROOM = 32, SUMMARY_MAX = 128, KINDS_MAX = 16 };

/* One module. */
struct module {
	struct value_modules *all; /* borrowed */
	unsigned number;
	struct lua_host *host;     /* owned; its owner is this */
	char name[NAME_ROOM], summary[SUMMARY_MAX];
	char source[256];          /* what messages call it: "results", "DIR/mine.lua" */
	struct vsample_capture capture; /* its extra words as in the capture of all */
	struct {
		char name[2 * NAME_ROOM], summary[SUMMARY_MAX], column[NAME_ROOM];
	} kind[KINDS_MAX];
	unsigned kinds;
	int sequence, format;      /* registry; format: LUA_NOREF if it has none */
	struct value_text first, said; /* state as it was declared, NULL: none is; as the last call left it */
	struct value_answer *answer; /* during a call; NULL: none is under way */
};

struct value_modules {
	struct module *at[VALUE_MODULES]; /* owned */
	struct value_module module[VALUE_MODULES];
	struct value_kind kind[VALUE_KINDS];
	char extra_name[VSAMPLE_EXTRAS][48];
	struct value_source source;
	struct value_daemon *daemon; /* owned */
	uint64_t steps;              /* of a call */
	struct value_facts facts;    /* what modules may ask about */
};

static struct module *module_of(lua_State *L)
{
	return host_owner(host_of(L));
}

/* ---- what is captured ---- */
/* The word that is a register, a counter or the cycle: its bit. A name that others asked for is the same word. */
static unsigned extra_bit(lua_State *L, struct module *m, const char *name, const struct vsample_extra *x)
{
	struct value_modules *all = m->all;
	struct vsample_extra *have = all->source.capture.extra;
	unsigned i = 0;
	while (i < VSAMPLE_EXTRAS && have[i].source && (have[i].source != x->source || have[i].number != x->number))
		i++;
	if (i == VSAMPLE_EXTRAS)
		luaL_error(L, "capture: '%s' is one word too many: all modules together name at most %d registers and counters", name, VSAMPLE_EXTRAS);
	if (!have[i].source) {
		have[i] = *x;
		snprintf(all->extra_name[i], sizeof all->extra_name[i], "%s", name);
	}
	return (unsigned)VSAMPLE_EXTRA << i;
}

static void refuse_word(lua_State *L, const char *word)
{
	static const char *const words[] = {"operands", "result", "address", "latency", "context", "all", "pc", "cycle"};
	struct nearest n;
	struct err err;
	nearest_init(&n, word);
	for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
		nearest_offer(&n, words[i]);
	if (!n.best && strchr(word, '.') && !stat_find(word, &err))
		luaL_error(L, "capture: %s", err.msg);
	if (n.best)
		luaL_error(L, "capture: '%s' is nothing to capture: did you mean '%s'?", word, n.best);
	luaL_error(L, "capture: '%s' is nothing to capture: operands, result, address, latency, context, all, pc, a register, cycle or a counter is", word);
}

static unsigned word_bits(lua_State *L, struct module *m, const char *word)
{
	struct err err;
	unsigned bits;
	const int reg = reg_from_name(word);
	if (!strcmp(word, "pc"))
		return VSAMPLE_TUPLE;
	if (strcmp(word, "none") != 0 && vsample_read_capture(word, &bits, &err))
		return bits | VSAMPLE_TUPLE;
	if (!strcmp(word, "cycle"))
		return extra_bit(L, m, word, &(struct vsample_extra){VSAMPLE_CYCLE, 0}) | VSAMPLE_TUPLE;
	if (reg >= 0)
		return extra_bit(L, m, word, &(struct vsample_extra){VSAMPLE_REG, (uint32_t)reg}) | VSAMPLE_TUPLE;
	const struct stat_row *row = stat_find(word, &err);
	if (row && !row->derived)
		return extra_bit(L, m, word, &(struct vsample_extra){VSAMPLE_STAT, (uint32_t)(row - stat_rows)}) | VSAMPLE_TUPLE;
	if (row)
		luaL_error(L, "capture: %s is computed from counters, and no counter itself", word);
	refuse_word(L, word);
	return 0;
}

/* "result a0" */
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
static unsigned read_words(lua_State *L, struct module *m, const char *key)
{
	unsigned bits = VSAMPLE_TUPLE;
	if (lua_isboolean(L, -1) && !lua_toboolean(L, -1))
		return 0;
	if (lua_type(L, -1) == LUA_TSTRING)
		return words_bits(L, m, lua_tostring(L, -1));
	if (!lua_istable(L, -1))
		luaL_error(L, "capture.%s: a text such as \"result a0\", a list of words, or false is needed, not a %s", key, luaL_typename(L, -1));
	for (lua_Integer i = 1; lua_rawgeti(L, -1, i) != LUA_TNIL; i++, lua_pop(L, 1)) {
		if (lua_type(L, -1) != LUA_TSTRING)
			luaL_error(L, "capture.%s: its words are texts", key);
		bits |= words_bits(L, m, lua_tostring(L, -1));
	}
	lua_pop(L, 1);
	return bits;
}

/* Says it for all operations of this kind; INST_KIND_COUNT: for all. */
static void set_kind(struct module *m, unsigned kind, unsigned bits)
{
	for (unsigned op = 0; op < OP_COUNT; op++)
		if (kind == INST_KIND_COUNT || inst_kind((enum op)op) == kind)
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
	if (n.best)
		luaL_error(L, "capture has no '%s': did you mean '%s'?", key, n.best);
	luaL_error(L, "capture has no '%s': all, a class such as load, or an operation such as ld would be right", key);
}

/* capture = { all = WORDS, CLASS = WORDS, OPERATION = WORDS }: what is said of fewer counts. */
static void read_capture(lua_State *L, struct module *m, int table)
{
	if (lua_getfield(L, table, "capture") == LUA_TNIL)
		luaL_error(L, "it says nothing about what to capture: capture = { all = \"result\" }, say");
	if (lua_type(L, -1) == LUA_TSTRING) {
		set_kind(m, INST_KIND_COUNT, read_words(L, m, "all"));
		lua_pop(L, 1);
		return;
	}
	luaL_checktype(L, -1, LUA_TTABLE);
	const int capture = lua_gettop(L);
	if (lua_getfield(L, capture, "all") != LUA_TNIL)
		set_kind(m, INST_KIND_COUNT, read_words(L, m, "all"));
	lua_pop(L, 1);
	for (unsigned i = 0; i < INST_KIND_COUNT; i++, lua_pop(L, 1))
		if (lua_getfield(L, capture, inst_kind_name[i]) != LUA_TNIL)
			set_kind(m, i, read_words(L, m, inst_kind_name[i]));
	/* Operations that share a class's name (div) are meant as the class. In the table's order, for extra words: by operation. */
	for (unsigned op = 1; op < OP_COUNT; op++) {
		unsigned k = 0;
		while (k < INST_KIND_COUNT && strcmp(inst_kind_name[k], op_info[op].mnemonic) != 0)
			k++;
		if (k == INST_KIND_COUNT && lua_getfield(L, capture, op_info[op].mnemonic) != LUA_TNIL)
			set_op(m, op_info[op].mnemonic, read_words(L, m, op_info[op].mnemonic));
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

static void merge_capture(struct value_modules *all, const struct module *m)
{
	for (unsigned op = 0; op < OP_COUNT; op++)
		all->source.capture.fields[op] |= m->capture.fields[op];
}

/* ---- names ---- */
/* Copies the text field `name` of the table, or dflt. */
static void read_text(lua_State *L, int table, const char *name, char *to, size_t n, const char *dflt)
{
	const int type = lua_getfield(L, table, name);
	if (type != LUA_TNIL && type != LUA_TSTRING)
		luaL_error(L, "%s is a text, not a %s", name, luaL_typename(L, -1));
	const char *text = type == LUA_TSTRING ? lua_tostring(L, -1) : dflt;
	if (strlen(text) >= n)
		luaL_error(L, "%s: '%s' is too long: at most %d characters would be right", name, text, (int)n - 1);
	snprintf(to, n, "%s", text);
	lua_pop(L, 1);
}

static void check_name(lua_State *L, const char *what, const char *name)
{
	const size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
	if (!n || name[n])
		luaL_error(L, "%s: '%s' is no name: letters, digits, - and _ would be right", what, name);
}

static void add_kind(lua_State *L, struct module *m, const char *name, const char *summary, const char *column)
{
	if (m->kinds == KINDS_MAX)
		luaL_error(L, "kinds: at most %d would be right", KINDS_MAX);
	if (name)
		check_name(L, "kinds", name);
	if (name && strlen(name) >= NAME_ROOM)
		luaL_error(L, "kinds: '%s' is too long: at most %d characters would be right", name, NAME_ROOM - 1);
	snprintf(m->kind[m->kinds].name, sizeof m->kind->name, name ? "%s.%s" : "%s", m->name, name ? name : "");
	for (unsigned i = 0; i < m->kinds; i++)
		if (!strcmp(m->kind[i].name, m->kind[m->kinds].name))
			luaL_error(L, "kinds: '%s' is there twice", name);
	snprintf(m->kind[m->kinds].summary, sizeof m->kind->summary, "%s", summary);
	snprintf(m->kind[m->kinds].column, sizeof m->kind->column, "%.31s", column);
	m->kinds++;
}

/* kinds = { "NAME", { name =, summary =, column = }, ... }; none: one, called as the module is. */
static void read_kinds(lua_State *L, struct module *m, int table)
{
	char name[NAME_ROOM], summary[SUMMARY_MAX], column[NAME_ROOM];
	read_text(L, table, "column", column, sizeof column, "values");
	const int type = lua_getfield(L, table, "kinds");
	if (type == LUA_TNIL) {
		add_kind(L, m, NULL, m->summary, column);
		lua_pop(L, 1);
		return;
	}
	if (type != LUA_TTABLE || !lua_rawlen(L, -1))
		luaL_error(L, "kinds is a list of names: kinds = { \"address\", \"value\" }");
	const int list = lua_gettop(L);
	for (lua_Integer i = 1; lua_rawgeti(L, list, i) != LUA_TNIL; i++, lua_settop(L, list)) {
		if (lua_type(L, -1) == LUA_TSTRING) {
			add_kind(L, m, lua_tostring(L, -1), m->summary, column);
			continue;
		}
		if (!lua_istable(L, -1))
			luaL_error(L, "kinds[%d]: a name, or { name =, summary =, column = }, is needed, not a %s", (int)i, luaL_typename(L, -1));
		read_text(L, list + 1, "name", name, sizeof name, "");
		read_text(L, list + 1, "summary", summary, sizeof summary, m->summary);
		char own[NAME_ROOM];
		read_text(L, list + 1, "column", own, sizeof own, column);
		add_kind(L, m, name, summary, own);
	}
	lua_settop(L, list - 1);
}

static int read_function(lua_State *L, int table, const char *name)
{
	const int type = lua_getfield(L, table, name);
	if (type != LUA_TNIL && type != LUA_TFUNCTION)
		luaL_error(L, "%s is a function, not a %s", name, luaL_typename(L, -1));
	return type == LUA_TNIL ? (lua_pop(L, 1), LUA_NOREF) : luaL_ref(L, LUA_REGISTRYINDEX);
}

static void check_keys(lua_State *L, int table)
{
	static const char *const right[] = {"name", "summary", "capture", "kinds", "column", "state", "sequence", "format"};
	struct nearest n;
	for (lua_pushnil(L); lua_next(L, table); lua_pop(L, 1)) {
		const char *key = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "a number";
		bool known = false;
		nearest_init(&n, key);
		for (unsigned i = 0; i < sizeof right / sizeof *right; i++) {
			known |= !strcmp(key, right[i]);
			nearest_offer(&n, right[i]);
		}
		if (!known)
			luaL_error(L, n.best ? "a module has no '%s': did you mean '%s'?"
			                     : "a module has no '%s': name, summary, capture, kinds, column, state, sequence and format are all", key, n.best);
	}
}

/* ---- loading ---- */
struct text {
	const char *at; /* zero-terminated */
	const char *chunk;
	const char *dflt; /* its name if it says none */
};

/* "What instructions compute" of the comment that it begins with. */
static void first_line(const char *text, char *to, size_t n)
{
	const size_t dashes = strspn(text, "- ");
	snprintf(to, n, "%.*s", dashes > 2 ? (int)strcspn(text + dashes, "\n") : 0, text + dashes);
}

/* Called protected, with a light userdata of the text. */
static int load(lua_State *L)
{
	struct module *m = module_of(L);
	const struct text *t = lua_touserdata(L, 1);
	char summary[SUMMARY_MAX];
	host_push_environment(L);
	value_machine_open(L, &m->all->facts);
	if (host_load(L, t->at, strlen(t->at), t->chunk) != LUA_OK)
		return lua_error(L);
	lua_pushvalue(L, -2);
	lua_setupvalue(L, -2, 1);
	lua_call(L, 0, 1);
	const int table = lua_gettop(L);
	if (!lua_istable(L, table))
		luaL_error(L, "a module returns a table with capture and sequence, this one returns a %s", luaL_typename(L, table));
	check_keys(L, table);
	first_line(t->at, summary, sizeof summary);
	read_text(L, table, "name", m->name, sizeof m->name, t->dflt);
	check_name(L, "name", m->name);
	read_text(L, table, "summary", m->summary, sizeof m->summary, summary);
	read_capture(L, m, table);
	read_kinds(L, m, table);
	m->sequence = read_function(L, table, "sequence");
	if (m->sequence == LUA_NOREF)
		luaL_error(L, "a module needs a function: sequence = function(seq, add) ... end");
	m->format = read_function(L, table, "format");
	if (lua_getfield(L, table, "state") != LUA_TNIL) {
		luaL_checktype(L, -1, LUA_TTABLE);
		value_state_write(L, -1, &m->first);
	}
	return 0;
}

static void free_module(struct module *m)
{
	if (!m)
		return;
	host_free(m->host);
	free(m->first.at);
	free(m->said.at);
	free(m);
}

static struct module *new_module(struct value_modules *all, unsigned number, const char *source, const struct text *t, struct err *err)
{
	struct err why;
	struct module *m = calloc(1, sizeof *m);
	if (!m) {
		err_set(err, "%s: out of memory", source);
		return NULL;
	}
	m->all = all;
	m->number = number;
	snprintf(m->source, sizeof m->source, "%s", source);
	m->host = host_new(&(struct host_options){.bytes_max = BYTES_MAX, .steps_max = LOAD_STEPS, .owner = m}, err);
	if (m->host) {
		lua_State *L = host_state(m->host);
		lua_pushcfunction(L, load);
		lua_pushlightuserdata(L, (void *)(uintptr_t)t);
		if (host_call(m->host, 1, 0, &why))
			return m;
		if (!strncmp(why.msg, source, strlen(source)))
			err_set(err, "%s", why.msg);
		else
			err_set(err, "%s: %s", source, why.msg);
	}
	free_module(m);
	return NULL;
}

/* A whole file, malloc'd; NULL with *err. */
static char *read_file(const char *path, struct err *err)
{
	FILE *f = fopen(path, "rb");
	char *text = f ? malloc(FILE_MAX + 1) : NULL;
	const size_t n = text ? fread(text, 1, FILE_MAX + 1, f) : 0;
	bool ok = false;
	if (!f)
		err_set(err, "%s: %s", path, strerror(errno));
	else if (!text)
		err_set(err, "%s: out of memory", path);
	else if (ferror(f) || n > FILE_MAX || memchr(text, 0, n))
		err_set(err, "%s: not a module: it can't be read as text", path);
	else
		ok = true;
	if (f)
		fclose(f);
	if (ok) {
		text[n] = '\0';
		return text;
	}
	free(text);
	return NULL;
}

static struct module *load_file(struct value_modules *all, unsigned number, const char *path, struct err *err)
{
	char chunk[260], name[NAME_ROOM];
	const char *base = strrchr(path, '/');
	char *text = read_file(path, err);
	if (!text)
		return NULL;
	base = base ? base + 1 : path;
	snprintf(chunk, sizeof chunk, "@%s", path);
	snprintf(name, sizeof name, "%.*s", (int)strcspn(base, "."), base);
	struct module *m = new_module(all, number, path, &(struct text){text, chunk, name}, err);
	free(text);
	return m;
}

static bool refuse_name(const char *word, struct err *err)
{
	char names[256] = "";
	struct nearest n;
	nearest_init(&n, word);
	for (unsigned i = 0; i < value_shipped_count; i++) {
		const size_t used = strlen(names);
		snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", value_shipped[i].name);
		nearest_offer(&n, value_shipped[i].name);
	}
	if (n.best)
		return err_set(err, "no module of values is '%s': did you mean '%s'?", word, n.best);
	return err_set(err, "no module of values is '%s': there are %s, and any FILE.lua", word, names);
}

static struct module *load_word(struct value_modules *all, unsigned number, const char *word, struct err *err)
{
	const size_t n = strlen(word);
	char chunk[64];
	if (strchr(word, '/') || (n > 4 && !strcmp(word + n - 4, ".lua")))
		return load_file(all, number, word, err);
	for (unsigned i = 0; i < value_shipped_count; i++)
		if (!strcmp(value_shipped[i].name, word)) {
			snprintf(chunk, sizeof chunk, "=%s", value_shipped[i].name);
			return new_module(all, number, word, &(struct text){value_shipped[i].text, chunk, word}, err);
		}
	refuse_name(word, err);
	return NULL;
}

/* Its kinds and itself, as the daemon knows them. */
static bool enlist(struct value_modules *all, struct module *m, struct err *err)
{
	for (unsigned i = 0; i < m->number; i++)
		if (!strcmp(all->at[i]->name, m->name))
			return err_set(err, "%s: another module is called '%s' already", m->source, m->name);
	if (all->source.kinds + m->kinds > VALUE_KINDS)
		return err_set(err, "%s: too many kinds of values: all modules together have at most %d", m->source, VALUE_KINDS);
	all->module[m->number] = (struct value_module){m->name, m->summary, &m->capture, all->source.kinds, m->kinds};
	for (unsigned i = 0; i < m->kinds; i++)
		all->kind[all->source.kinds++] = (struct value_kind){m->kind[i].name, m->kind[i].summary, m->kind[i].column, m->number};
	merge_capture(all, m);
	return true;
}

/* ---- calls ---- */
/* add(pc, value [, kind]) */
static int add(lua_State *L)
{
	struct module *m = module_of(L);
	int whole[2];
	const lua_Integer pc = lua_tointegerx(L, 1, &whole[0]), value = lua_tointegerx(L, 2, &whole[1]);
	unsigned kind = 0;
	if (!m->answer)
		return luaL_error(L, "add is there while sequence runs");
	if (!whole[0] || !whole[1])
		return luaL_error(L, "add(PC, VALUE): %s: a whole number is needed, not %s", whole[0] ? "VALUE" : "PC",
		                  luaL_tolstring(L, whole[0] ? 2 : 1, NULL));
	if (lua_isnoneornil(L, 3)) {
		if (m->kinds > 1)
			return luaL_error(L, "add(PC, VALUE, KIND): this module has %d kinds: which one?", (int)m->kinds);
	} else {
		const char *name = luaL_checkstring(L, 3);
		const size_t skip = strlen(m->name) + 1;
		while (kind < m->kinds && strcmp(strlen(m->kind[kind].name) > skip ? m->kind[kind].name + skip : m->name, name) != 0)
			kind++;
		if (kind == m->kinds)
			return luaL_error(L, "add(PC, VALUE, KIND): '%s' is none of this module's kinds", name);
	}
	value_answer_add(m->answer, (uint64_t)pc, m->all->module[m->number].first_kind + kind, (uint64_t)value);
	return 0;
}

static void set_integer(lua_State *L, const char *name, uint64_t value)
{
	lua_pushinteger(L, (lua_Integer)value);
	lua_setfield(L, -2, name);
}

static void set_text(lua_State *L, const char *name, const char *text)
{
	lua_pushstring(L, text);
	lua_setfield(L, -2, name);
}

/* What the method of sampling could not know is not there. */
static void set_known(lua_State *L, const char *name, const struct vsample_tuple *t, unsigned unknown, uint64_t value)
{
	if (!(t->unknown & unknown))
		set_integer(L, name, value);
}

/* A tuple, in the words that the module asked for. */
static void push_tuple(lua_State *L, const struct module *m, const struct vsample_tuple *t)
{
	struct inst in;
	inst_decode(t->word, &in);
	const unsigned bits = m->capture.fields[in.op], flags = inst_flags(&in);
	lua_createtable(L, 0, 12);
	set_integer(L, "pc", t->pc);
	set_integer(L, "word", t->word);
	set_integer(L, "length", in.len);
	set_integer(L, "place", t->place);
	set_text(L, "op", op_info[in.op].mnemonic);
	set_text(L, "class", inst_kind_name[inst_kind((enum op)in.op)]);
	set_integer(L, "imm", (uint64_t)(int64_t)in.imm);
	if (in.rd != REG_SINK)
		set_text(L, "rd", reg_name(in.rd));
	const unsigned source[] = {in.rs1, in.rs2, in.rs3};
	static const char *const source_name[] = {"source1", "source2", "source3"};
	for (unsigned i = 0; i < 3; i++)
		if (source[i])
			set_text(L, source_name[i], reg_name(source[i]));
	if (flags & OPF_MEMORY)
		set_integer(L, "bytes", op_info[in.op].mem_bytes);
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
	if (bits & VSAMPLE_CONTEXT) {
		set_known(L, "ra", t, VSAMPLE_NO_RA, t->ra);
		set_known(L, "top", t, VSAMPLE_NO_TOP, t->top);
	}
	for (unsigned i = 0; i < VSAMPLE_EXTRAS; i++)
		if (bits & VSAMPLE_EXTRA << i)
			set_known(L, m->all->extra_name[i], t, VSAMPLE_NO_EXTRA << i, t->extra[i]);
}

/* Called protected, with a light userdata of the sequence. */
static int call_sequence(lua_State *L)
{
	struct module *m = module_of(L);
	const struct value_sequence *s = lua_touserdata(L, 1);
	lua_rawgeti(L, LUA_REGISTRYINDEX, m->sequence);
	lua_createtable(L, (int)s->count, 2);
	set_integer(L, "number", s->number);
	lua_pushboolean(L, s->behind_gap);
	lua_setfield(L, -2, "behind_gap");
	for (uint32_t i = 0; i < s->count; i++) {
		push_tuple(L, m, &s->tuple[i]);
		lua_rawseti(L, -2, (lua_Integer)i + 1);
	}
	lua_pushcfunction(L, add);
	if (!m->first.at) {
		lua_call(L, 2, 0);
		return 0;
	}
	const struct value_answer *a = m->answer;
	value_state_read(L, a->state ? a->state : m->first.at, a->state ? a->state_n : m->first.n);
	lua_pushvalue(L, -1);
	lua_insert(L, 2); /* below what is called */
	lua_call(L, 3, 0);
	value_state_write(L, 2, &m->said);
	return 0;
}

static bool turn(void *ctx, unsigned module, const struct value_sequence *s, struct value_answer *a, struct err *err)
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
	const bool news = ok && m->first.at && (a->state_n != m->said.n || !a->state || memcmp(a->state, m->said.at, m->said.n) != 0);
	if (news)
		value_answer_remember(a, m->said.at, m->said.n);
	return ok || err_set(err, "values: %s: %.400s", m->name, why.msg);
}

/* Called protected, with value, kind's name, pc; its answer is left as a text, or nil. */
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

static char *format(void *ctx, unsigned kind, uint64_t pc, uint64_t value, char *buf, size_t n)
{
	const struct value_modules *all = ctx;
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
	if (!host_call_within(m->host, 3, 1, all->steps, m->name, &err))
		return buf;
	if (lua_type(L, -1) == LUA_TSTRING)
		snprintf(buf, n, "%s", lua_tostring(L, -1));
	lua_pop(L, 1);
	return buf;
}

/* ---- life ---- */
bool value_modules_wanted(const struct config *cfg)
{
	return strcmp(cfg->values_modules, "none") != 0;
}

static bool load_all(struct value_modules *all, const char *list, struct err *err)
{
	char word[PARAM_TEXT_MAX];
	for (const char *at = list; *at; at += *at == ',') {
		const size_t n = strcspn(at, ",");
		snprintf(word, sizeof word, "%.*s", (int)n, at);
		at += n;
		struct module *m = load_word(all, all->source.modules, word, err);
		if (!m)
			return false;
		all->at[all->source.modules] = m;
		if (!enlist(all, m, err))
			return false;
		all->source.modules++;
	}
	return true;
}

struct value_modules *value_modules_load(const struct config *cfg, struct err *err)
{
	struct value_modules *all = calloc(1, sizeof *all);
	if (!all) {
		err_set(err, "out of memory for modules of values");
		return NULL;
	}
	all->steps = (uint64_t)cfg->hook_budget;
	all->facts.cfg = *cfg;
	all->source = (struct value_source){.ctx = all, .module = all->module, .kind = all->kind, .turn = turn, .format = format};
	bool ok = value_modules_wanted(cfg) || err_set(err, "values.modules names none");
	if (ok && load_all(all, cfg->values_modules, err) && (all->daemon = value_daemon_new(cfg, &all->source, err)))
		return all;
	value_modules_free(all);
	return NULL;
}

void value_modules_free(struct value_modules *all)
{
	if (!all)
		return;
	value_daemon_free(all->daemon);
	for (unsigned i = 0; i < VALUE_MODULES; i++)
		free_module(all->at[i]);
	value_facts_deinit(&all->facts);
	free(all);
}

struct value_daemon *value_modules_daemon(const struct value_modules *all)
{
	return all->daemon;
}

static void know_program(void *ctx, const struct program *p)
{
	((struct value_modules *)ctx)->facts.program = p;
}

void value_modules_launch(struct value_modules *all, struct launch *l)
{
	l->values = all->daemon;
	l->values_program = know_program;
	l->values_ctx = all;
}
