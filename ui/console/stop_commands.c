#include "ui/console/stop_commands.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "ui/console/command_state.h"
#include "ui/console/interrupt.h"
#include "ui/console/stops.h"

struct list {
	int id;
	char **lines; /* owned; [count] */
	unsigned count;
};

enum { DUE_MAX = RUN_ALSO_MAX + 1 };

struct stop_commands {
	struct list *lists; /* owned; [count] */
	unsigned count;
	struct list taking; /* the list being taken; id 0: none */
	int due[DUE_MAX];
	unsigned due_count;
	unsigned moves;     /* motions so far, to detect whether a command moved */
	bool running;
};

static void list_deinit(struct list *l)
{
	for (unsigned i = 0; i < l->count; i++)
		free(l->lines[i]);
	free(l->lines);
	*l = (struct list){0};
}

void stop_commands_free(struct stop_commands *s)
{
	if (!s)
		return;
	for (unsigned i = 0; i < s->count; i++)
		list_deinit(&s->lists[i]);
	list_deinit(&s->taking);
	free(s->lists);
	free(s);
}

static struct list *stop_commands_find_list(const struct console *c, int id)
{
	struct stop_commands *s = c->state->stop_commands;
	for (unsigned i = 0; s && i < s->count; i++)
		if (s->lists[i].id == id)
			return &s->lists[i];
	return NULL;
}

const char *stop_commands_line(const struct console *c, int id, unsigned i)
{
	const struct list *l = stop_commands_find_list(c, id);
	return l && i < l->count ? l->lines[i] : NULL;
}

/* ---- taking lines ---- */
int stop_commands_taking(const struct console *c)
{
	const struct stop_commands *s = c->state->stop_commands;
	return s ? s->taking.id : 0;
}

bool stop_commands_begin(struct console *c, int id)
{
	if (!c->state->stop_commands)
		c->state->stop_commands = alloc_zeroed(1, sizeof *c->state->stop_commands);
	struct stop_commands *s = c->state->stop_commands;
	if (!s)
		return console_fail(c, "out of memory for commands") == CMD_OK;
	if (s->running)
		return console_fail(c, "commands of a stop point can't contain `commands`") ==
		       CMD_OK;
	s->taking.id = id;
	return true;
}

void stop_commands_drop(struct console *c)
{
	if (c->state->stop_commands)
		list_deinit(&c->state->stop_commands->taking);
}

/* Removes the lists of deleted stop points. */
static void forget_deleted(struct console *c)
{
	struct stop_commands *s = c->state->stop_commands;
	unsigned kept = 0;
	for (unsigned i = 0; i < s->count; i++) {
		if (run_stop(c->session->run, s->lists[i].id))
			s->lists[kept++] = s->lists[i];
		else
			list_deinit(&s->lists[i]);
	}
	s->count = kept;
}

static enum command_result stop_commands_finish_list(struct console *c)
{
	struct stop_commands *s = c->state->stop_commands;
	struct list *l = stop_commands_find_list(c, s->taking.id);
	if (!l) {
		forget_deleted(c);
		struct list *grown = alloc_resize(s->lists, (s->count + 1) * sizeof *grown);
		if (!grown)
			return console_fail(c, "out of memory for commands");
		s->lists = grown;
		l = &grown[s->count++];
		*l = (struct list){0};
	}
	list_deinit(l);
	*l = s->taking;
	s->taking = (struct list){0};
	return CMD_OK;
}

enum command_result stop_commands_take(struct console *c, const char *text)
{
	struct list *l = &c->state->stop_commands->taking;
	if (!strcmp(text, "end"))
		return stop_commands_finish_list(c);
	char *line = alloc_text(text),
	     **grown = alloc_resize(l->lines, (l->count + 1) * sizeof *grown);
	if (grown)
		l->lines = grown;
	if (!line || !grown) {
		free(line);
		return console_fail(c, "out of memory for commands");
	}
	l->lines[l->count++] = line;
	return CMD_OK;
}

/* ---- running them ---- */
void stop_commands_moved(struct console *c)
{
	struct stop_commands *s = c->state->stop_commands;
	if (!s)
		return;
	s->moves++;
	s->due_count = 0;
}

void stop_commands_stopped(struct console *c, int id)
{
	struct stop_commands *s = c->state->stop_commands;
	if (stop_commands_find_list(c, id) && s->due_count < DUE_MAX)
		s->due[s->due_count++] = id;
}

bool stop_commands_silent(const struct console *c, int id)
{
	const char *first = stop_commands_line(c, id, 0);
	return first && !strcmp(first, "silent");
}

/* Runs the commands of one stop point. False: drop the other due commands. */
static bool run_list(struct console *c, int id,
                     enum command_result (*run)(struct console *c, const char *line, bool *repeats),
                     enum command_result *r)
{
	struct stop_commands *s = c->state->stop_commands;
	const unsigned moves = s->moves;
	const char *line;
	bool repeats;
	for (unsigned i = stop_commands_silent(c, id);
	     *r == CMD_OK && s->moves == moves && (line = stop_commands_line(c, id, i)); i++)
		*r = run(c, line, &repeats);
	return *r == CMD_OK && s->moves == moves;
}

enum command_result stop_commands_run(struct console *c,
                                      enum command_result (*run)(struct console *c,
                                                                 const char *line, bool *repeats))
{
	struct stop_commands *s = c->state->stop_commands;
	enum command_result r = CMD_OK;
	if (!s || s->running)
		return CMD_OK;
	s->running = true;
	interrupt_taken();
	while (r == CMD_OK && s->due_count) {
		int due[DUE_MAX];
		const unsigned n = s->due_count;
		memcpy(due, s->due, sizeof due);
		s->due_count = 0;
		for (unsigned i = 0; i < n && run_list(c, due[i], run, &r); i++)
			;
		if (interrupt_taken() && r == CMD_OK && s->due_count)
			r = console_fail(c, "interrupted: the commands of a stop point");
	}
	s->due_count = 0;
	s->running = false;
	return r;
}

/* Writes the command that recreates the stop point. */
static void stop_commands_write_stop(FILE *f, const struct console *c, const struct stop_point *sp)
{
	const char *line,
		*command = sp->kind == STOP_POINT_PC      ? (sp->temporary ? "tbreak" : "break")
	                   : sp->kind == STOP_POINT_EVENT ? (sp->size ? "rwatch" : "catch")
	                                                  : "watch";
	fprintf(f, "%s", sp->enabled ? "" : "# disabled: ");
	if (sp->kind == STOP_POINT_MICRO)
		fprintf(f, "cop break %" PRIu64, sp->addr);
	else
		fprintf(f, "%s %s", command, sp->text);
	if (sp->kind == STOP_POINT_PC && sp->stage != STAGE_COMMIT)
		fprintf(f, " %s", stop_stage_name[sp->stage]);
	if (sp->thread)
		fprintf(f, " thread %u", sp->thread);
	fprintf(f, *sp->condition_text ? " if %s\n" : "%s\n", sp->condition_text);
	if (!sp->enabled || !stop_commands_line(c, sp->id, 0))
		return;
	fputs("commands\n", f);
	for (unsigned i = 0; (line = stop_commands_line(c, sp->id, i)); i++)
		fprintf(f, "  %s\n", line);
	fputs("end\n", f);
}

unsigned stop_commands_write(FILE *f, const struct console *c)
{
	const struct stop_point *sp;
	unsigned i = 0;
	for (; (sp = run_stop_at(c->session->run, i)); i++)
		stop_commands_write_stop(f, c, sp);
	return i;
}
