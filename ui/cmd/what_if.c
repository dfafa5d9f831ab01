/* what-if: runs a region again without each of its stall causes. */
#include "ui/cmd/what_if.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/run/run.h"

static bool cmd_what_if_should_continue(void *ctx, unsigned done, unsigned all, uint64_t steps)
{
	struct run *r = ctx;
	char work[48];
	(void)steps;
	snprintf(work, sizeof work, "what-if: %u of %u", done, all);
	return !run_report(r, work);
}

const struct what_if *cmd_what_if_measure(struct console *c, const struct region *part,
                                          struct err *err)
{
	struct session *s = c->session;
	struct what_if *w = alloc_bytes(sizeof *w);
	if (!w) {
		err_set(err, "out of memory");
		return NULL;
	}
	machine_clear_interrupt(s->machine);
	const bool ok = what_if_run(s, part, cmd_what_if_should_continue, s->run, w, err);
	run_report(s->run, NULL);
	if (ok) {
		free(s->what_if);
		s->what_if = w;
		return w;
	}
	free(w);
	return NULL;
}

static enum command_result what_if(struct console *c, const char *args)
{
	struct region region;
	if (!what_if_region(c->session, args, &region, &c->err))
		return CMD_ERROR;
	if (!console_may(c, "what-if runs machines without a budget of steps (m:whatif() has one)"))
		return CMD_ERROR;
	const bool ok = cmd_what_if_measure(c, &region, &c->err) != NULL;
	machine_clear_interrupt(c->session->machine);
	return ok ? console_run(c, "view what-if") : CMD_ERROR;
}

const struct command cmd_what_if = {
	.name = "what-if",
	.aliases = "",
	.group = "views",
	.usage = "what-if [since NAME | -CYCLES | FROM TO]",
	.summary = "run a part again without each of its causes, and show each one's saving",
	.help = "Branch predictions, misses, units, widths, latencies, queues: each in turn\n"
		"is removed. The saved cycles stand beside those that `view slots` charges to\n"
		"it; `view what-if` shows it again. Refused where the run would differ: with\n"
		"changes by hand, --rw or firmware. Esc or Ctrl-C\n"
		"ends it.\n"
	        "    what-if since main        what-if -5000        what-if 1000 20000",
	.exec = what_if,
};
