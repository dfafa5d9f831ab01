#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/os/os_priv.h"

/* Between looks at the interrupt flag; what a pipe takes at once when it takes anything. */
enum { POLL_MS = 50, AT_ONCE = 4096 };

static bool interrupted(const struct os *os)
{
	return os->interrupt && *os->interrupt;
}

/* Bytes written: all, unless interrupted. What nobody takes counts as written. */
static size_t to_host(struct os *os, int fd, const char *bytes, size_t n)
{
	size_t done = 0;
	while (done < n) {
		struct pollfd wait = {.fd = fd, .events = POLLOUT};
		const int ready = poll(&wait, 1, POLL_MS);
		if (ready <= 0 && interrupted(os))
			return done;
		if (ready == 0)
			continue;
		ssize_t put = write(fd, bytes + done, n - done < AT_ONCE ? n - done : AT_ONCE);
		if (put > 0) {
			done += (size_t)put;
		} else if (put < 0 && errno != EINTR && errno != EAGAIN) {
			/* Nobody takes it any more; the guest goes on as with a sink. */
			os->lost_output = os->lost_output ? os->lost_output : errno;
			return n;
		}
	}
	return n;
}

static size_t deliver(struct os *os, int fd, const char *bytes, size_t n)
{
	if (!os->output)
		return to_host(os, fd, bytes, n);
	os->output(os->output_ctx, fd, bytes, n);
	return n;
}

/* Appends to what views may show, forgetting the oldest half of a full buffer of 2 * OUT_KEEP. */
static void keep(struct out_stream *s, const char *bytes, size_t n)
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
		char *p = realloc(s->bytes, cap);
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

bool out_write(struct os *os, int fd, const void *bytes, size_t n)
{
	struct out_stream *s = &os->out[fd - 1];
	uint64_t *at = &os->st->out_bytes[fd - 1];
	uint64_t end = *at + n;
	if (end > s->high) {
		/* A re-execution may reach the end of what was delivered in the middle of a write. */
		const size_t old = *at < s->high ? (size_t)(s->high - *at) : 0;
		const char *fresh = (const char *)bytes + old;
		const size_t put = deliver(os, fd, fresh, n - old);
		keep(s, fresh, put);
		s->high += put;
		if (s->high < end)
			return false;
	}
	*at = end;
	return true;
}

void out_cut(struct os *os)
{
	for (unsigned i = 0; i < 2; i++) {
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
	uint64_t from = now > OUT_KEEP ? now - OUT_KEEP : 0; /* the newest OUT_KEEP bytes before the limit */
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
