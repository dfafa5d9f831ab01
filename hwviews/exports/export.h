/* Exports: profiles in formats that other tools read. One table, exports.def; `export` and --export
 * write them. */
#ifndef CYCLOPS_HWVIEWS_EXPORTS_EXPORT_H
#define CYCLOPS_HWVIEWS_EXPORTS_EXPORT_H

#include <stdio.h>

#include "hwviews/grid/view.h"

struct export_format {
	const char *name;  /* one word: "callgrind" */
	const char *title; /* contents, and the tool that reads the file */
	const char *args;  /* "[by METRIC]", or "" */
	const char *help;  /* contents, and how to open the file; lines <= 78 */
	/* Writes everything to out. False with *err: discard what was written. The caller checks
	 * out itself for errors, and replaces control characters, of hostile names. */
	bool (*write)(const struct session *s, const struct view_args *args, FILE *out,
	              struct err *err);
};

#define EXPORT(name) extern const struct export_format export_##name;
#include "hwviews/exports/exports.def"
#undef EXPORT

/* In the order of exports.def. */
extern const struct export_format *const exports[];
extern const unsigned export_count;

/* The format of this name; NULL with *err naming the nearest. */
const struct export_format *export_find(const char *name, struct err *err);
/* The export as text: malloc'd, *n bytes. `words` are the arguments after the format's name. NULL
 * with *err. */
char *export_text(const struct export_format *f, const struct session *s, const char *words,
                  size_t *n, struct err *err);

#endif
