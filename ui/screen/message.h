/* The lines above the prompt. */
#ifndef CYCLOPS_UI_SCREEN_MESSAGE_H
#define CYCLOPS_UI_SCREEN_MESSAGE_H

#include "ui/screen/screen_state.h"

/* Sets the message, without trailing blanks and newlines; n = 0: clears it. */
void message_set(struct screen *s, bool error, const char *text, size_t n);
/* Shows the answer of a command line: above the prompt, or, if it is long, in a popup. */
void message_show_answer(struct screen *s, const char *line);
/* Rows that the message takes, at least one. */
int message_rows(const struct screen *s);
void message_draw(struct screen *s);

/* Sinks of the console and the system-call layer while the screen is on. */
void message_on_answer(void *ctx, const char *text, size_t n);
void message_on_warning(void *ctx, const char *line);

#endif
