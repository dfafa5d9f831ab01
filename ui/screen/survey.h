/* Counting for view spent, in pieces, while the screen waits for a key: a key is answered after the
 * present piece. */
#ifndef CYCLOPS_UI_SCREEN_SURVEY_H
#define CYCLOPS_UI_SCREEN_SURVEY_H

#include <stdbool.h>

struct screen;

/* Does a piece of what is missing. True: more is missing. */
bool survey_go_on(struct screen *s);

#endif
