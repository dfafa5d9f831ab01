/* thread: selects a thread of the program, or runs a command for several. */
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/os/os.h"
#include "core/os/thread.h"
#include "hwviews/program/frames.h"
#include "ui/console/answer_data.h"
#include "ui/console/args.h"
#include "ui/console/location.h"
#include "ui/console/motion.h"
#include "ui/console/threads.h"

static void cmd_thread_print_thread(struct console *c, const struct os_thread *t)
{
	char what[160], where[256];
	console_print(c, "Thread %u%s%s %s, in %s\n", os_thread_number(t), *t->name ? " " : "",
	              t->name, threads_state(c, t, what, sizeof what),
	              session_where(c->session, threads_pc(c, t), where, sizeof where));
	json_t *data = answer_data(c);
	data_count(data, "thread", os_thread_number(t));
	data_text(data, "name", t->name);
	data_text(data, "state", what);
	data_place(data, c, "pc", threads_pc(c, t));
}

static enum command_result cmd_thread_select(struct console *c, const char *text)
{
	unsigned number;
	const struct os_thread *t =
		threads_number(c, text, &number) ? threads_find(c, number) : NULL;
	if (!t)
		return CMD_ERROR;
	threads_look_at(c, t);
	cmd_thread_print_thread(c, t);
	if (!c->screen)
		motion_source(c);
	return CMD_OK;
}

/* Runs a line once for each thread named before it ("all" or "1 3"), with that thread selected. The
 * line begins at the first word that is no number. */
static enum command_result cmd_thread_apply_line(struct console *c, const char *args)
{
	const struct os *os = machine_os_const(c->session->machine);
	const struct os_thread *const all = os_threads(os);
	const uint32_t before = machine_seen_thread(c->session->machine)->tid;
	const uint64_t cycle = machine_cycle(c->session->machine);
	uint32_t tids[OS_THREADS];
	unsigned n = 0, number;
	char word[64];
	const char *rest = parse_word(args, word, sizeof word);
	if (!strcmp(word, "all")) {
		for (unsigned i = 0; i < OS_THREADS; i++)
			if (all[i].state != THREAD_FREE && all[i].state != THREAD_ENDED)
				tids[n++] = all[i].tid;
		args = rest;
	}
	while (n < OS_THREADS && *args >= '0' && *args <= '9') {
		args = parse_word(args, word, sizeof word);
		const struct os_thread *t =
			threads_number(c, word, &number) ? threads_find(c, number) : NULL;
		if (!t)
			return CMD_ERROR;
		tids[n++] = t->tid;
	}
	if (!n || !*args)
		return console_fail(c, "no threads or command given; expected thread apply all "
		                       "backtrace, thread apply 1 3 print x");
	char *line = alloc_text(args);
	enum command_result r = line ? CMD_OK : console_fail(c, "out of memory");
	for (unsigned i = 0; r == CMD_OK && i < n; i++) {
		const int at = os_thread_find(os, tids[i]);
		if (at < 0)
			continue;
		threads_look_at(c, &all[at]);
		console_print(c, "%s", i ? "\n" : "");
		cmd_thread_print_thread(c, &all[at]);
		r = console_run(c, line);
		if (r == CMD_OK && machine_cycle(c->session->machine) != cycle)
			r = console_fail(
				c, "'%.80s' moves the program, which changes the other threads",
				line);
	}
	free(line);
	const int at = os_thread_find(os, before);
	if (at >= 0 && machine_cycle(c->session->machine) == cycle)
		threads_look_at(c, &all[at]);
	return r;
}

static enum command_result cmd_thread_exec(struct console *c, const char *args)
{
	char word[16];
	const char *rest = parse_word(args, word, sizeof word);
	if (!strcmp(word, "apply"))
		return cmd_thread_apply_line(c, rest);
	if (*args)
		return cmd_thread_select(c, args);
	cmd_thread_print_thread(c, machine_seen_thread(c->session->machine));
	return CMD_OK;
}

const struct command cmd_thread = {
	.name = "thread",
	.aliases = "",
	.group = "data",
	.usage = "thread [NUMBER | apply all|NUMBERS COMMAND]",
	.summary = "select another thread of the program; alone, show the selected one",
	.help = "Its registers, variables and calls are shown as of its last time on the\n"
		"processor, and `next`, `finish` and the like step it, until the program\n"
		"moves: then the thread that stopped is selected. `info threads` lists them;\n"
		"`break LOCATION thread N` stops in one only. Pipeline and\n"
		"caches belong to the processor, whatever thread is selected.\n"
		"    thread 2        thread apply all bt        thread apply 1 3 print i",
	.words = "apply",
	.exec = cmd_thread_exec,
};
