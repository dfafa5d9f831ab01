/* A text assembled in a buffer of fixed size. Overflow is cut; the text is always terminated. */
#ifndef CYCLOPS_CORE_BASE_TEXTBUF_H
#define CYCLOPS_CORE_BASE_TEXTBUF_H

#include <stddef.h>
#include <stdint.h>

struct textbuf {
	char *buf;   /* borrowed; [n] */
	/* bytes of room, including the terminator's; 0: nothing is written */
	size_t n;
	size_t used; /* bytes of text */
};

void textbuf_add(struct textbuf *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Grouped decimal digits: 1,204,377. Returns buf (at least 32 bytes). */
char *group_digits(uint64_t v, char *buf);
/* -1234567 -> "-1,234,567"; buf holds 33 bytes. */
char *group_digits_signed(int64_t v, char *buf);
/* For use as an argument: the text is valid until the end of the enclosing block. */
#define GROUPED(v) group_digits(v, (char[32]){0})
#define GROUPED_SIGNED(v) group_digits_signed(v, (char[33]){0})

#endif
