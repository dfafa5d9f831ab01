/* `cyclops gdb PROGRAM`: gdb debugs the program, over a socket or, with -, over our own standard
 * input and output. */
#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "loader/launch.h"
#include "ui/child/child_words.h"
#include "ui/cli/cli.h"
#include "ui/cli/compile.h"
#include "ui/cli/options.h"
#include "ui/console/batch.h"
#include "ui/console/interrupt.h"
#include "ui/remote/listen.h"
#include "ui/gdb/server.h"
#include "ui/render/safe_print.h"
#include "ui/sweep/emit.h"

/* True if standard input and output are the connection: removes the word - before the program. */
static bool take_pipe(struct options *o)
{
	if (!o->argc || strcmp(o->argv[0], "-") != 0)
		return false;
	o->argc--;
	o->argv++;
	return true;
}

/* Ignores Ctrl-C while nothing runs: gdb ends the server by ending the connection. */
static bool cli_gdb_discard_interrupt(void)
{
	interrupt_taken();
	return false;
}

static void cli_gdb_serve_pipe(struct server *v)
{
	struct wire *w = alloc_bytes(sizeof *w);
	if (!w) {
		say_error("out of memory for a connection");
		return;
	}
	wire_init(w, STDIN_FILENO, STDOUT_FILENO, cli_gdb_discard_interrupt);
	server_serve(v, w);
	free(w);
}

/* Ctrl-C ends the server while the program is stopped; while the program runs, it stops the
 * program, and the peer gets the stop. */
static bool ends;

static bool cli_gdb_end_requested(void)
{
	return ends |= interrupt_taken();
}

/* Serves one peer after the other, until one has ended the program, or Ctrl-C; also a Ctrl-C that
 * stopped a request of a peer that disconnected before the reply. */
static void cli_gdb_serve_socket(struct server *v, struct listener *l)
{
	struct wire *w = alloc_bytes(sizeof *w);
	if (!w)
		say_error("out of memory for a connection");
	while (w && !v->over && !v->m.gone && !v->unheard && !cli_gdb_end_requested()) {
		const int fd = listener_accept(l);
		if (fd < 0)
			continue;
		wire_init(w, fd, fd, cli_gdb_end_requested);
		server_serve(v, w);
		close(fd);
	}
	free(w);
}

/* Prints gdb's command line, as a shell takes it. gdb takes what follows `target remote` as it is,
 * but for blanks at its ends, and for HOST:PORT if there is a colon. */
static bool say_gdb_command(const struct options *o, const struct listener *l)
{
	char *whole = l->path ? alloc_real_path(l->path) : NULL;
	const char *where = whole ? whole : l->where;
	char *command = alloc_format("target remote %s", where);
	char *program =
		alloc_format("%s%s", child_file_misleads(o->argv[0]) ? "./" : "", o->argv[0]);
	const bool ok = command && program;
	if (ok && whole &&
	    (strchr(where, ':') || isspace((unsigned char)where[strlen(where) - 1]))) {
		say(stderr,
		    "cyclops: waiting for gdb, which can't connect to a socket file with this "
		    "name, "
		    "by the colon in it or the blank at its end: %s\n",
		    where);
	} else if (ok) {
		fputs("cyclops: waiting for gdb: gdb-multiarch -ex ", stderr);
		emit_word(stderr, command);
		fputc(' ', stderr);
		emit_word(stderr, program);
		fputc('\n', stderr);
	}
	free(program);
	free(command);
	free(whole);
	return ok;
}

static bool say_where(const struct options *o, const struct session *s, struct listener *l,
                      struct err *err)
{
	if (!listener_open(l, o->listen, "gdb", &wire_greeting, err))
		return false;
	listener_warn(l, launch_writes(&s->launch), false);
	return say_gdb_command(o, l) || err_set(err, "out of memory");
}

