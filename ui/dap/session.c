/* Begin and end of an editor's session: launch, attach, restart, terminate, disconnect. */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "ui/cli/compile.h"
#include "ui/console/batch.h"
#include "ui/console/interrupt.h"
#include "ui/dap/dap.h"

/* ---- opening ---- */
static void dap_report_warning(void *ctx, const char *line)
{
	struct dap *d = ctx;
	char text[1024];
	const int n = snprintf(text, sizeof text, "%s\n", line);
	dap_say(d, "important", text, n < (int)sizeof text ? (size_t)n : sizeof text - 1);
}

static bool dap_open_guest_input(struct dap *d, struct session_options *so, struct err *err)
{
	const struct options *o = d->options;
	struct stat st;
	d->m.input = o->given[OPT_STDIN] ? launch_open_input(o->stdin_path, err) : -1;
	if (o->given[OPT_STDIN] && d->m.input < 0) {
		const struct err why = *err;
		return err_set(err, "--stdin %s", why.msg);
	}
	so->launch.stdin_fd = d->m.input;
	/* Read input that may block through the mover, where the peer can interrupt it. */
	if (d->m.input >= 0 && fstat(d->m.input, &st) == 0 && !S_ISREG(st.st_mode)) {
		so->launch.input = mover_input;
		so->launch.input_ctx = &d->m;
	}
	return true;
}

static bool dap_wants_stop(void *ctx)
{
	return dap_progress(ctx, 0);
}

static bool dap_should_resume(void *ctx)
{
	struct dap *d = ctx;
	if (d->listens) /* a console command, which dap_wants_stop() ends only if it must */
		return false;
	dap_serve_waiting(d);
	d->paused |= interrupt_came();
	return !d->paused && !d->over;
}

bool dap_open(struct dap *d, struct err *err)
{
	struct options *o = d->options;
	if (!o->argc)
		return err_set(err, "no program given; expected \"program\": \"FILE\"");
	for (unsigned i = 0; i < o->command_count; i++)
		if (o->commands[i].file && !strcmp(o->commands[i].text, "-"))
			return err_set(err, "-x -: standard input is the editor's; use -x FILE");
	if (!compile_source(o, err))
		return false;
	struct session_options so = {
		.cfg = o->config,
		.config_name = o->config_name,
		.launch = options_launch(o),
		.fast_forward = o->ff,
		.warm = o->given[OPT_WARMUP],
		.history = {.history = true},
	};
	if (!dap_open_guest_input(d, &so, err))
		return false;
	so.launch.output = dap_output;
	so.launch.output_ctx = d;
	so.launch.warn = dap_report_warning;
	so.launch.warn_ctx = d;
	struct session *s = session_open(&so, err);
	if (!s)
		return false;
	if (!console_init(d->console, s, dap_console, d, err)) {
		session_free(s);
		return false;
	}
	d->console->peer = true;
	s->reach = d->trusted ? REACH_ALL : REACH_PEER;
	mover_init(&d->m, s, d->console);
	mover_restarted(&d->m);
	d->m.steps_off = true;
	d->m.ctx = d;
	d->m.wants_stop = dap_wants_stop;
	d->m.resumes = dap_should_resume;
	d->m.stops = breakpoints_stop;
	d->m.holds = breakpoints_hold;
	interrupt_attach(s->run, d->console->exprs);
	run_set_progress(s->run, dap_progress, d);
	if (batch_options(d->console, o) == CMD_ERROR) {
		*err = d->console->err;
		dap_close(d);
		return false;
	}
	return true;
}

void dap_close(struct dap *d)
{
	struct session *s = d->m.s;
	struct err err;
	if (s) {
		breakpoints_clear(d);
		interrupt_attach(NULL, NULL);
		if (!console_end(d->console, &err))
			dap_report_warning(d, err.msg);
		console_deinit(d->console);
		session_free(s);
		if (d->m.input >= 0)
			close(d->m.input);
		memset(&d->m, 0, sizeof d->m);
	}
	if (d->options) {
		options_deinit(d->options);
		memset(d->options, 0, sizeof *d->options);
	}
	free(d->words);
	d->words = NULL;
	json_decref(d->launched);
	d->launched = NULL;
}

/* ---- launch ---- */
struct words {
	const char **word; /* owned; [n], NULL at the end */
	size_t n;
	bool failed;
};

static void dap_launch_append_word(struct words *w, const char *word)
{
	const char **more = alloc_resize_array(w->word, w->n + 2, sizeof *more);
	w->failed |= !more || !word;
	if (!more)
		return;
	w->word = more;
	w->word[w->n++] = word;
	w->word[w->n] = NULL;
}

static void add_option(struct words *w, const char *option, const char *value)
{
	if (!value)
		return;
	dap_launch_append_word(w, option);
	dap_launch_append_word(w, value);
}

