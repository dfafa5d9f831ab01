#include "hwviews/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/pipe/pipe.h"
#include "hwviews/pipe_history.h"

/* NULL-terminated owned copies; NULL if memory is short. */
static char **copy_strings(char *const *from, size_t n)
{
	char **to = calloc(n + 1, sizeof *to);
	for (size_t i = 0; to && i < n; i++) {
		to[i] = strdup(from[i]);
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

static size_t count_strings(char *const *strings)
{
	size_t n = 0;
	while (strings && strings[n])
		n++;
	return n;
}

/* Between the machine and the host. */
static void attach(const struct session *s, struct machine *m)
{
	struct os *os = machine_os(m);
	os_allow_writing(os, s->allow_writing);
	os_set_stdin(os, s->stdin_fd);
	if (s->output)
		os_set_output(os, s->output, s->output_ctx);
	os_set_warn(os, s->warn, s->warn_ctx);
}

/* A machine at cycle 0 with the program in it. */
static struct machine *start(const struct session *s, struct err *err)
{
	uint64_t brk;
	struct machine *m = machine_new(&s->cfg, err);
	if (!m)
		return NULL;
	if (!program_load(s->program, machine_mem(m), machine_hart(m), &brk, s->argc, s->argv, s->env,
	                  (uint64_t)s->cfg.stack_bytes, (uint64_t)s->cfg.seed, err)) {
		machine_free(m);
		return NULL;
	}
	attach(s, m);
	machine_start(m, brk);
	if (s->fast_forward)
		machine_run_functional(m, s->fast_forward, s->warm);
	return m;
}

struct session *session_open(const struct session_options *opt, struct err *err)
{
	struct session *s = calloc(1, sizeof *s);
	if (!s) {
		err_set(err, "out of memory for a session");
		return NULL;
	}
	char *path = (char *)(uintptr_t)opt->path;
	bool named = opt->argc > 0;
	*s = (struct session){
		.cfg = opt->cfg,
		.config_name = strdup(opt->config_name ? opt->config_name : ""),
		.argc = named ? opt->argc : 1,
		.argv = copy_strings(named ? opt->argv : &path, named ? (size_t)opt->argc : 1),
		.env = copy_strings(opt->env, count_strings(opt->env)),
		.fast_forward = opt->fast_forward,
		.warm = opt->warm,
		.allow_writing = opt->allow_writing,
		.stdin_fd = opt->stdin_fd,
		.output = opt->output,
		.output_ctx = opt->output_ctx,
		.warn = opt->warn,
		.warn_ctx = opt->warn_ctx,
		.history = opt->history,
		.pipe_history = pipe_history_new(),
	};
	if (!s->config_name || !s->argv || !s->env || !s->pipe_history) {
		err_set(err, "out of memory for a session");
		goto failed;
	}
	s->program = program_open(opt->path, err);
	if (!s->program)
		goto failed;
	s->machine = start(s, err);
	if (!s->machine)
		goto failed;
	s->run = run_new(s->machine, &s->history);
	if (s->run)
		return s;
	err_set(err, "out of memory for run control");
failed:
	session_free(s);
	return NULL;
}

void session_free(struct session *s)
{
	if (!s)
		return;
	run_free(s->run);
	machine_free(s->machine);
	program_free(s->program);
	free_strings(s->argv);
	free_strings(s->env);
	free(s->config_name);
	pipe_history_free(s->pipe_history);
	free(s);
}

void session_set_output(struct session *s, os_output_fn *fn, void *ctx)
{
	s->output = fn;
	s->output_ctx = ctx;
	os_set_output(machine_os(s->machine), fn, ctx);
}

void session_set_warn(struct session *s, os_warn_fn *fn, void *ctx)
{
	s->warn = fn;
	s->warn_ctx = ctx;
	os_set_warn(machine_os(s->machine), fn, ctx);
}

static void replace(struct session *s, struct machine *m)
{
	run_reset(s->run, m);
	machine_free(s->machine);
	s->machine = m;
	s->selected_seq = 0;
}

bool session_restart(struct session *s, struct err *err)
{
	struct machine *m = start(s, err);
	if (!m)
		return false;
	replace(s, m);
	return true;
}

void session_adopt(struct session *s, struct machine *m)
{
	attach(s, m);
	s->cfg = *machine_config(m);
	replace(s, m);
}

struct uop *session_uop(const struct session *s)
{
	const struct pipe *p = machine_pipe(s->machine);
	struct uop *u = s->selected_seq ? pipe_find(p, s->selected_seq) : NULL;
	if (u)
		return u;
	if (p->st->rob_count)
		return pipe_rob_at(p, 0);
	return p->st->fetchq_count ? pipe_fetchq_at(p, 0) : NULL;
}

char *session_where(const struct session *s, uint64_t pc, char *buf, size_t n)
{
	struct source_line at;
	program_addr_text(s->program, pc, buf, n);
	size_t used = strlen(buf);
	if (!program_line_at(s->program, pc, &at) || !at.line)
		return buf;
	const char *base = strrchr(at.file, '/');
	snprintf(buf + used, n - used, " (%s:%u)", base ? base + 1 : at.file, at.line);
	return buf;
}
