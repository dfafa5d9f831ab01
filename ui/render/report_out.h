/* Reports as text, JSON or CSV. */
#ifndef CYCLOPS_UI_RENDER_REPORT_OUT_H
#define CYCLOPS_UI_RENDER_REPORT_OUT_H

#include <stdbool.h>
#include <stdio.h>

#include "core/base/err.h"
#include "hwviews/session/session.h"

enum { REPORT_ROWS = 25 }; /* of a text report, by default */

enum report_as { REPORT_TEXT, REPORT_JSON, REPORT_CSV };

struct report_style {
	enum report_as as;
	unsigned width; /* of text, in cells; 0: unlimited */
	bool ascii;
	unsigned rows;  /* if the words give no number; 0: all */
};

/* Removes --json and --csv from words and sets *style accordingly, with all rows. */
void report_cut_format(char *words, struct report_style *style);

/* Writes the report that words name ("oracle blocks 10"). False with *err: nothing was written. */
bool report_write(FILE *f, const struct session *s, const char *words,
                  const struct report_style *style, struct err *err);

/* Writes "oracle blocks" to stderr, "oracle blocks=FILE" to FILE: JSON if it ends in .json, CSV if
 * in .csv, else text. */
bool report_to(const struct session *s, const char *words, struct err *err);
/* True if the report exists and the session's machine has the device it needs. s may be NULL: then
 * only the name is checked. */
bool report_known(const char *words, const struct session *s, struct err *err);

#endif