/* Appends each text of a list, preceded by `option` unless that is NULL. */
static bool dap_launch_append_list(struct words *w, const json_t *args, const char *name,
                                   const char *option, struct err *err)
{
	const json_t *list = json_object_get(args, name), *one;
	size_t i;
	if (list && !json_is_array(list))
		return err_set(err, "%s: expected a list of texts", name);
	json_array_foreach(list, i, one)
	{
		if (!json_is_string(one))
			return err_set(err, "%s: expected a list of texts", name);
		if (option)
			dap_launch_append_word(w, option);
		dap_launch_append_word(w, json_string_value(one));
	}
	return true;
}

/* Appends options for "env": {"NAME": "VALUE"}; args keeps the words. */
static bool add_environment(struct words *w, json_t *args, struct err *err)
{
	json_t *env = json_object_get(args, "env"), *value, *kept = json_array();
	const char *name;
	json_object_set_new(args, " env", kept);
	if (env && !json_is_object(env))
		return err_set(err, "env: expected an object of texts");
	json_object_foreach(env, name, value)
	{
		if (!json_is_string(value))
			return err_set(err, "env: expected an object of texts");
		json_t *one = json_sprintf("%s=%s", name, json_string_value(value));
		json_array_append_new(kept, one);
		dap_launch_append_word(w, "--env");
		dap_launch_append_word(w, json_string_value(one));
	}
	return true;
}

/* Builds the command line from the arguments of launch. */
static bool dap_launch_build_args(struct dap *d, struct words *w, struct err *err)
{
	json_t *args = d->launched;
	static const char *const texts[] = {"program", "config", "stdin", "cwd"};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		const json_t *v = json_object_get(args, texts[i]);
		if (v && !json_is_string(v))
			return err_set(err, "%s: expected a text", texts[i]);
	}
	if (!asked_text(args, "program"))
		return err_set(err, "no program given; expected \"program\": \"FILE\"");
	dap_launch_append_word(w, "dap");
	add_option(w, "-c", asked_text(args, "config"));
	add_option(w, "--stdin", asked_text(args, "stdin"));
	if (!dap_launch_append_list(w, args, "options", NULL, err) ||
	    !add_environment(w, args, err) ||
	    !dap_launch_append_list(w, args, "commands", "-e", err))
		return false;
	dap_launch_append_word(w, "--");
	dap_launch_append_word(w, asked_text(args, "program"));
	if (!dap_launch_append_list(w, args, "args", NULL, err))
		return false;
	return !w->failed || err_set(err, "out of memory");
}

static bool launch_it(struct dap *d, json_t *args, struct err *err)
{
	struct words w = {0};
	d->launched = args ? json_deep_copy(args) : json_object();
	bool ok = d->launched ? dap_launch_build_args(d, &w, err) : err_set(err, "out of memory");
	d->words = w.word;
	const char *folder = ok ? asked_text(d->launched, "cwd") : NULL;
	if (folder && chdir(folder) != 0)
		ok = err_set(err, "cwd %.200s: %s", folder, strerror(errno));
	return ok && options_parse(d->options, FOR_GDB, (int)w.n, (char **)w.word, err) &&
	       (!d->options->listen || err_set(err, "--listen: the editor is connected")) &&
	       dap_open(d, err);
}

static void dap_send_initialized(struct dap *d, const json_t *request, const json_t *args)
{
	d->only_runs = asked_flag(args, "noDebug");
	d->stops_on_entry = !d->only_runs && asked_flag(args, "stopOnEntry");
	d->stops_on_exit = asked_flag(args, "stopOnExit");
	d->told_exit = d->configured = false;
	dap_answer(d, request, NULL);
	dap_event(d, "initialized", NULL);
}

/* True if the peer needs no token, or sends it; else the request is refused. Takes the same time
 * wherever two texts differ. */
static bool dap_admit(struct dap *d, const json_t *request, const json_t *args)
{
	const char *token = asked_text(args, "token");
	if (!d->admitted && token && strlen(token) == strlen(d->token)) {
		int differs = 0;
		for (size_t i = 0; d->token[i]; i++)
			differs |= token[i] ^ d->token[i];
		d->admitted = !differs;
	}
	if (!d->admitted)
		dap_refuse(d, request,
		           "expected \"token\": \"...\", as cyclops dap has printed it");
	return d->admitted;
}

/* Reports what of a launch does not apply to the program of the command line. Reads no file: a peer
 * at a port must not learn which there are. */
static void dap_report_ignored(struct dap *d, const json_t *args)
{
	static const char *const names[] = {"args", "config", "cwd", "env",
	                                    "stdin", "options", "commands"};
	const char *own = d->m.s->launch.path, *program = asked_text(args, "program");
	char *ignored = NULL, absolute[PATH_MAX];
	size_t n = 0;
	FILE *f = alloc_stream(&ignored, &n);
	if (!f)
		return;
	if (program && strcmp(program, own) != 0 &&
	    (!realpath(own, absolute) || strcmp(program, absolute) != 0))
		fprintf(f, ", program %.200s", program);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (json_object_get(args, names[i]))
			fprintf(f, ", %s", names[i]);
	fclose(f);
	char *line = n ? alloc_format("this adapter debugs %s, the program of its command line; "
	                              "ignored: %s",
	                              own, ignored + 2)
	               : NULL;
	if (line)
		dap_report_warning(d, line);
	free(line);
	free(ignored);
}

