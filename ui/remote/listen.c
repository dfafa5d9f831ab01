/* Sockets on which a debugger may connect. */
#include "ui/remote/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "core/base/alloc.h"

static bool listener_report_failure(struct listener *l, const char *address, struct err *err)
{
	const int why = errno;
	if (l->fd >= 0)
		close(l->fd);
	return err_set(err, "--listen %.100s: %s", address, strerror(why));
}

/* ---- Unix sockets ---- */
/* A socket that nobody listens on any more is in the way. */
static bool is_stale(const struct sockaddr_un *to)
{
	struct stat st;
	if (lstat(to->sun_path, &st) != 0 || !S_ISSOCK(st.st_mode))
		return false;
	const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	const bool stale =
		fd >= 0 && connect(fd, (const void *)to, sizeof *to) != 0 && errno == ECONNREFUSED;
	if (fd >= 0)
		close(fd);
	return stale;
}

static bool open_unix(struct listener *l, const char *path, struct err *err)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	if (!*path || strlen(path) >= sizeof to.sun_path)
		return err_set(err, "--listen unix:PATH: a path of 1 to %zu bytes",
		               sizeof to.sun_path - 1);
	memcpy(to.sun_path, path, strlen(path) + 1);
	l->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (l->fd < 0)
		return listener_report_failure(l, path, err);
	if (is_stale(&to))
		unlink(path);
	const mode_t mask = umask(0177); /* nobody else */
	const bool bound = bind(l->fd, (const void *)&to, sizeof to) == 0;
	const int why = errno;
	umask(mask);
	errno = why;
	if (!bound || listen(l->fd, 4) != 0)
		return listener_report_failure(l, path, err);
	l->path = alloc_text(path);
	l->trusted = true;
	snprintf(l->where, sizeof l->where, "%s", path);
	return true;
}

/* ---- TCP ---- */
static bool is_loopback(const struct sockaddr *a)
{
	const struct sockaddr_in *four = (const void *)a;
	const struct sockaddr_in6 *six = (const void *)a;
	return a->sa_family == AF_INET ? ntohl(four->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET
	                               : IN6_IS_ADDR_LOOPBACK(&six->sin6_addr);
}

static bool listener_parse_address(const char *address, char *host, size_t room, const char **port)
{
	const char *colon = strrchr(address, ':');
	const char *from = address, *to = colon ? colon : address;
	*port = colon ? colon + 1 : address;
	if (to > from && *from == '[' && to[-1] == ']') {
		from++;
		to--;
	}
	if ((size_t)(to - from) >= room)
		return false;
	snprintf(host, room, "%.*s", (int)(to - from), from);
	const size_t digits = strspn(*port, "0123456789");
	return digits && digits <= 5 && !(*port)[digits] && atoi(*port) <= UINT16_MAX;
}

static void listener_format_address(struct listener *l, const struct sockaddr *a, socklen_t n)
{
	char host[NI_MAXHOST], port[NI_MAXSERV];
	if (getnameinfo(a, n, host, sizeof host, port, sizeof port,
	                NI_NUMERICHOST | NI_NUMERICSERV) == 0)
		snprintf(l->where, sizeof l->where,
		         a->sa_family == AF_INET6 ? "[%.99s]:%s" : "%.99s:%s", host, port);
}

static bool open_tcp(struct listener *l, const char *address, struct err *err)
{
	char host[64];
	const char *port;
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE}, *found;
	struct sockaddr_storage bound = {0};
	socklen_t n = sizeof bound;
	const int one = 1;
	if (!listener_parse_address(address, host, sizeof host, &port))
		return err_set(err,
		               "--listen %.100s: right: PORT, HOST:PORT or unix:PATH, as in "
		               "127.0.0.1:1234",
		               address);
	const int wrong = getaddrinfo(*host ? host : "127.0.0.1", port, &hints, &found);
	if (wrong)
		return err_set(err, "--listen %.100s: %s", address, gai_strerror(wrong));
	l->fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	const bool ok = l->fd >= 0 &&
	                setsockopt(l->fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) == 0 &&
	                bind(l->fd, found->ai_addr, found->ai_addrlen) == 0 &&
	                listen(l->fd, 4) == 0 && getsockname(l->fd, (void *)&bound, &n) == 0;
	const int why = errno;
	freeaddrinfo(found);
	errno = why;
	if (!ok)
		return listener_report_failure(l, address, err);
	l->open = !is_loopback((const void *)&bound);
	listener_format_address(l, (const void *)&bound, n);
	return true;
}

bool listener_open(struct listener *l, const char *address, struct err *err)
{
	*l = (struct listener){.fd = -1};
	if (!strncmp(address, "unix:", 5))
		return open_unix(l, address + 5, err);
	return open_tcp(l, address, err);
}

void listener_close(struct listener *l)
{
	if (l->fd >= 0)
		close(l->fd);
	if (l->path)
		unlink(l->path);
	free(l->path);
	*l = (struct listener){.fd = -1};
}

int listener_accept(const struct listener *l)
{
	struct pollfd p = {.fd = l->fd, .events = POLLIN};
	enum { MOMENT_MS = 200 };
	const int one = 1;
	if (poll(&p, 1, MOMENT_MS) <= 0)
		return -1;
	const int fd = accept4(l->fd, NULL, NULL, SOCK_CLOEXEC);
	if (fd >= 0)
		(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
	return fd;
}