static struct session *cli_gdb_open_session(struct options *o, int input, struct server *v,
                                            struct err *err)
{
	struct session_options so = {
		.cfg = o->config,
		.config_name = o->config_name,
		.launch = options_launch(o),
		.fast_forward = o->ff,
		.warm = o->given[OPT_WARMUP],
		.history = {.history = true},
	};
	/* Read input that may block through mover_input(), which the peer can interrupt. */
	struct stat st;
	v->m.input = input;
	so.launch.stdin_fd = input;
	if (input >= 0 && fstat(input, &st) == 0 && !S_ISREG(st.st_mode)) {
		so.launch.input = mover_input;
		so.launch.input_ctx = &v->m;
	}
	so.launch.output = server_output;
	so.launch.output_ctx = v;
	so.launch.warn = say_warning;
	return session_open(&so, err);
}

/* Runs the options' commands before the first peer. Commands of peers can't access files if other
 * users may connect. */
static int cli_gdb_serve_session(struct server *v, struct options *o, bool pipe, struct err *err)
{
	struct listener l = {.fd = -1};
	if (batch_options(v->m.c, o) == CMD_ERROR)
		return STATUS_COMMAND_FAILED;
	if (!pipe && !say_where(o, v->m.s, &l, err))
		return say_error("%s", err->msg);
	v->m.s->reach = pipe || l.trusted ? REACH_ALL : REACH_PEER;
	v->output_to_peer = pipe;
	run_set_progress(v->m.s->run, server_progress, v);
	if (pipe)
		cli_gdb_serve_pipe(v);
	else
		cli_gdb_serve_socket(v, &l);
	listener_close(&l);
	return v->m.halt.kind == HALT_EXITED && v->m.gone ? v->m.halt.number & 0xff : 0;
}

static int cli_gdb_debug_program(struct options *o, bool pipe)
{
	struct console c;
	struct err err;
	if (!o->argc)
		return say_error("no program given; expected cyclops %s", cli_gdb.usage);
	if (pipe && o->listen)
		return say_error("- and --listen: use one of them");
	for (unsigned i = 0; pipe && i < o->command_count; i++)
		if (o->commands[i].file && !strcmp(o->commands[i].text, "-"))
			return say_error("-x -: standard input is gdb's; use -x FILE");
	if (!compile_source(o, &err))
		return say_error("%s", err.msg);
	const int input = o->given[OPT_STDIN] ? launch_open_input(o->stdin_path, &err)
	                  : pipe              ? -1
	                                      : STDIN_FILENO;
	if (o->given[OPT_STDIN] && input < 0)
		return say_error("--stdin %s", err.msg);
	struct server *v = alloc_zeroed(1, sizeof *v);
	struct session *s = v ? cli_gdb_open_session(o, input, v, &err) : NULL;
	int status = STATUS_ERROR;
	if (!v)
		return say_error("out of memory");
	if (s && console_init(&c, s, server_say, v, &err)) {
		c.peer = true;
		server_init(v, s, &c);
		interrupt_attach(s->run, c.exprs);
		status = cli_gdb_serve_session(v, o, pipe, &err);
		interrupt_attach(NULL, NULL);
		server_deinit(v);
		if (!console_end(&c, &err))
			status = say_error("%s", err.msg);
		console_deinit(&c);
	} else {
		say_error("%s", err.msg);
	}
	session_free(s);
	free(v);
	return status;
}

static int cli_gdb_main(int argc, char **argv)
{
	struct options o;
	int status;
	if (!cli_parse_or_print(&cli_gdb, argc, argv, &o, &status))
		return status;
	/* Make write() report a disconnected peer. */
	signal(SIGPIPE, SIG_IGN);
	const bool pipe = take_pipe(&o);
	status = cli_gdb_debug_program(&o, pipe);
	options_deinit(&o);
	return status;
}

const struct cli_command cli_gdb = {
	.name = "gdb",
	.usage = "gdb [OPTIONS] PROGRAM [ARGS...] | gdb [OPTIONS] - PROGRAM [ARGS...]",
	.help = "Lets gdb debug a program, forwards and backwards: it prints the "
		"`target remote` for gdb-multiarch; in one line:\n"
		"`target remote | cyclops gdb - PROGRAM`. `monitor COMMAND` in gdb runs any "
		"command of a session (monitor why).",
	.takes = FOR_GDB,
	.run = cli_gdb_main,
};
