/* A text that grows. */
#ifndef CYCLOPS_UI_SCREEN_TEXT_H
#define CYCLOPS_UI_SCREEN_TEXT_H

#include <stddef.h>

struct text {
	char *s; /* owned, NUL-terminated; NULL while empty */
	size_t n, room;
};

/* Appends; leaves text out if memory is short. */
void text_append(struct text *t, const char *s, size_t n);
void text_printf(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void text_clear(struct text *t);
void text_deinit(struct text *t);
/* Drops whole lines from the beginning until at most `most` bytes are left. */
void text_keep_end(struct text *t, size_t most);

#endif
