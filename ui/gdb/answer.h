/* Builds answers of text, hexadecimal and binary, at most as long as a packet; and parses packets.
 */
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

/* Appends text; what does not fit is left out. */
void answer_text(struct answer *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void answer_bytes(struct answer *a, const void *bytes, size_t n);
/* Appends two digits for each byte, in the order of memory. */
void answer_hex(struct answer *a, const void *bytes, size_t n);
/* Appends the piece of bytes[0..total) that a packet requests by offset and length: 'l' before the
 * last piece, 'm' before others. */
void answer_piece(struct answer *a, const void *bytes, size_t total, uint64_t offset,
                  uint64_t length);

/* Takes a hexadecimal number off *text. False, with *text unchanged, if there is none or it exceeds
 * 64 bits. */
bool take_number(const char **text, uint64_t *out);
/* Takes "ADDR,COUNT" off *text. */
bool take_range(const char **text, uint64_t *addr, uint64_t *n);
/* Takes `what` off *text; false if *text does not begin with it. */
bool take_text(const char **text, const char *what);
/* Decodes all of text, two digits a byte. Returns the number of bytes; -1 if text is not
 * hexadecimal or has more than `room` bytes. */
long from_hex(const char *text, void *to, size_t room);

#endif
