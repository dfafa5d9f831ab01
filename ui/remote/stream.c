/* Sends to and receives from an untrusted peer. */
#include "core/host/wait_ready.h"
#include "ui/remote/stream.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <unistd.h>

void stream_send(struct stream *s, const void *bytes, size_t n)
{
	const char *from = bytes;
	while (n && !s->closed) {
		const int ready = wait_output(s->out, STREAM_PATIENCE_MS);
		if (ready < 0 && errno == EINTR)
			continue;
		/* At most what a writable pipe takes without blocking. */
		const ssize_t done =
			ready > 0 ? write(s->out, from, n < PIPE_BUF ? n : PIPE_BUF) : -1;
		if (done > 0) {
			from += done;
			n -= (size_t)done;
		} else if (ready <= 0 || (errno != EINTR && errno != EAGAIN)) {
			s->closed = true;
		}
	}
}

size_t stream_receive(struct stream *s, void *to, size_t room, int patience_ms)
{
	struct pollfd p = {.fd = s->in, .events = POLLIN | POLLRDHUP};
	if (s->closed)
		return 0;
	const int ready = poll(&p, 1, patience_ms);
	if (ready < 0 && errno != EINTR)
		s->closed = true;
	if (ready <= 0 || s->closed)
		return 0;
	if (!room) {
		/* The buffer is full: check whether the peer has hung up. */
		s->closed = (p.revents & (POLLHUP | POLLRDHUP | POLLERR)) != 0;
		return 0;
	}
	const ssize_t n = read(s->in, to, room);
	if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN))
		s->closed = true;
	return n > 0 ? (size_t)n : 0;
}

size_t stream_wait(struct stream *s, void *to, size_t room)
{
	size_t n = 0;
	while (!n && !s->closed) {
		n = stream_receive(s, to, room, s->give_up ? STREAM_LOOK_MS : -1);
		if (!n && s->give_up && s->give_up())
			s->closed = true;
	}
	return n;
}
