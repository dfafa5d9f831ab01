/* A session's life: opening a program, restart, taking over another machine, and freeing the data
 * that other units keep in the session. */
#include "hwviews/session/session.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/machine/params.h"
#include "core/pipe/pipe.h"
#include "core/run/value_daemon.h"
#include "hwviews/flow/context_folds.h"
#include "hwviews/flow/flow_paths.h"
#include "hwviews/machine/pipe_zoom.h"
#include "hwviews/session/pipe_history.h"
#include "hwviews/why/hot.h"
#include "hwviews/why/waits.h"
#include "hwviews/session/marks.h"
#include "hwviews/session/pending.h"
#include "hwviews/twin/twin.h"
#include "loader/microprogram.h"

/* Limit for snapshots of a second machine. */
#define BESIDE_BYTES ((size_t)128 << 20)

/* NULL-terminated owned copies; NULL if memory is short. */
static char **copy_strings(char *const *from, size_t n)
{
	char **to = alloc_zeroed(n + 1, sizeof *to);
	for (size_t i = 0; to && i < n; i++) {
		to[i] = alloc_text(from[i]);
		if (!to[i]) {
			while (i)
				free(to[--i]);
			free(to);
			return NULL;
		}
	}
	return to;
}

static void free_strings(char **strings)
{
	for (char **p = strings; p && *p; p++)
		free(*p);
	free(strings);
}

static size_t session_open_count_strings(char *const *strings)
{
	size_t n = 0;
	while (strings && strings[n])
		n++;
	return n;
}

/* Warns that the host ended the fast-forward early, so that the rest runs with timing. */
static void warn_of_short_start(const struct session *s, const struct machine *m, uint64_t done)
{
	char line[256];
	if (machine_status(m) != MACHINE_STARVED || !s->launch.warn)
		return;
	snprintf(line, sizeof line,
	         "%s: %" PRIu64 " of %" PRIu64 " instructions were executed without timing",
	         machine_lacks(m), done, s->fast_forward);
	s->launch.warn(s->launch.warn_ctx, line);
}

/* Creates a machine at cycle 0 with the program in it. */
static struct machine *session_open_create_machine(const struct session *s, struct err *err)
{
	struct machine *m = launch_machine(&s->launch, s->program, &s->cfg, err);
	if (m && s->fast_forward)
		warn_of_short_start(s, m, machine_run_functional(m, s->fast_forward, s->warm));
	return m;
}

static void free_folders(struct launch *l)
{
	struct os_folder *folders = (struct os_folder *)(uintptr_t)l->folders;
	for (unsigned i = 0; folders && i < l->folder_count; i++) {
		free((char *)(uintptr_t)folders[i].at);
		free((char *)(uintptr_t)folders[i].host);
	}
	free(folders);
}

static bool own_folders(struct launch *to, const struct launch *from)
{
	struct os_folder *folders = alloc_zeroed(from->folder_count + 1, sizeof *folders);
	bool ok = folders != NULL;
	for (unsigned i = 0; ok && i < from->folder_count; i++) {
		folders[i] = (struct os_folder){alloc_text(from->folders[i].at),
		                                alloc_text(from->folders[i].host),
		                                from->folders[i].writing};
		ok = folders[i].at && folders[i].host;
	}
	to->folders = folders;
	return ok;
}

/* Copies a launch and all its strings. */
static bool session_open_copy_launch(struct launch *to, const struct launch *from)
{
	char *path = (char *)(uintptr_t)from->path;
	*to = *from;
	to->path = alloc_text(path);
	to->file = from->file ? alloc_text(from->file) : NULL;
	to->firmware = from->firmware ? alloc_text(from->firmware) : NULL;
	to->microprogram = from->microprogram ? alloc_text(from->microprogram) : NULL;
	to->root = from->root ? alloc_text(from->root) : NULL;
	to->sysroot = from->sysroot ? alloc_text(from->sysroot) : NULL;
	to->argc = from->argc > 0 ? from->argc : 1;
	to->argv = copy_strings(from->argc > 0 ? from->argv : &path, (size_t)to->argc);
	to->env = copy_strings(from->env, session_open_count_strings(from->env));
	return own_folders(to, from) && to->path && to->argv && to->env &&
	       !to->firmware == !from->firmware && !to->microprogram == !from->microprogram &&
	       !to->root == !from->root && !to->sysroot == !from->sysroot &&
	       !to->file == !from->file;
}

