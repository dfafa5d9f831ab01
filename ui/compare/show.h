/* A comparison as text in pages of columns, as JSON, as CSV. */
#ifndef CYCLOPS_UI_COMPARE_SHOW_H
#define CYCLOPS_UI_COMPARE_SHOW_H

#include <stdio.h>

#include "ui/compare/compare.h"

struct compare_style {
	unsigned width; /* in cells; 0: one page of any width */
	bool ascii;
};

/* All three: false with *err if memory is out. */
bool compare_text(FILE *f, const struct comparison *c, const struct compare_choice *choice,
                  const struct compare_style *style, struct err *err);

/* Writes {"program": ..., "arguments": [...], "machines": GRID, "statistics": GRID, "cpi": GRID,
 * "slots": GRID}: every machine, every statistic (exact CPI slots included) and every cause,
 * regardless of the choice. A GRID is as of render_json(); a machine's column has its name. argv:
 * [argc], the program's name first. */
bool compare_json(FILE *f, const struct comparison *c, int argc, char *const *argv,
                  struct err *err);
/* Writes every statistic: name, a column for each machine, change, unit, meaning. */
bool compare_csv(FILE *f, const struct comparison *c, struct err *err);

#endif
