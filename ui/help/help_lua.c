#include "ui/help/help_lua.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/nearest_word.h"
#include "scripting/binding.h"
#include "scripting/expr/expr.h"
#include "scripting/modules.h"

enum { WIDTH = 92 };

/* Prints prose in lines of at most WIDTH cells, each indented by `indent` blanks. */
static void put_wrapped(struct console *c, const char *text, int indent)
{
	while (*text) {
		size_t paragraph = strcspn(text, "\n"), n = paragraph;
		if (n > (size_t)(WIDTH - indent)) {
			n = (size_t)(WIDTH - indent);
			while (n && text[n] != ' ')
				n--;
			if (!n)
				n = strcspn(text, " \n");
		}
		console_print(c, "%*s%.*s\n", indent, "", (int)n, text);
		text += n;
		text += strspn(text, n == paragraph ? "\n" : " ");
	}
}

static void help_lua_print_function(struct console *c, const char *usage, const char *help)
{
	console_print(c, "%s\n", usage);
	put_wrapped(c, help, 4);
}

static void put_binding(struct console *c, const struct binding *b)
{
	help_lua_print_function(c, b->usage, b->help);
}

static void help_lua_print_area(struct console *c, const struct binding_area *a)
{
	console_print(c, "lua %s: %s\n", a->name, a->summary);
	if (*a->text)
		console_print(c, "%s\n", a->text);
	for (unsigned i = 0; i < a->count; i++) {
		console_print(c, "\n");
		put_binding(c, &a->bindings[i]);
	}
}

/* Last part of a name: "step" for "m:step", "u8" for "m.mem:u8". */
static const char *last_part(const char *word)
{
	const char *s = word + strlen(word);
	while (s > word && s[-1] != ':' && s[-1] != '.')
		s--;
	return s;
}

/* ---- modules ---- */
/* True if `word` names the module: "cyclops.triggers" or "triggers". */
static bool is_module(const struct lua_module *m, const char *word)
{
	return !strcmp(m->name, word) || !strcmp(last_part(m->name), word);
}

static void help_lua_print_module(struct console *c, const struct lua_module *m)
{
	struct module_doc d;
	const char *at = NULL;
	char *summary = lua_module_summary(m), *introduction = lua_module_introduction(m);
	console_print(c, "module %s: %s\n%s", m->name, summary ? summary : "",
	              introduction ? introduction : "");
	for (; module_doc_next(m, &at, &d); module_doc_deinit(&d)) {
		console_print(c, "\n");
		help_lua_print_function(c, d.usage, d.help);
	}
	free(summary);
	free(introduction);
}

/* Prints all modules' functions of this name. Returns `found` plus their number. */
static unsigned put_module_functions(struct console *c, const char *name, unsigned found)
{
	struct module_doc d;
	for (unsigned i = 0; i < lua_module_count; i++)
		for (const char *at = NULL; module_doc_next(&lua_modules[i], &at, &d);
		     module_doc_deinit(&d))
			if (!strcmp(d.name, name)) {
				console_print(c, "%s", found++ ? "\n" : "");
				console_print(c, "module %s: ", lua_modules[i].name);
				help_lua_print_function(c, d.usage, d.help);
			}
	return found;
}

static unsigned search_modules(struct console *c, const char *word)
{
	struct module_doc d;
	unsigned n = 0;
	for (unsigned i = 0; i < lua_module_count; i++)
		for (const char *at = NULL; module_doc_next(&lua_modules[i], &at, &d);
		     module_doc_deinit(&d))
			if (strcasestr(d.name, word) || strcasestr(d.help, word)) {
				console_print(c, "  %-10s %-24s %s\n", "lua", d.name, d.usage);
				n++;
			}
	return n;
}

void help_lua_put_areas(struct console *c)
{
	console_print(c, "`cyclops lua FILE.lua` runs a script, which creates, moves and inspects "
	                 "machines:\n"
	                 "    local m = cyclops.machine{ program = \"build/demos/fib\", args = "
	                 "{20}, config = \"classic5\" }\n"
	                 "    m:run{ until_pc = \"fib\" }\n"
	                 "    print(m.cycle, m.a0, m.sim.ipc, m.rob[1])\n"
	                 "m.NAME has the value that `print NAME` prints (help expressions). `help "
	                 "lua AREA`, "
	                 "`help lua step`:\n");
	for (unsigned i = 0; binding_areas[i]; i++)
		console_print(c, "  %-12s %s\n", binding_areas[i]->name, binding_areas[i]->summary);
	console_print(c, "Modules, for `require`:\n");
	for (unsigned i = 0; i < lua_module_count; i++) {
		char *summary = lua_module_summary(&lua_modules[i]);
		console_print(c, "  %s\n", lua_modules[i].name);
		put_wrapped(c, summary ? summary : "", 15);
		free(summary);
	}
}

/* Prints all bindings of this name, or m.NAME of an object. Offers all names to *n. */
static bool put_named(struct console *c, const char *word, struct nearest *n)
{
	const char *name = last_part(word), *expr, *help;
	unsigned found = 0;
	for (unsigned i = 0; binding_areas[i]; i++) {
		const struct binding_area *a = binding_areas[i];
		nearest_offer(n, a->name);
		bool whole = !strcmp(a->name, word);
		if (whole) {
			console_print(c, "%s", found++ ? "\n" : "");
			help_lua_print_area(c, a);
		}
		for (unsigned k = 0; k < a->count && !whole; k++) {
			nearest_offer(n, a->bindings[k].name);
			if (strcmp(a->bindings[k].name, name) != 0)
				continue;
			console_print(c, "%s", found++ ? "\n" : "");
			put_binding(c, &a->bindings[k]);
		}
	}
	for (unsigned i = 0; i < lua_module_count; i++) {
		nearest_offer(n, lua_modules[i].name);
		nearest_offer(n, last_part(lua_modules[i].name));
		if (is_module(&lua_modules[i], word)) {
			console_print(c, "%s", found++ ? "\n" : "");
			help_lua_print_module(c, &lua_modules[i]);
		}
	}
	found = put_module_functions(c, name, found);
	for (unsigned i = 0; !found && (expr = expr_name(i, &help)); i++)
		if (!strcmp(expr, name)) {
			console_print(c, "m.%s, as in expressions: %s\n", name, help);
			found++;
		}
	return found;
}

bool help_lua_try(struct console *c, const char *word)
{
	struct nearest n;
	nearest_init(&n, word);
	return put_named(c, word, &n);
}

enum command_result help_lua(struct console *c, const char *word)
{
	struct nearest n;
	if (!*word) {
		help_lua_put_areas(c);
		return CMD_OK;
	}
	nearest_init(&n, last_part(word));
	if (put_named(c, word, &n))
		return CMD_OK;
	return console_fail(c, "Lua has no '%s'; %s", word,
	                    nearest_said(&n, "`help lua` lists the areas"));
}

unsigned help_lua_search(struct console *c, const char *word)
{
	unsigned n = 0;
	for (unsigned i = 0; binding_areas[i]; i++)
		for (unsigned k = 0; k < binding_areas[i]->count; k++) {
			const struct binding *b = &binding_areas[i]->bindings[k];
			if (!strcasestr(b->name, word) && !strcasestr(b->help, word))
				continue;
			console_print(c, "  %-10s %-24s %.*s\n", "lua", b->name,
			              (int)strcspn(b->usage, "\n"), b->usage);
			n++;
		}
	return n + search_modules(c, word);
}
