/* Sockets on which a debugger may connect. */
#include "ui/remote/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/host/file_mask.h"
#include "core/host/wait_ready.h"
#include "ui/cli/own_folder.h"
#include "ui/console/ending.h"
#include "ui/remote/peer_owner.h"
#include "ui/render/safe_print.h"

enum { BACKLOG = 64 };

static bool listener_report_failure(struct listener *l, const char *address, struct err *err)
{
	const int why = errno;
	if (l->fd >= 0)
		close(l->fd);
	l->fd = -1;
	err_set(err, "--listen %.100s: %s", address, strerror(why));
	errno = why;
	return false;
}

/* ---- Unix sockets ---- */
/* True if no process listens on the socket file any more. */
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
		return err_set(err, "--listen unix:PATH: expected a path of 1 to %zu bytes",
		               sizeof to.sun_path - 1);
	memcpy(to.sun_path, path, strlen(path) + 1);
	l->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (l->fd < 0)
		return listener_report_failure(l, path, err);
	if (is_stale(&to))
		unlink(path);
	const mode_t mask = file_mask_set(0177); /* only this user */
	const bool bound = bind(l->fd, (const void *)&to, sizeof to) == 0;
	const int why = errno;
	file_mask_set(mask);
	errno = why;
	if (!bound || listen(l->fd, BACKLOG) != 0)
		return listener_report_failure(l, path, err);
	l->path = alloc_text(path);
	if (!l->path) {
		unlink(path);
		return listener_report_failure(l, path, err);
	}
	ending_removes_socket(l->path);
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
		               "--listen %.100s: expected PORT, HOST:PORT or unix:PATH, as in "
		               "127.0.0.1:1234",
		               address);
	const int wrong = getaddrinfo(*host ? host : "127.0.0.1", port, &hints, &found);
	if (wrong)
		return err_set(err, "--listen %.100s: %s", address, gai_strerror(wrong));
	l->fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	const bool ok = l->fd >= 0 &&
	                setsockopt(l->fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) == 0 &&
	                bind(l->fd, found->ai_addr, found->ai_addrlen) == 0 &&
	                listen(l->fd, BACKLOG) == 0 && getsockname(l->fd, (void *)&bound, &n) == 0;
	const int why = errno;
	freeaddrinfo(found);
	errno = why;
	if (!ok)
		return listener_report_failure(l, address, err);
	l->tcp = true;
	l->open = !is_loopback((const void *)&bound) || !peer_owner_is_shown();
	listener_format_address(l, (const void *)&bound, n);
	return true;
}

/* ---- the default ---- */
/* True for a folder that only its user can enter. */
static bool listen_is_own_folder(const char *path)
{
	struct stat st;
	return path && *path == '/' && stat(path, &st) == 0 && S_ISDIR(st.st_mode) &&
	       st.st_uid == geteuid() && !(st.st_mode & 077);
}

/* Writes the path of `name` in the login's runtime folder, else in the user's own. */
static bool listen_default_path(const char *name, char *out, size_t n, struct err *err)
{
	const char *run = getenv("XDG_RUNTIME_DIR");
	if (!listen_is_own_folder(run))
		return own_file(name, out, n, err);
	char folder[sizeof((struct sockaddr_un *)0)->sun_path];
	if (snprintf(folder, sizeof folder, "%s/cyclops", run) >= (int)sizeof folder ||
	    snprintf(out, n, "%s/%s", folder, name) >= (int)n)
		return err_set(err, "XDG_RUNTIME_DIR is too long for a socket; expected --listen "
		                    "unix:PATH");
	return mkdir(folder, 0700) == 0 || errno == EEXIST ||
	       err_set(err, "%s: %s", folder, strerror(errno));
}

