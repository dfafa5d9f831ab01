/* Where a debugger connects: a TCP port, of this computer alone unless another address is named, or
 * a Unix socket. */
#ifndef CYCLOPS_UI_REMOTE_LISTEN_H
#define CYCLOPS_UI_REMOTE_LISTEN_H

#include <stdbool.h>

#include "core/base/err.h"

struct listener {
	int fd;
	char where[160];    /* as gdb's `target remote` takes it */
	bool open;          /* other computers may connect */
	bool trusted;       /* only who may open a file of ours can connect */
	char *path;         /* owned: of a Unix socket, to be removed; NULL: none */
};

/* "1234", ":1234", "HOST:1234", "[::1]:1234" (port 0: a free one), "unix:PATH". False with *err. */
bool listener_open(struct listener *l, const char *address, struct err *err);
void listener_close(struct listener *l);
/* Waits for a peer, for a moment: a descriptor; -1: none came, a signal did, or that failed. */
int listener_accept(const struct listener *l);

#endif
