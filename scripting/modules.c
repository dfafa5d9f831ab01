#include "scripting/modules.h"

#include <lauxlib.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The file as it is, with a zero byte behind it. */
#define TEXT(id, path)                                                                             \
	__asm__(".pushsection .rodata\nlua_text_" #id ":\n\t.incbin \"" path                       \
	        "\"\n\t.byte 0\n.popsection");                                                     \
	extern const char lua_text_##id[]

TEXT(arguments, "scripting/lua/arguments.lua");
TEXT(triggers, "scripting/lua/triggers.lua");
TEXT(xprof, "scripting/lua/xprof.lua");
TEXT(instrument, "scripting/lua/instrument.lua");
TEXT(instrument_command, "scripting/lua/instrument_command.lua");
TEXT(asm_loops, "scripting/lua/asm_loops.lua");
TEXT(asm_flow, "scripting/lua/asm_flow.lua");
TEXT(sampler, "scripting/lua/sampler.lua");
TEXT(cop, "scripting/lua/cop.lua");
TEXT(firmware, "scripting/lua/firmware.lua");
TEXT(values, "scripting/lua/values.lua");
TEXT(counts, "scripting/lua/counts.lua");
TEXT(hotlists, "scripting/lua/hotlists.lua");
TEXT(asm, "scripting/lua/asm.lua");
TEXT(scatter, "scripting/lua/scatter.lua");
TEXT(bakeoff, "scripting/lua/bakeoff.lua");
TEXT(bakeoff_truth, "scripting/lua/bakeoff_truth.lua");
TEXT(bakeoff_profilers, "scripting/lua/bakeoff_profilers.lua");
TEXT(lab, "scripting/lua/lab.lua");
TEXT(bakeoff_page, "scripting/lua/bakeoff_page.lua");
TEXT(bakeoff_command, "scripting/lua/bakeoff_command.lua");

const struct lua_module lua_modules[] = {
	{"cyclops.arguments", "cyclops/arguments.lua", lua_text_arguments},
	{"cyclops.triggers", "cyclops/triggers.lua", lua_text_triggers},
	{"cyclops.xprof", "cyclops/xprof.lua", lua_text_xprof},
	{"cyclops.instrument", "cyclops/instrument.lua", lua_text_instrument},
	{"cyclops.instrument_command", "cyclops/instrument_command.lua",
         lua_text_instrument_command},
	{"cyclops.asm_loops", "cyclops/asm_loops.lua", lua_text_asm_loops},
	{"cyclops.asm_flow", "cyclops/asm_flow.lua", lua_text_asm_flow},
	{"cyclops.sampler", "cyclops/sampler.lua", lua_text_sampler},
	{"cyclops.cop", "cyclops/cop.lua", lua_text_cop},
	{"cyclops.firmware", "cyclops/firmware.lua", lua_text_firmware},
	{"cyclops.values", "cyclops/values.lua", lua_text_values},
	{"cyclops.counts", "cyclops/counts.lua", lua_text_counts},
	{"cyclops.hotlists", "cyclops/hotlists.lua", lua_text_hotlists},
	{"cyclops.asm", "cyclops/asm.lua", lua_text_asm},
	{"cyclops.scatter", "cyclops/scatter.lua", lua_text_scatter},
	{"cyclops.bakeoff", "cyclops/bakeoff.lua", lua_text_bakeoff},
	{"cyclops.bakeoff_truth", "cyclops/bakeoff_truth.lua", lua_text_bakeoff_truth},
	{"cyclops.bakeoff_profilers", "cyclops/bakeoff_profilers.lua", lua_text_bakeoff_profilers},
	{"cyclops.lab", "cyclops/lab.lua", lua_text_lab},
	{"cyclops.bakeoff_page", "cyclops/bakeoff_page.lua", lua_text_bakeoff_page},
	{"cyclops.bakeoff_command", "cyclops/bakeoff_command.lua", lua_text_bakeoff_command},
};
const unsigned lua_module_count = sizeof lua_modules / sizeof *lua_modules;

const struct lua_module *lua_module_find(const char *name)
{
	for (unsigned i = 0; i < lua_module_count; i++)
		if (!strcmp(lua_modules[i].name, name))
			return &lua_modules[i];
	return NULL;
}

/* Upvalue: the module. */
static int load(lua_State *L)
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
		lua_pushcclosure(L, load, 1);
		lua_setfield(L, -2, lua_modules[i].name);
	}
	lua_pop(L, 1);
}

/* Where the next line begins, or the text ends. */
static const char *next_line(const char *line)
{
	line += strcspn(line, "\n");
	return line + (*line == '\n');
}

/* The lines of a comment from *at on, without dashes and the blank behind them; *at goes behind
 * them. malloc'd. */
static char *comment(const char **at)
{
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);
	if (!f)
		return NULL;
	for (; !strncmp(*at, "--", 2); *at = next_line(*at)) {
		const char *line = *at + 2 + ((*at)[2] == ' ');
		fwrite(line, 1, (size_t)(next_line(*at) - line), f);
	}
	return fclose(f) ? free(text), NULL : text;
}

char *lua_module_summary(const struct lua_module *m)
{
	size_t dashes = strspn(m->text, "- ");
	return strndup(m->text + dashes, strcspn(m->text + dashes, "\n"));
}

char *lua_module_introduction(const struct lua_module *m)
{
	const char *at = next_line(m->text);
	if (!strncmp(at, "--\n", 3))
		at = next_line(at);
	return comment(&at);
}

/* "patch" of "t:patch(ADDRESS, WORD)"; malloc'd. */
static char *name_of(const char *usage)
{
	size_t n = strcspn(usage, "({ "), from = n;
	while (from && !strchr(".:", usage[from - 1]))
		from--;
	return strndup(usage + from, n - from);
}

/* Lines of a paragraph become one. */
static void join(char *text)
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
		line = next_line(line);
	*d = (struct module_doc){0};
	if (!*line)
		return false;
	d->usage = strndup(line + 4, strcspn(line + 4, "\n"));
	line = next_line(line);
	d->help = comment(&line);
	if (d->help)
		join(d->help);
	d->name = d->usage ? name_of(d->usage) : NULL;
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