static bool listen_open_default(struct listener *l, const char *name, struct err *err)
{
	char path[4096], numbered[64];
	enum { MOST = 64 };
	for (int i = 1; i <= MOST; i++) {
		snprintf(numbered, sizeof numbered, i == 1 ? "%s" : "%s-%d", name, i);
		if (!listen_default_path(numbered, path, sizeof path, err))
			return false;
		errno = 0;
		if (open_unix(l, path, err))
			return true;
		if (errno != EADDRINUSE)
			return false;
	}
	return false;
}

bool listener_open(struct listener *l, const char *address, const char *name,
                   const struct greeting_rule *rule, struct err *err)
{
	*l = (struct listener){.fd = -1, .rule = rule};
	for (unsigned i = 0; i < CALLERS_MAX; i++)
		l->caller[i].fd = -1;
	if (!address)
		return listen_open_default(l, name, err);
	if (!strncmp(address, "unix:", 5))
		return open_unix(l, address + 5, err);
	return open_tcp(l, address, err);
}

static void caller_hang_up(struct caller *c)
{
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
}

void listener_close(struct listener *l)
{
	for (unsigned i = 0; i < CALLERS_MAX; i++)
		caller_hang_up(&l->caller[i]);
	if (l->fd >= 0)
		close(l->fd);
	if (l->path)
		unlink(l->path);
	ending_removes_socket(NULL);
	free(l->path);
	*l = (struct listener){.fd = -1};
}

void listener_warn(const struct listener *l, bool writes, bool token)
{
	if (l->open)
		say(stderr,
		    "cyclops: warning: anyone with access to %s%s may debug this program%s: %s; "
		    "from another computer, ssh -L leads to a socket file of this one\n",
		    l->where, token ? " and the token" : "",
		    writes ? ", and write files by it (--rw)" : "",
		    token ? "connections are not encrypted" : "there is no password");
	else if (l->tcp && writes)
		say(stderr,
		    "cyclops: warning: --rw and a TCP port: any program of yours that connects to "
		    "%s may write files; without --listen a socket file is used\n",
		    l->where);
}

/* ---- callers ---- */
static uint64_t listener_now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static void caller_refuse(struct listener *l, struct caller *c, const char *why)
{
	enum { REPORTED = 20 };
	if (l->refused++ < REPORTED)
		say(stderr, "cyclops: refused a connection from %s: %s%s\n", c->name, why,
		    l->refused == REPORTED ? "; others will not be reported" : "");
	caller_hang_up(c);
}

/* Reports the first bytes with C escapes, so that they can't control a terminal. */
static void caller_refuse_greeting(struct listener *l, struct caller *c, const char *bytes,
                                   size_t n)
{
	enum { SHOWN = 60 };
	char text[4 * SHOWN + 1] = "", why[4 * SHOWN + 160];
	size_t used = 0;
	for (size_t i = 0; i < n && i < SHOWN; i++) {
		const unsigned char byte = (unsigned char)bytes[i];
		char *to = text + used;
		const size_t room = sizeof text - used;
		if (byte == '\r' || byte == '\n')
			used += (size_t)snprintf(to, room, "\\%c", byte == '\r' ? 'r' : 'n');
		else if (byte == '"' || byte == '\\')
			used += (size_t)snprintf(to, room, "\\%c", byte);
		else if (byte >= ' ' && byte < 0x7f)
			used += (size_t)snprintf(to, room, "%c", byte);
		else
			used += (size_t)snprintf(to, room, "\\x%02x", byte);
	}
	snprintf(why, sizeof why, "%s; it began with \"%s\"%s", l->rule->expected, text,
	         n > SHOWN ? "..." : "");
	caller_refuse(l, c, why);
}