static void session_open_discard_warning(void *ctx, const char *text)
{
	(void)ctx, (void)text;
}

/* program NULL: reads what opt names; else uses it, still owned by the caller if `beside`. */
static struct session *session_open_create_session(const struct session_options *opt,
                                                   struct program *program, bool beside,
                                                   struct err *err)
{
	struct session *s = alloc_zeroed(1, sizeof *s);
	if (!s) {
		err_set(err, "out of memory for a session");
		if (!beside)
			program_free(program);
		return NULL;
	}
	*s = (struct session){
		.cfg = opt->cfg,
		.config_name = alloc_text(opt->config_name ? opt->config_name : ""),
		.fast_forward = opt->fast_forward,
		.warm = opt->warm,
		.history = opt->history,
		.pipe_history = pipe_history_new(),
		.waits = waits_new(),
		.pipe_zoom = pipe_zoom_new(),
		.path_cache = path_cache_new(),
		.input = -1,
		.input_next = -1,
		.marks = marks_new(),
		.hot = hot_new(),
		.program = program,
		.beside = beside,
	};
	if (!session_open_copy_launch(&s->launch, &opt->launch) || !s->config_name ||
	    !s->pipe_history || !s->waits || !s->pipe_zoom || !s->path_cache || !s->marks ||
	    !s->hot) {
		err_set(err, "out of memory for a session");
		goto failed;
	}
	s->launch.load_base = (uint64_t)CONFIG(&opt->cfg, load_base);
	s->launch.interp_base = (uint64_t)CONFIG(&opt->cfg, interp_base);
	if (!program)
		s->program = launch_program(&s->launch, err);
	s->launch.edit = NULL; /* the edit is done once; its data belongs to the caller */
	if (!s->program)
		goto failed;
	s->machine = session_open_create_machine(s, err);
	if (!s->machine ||
	    (s->launch.values && !value_daemon_attach(s->launch.values, s->machine, err)))
		goto failed;
	s->run = run_new(s->machine, &s->history);
	if (s->run) {
		pending_follow(s);
		return s;
	}
	err_set(err, "out of memory for run control");
failed:
	session_free(s);
	return NULL;
}

struct session *session_open(const struct session_options *opt, struct err *err)
{
	return session_open_create_session(opt, NULL, false, err);
}

void session_watch_symbols(const struct session *s)
{
	program_watch(s->program, machine_os(s->machine), machine_mem_const(s->machine));
}

struct session *session_beside(const struct session *s, const struct config *cfg,
                               struct program *other, const struct plugins *plugins, int input,
                               struct err *err)
{
	struct session_options opt = {
		.cfg = *cfg, .launch = s->launch, .fast_forward = s->fast_forward, .warm = s->warm,
		.history = {.history = true, .budget_bytes = BESIDE_BYTES},
	};
	if (plugins)
		opt.launch.plugins = plugins;
	opt.launch.output = os_no_output;
	opt.launch.warn = session_open_discard_warning;
	opt.launch.input = NULL;
	opt.launch.values = NULL;
	opt.launch.stdin_fd = input;
	struct session *b =
		session_open_create_session(&opt, other ? other : s->program, !other, err);
	session_watch_symbols(s);
	if (b)
		b->input = input;
	else if (input >= 0)
		close(input);
	return b;
}

void session_free(struct session *s)
{
	if (!s)
		return;
	twin_close(s);
	run_free(s->run);
	machine_free(s->machine);
	if (s->input >= 0)
		close(s->input);
	if (s->input_next >= 0)
		close(s->input_next);
	if (!s->beside)
		program_free(s->program);
	free((char *)(uintptr_t)s->launch.path);
	free((char *)(uintptr_t)s->launch.file);
	free((char *)(uintptr_t)s->launch.firmware);
	free((char *)(uintptr_t)s->launch.microprogram);
	free((char *)(uintptr_t)s->launch.root);
	free((char *)(uintptr_t)s->launch.sysroot);
	free_folders(&s->launch);
	free_strings(s->launch.argv);
	free_strings(s->launch.env);
	free(s->config_name);
	free(s->next_config_name);
	pipe_history_free(s->pipe_history);
	waits_free(s->waits);
	pipe_zoom_free(s->pipe_zoom);
	path_cache_free(s->path_cache);
	marks_free(s->marks);
	free(s->what_if);
	free(s->sampled);
	hot_free(s->hot);
	context_folds_free(s->context_folds);
	for (unsigned i = 0; i < s->microprogram_count; i++)
		microprogram_free(s->microprograms[i]);
	free(s->microprograms);
	free(s);
}