static void dap_on_launch(struct dap *d, const json_t *request, const json_t *args)
{
	struct err err;
	if (!dap_admit(d, request, args))
		return;
	if (d->m.s && !d->attached) {
		dap_refuse(d, request, "launch: a program has been launched; use restart");
		return;
	}
	if (d->refused && !d->attached) {
		dap_refuse(d, request, "launch: %s", d->refused);
		return;
	}
	d->begins = BEGINS_LAUNCHED;
	/* Restart a session of the command line; launch another again. */
	if (d->attached ? !session_restart(d->m.s, &err) : !launch_it(d, (json_t *)args, &err)) {
		dap_refuse(d, request, "%s", err.msg);
		if (!d->attached)
			dap_close(d);
		return;
	}
	mover_restarted(&d->m);
	if (d->attached)
		dap_report_ignored(d, args);
	dap_send_initialized(d, request, args);
}

static void dap_on_attach(struct dap *d, const json_t *request, const json_t *args)
{
	if (!dap_admit(d, request, args))
		return;
	if (!d->attached) {
		dap_refuse(d, request,
		           "attach: there is no session; use `launch`, or an "
		           "adapter begun by cyclops dap --listen ADDRESS PROGRAM");
		return;
	}
	d->begins = BEGINS_ATTACHED;
	if (!d->m.gone)
		d->m.halt = (struct halt){.kind = HALT_STEP};
	dap_send_initialized(d, request, args);
}

static void configuration_done(struct dap *d, const json_t *request, const json_t *args)
{
	(void)args;
	if (d->configured) {
		dap_refuse(d, request, "configurationDone: the program has begun");
		return;
	}
	d->configured = true;
	dap_answer(d, request, NULL);
	dap_begin(d);
}

/* Replaces the program's arguments. False with *err: unchanged. */
static bool take_arguments(struct session *s, const json_t *list, struct err *err)
{
	const json_t *one;
	size_t i, n = json_array_size(list);
	json_array_foreach(list, i, one)
		if (!json_is_string(one))
			break;
	if (!json_is_array(list) || i < n)
		return err_set(err, "args: expected a list of texts");
	char **argv = alloc_zeroed(n + 2, sizeof *argv);
	bool ok = argv != NULL;
	for (i = 0; ok && i < n; i++)
		ok = (argv[i + 1] = alloc_text(json_string_value(json_array_get(list, i)))) != NULL;
	char **old = ok ? s->launch.argv : argv;
	if (ok) {
		argv[0] = old[0];
		s->launch.argv = argv;
		s->launch.argc = (int)n + 1;
	}
	for (i = 1; old && old[i]; i++)
		free(old[i]);
	free(old);
	return ok || err_set(err, "out of memory");
}

static void dap_on_restart(struct dap *d, const json_t *request, const json_t *args)
{
	struct err err;
	const json_t *again = json_object_get(args, "arguments");
	const json_t *given = json_object_get(again, "args");
	if ((given && !take_arguments(d->m.s, given, &err)) || !session_restart(d->m.s, &err)) {
		dap_refuse(d, request, "%s", err.msg);
		return;
	}
	if (json_is_object(again))
		d->stops_on_entry = asked_flag(again, "stopOnEntry");
	mover_restarted(&d->m);
	d->told_exit = false;
	d->begins = BEGINS_LAUNCHED;
	dap_answer(d, request, NULL);
	dap_begin(d);
}

void dap_end(struct dap *d)
{
	d->m.gone = d->told_exit = true;
	d->m.halt = (struct halt){.kind = HALT_KILLED, .number = SIGKILL};
	dap_event(d, "terminated", NULL);
}

static void dap_on_terminate(struct dap *d, const json_t *request, const json_t *args)
{
	(void)args;
	dap_answer(d, request, NULL);
	dap_end(d);
}

static void dap_on_disconnect(struct dap *d, const json_t *request, const json_t *args)
{
	d->ends |= d->admitted && asked_flag(args, "terminateDebuggee");
	dap_flush(d, true);
	dap_answer(d, request, NULL);
	d->over = true;
}

const struct request session_requests[] = {
	{"launch", dap_on_launch, HALTS, true},
	{"attach", dap_on_attach, HALTS, true},
	{"configurationDone", configuration_done, STANDS, false},
	{"restart", dap_on_restart, HALTS, false},
	{"terminate", dap_on_terminate, HALTS, false},
	{"disconnect", dap_on_disconnect, HALTS, true},
	{0},
};
