/* `cyclops dap`: an editor debugs a program, over our own standard input and output or a socket. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/host/random_bytes.h"
#include "ui/cli/cli.h"
#include "ui/cli/options.h"
#include "ui/console/interrupt.h"
#include "ui/dap/dap.h"
#include "ui/remote/listen.h"
#include "ui/render/safe_print.h"

/* Ctrl-C while nothing runs ends the adapter. */
static bool ends;

static bool cli_dap_end_requested(void)
{
	return ends |= interrupt_taken();
}

/* Redirects standard output to standard error, for all other output. Returns a duplicate of the
 * original, -1 on failure. */
static int take_output(void)
{
	const int out = dup(STDOUT_FILENO);
	if (out >= 0)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	return out;
}

static bool cli_dap_serve_pipe(struct dap *d, struct err *err)
{
	struct dap_wire w;
	const int out = take_output();
	if (out < 0)
		return err_set(err, "standard output is closed");
	d->trusted = true;
	dap_wire_init(&w, STDIN_FILENO, out, cli_dap_end_requested);
	dap_serve(d, &w);
	dap_wire_deinit(&w);
	close(out);
	return true;
}

/* Sets the secret that editors send if others reach the port. */
static bool cli_dap_draw_token(struct dap *d)
{
	uint64_t random[2];
	if (!random_bytes(random, sizeof random))
		return false;
	snprintf(d->token, sizeof d->token, "%016" PRIx64 "%016" PRIx64, random[0], random[1]);
	return true;
}

/* Serves one editor after the other, until one ends the adapter, or Ctrl-C; also a Ctrl-C that
 * stopped a request of an editor that disconnected before the reply. */
static bool cli_dap_serve_socket(struct dap *d, const struct options *o, struct err *err)
{
	struct listener l = {.fd = -1};
	if (!listener_open(&l, o->listen, "dap", &dap_wire_greeting, err))
		return false;
	if (l.open && !cli_dap_draw_token(d)) {
		listener_close(&l);
		return err_set(err, "this system has no random numbers for a token");
	}
	listener_warn(&l, d->attached && launch_writes(&d->m.s->launch), l.open);
	if (l.open)
		say(stderr, "cyclops: to attach, an editor sends \"token\": \"%s\"\n", d->token);
	say(stderr, "cyclops: waiting for an editor at %s\n", l.where);
	d->trusted = l.trusted;
	d->refused = l.trusted ? NULL
	                       : "any user of this computer reaches a TCP port; use cyclops dap "
	                         "--listen ADDRESS PROGRAM, unix:PATH, or no --listen";
	if (d->attached)
		d->m.s->reach = l.trusted ? REACH_ALL : REACH_PEER;
	while (!d->ends && !d->unheard && !cli_dap_end_requested()) {
		struct dap_wire w;
		const int fd = listener_accept(&l);
		if (fd < 0)
			continue;
		dap_wire_init(&w, fd, fd, cli_dap_end_requested);
		dap_serve(d, &w);
		dap_wire_deinit(&w);
		close(fd);
	}
	listener_close(&l);
	return true;
}

static int cli_dap_serve_editors(struct dap *d, struct options *o)
{
	struct err err;
	if (o->argc && !o->listen)
		return say_error("an editor names the program when it launches it; use cyclops "
		                 "dap, or cyclops dap --listen ADDRESS PROGRAM");
	interrupt_expect();
	if (o->argc) {
		/* Owned by the session from now on. */
		*d->options = *o;
		*o = (struct options){.listen = o->listen};
		d->trusted = true;
		if (!dap_open(d, &err))
			return say_error("%s", err.msg);
		d->attached = true;
	}
	const bool ok = o->listen ? cli_dap_serve_socket(d, o, &err) : cli_dap_serve_pipe(d, &err);
	return ok ? 0 : say_error("%s", err.msg);
}

static int cli_dap_main(int argc, char **argv)
{
	struct options o;
	int status;
	if (!cli_parse_or_print(&cli_dap, argc, argv, &o, &status))
		return status;
	/* Make write() report a disconnected peer. */
	signal(SIGPIPE, SIG_IGN);
	struct dap *d = alloc_zeroed(1, sizeof *d);
	status = d && dap_init(d) ? cli_dap_serve_editors(d, &o) : say_error("out of memory");
	if (d)
		dap_deinit(d);
	free(d);
	options_deinit(&o);
	return status;
}

const struct cli_command cli_dap = {
	.name = "dap",
	.usage = "dap | dap --listen ADDRESS [OPTIONS] [PROGRAM [ARGS...]]",
	.help = "Lets an editor debug a program, forwards and backwards, by the Debug Adapter "
		"Protocol: VS Code, Neovim, Emacs\n"
		"(`cyclops help dap`). Without --listen the editor starts it and names the "
		"program; with a PROGRAM, editors\n"
		"attach to that session.",
	.takes = FOR_GDB,
	.run = cli_dap_main,
};
