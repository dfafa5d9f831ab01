/* The file of a trace: bytes are put into a buffer by hand and written when that is full. printf,
 * or a call for each field, would cost more than the simulation.
 *
 * A record asks for room, puts its parts one behind the other, and says where it ended:
 *
 *   char *at = out_room(o);
 *   at = put_number(PUT(at, "C\t"), cycles);
 *   out_end(o, PUT(at, "\n"));
 *
 * The first failure stays: everything behind it is thrown away, and out_close() says why. */
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
/* Writes what is left and closes the file. False with *err, which names path, if anything was lost
 * since it was opened. */
bool out_close(struct trace_out *o, const char *path, struct err *err);
/* Writes what the buffer holds. */
void out_flush(struct trace_out *o);

/* At least OUT_ROOM bytes to put a record into. */
static inline char *out_room(struct trace_out *o)
{
	if (OUT_BYTES - o->used < OUT_ROOM)
		out_flush(o);
	return o->bytes + o->used;
}

/* The record ends before `at`. */
static inline void out_end(struct trace_out *o, const char *at)
{
	o->used = (size_t)(at - o->bytes);
}

/* A text of any length. */
void out_text(struct trace_out *o, const char *text, size_t n);

/* "00" to "99". */
extern const char out_pairs[];

/* ---- parts: each is put at `at`, and the place behind it is returned ---- */
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

/* The last of numbers that come near each other, as cycles do: of most only the last two digits are
 * made anew. */
struct out_near {
	uint64_t hundreds;
	uint8_t digits;          /* of these, 0: there was none yet */
	char text[OUT_NUMBER];
};

/* The same as out_append_number(), but at `at` there must be room for OUT_NUMBER + 2 bytes. */
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
	memcpy(at, last->text, OUT_NUMBER); /* all of it: moves of a known size */
	at += last->digits;
	memcpy(at, out_pairs + n % 100 * 2, 2);
	return at + 2;
}

/* Without "0x", at most 16 bytes. */
char *put_hex(char *at, uint64_t n);

#endif
