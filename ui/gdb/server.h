/* Serves a session to a debugger: gdb's remote serial protocol, as of gdb 13.
 *
 * One peer at a time. Peers are not trusted: an invalid packet gets an empty answer or an error,
 * and changes nothing. The session outlives its peers. */
#ifndef CYCLOPS_UI_GDB_SERVER_H
#define CYCLOPS_UI_GDB_SERVER_H

#include <time.h>

#include "core/os/thread.h"
#include "ui/console/command.h"
#include "ui/gdb/answer.h"
#include "ui/gdb/conditions.h"
#include "ui/gdb/wire.h"
#include "ui/remote/mover.h"

enum { FILES_MAX = 16 };

/* A file that gdb has open: a host descriptor, or a text of ours. */
struct gdb_file {
	bool used;
	int fd;              /* -1: text */
	char *text;          /* owned */
	size_t length;
};

struct server {
	struct mover m;
	struct wire *wire;   /* borrowed; NULL: no peer is connected */
	struct gdb_file file[FILES_MAX];
	struct conditions conditions;
	bool output_to_peer; /* the program's output goes to the peer, else to standard output */
	bool multiprocess, swbreak, hwbreak, no_resumed; /* features that the peer supports */
	bool listens;        /* gdb waits for a stop or a command's end, and accepts text */
	bool commanded;      /* a monitor command is running */
	bool forsaken;       /* gdb has given up waiting for it */
	/* no packet since Ctrl-C on our terminal stopped a motion or command */
	bool unheard;
	/* when a running command last sent something to gdb: server_seconds() */
	time_t spoke;
	/* gdb's Ctrl-C came while nothing ran, as between two steps of its own: the next motion
	 * stops before it begins */
	bool interrupted;
	bool detached;       /* the peer has detached */
	bool over;           /* the server is to end */
	bool extended;       /* `run` restarts the program; its end does not end the server */
	/* number of the thread whose registers are requested; 0: the one that executes next */
	uint64_t general;
};

/* Sinks of the program's output, and of the console's answers. */
void server_output(void *ctx, int fd, const void *bytes, size_t n);
void server_say(void *ctx, const char *text, size_t n);
/* Seconds of the monotonic clock. */
time_t server_seconds(void);
/* Progress callback of struct run: true to stop, for Ctrl-C here or from the peer. */
bool server_progress(void *ctx, uint64_t cycle);

/* Initializes zeroed storage. */
void server_init(struct server *v, struct session *s, struct console *c);
void server_deinit(struct server *v);
/* Serves a peer until it disconnects or the server is to end. */
void server_serve(struct server *v, struct wire *w);
/* Removes all breakpoints of the peer, and closes its files. */
void server_forget_peer(struct server *v);

/* ---- points.c ---- */

/* ---- registers.c ---- */
/* The value of a register by gdb's number; false: there is none. */
bool registers_read_value(const struct server *v, unsigned number, uint64_t *value);
void registers_all(struct server *v, struct answer *a);             /* g */
void registers_set_all(struct server *v, const char *hex, struct answer *a); /* G */
void registers_one(struct server *v, const char *args, struct answer *a);    /* p */
void registers_set_one(struct server *v, const char *args, struct answer *a); /* P */
/* Appends "20:...;02:...;" to a stop reply. */
void registers_expedite(struct server *v, struct answer *a);
/* Returns the target description, malloc'd; NULL if memory is out. */
char *registers_description(const struct server *v);

/* ---- transfer.c ---- */
/* Handles qXfer:; args begins after the colon, `end` is after the last byte. */
void transfer_packet(struct server *v, const char *args, const char *end, struct answer *a);

/* ---- files.c ---- */
/* Handles vFile:; args begins after the colon. */
void files_packet(struct server *v, const char *args, size_t n, struct answer *a);
void files_close(struct server *v);

/* ---- monitor.c ---- */

/* ---- threads.c ---- */
enum { THREADS_MAX = OS_THREADS };
/* Stores the numbers of the live threads in ids[]; returns their count. */
unsigned threads_list(const struct server *v, uint64_t *ids, unsigned max);
/* Appends the thread's name in packets, "p3e8.3e8" or "3e8". */
void threads_name(const struct server *v, uint64_t id, struct answer *a);
/* Number of the thread that executes next. */
uint64_t threads_current(const struct server *v);
/* The name that the program gave the thread, "" if none: borrowed, zero-terminated. */
const char *threads_title(const struct server *v, uint64_t id);
/* Describes a thread: "waits for the lock at 0x12340, which thread 2 holds". Returns buf. */
char *threads_what(const struct server *v, uint64_t id, char *buf, size_t n);
/* The C library's handle of a thread (pthread_t), by the description of its thread pointer that
 * glibc has for debuggers. False: the program's library has none. */
bool threads_handle(const struct server *v, uint64_t id, uint64_t *handle);
/* Parses ":p3e8.3e9" of an action: *id is the thread, 0: any. False: there is no such thread. */
bool threads_of_action(const struct server *v, const char *text, uint64_t *id);
/* Handles H, T and queries about threads; false: another packet. */
bool threads_packet(struct server *v, const char *packet, struct answer *a);

#endif
