/* Sockets to which debuggers connect: a Unix socket, or a TCP port, on the loopback unless another
 * address is given.
 *
 * A connection becomes a peer when its first bytes are of the protocol. Others, such as a web
 * page's, are refused and reported on stderr; a silent connection does not block others. On the
 * loopback only the same user is accepted, if the host shows the owner of a connection. */
#ifndef CYCLOPS_UI_REMOTE_LISTEN_H
#define CYCLOPS_UI_REMOTE_LISTEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"

enum { GREETING_MAX = 20000, CALLERS_MAX = 16 };

/* Classes of the first bytes of a connection. */
enum greeting {
	GREETING_WRONG,
	GREETING_PART,  /* incomplete, right so far */
	GREETING_ALONE, /* right if nothing follows immediately */
	GREETING_RIGHT
};
/* Classifies the first n bytes, at most GREETING_MAX; an incomplete greeting of that length is
 * refused. */
typedef enum greeting greeting_fn(const char *bytes, size_t n);

struct greeting_rule {
	greeting_fn *is;
	const char *expected; /* "expected a packet of gdb's" */
};

/* A connection that has not greeted yet. */
struct caller {
	int fd;                  /* -1: none */
	size_t seen;             /* bytes received */
	uint64_t began, changed; /* milliseconds: times of the connection and of the last byte */
	char name[80];
};

struct listener {
	int fd;
	char where[160]; /* HOST:PORT, or the socket file as it was named */
	bool tcp;        /* a port, and no socket file */
	bool open;       /* other computers or unknown local users may connect */
	bool trusted;    /* only users who may open the socket file can connect */
	char *path;      /* owned: of the Unix socket, removed at the end; NULL: none */
	const struct greeting_rule *rule; /* borrowed */
	struct caller caller[CALLERS_MAX];
	unsigned refused; /* connections so far */
};

/* Listens on "1234", ":1234", "HOST:1234", "[::1]:1234" (port 0: a free one) or "unix:PATH"; NULL:
 * on a socket file `name` in the user's own folder, or `name`-2 and so on if that is in use. False
 * with *err. */
bool listener_open(struct listener *l, const char *address, const char *name,
                   const struct greeting_rule *rule, struct err *err);
void listener_close(struct listener *l);
/* Warns the user if others may connect. writes: the program may change files; token: peers must
 * send one. */
void listener_warn(const struct listener *l, bool writes, bool token);
/* Waits briefly for a peer: returns a descriptor with all its bytes unread; -1: no peer, a signal,
 * or a failure. */
int listener_accept(struct listener *l);

#endif
