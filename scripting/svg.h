/* Charts as SVG: groups of bars, or lines, in one or more panels that share their y axis.
 *
 * Positions on x are words, evenly spaced. The picture follows the reader's light or dark theme,
 * its bytes depend only on the chart, and series differ in more than colour. Texts are borrowed. */
#ifndef CYCLOPS_SCRIPTING_SVG_H
#define CYCLOPS_SCRIPTING_SVG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct svg_chart {
	const char *title, *x_label, *y_label;
	bool lines;                /* else bars */
	const char *const *panels; /* [panel_count], titles; NULL: one panel without a title */
	const char *const *series; /* [series_count]; NULL: one without a name */
	const char *const *places; /* [place_count], on x */
	size_t panel_count, series_count, place_count;
	const double *values;      /* [panel][series][place]; NaN: no value */
};

void svg_write(FILE *f, const struct svg_chart *c);

#endif
