/* Reads the owner of a connection from the kernel's table of sockets. */
#include "ui/remote/peer_owner.h"

#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/base/alloc.h"

static const char tcp_table[] = "/proc/net/tcp";

enum peer_owner peer_owner_unix(int fd, unsigned *uid)
{
	struct ucred peer;
	socklen_t n = sizeof peer;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &n) != 0)
		return OWNER_UNKNOWN;
	*uid = peer.uid;
	return OWNER_KNOWN;
}

/* An address and port as /proc/net writes them: words of the address in the host's byte order. */
struct end {
	uint32_t word[4]; /* IPv4 as mapped to IPv6 */
	unsigned port;
};

static struct end peer_end_of(const struct sockaddr_storage *a)
{
	const struct sockaddr_in *four = (const void *)a;
	const struct sockaddr_in6 *six = (const void *)a;
	struct end e = {.word = {[2] = htonl(0xffff)}};
	if (a->ss_family == AF_INET) {
		memcpy(&e.word[3], &four->sin_addr, sizeof e.word[3]);
		e.port = ntohs(four->sin_port);
	} else {
		memcpy(e.word, &six->sin6_addr, sizeof e.word);
		e.port = ntohs(six->sin6_port);
	}
	return e;
}

static bool peer_is_loopback(const struct end *e)
{
	const bool four = !e->word[0] && !e->word[1] && e->word[2] == htonl(0xffff);
	return four ? ntohl(e->word[3]) >> 24 == IN_LOOPBACKNET
	            : !e->word[0] && !e->word[1] && !e->word[2] && e->word[3] == htonl(1);
}

/* Parses "0100007F:04D2", or four words of IPv6. */
static bool peer_parse_end(const char *text, struct end *e)
{
	*e = (struct end){.word = {[2] = htonl(0xffff)}};
	if (strcspn(text, ":") == 8)
		return sscanf(text, "%8x:%4x", &e->word[3], &e->port) == 2;
	return sscanf(text, "%8x%8x%8x%8x:%4x", &e->word[0], &e->word[1], &e->word[2], &e->word[3],
	              &e->port) == 5;
}

static bool peer_same_end(const struct end *a, const struct end *b)
{
	return a->port == b->port && !memcmp(a->word, b->word, sizeof a->word);
}

static enum peer_owner peer_look_up(const char *table, const struct end *from, const struct end *to,
                                    unsigned *uid)
{
	char line[512], local[64], remote[64];
	struct end a, b;
	enum peer_owner owner = OWNER_NONE;
	FILE *f = alloc_file(table, "re");
	if (!f)
		return OWNER_UNKNOWN;
	while (owner == OWNER_NONE && fgets(line, sizeof line, f))
		if (sscanf(line, " %*[0-9]: %63s %63s %*s %*s %*s %*s %u", local, remote, uid) ==
		            3 &&
		    peer_parse_end(local, &a) && peer_parse_end(remote, &b) &&
		    peer_same_end(&a, from) && peer_same_end(&b, to))
			owner = OWNER_KNOWN;
	fclose(f);
	return owner;
}

bool peer_owner_is_shown(void)
{
	return access(tcp_table, R_OK) == 0;
}

enum peer_owner peer_owner_tcp(const struct sockaddr_storage *peer,
                               const struct sockaddr_storage *ours, unsigned *uid)
{
	const struct end from = peer_end_of(peer), to = peer_end_of(ours);
	enum peer_owner owner = peer_look_up(tcp_table, &from, &to, uid);
	if (owner != OWNER_KNOWN && peer_look_up("/proc/net/tcp6", &from, &to, uid) == OWNER_KNOWN)
		owner = OWNER_KNOWN;
	/* A connection missing from the tables is another computer's, unless its address is the
	 * loopback. */
	return owner == OWNER_NONE && !peer_is_loopback(&from) ? OWNER_UNKNOWN : owner;
}
