/* A text assembled in a buffer of fixed size. Overflow is cut; the text is always terminated. */
#ifndef CYCLOPS_CORE_BASE_TEXTBUF_H
#define CYCLOPS_CORE_BASE_TEXTBUF_H

#include <stddef.h>

struct textbuf {
	char *buf;   /* borrowed; [n] */
	/* bytes of room, including the terminator's; 0: nothing is written */
	size_t n;
	size_t used; /* bytes of text */
};

void textbuf_add(struct textbuf *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
