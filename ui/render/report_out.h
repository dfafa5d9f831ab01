/* Reports as text, JSON or CSV. */
#ifndef CYCLOPS_UI_RENDER_REPORT_OUT_H
#define CYCLOPS_UI_RENDER_REPORT_OUT_H

#include <stdbool.h>
#include <stdio.h>

#include "core/base/err.h"
#include "hwviews/session/session.h"

enum { REPORT_ROWS = 25 }; /* of text, if nothing is said */

enum report_as { REPORT_TEXT, REPORT_JSON, REPORT_CSV };

struct report_style {
	enum report_as as;
	unsigned width; /* of text, in cells; 0: as long as it takes */
	bool ascii;
	unsigned rows;  /* if the words don't say; 0: all */
};

/* Takes the words --json and --csv out of words, into *style: all rows then. */
void report_cut_format(char *words, struct report_style *style);

/* "oracle blocks 10". False with *err: nothing was written. */
bool report_write(FILE *f, const struct session *s, const char *words,
                  const struct report_style *style, struct err *err);

/* "oracle blocks" on stderr, or "oracle blocks=FILE": JSON if FILE ends in .json, CSV if in .csv,
 * else text. */
bool report_to(const struct session *s, const char *words, struct err *err);
/* Whether there is such a report, and in the session's machine, unless that is NULL, what it is of.
 */
bool report_known(const char *words, const struct session *s, struct err *err);

#endif
