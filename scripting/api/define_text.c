/* Strings of scripts' definitions. They live as long as the script, because panes and lists of
 * commands refer to them. */
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "scripting/api/api.h"

/* Limits for a script that defines without end. */
enum { TEXTS_MAX = 20000, TEXT_MAX = 64 << 10 };

struct own_text {
	struct own_text *next;
	char s[];
};

const char *own_text(lua_State *L, int index)
{
	struct script *s = script_of(L);
	size_t n;
	const char *from = luaL_checklstring(L, index, &n);
	if (n > TEXT_MAX || strlen(from) != n)
		binding_fail(L, "a text of at most %d bytes and without zeros is needed", TEXT_MAX);
	struct own_text *t = s->texts_count < TEXTS_MAX ? alloc_bytes(sizeof *t + n + 1) : NULL;
	if (!t) {
		binding_fail(L, s->texts_count < TEXTS_MAX ? "out of memory for a definition"
		                                           : "too many definitions in one script");
		return NULL;
	}
	memcpy(t->s, from, n + 1);
	t->next = s->texts;
	s->texts = t;
	s->texts_count++;
	return t->s;
}

void own_texts_free(struct script *s)
{
	for (struct own_text *t = s->texts, *next; t; t = next) {
		next = t->next;
		free(t);
	}
}

const char *own_option(lua_State *L, const char *what, const char *name, const char *dflt)
{
	const char *text = dflt;
	if (lua_getfield(L, 1, name) == LUA_TSTRING)
		text = own_text(L, -1);
	else if (!lua_isnil(L, -1))
		binding_fail(L, "%s: '%s' is a text, not %s", what, name, host_a(lua_type(L, -1)));
	else if (!dflt)
		binding_fail(L, "%s needs '%s'", what, name);
	lua_pop(L, 1);
	return text ? text : "";
}
