/* Lua modules built into cyclops: their texts (scripting/lua/), and the documentation beside each
 * function.
 *
 * A file begins with a comment: a summary in the first line, then an introduction. A public
 * function has a comment before it whose first line begins with three dashes and is its usage; the
 * next lines, with two dashes, are its help. */
#ifndef CYCLOPS_SCRIPTING_MODULES_H
#define CYCLOPS_SCRIPTING_MODULES_H

#include <lua.h>
#include <stdbool.h>

struct lua_module {
	const char *name; /* for `require`: "cyclops.triggers" */
	const char *file; /* for messages: "cyclops/triggers.lua" */
	const char *text; /* zero-terminated */
};

extern const struct lua_module lua_modules[];
extern const unsigned lua_module_count;

/* The module of this name; NULL if there is none. */
const struct lua_module *lua_module_find(const char *name);

/* Makes `require` of a trusted host find all modules, before files; `package` is on top of the
 * stack. (A safe host's require finds them itself.) */
void lua_modules_preload(lua_State *L);

/* The summary, a sentence; the introduction; both malloc'd, NULL if memory is out. */
char *lua_module_summary(const struct lua_module *m);
char *lua_module_introduction(const struct lua_module *m);

/* One function's documentation; owned. */
struct module_doc {
	char *usage; /* "t:patch(ADDRESS, WORD)" */
	char *name;  /* "patch" */
	char *help;  /* paragraphs, a line each */
};

/* The next function after *at, which is initially NULL. False after the last, or if memory is
 * out. */
bool module_doc_next(const struct lua_module *m, const char **at, struct module_doc *d);
void module_doc_deinit(struct module_doc *d);

#endif
