/* The guest's standard output and error. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/host/wait_ready.h"
#include "core/os/os_priv.h"

/* Time between looks at the interrupt flag; bytes that a pipe takes at once if it takes any. */
enum { POLL_MS = 50, AT_ONCE = 4096 };

static bool os_output_is_interrupted(const struct os *os)
{
	return os->interrupt && *os->interrupt;
}

/* Bytes written: all, unless interrupted. Bytes that can't be written count as written. */
static size_t to_host(struct os *os, int fd, const char *bytes, size_t n)
{
	size_t done = 0;
	while (done < n) {
		const int ready = wait_output(fd, POLL_MS);
		if (ready <= 0 && os_output_is_interrupted(os))
			return done;
		if (ready == 0)
			continue;
		ssize_t put = write(fd, bytes + done, n - done < AT_ONCE ? n - done : AT_ONCE);
		if (put > 0) {
			done += (size_t)put;
		} else if (put < 0 && errno != EINTR && errno != EAGAIN) {
			/* The descriptor takes no more; the guest goes on as with a sink. */
			os->lost_output = os->lost_output ? os->lost_output : errno;
			return n;
		}
	}
	return n;
}

void os_no_output(void *ctx, int fd, const void *bytes, size_t n)
{
	(void)ctx, (void)fd, (void)bytes, (void)n;
}

static size_t os_output_deliver_bytes(struct os *os, int fd, const char *bytes, size_t n)
{
	if (os->quiet)
		return n;
	if (fd == OUT_TYPED)
		return n; /* the terminal has echoed it */
	if (!os->output)
		return to_host(os, fd, bytes, n);
	os->output(os->output_ctx, fd, bytes, n);
	return n;
}

/* Appends to the bytes kept for views, dropping the older half of a full buffer of 2 * OUT_KEEP. */
static void os_output_retain_bytes(struct out_stream *s, const char *bytes, size_t n)
{
	if (n > OUT_KEEP) {
		s->first += s->n + (n - OUT_KEEP);
		s->n = 0;
		bytes += n - OUT_KEEP;
		n = OUT_KEEP;
	}
	if (s->n + n > 2 * OUT_KEEP) {
		size_t drop = s->n - OUT_KEEP;
		memmove(s->bytes, s->bytes + drop, OUT_KEEP);
		s->first += drop;
		s->n = OUT_KEEP;
	}
	if (s->n + n > s->cap) {
		size_t cap = s->cap ? s->cap : 4096;
		while (cap < s->n + n)
			cap *= 2;
		char *p = alloc_resize(s->bytes, cap);
		if (!p) {
			s->first += s->n + n;
			s->n = 0;
			return;
		}
		s->bytes = p;
		s->cap = cap;
	}
	memcpy(s->bytes + s->n, bytes, n);
	s->n += n;
}

/* Begins a turn of `stream` at the present positions. Without memory for it, the order of earlier
 * output is forgotten. */
static void note_turn(struct os *os, unsigned stream)
{
	if (os->turns && os->turn[os->turns - 1].stream == stream)
		return;
	if (os->turns == OUT_TURNS) {
		os->turns /= 2;
		memmove(os->turn, os->turn + os->turns, os->turns * sizeof *os->turn);
	}
	if (os->turns == os->turn_room) {
		const size_t room = os->turn_room ? os->turn_room * 2 : 16;
		struct out_turn *p = alloc_resize(os->turn, room * sizeof *p);
		if (p) {
			os->turn = p;
			os->turn_room = room;
		} else {
			os->turns = 0;
		}
	}
	if (os->turns < os->turn_room)
		os->turn[os->turns++] =
			(struct out_turn){.at = {os->out[0].high, os->out[1].high,
		                                 os->out[2].high},
		                          .stream = stream};
}

size_t out_turns_by_now(const struct os *os)
{
	const uint64_t *now = os->st->out_bytes;
	size_t n = os->turns;
	for (; n; n--) {
		const struct out_turn *t = &os->turn[n - 1];
		if (t->at[0] <= now[0] && t->at[1] <= now[1] && t->at[2] <= now[2] &&
		    t->at[t->stream] != now[t->stream])
			break;
	}
	return n;
}

bool out_write(struct os *os, int fd, const void *bytes, size_t n)
{
	struct out_stream *s = &os->out[fd - 1];
	uint64_t *at = &os->st->out_bytes[fd - 1];
	uint64_t end = *at + n;
	if (end > s->high) {
		/* A re-execution may reach the end of the delivered bytes in the middle of a
		 * write. */
		const size_t old = *at < s->high ? (size_t)(s->high - *at) : 0;
		const char *fresh = (const char *)bytes + old;
		note_turn(os, (unsigned)fd - 1);
		const size_t put = os_output_deliver_bytes(os, fd, fresh, n - old);
		os_output_retain_bytes(s, fresh, put);
		s->high += put;
		if (s->high < end)
			return false;
	}
	*at = end;
	return true;
}

void out_echo(struct os *os, const void *bytes, size_t n)
{
	if (!os->st->silent)
		(void)out_write(os, OUT_TYPED, bytes, n);
}

void out_cut(struct os *os)
{
	os->turns = out_turns_by_now(os);
	for (unsigned i = 0; i < OUT_STREAMS; i++) {
		struct out_stream *s = &os->out[i];
		uint64_t now = os->st->out_bytes[i];
		if (now >= s->high)
			continue;
		s->high = now;
		if (now < s->first) {
			s->first = now;
			s->n = 0;
		} else {
			s->n = (size_t)(now - s->first);
		}
	}
}

const char *os_output(const struct os *os, int fd, uint64_t *first, size_t *n)
{
	const struct out_stream *s = &os->out[fd - 1];
	uint64_t now = os->st->out_bytes[fd - 1];
	/* the newest OUT_KEEP bytes before the present */
	uint64_t from = now > OUT_KEEP ? now - OUT_KEEP : 0;
	if (from < s->first)
		from = s->first;
	if (now <= from || now > s->first + s->n) {
		*first = now;
		*n = 0;
		return "";
	}
	*first = from;
	*n = (size_t)(now - from);
	return s->bytes + (from - s->first);
}

size_t os_output_pieces(const struct os *os)
{
	return out_turns_by_now(os) + 1;
}

struct os_output_piece os_output_piece(const struct os *os, size_t k, size_t pieces)
{
	const uint64_t *from = k ? os->turn[k - 1].at : (const uint64_t[OUT_STREAMS]){0};
	const uint64_t *to = k + 1 < pieces ? os->turn[k].at : os->st->out_bytes;
	return (struct os_output_piece){
		.from = {from[0], from[1], from[2]},
		.to = {to[0], to[1], to[2]},
		.fd = k ? (int)os->turn[k - 1].stream + 1 : 0,
	};
}
