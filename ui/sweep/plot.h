/* A plan's plot, from the available results. */
#ifndef CYCLOPS_UI_SWEEP_PLOT_H
#define CYCLOPS_UI_SWEEP_PLOT_H

#include <stdio.h>

#include "ui/sweep/sweep.h"

/* Writes the plot as SVG. A missing or failed result has a mark on the axis; means leave it out,
 * and are marked if none is left. */
void plot_write(FILE *f, const struct sweep *s, const struct plan_plot *q);

#endif
