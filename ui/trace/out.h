/* The file of a trace: inline functions put bytes into a buffer, which is written when full.
 * printf, or a call for each field, would cost more than the simulation.
 *
 * A record reserves room, puts its parts in order, and ends:
 *
 *   char *at = out_room(o);
 *   at = put_number(PUT(at, "C\t"), cycles);
 *   out_end(o, PUT(at, "\n"));
 *
 * The first failure stays: all later bytes are dropped, and out_close() returns the reason. */
#ifndef CYCLOPS_UI_TRACE_OUT_H
#define CYCLOPS_UI_TRACE_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/output_file.h"

enum {
	OUT_BYTES = 1 << 18,
	OUT_ROOM = 1 << 13, /* bytes that a record may have */
	OUT_NUMBER = 20     /* digits of the largest number */
};

struct trace_out {
	struct output_file file;
	int fd;       /* the file's */
	int error;    /* errno of the first failure, 0: none */
	char *bytes;  /* owned, [OUT_BYTES] */
	size_t used;
};

/* Creates the file. False with *err, and nothing to close. */
bool out_open(struct trace_out *o, const char *path, struct err *err);
/* Writes the rest of the buffer and closes the file. False with *err, which names path, if anything
 * was lost since it was opened. */
bool out_close(struct trace_out *o, const char *path, struct err *err);
/* Writes the buffer's contents. */
void out_flush(struct trace_out *o);

/* Returns at least OUT_ROOM bytes for a record. */
static inline char *out_room(struct trace_out *o)
{
	if (OUT_BYTES - o->used < OUT_ROOM)
		out_flush(o);
	return o->bytes + o->used;
}

/* Ends the record before `at`. */
static inline void out_end(struct trace_out *o, const char *at)
{
	o->used = (size_t)(at - o->bytes);
}

/* Writes a text of any length. */
void out_text(struct trace_out *o, const char *text, size_t n);

/* "00" to "99". */
extern const char out_pairs[];

/* ---- parts: each is put at `at`; returns its end ---- */
static inline char *out_append_text(char *at, const char *text, size_t n)
{
	memcpy(at, text, n);
	return at + n;
}

/* A string literal. */
#define PUT(at, literal) out_append_text((at), "" literal, sizeof(literal) - 1)

/* At most OUT_NUMBER bytes. */
char *put_large_number(char *at, uint64_t n);
static inline char *out_append_number(char *at, uint64_t n)
{
	if (n >= 10)
		return put_large_number(at, n);
	*at = (char)('0' + n);
	return at + 1;
}

/* The last number of a series of close numbers, such as cycles: usually only the last two digits
 * are formatted again. */
struct out_near {
	uint64_t hundreds;
	uint8_t digits;          /* of `hundreds`, 0: no number yet */
	char text[OUT_NUMBER];
};

/* Does the same as out_append_number(), but needs room for OUT_NUMBER + 2 bytes at `at`. */
static inline char *out_append_near(struct out_near *last, char *at, uint64_t n)
{
	uint64_t hundreds = n / 100;
	if (hundreds != last->hundreds || !last->digits) {
		last->hundreds = hundreds;
		last->digits =
			hundreds ? (uint8_t)(out_append_number(last->text, hundreds) - last->text)
				 : 0;
		if (!hundreds)
			return out_append_number(at, n);
	}
	memcpy(at, last->text, OUT_NUMBER); /* all of it: a constant size is faster */
	at += last->digits;
	memcpy(at, out_pairs + n % 100 * 2, 2);
	return at + 2;
}

/* Puts a number in hexadecimal without "0x", at most 16 bytes. */
char *put_hex(char *at, uint64_t n);

#endif
