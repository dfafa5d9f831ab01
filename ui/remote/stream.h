/* The bytes of a connection to a debugger, over two descriptors.
 *
 * A peer that does not read for STREAM_PATIENCE_MS is given up: the connection is closed, and all
 * later output is dropped. */
#ifndef CYCLOPS_UI_REMOTE_STREAM_H
#define CYCLOPS_UI_REMOTE_STREAM_H

#include <stdbool.h>
#include <stddef.h>

enum { STREAM_PATIENCE_MS = 20000, STREAM_LOOK_MS = 200 };

struct stream {
	int in, out; /* descriptors, borrowed */
	bool closed;
	bool (*give_up)(void); /* polled while nothing arrives; true: give up. NULL: none */
};

void stream_send(struct stream *s, const void *bytes, size_t n);
/* Receives at most `room` bytes and returns their number; 0: nothing arrived within patience_ms
 * (-1: no limit). room 0: only checks whether the peer has hung up. */
size_t stream_receive(struct stream *s, void *to, size_t room, int patience_ms);
/* The same without a time limit; 0: the connection is over. */
size_t stream_wait(struct stream *s, void *to, size_t room);

#endif
