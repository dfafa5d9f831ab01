/* Lua modules that are part of the program: their texts (scripting/lua/), and the documentation
 * that stands in them beside each function.
 *
 * A file begins with a comment: its first line says what it is for, the rest is what a reader
 * should know first. A function that scripts may call has a comment before it whose first line
 * begins with three dashes and is its usage; the lines behind, with two, are its help. */
#ifndef CYCLOPS_SCRIPTING_MODULES_H
#define CYCLOPS_SCRIPTING_MODULES_H

#include <lua.h>
#include <stdbool.h>

struct lua_module {
	const char *name; /* what `require` calls it: "cyclops.triggers" */
	const char *file; /* what messages call it: "cyclops/triggers.lua" */
	const char *text; /* up to a zero byte */
};

extern const struct lua_module lua_modules[];
extern const unsigned lua_module_count;

/* NULL if none has this name. */
const struct lua_module *lua_module_find(const char *name);

/* Lets `require` of a trusted host find all of them, before any file; `package` is on top of the
 * stack. (A safe host's require knows them by itself.) */
void lua_modules_preload(lua_State *L);

/* Its first line, a sentence, and what follows in the comment at its beginning; malloc'd, NULL if
 * memory is out. */
char *lua_module_summary(const struct lua_module *m);
char *lua_module_introduction(const struct lua_module *m);

/* One function's documentation; owned. */
struct module_doc {
	char *usage; /* "t:patch(ADDRESS, WORD)" */
	char *name;  /* "patch" */
	char *help;  /* paragraphs, a line each */
};

/* The next one behind *at, which is NULL at first. False behind the last, or if memory is out. */
bool module_doc_next(const struct lua_module *m, const char **at, struct module_doc *d);
void module_doc_deinit(struct module_doc *d);

#endif
