/* The palette: finds items by a few letters of their names. Items are commands, keys, views,
 * layouts, panes, parameters, statistics, glossary terms, tours, and the program's symbols and
 * source lines; opening the palette collects them. */
#ifndef CYCLOPS_UI_SCREEN_PALETTE_H
#define CYCLOPS_UI_SCREEN_PALETTE_H

#include <stdbool.h>
#include <stdint.h>

#include "ui/screen/fuzzy.h"
#include "ui/screen/parts.h"

struct screen;

void palette_deinit(struct palette *p);
/* Handles a key while it is open; returns the command of the chosen item, or NULL. */
const char *palette_key(struct screen *s, int key);
/* Inserts text as if typed there. */
void palette_type(struct screen *s, const char *text);

#endif
