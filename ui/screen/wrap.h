/* Breaks text into lines of so many cells, between words, with a hanging indent. */
#ifndef CYCLOPS_UI_SCREEN_WRAP_H
#define CYCLOPS_UI_SCREEN_WRAP_H

/* Calls add with each line, malloc'd, which add takes over. Tabs become blanks. */
void wrap_text(const char *text, unsigned cells, void (*add)(void *ctx, char *line), void *ctx);

#endif
