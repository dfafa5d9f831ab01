/* Exports as files. An existing file is not overwritten without `force`. */
#ifndef CYCLOPS_UI_RENDER_EXPORT_OUT_H
#define CYCLOPS_UI_RENDER_EXPORT_OUT_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/err.h"
#include "hwviews/session/session.h"

/* Exports the run so far as text; words: "callgrind", "folded by calls". Returns malloc'd text of
 * *n bytes; NULL with *err. */
char *export_words(const struct session *s, const char *words, size_t *n, struct err *err);
/* Writes the export to path; "-" is stderr. *bytes, if not NULL, receives the size. False with
 * *err: nothing to export, or writing failed. */
bool export_to(const struct session *s, const char *words, const char *path, bool force,
               size_t *bytes, struct err *err);

/* Splits "folded by calls=FILE" of a command line: its words go to *words, malloc'd. Returns FILE,
 * borrowed from option; NULL with *err: no such format, or no file. */
const char *export_split(const char *option, char **words, struct err *err);
/* True if the option names a known format and a file. */
bool export_known(const char *option, struct err *err);
/* True if the export can be made and, without `force`, replaces no file. Writes nothing. */
bool export_try(const struct session *s, const char *option, bool force, struct err *err);

#endif
