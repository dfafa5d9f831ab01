/* The guest's standard input if it is no regular file: a pipe, a terminal or a person, read once,
 * in order. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/host/wait_ready.h"
#include "core/os/os_priv.h"

enum { POLL_MS = 50 }; /* between looks at the interrupt flag */

void stdin_unread(struct os *os, const void *bytes, size_t n)
{
	if (n == 0)
		return;
	uint8_t *p = alloc_resize(os->pending, os->pending_n + n);
	if (!p) {
		os_warnf(os,
		         "out of memory: input that was read before the state was changed is lost");
		return;
	}
	memmove(p + n, p, os->pending_n);
	memcpy(p, bytes, n);
	os->pending = p;
	os->pending_n += n;
}

static bool stdin_is_interrupted(const struct os *os)
{
	return os->interrupt && *os->interrupt;
}

/* Waits until a read would not block; false = interrupted. */
static bool wait_for_input(struct os *os)
{
	int timeout = 0;
	for (;;) {
		int n = wait_input(os->stdin_fd, timeout);
		if (n > 0 || (n < 0 && errno != EINTR))
			return true; /* on an error, read() reports it */
		if (stdin_is_interrupted(os))
			return false;
		timeout = os->interrupt ? POLL_MS : -1;
	}
}

static int64_t stdin_request_input(struct os *os, void *buf, size_t n)
{
	const void *bytes;
	const int64_t got = stdin_is_interrupted(os) ? -EINTR : os->input(os->input_ctx, &bytes);
	if (got <= 0)
		return got;
	const size_t take = n < (size_t)got ? n : (size_t)got;
	memcpy(buf, bytes, take);
	stdin_unread(os, (const uint8_t *)bytes + take, (size_t)got - take);
	return (int64_t)take;
}

int64_t stdin_read(struct os *os, void *buf, size_t n)
{
	if (os->pending_n > 0) {
		size_t take = n < os->pending_n ? n : os->pending_n;
		memcpy(buf, os->pending, take);
		os->pending_n -= take;
		memmove(os->pending, os->pending + take, os->pending_n);
		return (int64_t)take;
	}
	if (os->input)
		return stdin_request_input(os, buf, n);
	if (os->stdin_fd < 0)
		return 0;
	for (;;) {
		if (!wait_for_input(os))
			return -EINTR;
		ssize_t got = read(os->stdin_fd, buf, n);
		if (got >= 0)
			return got;
		if (errno != EINTR && errno != EAGAIN)
			return -errno;
	}
}