void session_set_output(struct session *s, os_output_fn *fn, void *ctx)
{
	s->launch.output = fn;
	s->launch.output_ctx = ctx;
	os_set_output(machine_os(s->machine), fn, ctx);
}

void session_set_warn(struct session *s, os_warn_fn *fn, void *ctx)
{
	s->launch.warn = fn;
	s->launch.warn_ctx = ctx;
	os_set_warn(machine_os(s->machine), fn, ctx);
}

void session_ask_for_input(struct session *s, os_input_fn *fn, void *ctx)
{
	s->launch.stdin_fd = -1;
	s->launch.input = fn;
	s->launch.input_ctx = ctx;
	s->launch.input_typed = fn != NULL;
	os_set_stdin(machine_os(s->machine), -1);
	os_set_input(machine_os(s->machine), fn, ctx, fn != NULL);
}

bool session_set_input(struct session *s, const char *path, struct err *err)
{
	const int fd = launch_open_input(path, err);
	if (fd < 0)
		return false;
	if (s->input_next >= 0)
		close(s->input_next);
	s->input_next = s->launch.stdin_fd = fd;
	s->launch.input = NULL;
	return true;
}

static void session_open_replace_machine(struct session *s, struct machine *m)
{
	machine_take_observers(m, s->machine);
	run_reset(s->run, m);
	machine_free(s->machine);
	s->machine = m;
	pending_follow(s);
	s->selected_seq = s->event_seq = 0;
	if (s->input_next >= 0) {
		if (s->input >= 0)
			close(s->input);
		s->input = s->input_next;
		s->input_next = -1;
	}
	twin_close(s);
	marks_clear(s->marks);
	s->places.count = 0;
	hot_clear(s->hot);
	free(s->what_if);
	s->what_if = NULL;
}

/* Modules and value storage keep the session's first settings, and its program stays at its
 * addresses. */
static bool same_values(const struct session *s, const struct config *cfg, struct err *err)
{
	for (size_t i = 0; i < param_count; i++)
		if ((!strncmp(params[i].name, "values.", 7) ||
		     !strcmp(params[i].name, "sim.load_base") ||
		     !strcmp(params[i].name, "sim.interp_base")) &&
		    !config_same(cfg, machine_config(s->machine), &params[i]))
			return err_set(err,
			               "%s can't change in a session: start cyclops anew with it",
			               params[i].name);
	return true;
}

bool session_may_restart(const struct session *s, const struct config *cfg, struct err *err)
{
	struct launch trial = s->launch;
	trial.output = os_no_output;
	trial.warn = NULL;
	trial.input = NULL;
	trial.stdin_fd = -1;
	if (!same_values(s, cfg, err))
		return false;
	struct machine *m = launch_machine(&trial, s->program, cfg, err);
	const bool may = m != NULL;
	machine_free(m);
	session_watch_symbols(s);
	return may;
}

bool session_restart(struct session *s, struct err *err)
{
	if (!same_values(s, &s->cfg, err))
		return false;
	struct machine *m = session_open_create_machine(s, err);
	if (!m)
		return false;
	session_open_replace_machine(s, m);
	s->adopted = false;
	free(s->sampled); /* may be of another machine */
	s->sampled = NULL;
	if (s->next_config_name) {
		free(s->config_name);
		s->config_name = s->next_config_name;
		s->next_config_name = NULL;
	}
	return true;
}

void session_adopt(struct session *s, struct machine *m)
{
	launch_attach(&s->launch, s->program, m);
	s->cfg = *machine_config(m);
	free(s->next_config_name);
	s->next_config_name = NULL;
	session_open_replace_machine(s, m);
	s->adopted = true;
}
