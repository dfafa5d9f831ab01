/* A recording of the screen as a GIF that moves, for slides and for programs that play nothing
 * else: the same pictures as the SVG (recording_svg.h), at most 25 in a second. */
#ifndef CYCLOPS_UI_SCREEN_RECORDING_GIF_H
#define CYCLOPS_UI_SCREEN_RECORDING_GIF_H

#include <stdbool.h>

#include "core/base/err.h"
#include "ui/screen/svg_row.h"

/* Size limit; later pictures are left out. */
enum { RECORDING_GIF_BYTES_MAX = 16 << 20 };

struct recording_gif;

/* font_folder: NULL: the usual places. NULL with *err, if there is no font, too. */
struct recording_gif *recording_gif_new(int rows, int cols, bool light, const char *font_folder,
                                        struct err *err);
/* Replaces a row at that time, in seconds; later rows come at the same time or later. Rows below
 * the last are left out. */
void recording_gif_row(struct recording_gif *g, int y, const struct glyph *row, double at);
/* Notes the present picture; a return, once and before the end, drops all rows after it. */
void recording_gif_mark(struct recording_gif *g);
void recording_gif_return(struct recording_gif *g);
/* Writes the film, which lasts until `end`. False with *err. */
bool recording_gif_write(struct recording_gif *g, const char *path, double end, struct err *err);
/* g may be NULL. */
void recording_gif_free(struct recording_gif *g);

#endif
