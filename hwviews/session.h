/* A session: one program in one machine under run control, and what a person has selected.
 *
 * Views read it; commands change it. It owns machine, program and run control. */
#ifndef CYCLOPS_HWVIEWS_SESSION_H
#define CYCLOPS_HWVIEWS_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "core/config.h"
#include "core/err.h"
#include "core/machine.h"
#include "core/run/run.h"
#include "loader/program.h"

struct session {
	struct config cfg;        /* what `set` changes takes effect at the next `run`; the machine has its own */
	char *config_name;        /* preset or file; owned */
	struct program *program;  /* owned */
	struct machine *machine;  /* owned */
	struct run *run;          /* owned */
	int argc;                 /* the guest's arguments, owned copies; argv[0] is the program's path */
	char **argv;
	uint64_t fast_forward;    /* instructions executed functionally before cycle 0 */
	bool warm;
	bool allow_writing;
	int stdin_fd;             /* host descriptor of the guest's input, -1: empty */
	struct run_options history;
	uint64_t selected_seq;    /* uop that views and `why` are about; 0 = the oldest in flight */
};

struct session_options {
	struct config cfg;
	const char *config_name;
	const char *path;
	int argc;
	char **argv;
	uint64_t fast_forward;
	bool warm, allow_writing;
	int stdin_fd;
	struct run_options history;
};

/* Loads the program and starts it (cycle 0, fast-forward done). NULL with *err. */
struct session *session_open(const struct session_options *opt, struct err *err);
void session_free(struct session *s);
/* Starts the program again from the beginning with s->cfg; breakpoints stay. False with *err: the old run
 * stays as it is. */
bool session_restart(struct session *s, struct err *err);

/* The uop that `why` and single-uop views are about: the selected one while its slot still holds it, else the
 * oldest in flight, else NULL. */
struct uop *session_uop(const struct session *s);

/* "find+0x10 (words.c:41)" for an address. Returns buf. */
char *session_where(const struct session *s, uint64_t pc, char *buf, size_t n);

#endif
