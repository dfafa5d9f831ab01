/* The prompt at the bottom of the screen: readline behind its callback interface, drawn by us. Its
 * history is the text prompt's. A process has one readline, so there is one prompt. */
#ifndef CYCLOPS_UI_SCREEN_CMDLINE_H
#define CYCLOPS_UI_SCREEN_CMDLINE_H

#include <stdbool.h>

#include "ui/screen/draw.h"
#include "ui/screen/parts.h"

struct screen;

void cmdline_init(struct screen *s);
void cmdline_deinit(struct screen *s);
/* Opens it with a text to go on from. */
void cmdline_open(struct screen *s, const char *text);
/* Puts a text in where the cursor is, as if it was typed. */
void cmdline_insert(struct screen *s, const char *text);
/* Opens it for a line of the guest's input, behind the label. */
void cmdline_open_for_guest(struct screen *s, const char *label);
void cmdline_close(struct screen *s);
/* Gives it a key. */
void cmdline_key(struct screen *s, int key);
/* A line that was entered: malloc'd, NULL if there is none. */
char *cmdline_take(struct screen *s);
/* On the last line; leaves the terminal's cursor where text goes. */
void cmdline_draw(struct screen *s);

#endif
