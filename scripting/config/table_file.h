/* A file of Lua that returns a table, read into values that C can walk without Lua.
 *
 * The file runs in a safe host: it can compute, but not reach files or processes. Named entries are
 * in the order of their names in the file (computed names come last, in strverscmp() order); each
 * has the line of its name. */
#ifndef CYCLOPS_SCRIPTING_CONFIG_TABLE_FILE_H
#define CYCLOPS_SCRIPTING_CONFIG_TABLE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"

enum lua_value_kind {
	LUA_VALUE_BOOL,
	LUA_VALUE_INT,
	LUA_VALUE_REAL,
	LUA_VALUE_TEXT,
	LUA_VALUE_TABLE
};

struct lua_value {
	enum lua_value_kind kind;
	unsigned line;    /* of its name, or of the enclosing table's; 0: not known */
	size_t at;        /* the same as a byte offset in the file */
	const char *name; /* NULL: it has a position */
	bool flag;
	int64_t number;
	double real;      /* also of an INT */
	const char *text; /* its text: "true", "16", "8K"; "" for a table */
	/* The entries of a table: 1, 2, ... first, then named ones. */
	struct lua_value *items;
	size_t count, positions;
};

struct table_file;

/* Reads a file. NULL with *err: file:line if known. `what` names such files in messages ("a
 * sweep"). */
struct table_file *table_file_read(const char *path, const char *what, struct err *err);
void table_file_free(struct table_file *t); /* takes NULL */
/* Borrowed until table_file_free(). */
const struct lua_value *table_file_root(const struct table_file *t);

/* The entry of this name, or NULL. */
const struct lua_value *lua_value_named(const struct lua_value *table, const char *name);

#endif
