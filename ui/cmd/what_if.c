/* what-if: runs a region again without each of its stall causes. */
#include "hwviews/why/what_if.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/run/run.h"
#include "ui/console/command.h"

static bool cmd_what_if_should_continue(void *ctx, unsigned done, unsigned all, uint64_t steps)
{
	struct console *c = ctx;
	(void)done, (void)all, (void)steps;
	return !machine_interrupted(c->session->machine);
}

static enum command_result what_if(struct console *c, const char *args)
{
	struct session *s = c->session;
	struct region region;
	if (!what_if_region(s, args, &region, &c->err))
		return CMD_ERROR;
	if (!console_may(c, "what-if runs machines without a budget of steps (m:whatif() has one)"))
		return CMD_ERROR;
	struct what_if *w = alloc_bytes(sizeof *w);
	if (!w)
		return console_fail(c, "out of memory");
	machine_clear_interrupt(s->machine);
	if (!what_if_run(s, &region, cmd_what_if_should_continue, c, w, &c->err)) {
		free(w);
		machine_clear_interrupt(s->machine);
		return CMD_ERROR;
	}
	free(s->what_if);
	s->what_if = w;
	return console_run(c, "view what-if");
}

const struct command cmd_what_if = {
	.name = "what-if",
	.aliases = "",
	.group = "views",
	.usage = "what-if [since NAME | FROM TO]",
	.summary = "run a part again without each of its causes, and show each one's saving",
	.help = "Branch predictions, misses, units, widths, latencies, queues: each in turn\n"
		"is removed. The saved cycles stand beside those that `view slots` charges to\n"
		"it; `view what-if` shows it again. Refused where the run would differ: with\n"
		"changes by hand, --rw or firmware. Ctrl-C ends it.\n"
	        "    what-if since main        what-if 1000 20000",
	.exec = what_if,
};
