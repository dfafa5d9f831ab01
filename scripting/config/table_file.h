/* A file that is a table: Lua that returns one, read into values that C can walk without Lua.
 *
 * The file runs in a safe host: it can compute but reach nothing. Named entries stand in the order
 * in which the file's text names them (names that are computed come last, as strverscmp() orders
 * them), so that what is written first comes first; each knows the line that names it. */
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
	unsigned line;    /* where its name stands, or that of what it is in; 0: not known */
	size_t at;        /* the same in bytes from the file's beginning */
	const char *name; /* NULL: it has a position */
	bool flag;
	int64_t number;
	double real;      /* also of an INT */
	const char *text; /* what it reads as: "true", "16", "8K"; "" for a table */
	/* Of a table: those with positions 1, 2, ... first, then those with names. */
	struct lua_value *items;
	size_t count, positions;
};

struct table_file;

/* NULL with *err: file:line where it can be known. `what` is what such a file is called ("a
 * sweep"). */
struct table_file *table_file_read(const char *path, const char *what, struct err *err);
void table_file_free(struct table_file *t); /* takes NULL */
/* Borrowed until table_file_free(). */
const struct lua_value *table_file_root(const struct table_file *t);

/* The entry of this name, or NULL. */
const struct lua_value *lua_value_named(const struct lua_value *table, const char *name);

#endif