/* Sets the peer's name; true if it belongs to the listening user. */
static bool caller_admit(struct listener *l, struct caller *c)
{
	struct sockaddr_storage peer = {0}, ours = {0};
	socklen_t n = sizeof peer, m = sizeof ours;
	unsigned uid = 0;
	char why[80];
	snprintf(c->name, sizeof c->name, "this computer");
	const bool named = getpeername(c->fd, (void *)&peer, &n) == 0 &&
	                   getsockname(c->fd, (void *)&ours, &m) == 0;
	if (l->tcp && named) {
		char host[NI_MAXHOST], port[NI_MAXSERV];
		if (getnameinfo((void *)&peer, n, host, sizeof host, port, sizeof port,
		                NI_NUMERICHOST | NI_NUMERICSERV) == 0)
			snprintf(c->name, sizeof c->name, "%.50s port %.10s", host, port);
	}
	const enum peer_owner owner =
		l->tcp ? peer_owner_tcp(&peer, &ours, &uid) : peer_owner_unix(c->fd, &uid);
	if (owner == OWNER_UNKNOWN || (owner == OWNER_KNOWN && uid == geteuid()))
		return true;
	if (owner == OWNER_KNOWN)
		snprintf(why, sizeof why, "it belongs to user %u, and not to %u", uid,
		         (unsigned)geteuid());
	else
		snprintf(why, sizeof why, "it belongs to no user any more");
	caller_refuse(l, c, why);
	return false;
}

/* Accepts a caller; if there is no room, drops the one that has waited longest. */
static void listener_answer(struct listener *l)
{
	const int one = 1;
	struct caller *c = &l->caller[0];
	for (unsigned i = 0; i < CALLERS_MAX && c->fd >= 0; i++)
		if (l->caller[i].fd < 0 || l->caller[i].began < c->began)
			c = &l->caller[i];
	const int fd = accept4(l->fd, NULL, NULL, SOCK_CLOEXEC);
	if (fd < 0)
		return;
	if (c->fd >= 0)
		caller_refuse(l, c, "it sent nothing, and others wait");
	const uint64_t now = listener_now_ms();
	*c = (struct caller){.fd = fd, .began = now, .changed = now};
	if (caller_admit(l, c) && l->tcp)
		(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
}

/* Reads a caller's bytes: true if it is a peer. */
static bool caller_has_greeted(struct listener *l, struct caller *c)
{
	enum { SILENT_MS = 10000, ALONE_MS = 100 };
	char bytes[GREETING_MAX];
	const ssize_t got = recv(c->fd, bytes, sizeof bytes, MSG_PEEK | MSG_DONTWAIT);
	const uint64_t now = listener_now_ms();
	const size_t n = got > 0 ? (size_t)got : 0;
	if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
		caller_hang_up(c);
		return false;
	}
	if (n > c->seen) {
		c->seen = n;
		c->changed = now;
	}
	const enum greeting is = n ? l->rule->is(bytes, n) : GREETING_PART;
	if (is == GREETING_RIGHT || (is == GREETING_ALONE && now - c->changed >= ALONE_MS))
		return true;
	if (is == GREETING_WRONG || n == sizeof bytes || (n && now - c->began >= SILENT_MS))
		caller_refuse_greeting(l, c, bytes, n);
	else if (now - c->began >= SILENT_MS)
		caller_refuse(l, c, "it sent nothing for ten seconds");
	return false;
}

int listener_accept(struct listener *l)
{
	enum { MOMENT_MS = 200, LOOK_MS = 5 };
	const uint64_t until = listener_now_ms() + MOMENT_MS;
	bool waiting = false;
	do {
		const int ready = wait_input(l->fd, waiting ? LOOK_MS : MOMENT_MS);
		if (ready < 0)
			return -1;
		if (ready)
			listener_answer(l);
		waiting = false;
		for (unsigned i = 0; i < CALLERS_MAX; i++) {
			struct caller *c = &l->caller[i];
			if (c->fd >= 0 && caller_has_greeted(l, c)) {
				const int fd = c->fd;
				c->fd = -1;
				return fd;
			}
			waiting |= c->fd >= 0;
		}
	} while (listener_now_ms() < until);
	return -1;
}
