/* Answers under construction: text, hexadecimal and binary, no more than a packet holds; and the
 * numbers that packets consist of. */
#ifndef CYCLOPS_UI_GDB_ANSWER_H
#define CYCLOPS_UI_GDB_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ui/gdb/wire.h"

struct answer {
	char bytes[WIRE_PAYLOAD];
	size_t n;
};

/* What does not fit is left out. */
void answer_text(struct answer *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void answer_bytes(struct answer *a, const void *bytes, size_t n);
/* Two digits for each byte, in the order of memory. */
void answer_hex(struct answer *a, const void *bytes, size_t n);
/* The piece of bytes[0..total) that a packet asks for by offset and length: 'l' before the last,
 * 'm' before others. */
void answer_piece(struct answer *a, const void *bytes, size_t total, uint64_t offset,
                  uint64_t length);

/* Takes a hexadecimal number off the text. False: there is none, or it has more than 64 bits; then
 * nothing is taken. */
bool take_number(const char **text, uint64_t *out);
/* "ADDR,COUNT": both. */
bool take_range(const char **text, uint64_t *addr, uint64_t *n);
/* Takes this text off it; false if something else stands there. */
bool take_text(const char **text, const char *what);
/* Bytes from two digits each, all of text[0..); -1 if that is no such text, or has more than
 * `room`. */
long from_hex(const char *text, void *to, size_t room);

#endif
