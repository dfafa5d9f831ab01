/* A plan's plot, from the results that are there. */
#ifndef CYCLOPS_UI_SWEEP_PLOT_H
#define CYCLOPS_UI_SWEEP_PLOT_H

#include <stdio.h>

#include "ui/sweep/sweep.h"

/* Where a result is missing or failed, a mark stands on the axis in its place; means leave it out,
 * and are marked if none is left. */
void plot_write(FILE *f, const struct sweep *s, const struct plan_plot *q);

#endif
