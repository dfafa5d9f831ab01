/* Writes a GIF that moves: pictures that replace parts of those before. The same pixels give the
 * same bytes. */
#ifndef CYCLOPS_UI_SCREEN_GIF_H
#define CYCLOPS_UI_SCREEN_GIF_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Greatest width and height of the format. */
enum { GIF_SIDE_MAX = 65535 };

/* Where a picture lies, in pixels. */
struct gif_part {
	unsigned x, y, width, height;
};

/* Begins a film, which is repeated for ever. */
void gif_begin(FILE *f, unsigned width, unsigned height);
/* Writes a picture, which stands for so many hundredths of a second. pixels: [height * width], RGB;
 * more than 256 colours become similar ones. False if memory is out. */
bool gif_write_part(FILE *f, const struct gif_part *part, const uint32_t *pixels,
                    unsigned hundredths);
void gif_end(FILE *f);

#endif
