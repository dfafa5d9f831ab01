/* Exports as files. A file that is there already is left alone unless somebody says otherwise. */
#ifndef CYCLOPS_UI_RENDER_EXPORT_OUT_H
#define CYCLOPS_UI_RENDER_EXPORT_OUT_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/err.h"
#include "hwviews/session/session.h"

/* "callgrind" or "folded by calls" of what has run so far, as text: malloc'd, *n bytes. NULL with
 * *err. */
char *export_words(const struct session *s, const char *words, size_t *n, struct err *err);
/* The same to path, - being stderr; *bytes, if not NULL, receives how many. False with *err: there
 * is nothing to be written, or it can't be. */
bool export_to(const struct session *s, const char *words, const char *path, bool force,
               size_t *bytes, struct err *err);

/* "folded by calls=FILE" of a command line; its words go to *words, malloc'd. Borrowed; NULL with
 * *err: no such format, or no file. */
const char *export_split(const char *option, char **words, struct err *err);
/* Whether there is such a format, and a file is named. */
bool export_known(const char *option, struct err *err);
/* Whether the session has what is to be written, and may write it there. Nothing is written. */
bool export_try(const struct session *s, const char *option, bool force, struct err *err);

#endif
