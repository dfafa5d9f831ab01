/* A recording of the screen as an SVG picture that moves, for pages that play no other film.
 *
 * Each version of a row is drawn once and is visible for its time; the film begins again at its
 * end. Where motion is switched off, its last picture is seen. */
#ifndef CYCLOPS_UI_SCREEN_RECORDING_SVG_H
#define CYCLOPS_UI_SCREEN_RECORDING_SVG_H

#include <stdbool.h>

#include "core/base/err.h"
#include "ui/screen/svg_row.h"

/* Size limit of an animation; later pictures are left out. */
enum { RECORDING_SVG_BYTES_MAX = 16 << 20 };

struct recording_svg;

/* light: the terminal's background is. NULL if memory is out. */
struct recording_svg *recording_svg_new(int rows, int cols, bool light);
/* Replaces a row at that time, in seconds; later rows come at the same time or later. Rows below
 * the last, or after the limit, are left out. */
void recording_svg_row(struct recording_svg *v, int y, const struct glyph *row, double at);
/* Notes the present picture; a return, once and before the end, drops all rows after it. */
void recording_svg_mark(struct recording_svg *v);
void recording_svg_return(struct recording_svg *v);
/* Writes the film, which lasts until `end`. False with *err. */
bool recording_svg_write(struct recording_svg *v, const char *path, double end, struct err *err);
/* v may be NULL. */
void recording_svg_free(struct recording_svg *v);

#endif
