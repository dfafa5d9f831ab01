/* The prompt at the bottom of the screen: readline by its callback interface, drawn by us. It
 * shares the text prompt's history. There is one prompt, as a process has one readline. */
#ifndef CYCLOPS_UI_SCREEN_CMDLINE_H
#define CYCLOPS_UI_SCREEN_CMDLINE_H

#include <stdbool.h>

#include "ui/screen/draw.h"
#include "ui/screen/parts.h"

struct screen;

void cmdline_init(struct screen *s);
void cmdline_deinit(struct screen *s);
/* Opens the prompt with a text to continue. */
void cmdline_open(struct screen *s, const char *text);
/* Inserts a text at the cursor, as if typed. */
void cmdline_insert(struct screen *s, const char *text);
/* Opens the prompt for a line of the guest's input, after the label. */
void cmdline_open_for_guest(struct screen *s, const char *label);
void cmdline_close(struct screen *s);
/* Handles a key while the prompt is open. */
void cmdline_key(struct screen *s, int key);
/* Takes the entered line: malloc'd, NULL if there is none. */
char *cmdline_take(struct screen *s);
/* Draws the prompt on the last line; leaves the terminal's cursor at the insertion point. */
void cmdline_draw(struct screen *s);

#endif
