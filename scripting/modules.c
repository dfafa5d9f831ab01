#include "scripting/modules.h"

#include <lauxlib.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/host/embedded_file.h"

#define MODULES(X) \
	X(arguments) X(triggers) X(xprof) X(profiles) X(instrument) \
	X(instrument_tables) X(instrument_command) X(asm_loops) X(asm_flow) X(sampler) \
	X(cop) X(firmware) X(values) X(counts) X(hotlists) X(asm) X(scatter) X(bakeoff) \
	X(bakeoff_stop) X(bakeoff_paths) X(bakeoff_budget) X(bakeoff_truth) \
	X(bakeoff_profilers) X(lab) X(bakeoff_page) X(bakeoff_raw) X(bakeoff_command)

#define TEXT(id) EMBEDDED_FILE(lua_text_##id, "scripting/lua/" #id ".lua");
MODULES(TEXT)

#define MODULE(id) {"cyclops." #id, "cyclops/" #id ".lua", lua_text_##id},
const struct lua_module lua_modules[] = {MODULES(MODULE)};
const unsigned lua_module_count = sizeof lua_modules / sizeof *lua_modules;

const struct lua_module *lua_module_find(const char *name)
{
	for (unsigned i = 0; i < lua_module_count; i++)
		if (!strcmp(lua_modules[i].name, name))
			return &lua_modules[i];
	return NULL;
}

/* Upvalue: the module. */
static int lua_module_load(lua_State *L)
{
	const struct lua_module *m = lua_touserdata(L, lua_upvalueindex(1));
	lua_pushfstring(L, "@%s", m->file);
	if (luaL_loadbufferx(L, m->text, strlen(m->text), lua_tostring(L, -1), "t") != LUA_OK)
		return lua_error(L);
	lua_call(L, 0, 1);
	return 1;
}

void lua_modules_preload(lua_State *L)
{
	lua_getfield(L, -1, "preload");
	for (unsigned i = 0; i < lua_module_count; i++) {
		lua_pushlightuserdata(L, (void *)(uintptr_t)&lua_modules[i]);
		lua_pushcclosure(L, lua_module_load, 1);
		lua_setfield(L, -2, lua_modules[i].name);
	}
	lua_pop(L, 1);
}

/* The beginning of the next line, or the text's end. */
static const char *lua_module_next_line(const char *line)
{
	line += strcspn(line, "\n");
	return line + (*line == '\n');
}

/* The lines of a comment from *at on, without dashes and the blank after them; advances *at past
 * them. malloc'd. */
static char *lua_module_read_comment(const char **at)
{
	char *text = NULL;
	size_t n;
	FILE *f = alloc_stream(&text, &n);
	if (!f)
		return NULL;
	for (; !strncmp(*at, "--", 2); *at = lua_module_next_line(*at)) {
		const char *line = *at + 2 + ((*at)[2] == ' ');
		fwrite(line, 1, (size_t)(lua_module_next_line(*at) - line), f);
	}
	return fclose(f) ? free(text), NULL : text;
}

char *lua_module_summary(const struct lua_module *m)
{
	size_t dashes = strspn(m->text, "- ");
	return alloc_text_n(m->text + dashes, strcspn(m->text + dashes, "\n"));
}

char *lua_module_introduction(const struct lua_module *m)
{
	const char *at = lua_module_next_line(m->text);
	if (!strncmp(at, "--\n", 3))
		at = lua_module_next_line(at);
	return lua_module_read_comment(&at);
}

/* The name in a usage: "patch" of "t:patch(ADDRESS, WORD)"; malloc'd. */
static char *lua_module_usage_name(const char *usage)
{
	size_t n = strcspn(usage, "({ "), from = n;
	while (from && !strchr(".:", usage[from - 1]))
		from--;
	return alloc_text_n(usage + from, n - from);
}

/* Joins the lines of each paragraph. */
static void lua_module_join_lines(char *text)
{
	for (char *s = text; *s; s++) {
		if (*s == '\n' && !s[1]) {
			*s = '\0';
			return;
		}
		if (*s == '\n' && s[1] != '\n' && s[1] != ' ' && (s == text || s[-1] != '\n'))
			*s = ' ';
	}
}

bool module_doc_next(const struct lua_module *m, const char **at, struct module_doc *d)
{
	const char *line = *at ? *at : m->text;
	while (*line && strncmp(line, "--- ", 4) != 0)
		line = lua_module_next_line(line);
	*d = (struct module_doc){0};
	if (!*line)
		return false;
	d->usage = alloc_text_n(line + 4, strcspn(line + 4, "\n"));
	line = lua_module_next_line(line);
	d->help = lua_module_read_comment(&line);
	if (d->help)
		lua_module_join_lines(d->help);
	d->name = d->usage ? lua_module_usage_name(d->usage) : NULL;
	*at = line;
	if (d->name && d->help)
		return true;
	module_doc_deinit(d);
	return false;
}

void module_doc_deinit(struct module_doc *d)
{
	free(d->usage);
	free(d->name);
	free(d->help);
	*d = (struct module_doc){0};
}
