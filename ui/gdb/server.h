/* A debugger's view of a session: gdb's remote serial protocol, as gdb 13 speaks it.
 *
 * One peer at a time. It may be anybody and send anything: what can't be understood is answered
 * empty or by an error, and changes nothing. The session outlives its peers. */
#ifndef CYCLOPS_UI_GDB_SERVER_H
#define CYCLOPS_UI_GDB_SERVER_H

#include <time.h>

#include "core/os/thread.h"
#include "ui/console/command.h"
#include "ui/gdb/answer.h"
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
	struct wire *wire;   /* borrowed; NULL: nobody is connected */
	struct gdb_file file[FILES_MAX];
	bool output_to_peer; /* what the program writes goes there, else to standard output */
	bool multiprocess, swbreak, hwbreak; /* the peer understands these */
	bool listens;        /* gdb waits for a stop or a command's end, and takes text */
	bool commanded;      /* a command of ours is at work, for which gdb waits, */
	bool forsaken;       /* but no more */
	bool unheard;        /* Ctrl-C here has stopped something, and the peer is silent since */
	time_t spoke;        /* when gdb was last told something meanwhile: server_seconds() */
	bool detached;       /* the peer has said good-bye */
	bool over;           /* and that all is over */
	bool extended;       /* `run` begins anew, and nothing is over with the program */
	/* number of the thread whose registers are asked for; 0: that which is about to execute */
	uint64_t general;
};

/* Where the program's output goes, and the console's answers. */
void server_output(void *ctx, int fd, const void *bytes, size_t n);
void server_say(void *ctx, const char *text, size_t n);
/* By a clock that nobody sets. */
time_t server_seconds(void);
/* struct run's progress: whether the peer wants it to stop. */
bool server_progress(void *ctx, uint64_t cycle);

/* In zeroed storage. */
void server_init(struct server *v, struct session *s, struct console *c);
void server_deinit(struct server *v);
/* Serves a peer until it goes, or all is over. */
void server_serve(struct server *v, struct wire *w);
/* Takes all breakpoints of the peer away, and closes its files. */
void server_forget_peer(struct server *v);

/* ---- points.c ---- */
/* Zn,addr,kind and zn,addr,kind, behind the letter. */
void points_packet(struct server *v, const char *args, bool insert, struct answer *a);

/* ---- registers.c ---- */
void registers_all(struct server *v, struct answer *a);             /* g */
void registers_set_all(struct server *v, const char *hex, struct answer *a); /* G */
void registers_one(struct server *v, const char *args, struct answer *a);    /* p */
void registers_set_one(struct server *v, const char *args, struct answer *a); /* P */
/* "20:...;02:...;" for a stop's answer. */
void registers_expedite(struct server *v, struct answer *a);
/* The target description, malloc'd; NULL if memory is out. */
char *registers_description(const struct server *v);

/* ---- transfer.c ---- */
/* qXfer:, behind the colon. */
void transfer_packet(struct server *v, const char *args, struct answer *a);

/* ---- files.c ---- */
/* vFile:, behind the colon. */
void files_packet(struct server *v, const char *args, size_t n, struct answer *a);
void files_close(struct server *v);

/* ---- monitor.c ---- */
/* qRcmd,: a command of ours; sends its text itself, and leaves the last answer in *a. False: nobody
 * waits for that any more. */
bool monitor_packet(struct server *v, const char *hex, struct answer *a);

/* ---- threads.c ---- */
enum { THREADS_MAX = OS_THREADS };
/* Of the threads that there are: their numbers in ids[], and how many. */
unsigned threads_list(const struct server *v, uint64_t *ids, unsigned max);
/* "p3e8.3e8" or "3e8". */
void threads_name(const struct server *v, uint64_t id, struct answer *a);
/* The thread that is about to execute. */
uint64_t threads_current(const struct server *v);
/* "worker, waits for the lock at 0x12340, which thread 2 holds". Returns buf. */
char *threads_what(const struct server *v, uint64_t id, char *buf, size_t n);
/* ":p3e8.3e9" of an action: the thread, 0: any. False: that is none. */
bool threads_of_action(const struct server *v, const char *text, uint64_t *id);
/* H, T and the questions about threads; false: the packet is about something else. */
bool threads_packet(struct server *v, const char *packet, struct answer *a);

#endif
