/* Where a debugger connects: a Unix socket, or a TCP port, of this computer alone unless another
 * address is named.
 *
 * A connection becomes a peer when its first bytes are those of the protocol. Any other caller,
 * such as a web page, is refused and reported on stderr; a silent one keeps no other waiting. On
 * the loopback only the user who listens is accepted, where the host says whose a connection is. */
#ifndef CYCLOPS_UI_REMOTE_LISTEN_H
#define CYCLOPS_UI_REMOTE_LISTEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"

enum { GREETING_MAX = 20000, CALLERS_MAX = 16 };

/* What the first n bytes of a connection are. */
enum greeting {
	GREETING_WRONG,
	GREETING_PART,  /* may become right */
	GREETING_ALONE, /* right if nothing comes right behind it */
	GREETING_RIGHT
};
/* n is less than GREETING_MAX, or what is only part of a greeting is too long. */
typedef enum greeting greeting_fn(const char *bytes, size_t n);

struct greeting_rule {
	greeting_fn *is;
	const char *expected; /* "expected a packet of gdb's" */
};

/* A connection that has not greeted yet. */
struct caller {
	int fd;                  /* -1: none */
	size_t seen;             /* bytes that have come */
	uint64_t began, changed; /* milliseconds: when it came, and the last of these bytes */
	char name[80];
};

struct listener {
	int fd;
	char where[160]; /* as gdb's `target remote` takes it */
	bool tcp;        /* a port, and no socket file */
	bool open;       /* other computers may connect */
	bool trusted;    /* only who may open a file of ours can connect */
	char *path;      /* owned: of a Unix socket, to be removed; NULL: none */
	const struct greeting_rule *rule; /* borrowed */
	struct caller caller[CALLERS_MAX];
	unsigned refused; /* connections so far */
};

/* "1234", ":1234", "HOST:1234", "[::1]:1234" (port 0: a free one), "unix:PATH"; NULL: a socket file
 * called `name` in the user's own folder, or `name`-2 and so on if others listen there. False with
 * *err. */
bool listener_open(struct listener *l, const char *address, const char *name,
                   const struct greeting_rule *rule, struct err *err);
void listener_close(struct listener *l);
/* Prints what the user should know about who may connect. writes: the program may change files. */
void listener_warn(const struct listener *l, bool writes);
/* Waits for a peer, for a moment: a descriptor, of which nothing has been read; -1: none came, a
 * signal did, or that failed. */
int listener_accept(struct listener *l);

#endif
