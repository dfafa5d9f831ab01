/* The bytes of a connection to a debugger, over two descriptors.
 *
 * Whoever does not read what it asked for is given up after STREAM_PATIENCE_MS: the connection is
 * closed then, and all that follows is dropped. */
#ifndef CYCLOPS_UI_REMOTE_STREAM_H
#define CYCLOPS_UI_REMOTE_STREAM_H

#include <stdbool.h>
#include <stddef.h>

enum { STREAM_PATIENCE_MS = 20000, STREAM_LOOK_MS = 200 };

struct stream {
	int in, out;           /* descriptors, borrowed */
	bool closed;
	bool (*give_up)(void); /* asked now and then while nothing comes; NULL: nobody is */
};

void stream_send(struct stream *s, const void *bytes, size_t n);
/* At most `room` bytes of what has come, how many; 0: nothing came in this time, -1: no limit. With
 * no room it only looks whether the peer has hung up. */
size_t stream_receive(struct stream *s, void *to, size_t room, int patience_ms);
/* The same, however long it takes; 0: the connection is over. */
size_t stream_wait(struct stream *s, void *to, size_t room);

#endif
