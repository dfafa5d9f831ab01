/* Exports: what a profile says, in formats that other tools read. One table, exports.def; `export`
 * and --export write them. */
#ifndef CYCLOPS_HWVIEWS_EXPORTS_EXPORT_H
#define CYCLOPS_HWVIEWS_EXPORTS_EXPORT_H

#include <stdio.h>

#include "hwviews/grid/view.h"

struct export_format {
	const char *name;  /* one word: "callgrind" */
	const char *title; /* of what, for which tool */
	const char *args;  /* "[by METRIC]", or "" */
	const char *help;  /* what it holds, and how it is opened; lines <= 78 */
	/* Writes everything to out. False with *err: nothing is worth keeping then. Errors of out
	 * itself are the caller's. */
	bool (*write)(const struct session *s, const struct view_args *args, FILE *out,
	              struct err *err);
};

#define EXPORT(name) extern const struct export_format export_##name;
#include "hwviews/exports/exports.def"
#undef EXPORT

/* In the order of exports.def. */
extern const struct export_format *const exports[];
extern const unsigned export_count;

/* NULL with *err naming the nearest. */
const struct export_format *export_find(const char *name, struct err *err);
/* As text: malloc'd, *n bytes. `words` stand behind the format's name. NULL with *err. */
char *export_text(const struct export_format *f, const struct session *s, const char *words,
                  size_t *n, struct err *err);

#endif
