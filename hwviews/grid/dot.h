/* Graphs as text for graphviz' dot, shared by exports of graphs. */
#ifndef CYCLOPS_HWVIEWS_GRID_DOT_H
#define CYCLOPS_HWVIEWS_GRID_DOT_H

#include <stdio.h>

/* Writes the beginning of a graph: its name, and the style of boxes and arrows. The caller ends it
 * with "}". */
void dot_begin(FILE *out, const char *name);
/* Writes a text in quotes; a newline in it begins a new line of a label. */
void dot_string(FILE *out, const char *text);
/* Colour of a box, "#rrggbb": the larger its share of everything (0 to 1), the warmer. Returns buf
 * (8 bytes at least). */
char *dot_heat(double share, char *buf);

#endif
