#include "core/defs/config_fields.h"

#include "scripting/values/value_modules_priv.h"

#include <errno.h>
#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/nearest_word.h"
#include "core/base/open_input.h"

enum { BYTES_MAX = 64 << 20, LOAD_STEPS = 10000000, FILE_MAX = 1 << 20 };

/* ---- names ---- */
/* Copies the text field `name` of the table, or dflt. */
static void value_modules_read_text_field(lua_State *L, int table, const char *name, char *to,
                                          size_t n, const char *dflt)
{
	const int type = lua_getfield(L, table, name);
	if (type != LUA_TNIL && type != LUA_TSTRING)
		luaL_error(L, "%s is a text, not %s", name, host_a(lua_type(L, -1)));
	const char *text = type == LUA_TSTRING ? lua_tostring(L, -1) : dflt;
	if (strlen(text) >= n)
		luaL_error(L, "%s: '%s' is too long; expected at most %d characters", name, text,
		           (int)n - 1);
	snprintf(to, n, "%s", text);
	lua_pop(L, 1);
}

static void check_name(lua_State *L, const char *what, const char *name)
{
	const size_t n =
		strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
	if (!n || name[n])
		luaL_error(L, "%s: '%s' is no name; expected letters, digits, - and _", what, name);
}

static void add_kind(lua_State *L, struct module *m, const char *name, const char *summary,
                     const char *column)
{
	if (m->kinds == KINDS_MAX)
		luaL_error(L, "kinds: expected at most %d", KINDS_MAX);
	if (name)
		check_name(L, "kinds", name);
	if (name && strlen(name) >= NAME_ROOM)
		luaL_error(L, "kinds: '%s' is too long; expected at most %d characters", name,
		           NAME_ROOM - 1);
	snprintf(m->kind[m->kinds].name, sizeof m->kind->name, name ? "%s.%s" : "%s", m->name,
	         name ? name : "");
	for (unsigned i = 0; i < m->kinds; i++)
		if (!strcmp(m->kind[i].name, m->kind[m->kinds].name))
			luaL_error(L, "kinds: '%s' is there twice", name);
	snprintf(m->kind[m->kinds].summary, sizeof m->kind->summary, "%s", summary);
	snprintf(m->kind[m->kinds].column, sizeof m->kind->column, "%.31s", column);
	m->kinds++;
}

/* Reads kinds = { "NAME", { name =, summary =, column = }, ... }. Without `kinds` there is one
 * kind, named like the module. */
static void value_modules_read_kinds(lua_State *L, struct module *m, int table)
{
	char name[NAME_ROOM], summary[SUMMARY_MAX], column[NAME_ROOM];
	value_modules_read_text_field(L, table, "column", column, sizeof column, "values");
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
			luaL_error(L,
			           "kinds[%d]: a name, or { name =, summary =, column = }, is "
			           "needed, not %s",
			           (int)i, host_a(lua_type(L, -1)));
		value_modules_read_text_field(L, list + 1, "name", name, sizeof name, "");
		value_modules_read_text_field(L, list + 1, "summary", summary, sizeof summary,
		                              m->summary);
		char own[NAME_ROOM];
		value_modules_read_text_field(L, list + 1, "column", own, sizeof own, column);
		add_kind(L, m, name, summary, own);
	}
	lua_settop(L, list - 1);
}

static int value_modules_read_function(lua_State *L, int table, const char *name)
{
	const int type = lua_getfield(L, table, name);
	if (type != LUA_TNIL && type != LUA_TFUNCTION)
		luaL_error(L, "%s is a function, not %s", name, host_a(lua_type(L, -1)));
	return type == LUA_TNIL ? (lua_pop(L, 1), LUA_NOREF) : luaL_ref(L, LUA_REGISTRYINDEX);
}

static void value_modules_check_keys(lua_State *L, int table)
{
	static const char *const right[] = {"name",   "summary", "capture",  "kinds",
	                                    "column", "state",   "sequence", "format"};
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
			luaL_error(L, "a module has no '%s': %s", key,
			           nearest_said(&n, "name, summary, capture, kinds, column, "
			                            "state, sequence and format are all"));
	}
}

/* ---- loading ---- */
struct text {
	const char *at; /* zero-terminated */
	const char *chunk;
	const char *dflt; /* the default name */
};

/* Copies the first line of the text's leading comment: "What instructions compute". */
static void value_modules_first_comment_line(const char *text, char *to, size_t n)
{
	const size_t dashes = strspn(text, "- ");
	snprintf(to, n, "%.*s", dashes > 2 ? (int)strcspn(text + dashes, "\n") : 0, text + dashes);
}

/* Loads a module. Called protected, with a light userdata of the text. */
static int value_modules_load_module(lua_State *L)
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
		luaL_error(
			L,
			"a module returns a table with capture and sequence, this one returns %s",
			host_a(lua_type(L, table)));
	value_modules_check_keys(L, table);
	value_modules_first_comment_line(t->at, summary, sizeof summary);
	value_modules_read_text_field(L, table, "name", m->name, sizeof m->name, t->dflt);
	check_name(L, "name", m->name);
	value_modules_read_text_field(L, table, "summary", m->summary, sizeof m->summary, summary);
	value_capture_read(L, m, table);
	value_modules_read_kinds(L, m, table);
	m->sequence = value_modules_read_function(L, table, "sequence");
	if (m->sequence == LUA_NOREF)
		luaL_error(L, "a module needs a function: sequence = function(seq, add) ... end");
	m->format = value_modules_read_function(L, table, "format");
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

