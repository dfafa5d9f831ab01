#include "ui/trace/out.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/base/alloc.h"

bool out_open(struct trace_out *o, const char *path, struct err *err)
{
	*o = (struct trace_out){.bytes = alloc_bytes(OUT_BYTES)};
	if (!o->bytes)
		return err_set(err, "out of memory for a trace");
	if (output_begin(&o->file, path, OUTPUT_FILE_ANY, err)) {
		o->fd = fileno(o->file.f);
		return true;
	}
	free(o->bytes);
	return false;
}

void out_flush(struct trace_out *o)
{
	size_t done = 0;
	while (done < o->used && !o->error) {
		ssize_t n = write(o->fd, o->bytes + done, o->used - done);
		if (n > 0)
			done += (size_t)n;
		else if (n == 0 || errno != EINTR)
			o->error = n == 0 ? EIO : errno;
	}
	o->used = 0;
}

void out_text(struct trace_out *o, const char *text, size_t n)
{
	while (n) {
		char *at = out_room(o);
		size_t part = n < OUT_ROOM ? n : OUT_ROOM;
		out_end(o, out_append_text(at, text, part));
		text += part;
		n -= part;
	}
}

bool out_close(struct trace_out *o, const char *path, struct err *err)
{
	out_flush(o);
	free(o->bytes);
	if (!o->error)
		return output_end(&o->file, path, err);
	output_drop(&o->file);
	return err_set(err, "%s: not written in full: %s", path, strerror(o->error));
}

const char out_pairs[] = "0001020304050607080910111213141516171819"
                            "2021222324252627282930313233343536373839"
                            "4041424344454647484950515253545556575859"
                            "6061626364656667686970717273747576777879"
                            "8081828384858687888990919293949596979899";

static unsigned out_digit_count(uint64_t n)
{
	static const uint64_t power[] = {
		0,
		10,
		100,
		1000,
		10000,
		100000,
		1000000,
		10000000,
		100000000,
		1000000000,
		10000000000,
		100000000000,
		1000000000000,
		10000000000000,
		100000000000000,
		1000000000000000,
		10000000000000000,
		100000000000000000,
		1000000000000000000,
		UINT64_C(10000000000000000000),
	};
	/* log10(2) is 1233 / 4096 */
	unsigned bits = 64 - (unsigned)__builtin_clzll(n | 1), least = bits * 1233 >> 12;
	return least + (n >= power[least]);
}

/* Formats from the end, two digits at a time. */
char *put_large_number(char *at, uint64_t n)
{
	char *end = at + out_digit_count(n), *first = end;
	for (; n >= 100; n /= 100)
		memcpy(first -= 2, out_pairs + n % 100 * 2, 2);
	if (n >= 10)
		memcpy(first - 2, out_pairs + n * 2, 2);
	else
		first[-1] = (char)('0' + n);
	return end;
}

char *put_hex(char *at, uint64_t n)
{
	int shift = n ? 60 - (__builtin_clzll(n) & ~3) : 0;
	for (; shift >= 0; shift -= 4)
		*at++ = "0123456789abcdef"[n >> shift & 15];
	return at;
}
