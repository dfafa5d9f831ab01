/* Graphs as text for graphviz' dot: what exports of graphs share. */
#ifndef CYCLOPS_HWVIEWS_GRID_DOT_H
#define CYCLOPS_HWVIEWS_GRID_DOT_H

#include <stdio.h>

/* The beginning of a graph: its name, and how boxes and arrows look. It ends with "}". */
void dot_begin(FILE *out, const char *name);
/* A text in quotes; a newline in it begins a new line of a label. */
void dot_string(FILE *out, const char *text);
/* Colour of a box, "#rrggbb": the larger its share of everything (0 to 1), the warmer. Returns buf
 * (8 bytes at least). */
char *dot_heat(double share, char *buf);

#endif