static struct module *new_module(struct value_modules *all, unsigned number, const char *source,
                                 const struct text *t, struct err *err)
{
	struct err why;
	struct module *m = alloc_zeroed(1, sizeof *m);
	if (!m) {
		err_set(err, "%s: out of memory", source);
		return NULL;
	}
	m->all = all;
	m->number = number;
	snprintf(m->source, sizeof m->source, "%s", source);
	m->host = host_new(
		&(struct host_options){.bytes_max = BYTES_MAX, .steps_max = LOAD_STEPS, .owner = m},
		err);
	if (m->host) {
		lua_State *L = host_state(m->host);
		lua_pushcfunction(L, value_modules_load_module);
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

/* Reads a whole file, malloc'd; NULL with *err. */
static char *value_modules_read_file(const char *path, struct err *err)
{
	FILE *f = open_input(path);
	char *text = f ? alloc_bytes(FILE_MAX + 1) : NULL;
	const size_t n = text ? fread(text, 1, FILE_MAX + 1, f) : 0;
	bool ok = false;
	if (!f)
		err_set(err, "%s: %s", path, open_input_error());
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

static struct module *load_file(struct value_modules *all, unsigned number, const char *path,
                                struct err *err)
{
	char chunk[260], name[NAME_ROOM];
	const char *base = strrchr(path, '/');
	char *text = value_modules_read_file(path, err);
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
		snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "",
		         value_shipped[i].name);
		nearest_offer(&n, value_shipped[i].name);
	}
	return err_set(err, "no module of values is '%s': %s", word,
	               nearest_said(&n, "there are %s, and any FILE.lua", names));
}

static struct module *load_word(struct value_modules *all, unsigned number, const char *word,
                                struct err *err)
{
	const size_t n = strlen(word);
	char chunk[64];
	if (strchr(word, '/') || (n > 4 && !strcmp(word + n - 4, ".lua")))
		return load_file(all, number, word, err);
	for (unsigned i = 0; i < value_shipped_count; i++)
		if (!strcmp(value_shipped[i].name, word)) {
			snprintf(chunk, sizeof chunk, "=%s", value_shipped[i].name);
			return new_module(all, number, word,
			                  &(struct text){value_shipped[i].text, chunk, word}, err);
		}
	refuse_name(word, err);
	return NULL;
}

/* Registers the module and its kinds with the daemon. */
static bool value_modules_register_module(struct value_modules *all, struct module *m,
                                          struct err *err)
{
	for (unsigned i = 0; i < m->number; i++)
		if (!strcmp(all->at[i]->name, m->name))
			return err_set(err, "%s: another module is called '%s' already", m->source,
			               m->name);
	if (all->source.kinds + m->kinds > VALUE_KINDS)
		return err_set(err,
		               "%s: too many kinds of values: all modules together have at most %d",
		               m->source, VALUE_KINDS);
	all->module[m->number] = (struct value_module){m->name, m->summary, &m->capture,
	                                               all->source.kinds, m->kinds};
	for (unsigned i = 0; i < m->kinds; i++)
		all->kind[all->source.kinds++] = (struct value_kind){
			m->kind[i].name, m->kind[i].summary, m->kind[i].column, m->number};
	value_capture_merge(all, m);
	return true;
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
		if (!value_modules_register_module(all, m, err))
			return false;
		all->source.modules++;
	}
	return true;
}

static bool take_format_failure(void *ctx, struct err *err)
{
	struct value_modules *all = ctx;
	if (!all->format_failed)
		return false;
	all->format_failed = false;
	*err = all->format_failure;
	return true;
}

struct value_modules *value_modules_load(const struct config *cfg, struct err *err)
{
	struct value_modules *all = alloc_zeroed(1, sizeof *all);
	if (!all) {
		err_set(err, "out of memory for modules of values");
		return NULL;
	}
	all->steps = (uint64_t)cfg->hook_budget;
	all->facts.cfg = *cfg;
	all->source = (struct value_source){.ctx = all,
	                                    .module = all->module,
	                                    .kind = all->kind,
	                                    .turn = value_call_turn,
	                                    .format = value_call_format,
	                                    .take_format_failure = take_format_failure};
	bool ok = value_modules_wanted(cfg) || err_set(err, "values.modules names none");
	if (ok && load_all(all, cfg->values_modules, err) &&
	    (all->daemon = value_daemon_new(cfg, &all->source, err)))
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
	struct value_modules *all = ctx;
	all->facts.program = p;
	value_capture_locate(all);
}

void value_modules_launch(struct value_modules *all, struct launch *l)
{
	l->values = all->daemon;
	l->values_program = know_program;
	l->values_ctx = all;
}
