/* Names of files as paths from the root, "" = root, "//..." = in the sysroot: a tree of components,
 * so that a directory is renamed in one step, however much lies below it.
 *
 * Each name that is taken is dropped once. Identical paths are one name, except after a renaming:
 * the name that it hides keeps its path, but is not found by it. Zeroed storage is empty; names are
 * taken and moved only after file_names_reserve(). */
#ifndef CYCLOPS_CORE_OS_FILE_NAMES_H
#define CYCLOPS_CORE_OS_FILE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/chains.h"

struct file_name;

struct file_names {
	struct file_name *all; /* owned; [count] */
	size_t count, cap;
	struct chains chains; /* by parent and component */
	uint32_t unused; /* the first that may be used again */
	char *text;      /* owned; components with their zero bytes, some unused */
	size_t text_used, text_cap, text_live;
};

void file_names_free(struct file_names *t);
/* Reserves memory for new names of `text` bytes together, zero bytes included; false if there is
 * none. */
bool file_names_reserve(struct file_names *t, size_t text);
/* The name of this path, never 0; the caller drops it. */
uint32_t file_names_take(struct file_names *t, const char *path);
void file_names_drop(struct file_names *t, uint32_t name);
/* Whether the name is this path. */
bool file_names_equal(const struct file_names *t, uint32_t name, const char *path);
/* Writes the path of a name; false if it is longer than LX_PATH_MAX. */
bool file_names_path(const struct file_names *t, uint32_t name, char *path);
/* Renames all that is called `from` or lies below it; names equal to `to` are hidden or, with
 * `exchange`, renamed to `from`. */
void file_names_move(struct file_names *t, const char *from, const char *to, bool exchange);

#endif
