/* The owner of a connection from this computer: the number of a user. */
#ifndef CYCLOPS_UI_REMOTE_PEER_OWNER_H
#define CYCLOPS_UI_REMOTE_PEER_OWNER_H

#include <stdbool.h>
#include <sys/socket.h>

enum peer_owner {
	OWNER_UNKNOWN, /* another computer, or the host does not show the owner */
	OWNER_NONE,    /* the host's complete list lacks the connection: it has ended */
	OWNER_KNOWN    /* *uid */
};

/* True if the host shows the owners of TCP connections. */
bool peer_owner_is_shown(void);
enum peer_owner peer_owner_unix(int fd, unsigned *uid);
/* Finds the owner of a TCP connection from `peer` to `ours` in the kernel's tables (/proc/net). */
enum peer_owner peer_owner_tcp(const struct sockaddr_storage *peer,
                               const struct sockaddr_storage *ours, unsigned *uid);

#endif
