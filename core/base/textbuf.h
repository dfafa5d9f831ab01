/* A text that is put together in a buffer of fixed size. What doesn't fit is cut; the text always
 * ends. */
#ifndef CYCLOPS_CORE_BASE_TEXTBUF_H
#define CYCLOPS_CORE_BASE_TEXTBUF_H

#include <stddef.h>

struct textbuf {
	char *buf;   /* borrowed; [n] */
	/* bytes of room, that of the end included; where there are none, nothing is written */
	size_t n;
	size_t used; /* bytes of text */
};

void textbuf_add(struct textbuf *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
