/* The page about Lua: areas of bindings, and the modules that are part of the program. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "scripting/binding.h"
#include "scripting/modules.h"
#include "ui/reference/markdown.h"
#include "ui/reference/pages.h"

static void page_lua_write_function(FILE *f, const char *usage, const char *help)
{
	fputs("**", f);
	md_code(f, usage, false);
	fputs("**\n\n", f);
	md_text(f, "lua", help);
}

static void page_lua_write_area(FILE *f, const struct binding_area *a)
{
	md_heading(f, 2, a->name);
	md_sentence(f, a->summary);
	md_text(f, "lua", a->text);
	for (unsigned i = 0; i < a->count; i++)
		page_lua_write_function(f, a->bindings[i].usage, a->bindings[i].help);
}

static void page_lua_write_module(FILE *f, const struct lua_module *m)
{
	struct module_doc d;
	const char *at = NULL;
	char *summary = lua_module_summary(m), *introduction = lua_module_introduction(m);
	md_heading(f, 2, m->name);
	md_paragraph(f, summary ? summary : "");
	md_text(f, "lua", introduction ? introduction : "");
	for (; module_doc_next(m, &at, &d); module_doc_deinit(&d))
		page_lua_write_function(f, d.usage, d.help);
	free(summary);
	free(introduction);
}

void page_lua(FILE *f, struct console *c)
{
	(void)c;
	fputs("Scripts are Lua 5.4, run by `cyclops lua FILE.lua`. Functions and methods are "
	      "listed by area; modules are found\nby `require`. [Expressions](expressions.md) name "
	      "parts of a machine, and so do scripts: a name that `print` accepts\nworks in a "
	      "script after `m.`.\n\n",
	      f);
	md_table(f, "area|what it is about");
	for (unsigned i = 0; binding_areas[i]; i++) {
		fputs("| ", f);
		md_link(f, binding_areas[i]->name, "lua", binding_areas[i]->name);
		fputs(" | ", f);
		md_prose(f, binding_areas[i]->summary, true);
		fputs(" |\n", f);
	}
	for (unsigned i = 0; i < lua_module_count; i++) {
		char *summary = lua_module_summary(&lua_modules[i]);
		fputs("| ", f);
		md_link(f, lua_modules[i].name, "lua", lua_modules[i].name);
		fputs(" | ", f);
		md_prose(f, summary ? summary : "", true);
		fputs(" |\n", f);
		free(summary);
	}
	fputc('\n', f);
	for (unsigned i = 0; binding_areas[i]; i++)
		page_lua_write_area(f, binding_areas[i]);
	for (unsigned i = 0; i < lua_module_count; i++)
		page_lua_write_module(f, &lua_modules[i]);
}
