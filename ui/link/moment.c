#include "ui/link/moment.h"

#include <inttypes.h>
#include <stdio.h>

#include "hwviews/grid/grid.h"
#include "ui/render/safe_print.h"

enum command_result moment_go(struct console *c, const struct moment *m)
{
	char line[48];
	snprintf(line, sizeof line, "goto %" PRIu64, m->cycle);
	if (m->cycle && console_run(c, line) != CMD_OK) {
		say_error("the link's moment, cycle %s: %s", GROUPED(m->cycle), c->err.msg);
		return CMD_ERROR;
	}
	const struct machine *machine = c->session->machine;
	if (machine_cycle(machine) == m->cycle && machine_insts(machine) != m->insts)
		console_fail(c,
		             "the link was made by another Cyclops: in cycle %s that had "
		             "executed %s instructions, and this one %s",
		             GROUPED(m->cycle), GROUPED(m->insts), GROUPED(machine_insts(machine)));
	return CMD_OK;
}
