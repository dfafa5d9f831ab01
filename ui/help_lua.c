#include "ui/help_lua.h"

#include <string.h>

#include "core/nearest.h"
#include "scripting/binding.h"

enum { WIDTH = 92 };

/* Prose in lines of at most WIDTH cells, each behind `indent` blanks. */
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

static void put_binding(struct console *c, const struct binding *b)
{
	console_print(c, "%s\n", b->usage);
	put_wrapped(c, b->help, 4);
}

static void put_area(struct console *c, const struct binding_area *a)
{
	console_print(c, "lua %s: %s\n", a->name, a->summary);
	if (*a->text)
		console_print(c, "%s\n", a->text);
	for (unsigned i = 0; i < a->count; i++) {
		console_print(c, "\n");
		put_binding(c, &a->bindings[i]);
	}
}

void help_lua_put_areas(struct console *c)
{
	console_print(c, "`cyclops lua FILE.lua` runs a script, which makes machines, moves them and asks them:\n"
	                 "    local m = cyclops.machine{ program = \"build/demos/fib\", args = {20}, config = \"classic5\" }\n"
	                 "    m:run{ until_pc = \"fib\" }\n"
	                 "    print(m.cycle, m.a0, m.sim.ipc, m.rob[1])\n"
	                 "m.NAME is what NAME is to `print` (help expressions). `help lua AREA`, `help lua step`:\n");
	for (unsigned i = 0; binding_areas[i]; i++)
		console_print(c, "  %-12s %s\n", binding_areas[i]->name, binding_areas[i]->summary);
}

/* "m:step", "m.mem:u8" and "step" are names of the same. */
static const char *last_part(const char *word)
{
	const char *s = word + strlen(word);
	while (s > word && s[-1] != ':' && s[-1] != '.')
		s--;
	return s;
}

enum command_result help_lua(struct console *c, const char *word)
{
	const char *name = last_part(word);
	struct nearest n;
	unsigned found = 0;
	if (!*word) {
		help_lua_put_areas(c);
		return CMD_OK;
	}
	nearest_init(&n, name);
	for (unsigned i = 0; binding_areas[i]; i++) {
		const struct binding_area *a = binding_areas[i];
		nearest_offer(&n, a->name);
		bool whole = !strcmp(a->name, word);
		if (whole) {
			console_print(c, "%s", found++ ? "\n" : "");
			put_area(c, a);
		}
		for (unsigned k = 0; k < a->count && !whole; k++) {
			nearest_offer(&n, a->bindings[k].name);
			if (strcmp(a->bindings[k].name, name) != 0)
				continue;
			console_print(c, "%s", found++ ? "\n" : "");
			put_binding(c, &a->bindings[k]);
		}
	}
	if (found)
		return CMD_OK;
	if (n.best)
		return console_fail(c, "nothing of Lua's is called '%s'; did you mean '%s'?", word, n.best);
	return console_fail(c, "nothing of Lua's is called '%s'; `help lua` lists the areas", word);
}

unsigned help_lua_search(struct console *c, const char *word)
{
	unsigned n = 0;
	for (unsigned i = 0; binding_areas[i]; i++)
		for (unsigned k = 0; k < binding_areas[i]->count; k++) {
			const struct binding *b = &binding_areas[i]->bindings[k];
			if (!strcasestr(b->name, word) && !strcasestr(b->help, word))
				continue;
			console_print(c, "  %-10s %-24s %.*s\n", "lua", b->name, (int)strcspn(b->usage, "\n"), b->usage);
			n++;
		}
	return n;
}
