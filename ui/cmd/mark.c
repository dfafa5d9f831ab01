/* mark: names the present cycle, as the beginning of regions. */
#include "hwviews/grid/grid.h"
#include "hwviews/session/marks.h"
#include "ui/console/command.h"

static enum command_result cmd_mark_list_all(struct console *c)
{
	const struct mark *m;
	char cycle[32], insts[32];
	if (!region_mark_at(c->session, 0))
		console_print(c, "No marks. `mark NAME` marks the present.\n");
	for (unsigned i = 0; (m = region_mark_at(c->session, i)); i++)
		console_print(c, "%-16s cycle %s, %s instructions\n", m->name,
		              group_digits(m->cycle, cycle), group_digits(m->insts, insts));
	return CMD_OK;
}

static enum command_result cmd_mark_exec(struct console *c, const char *args)
{
	char digits[32];
	if (!*args)
		return cmd_mark_list_all(c);
	if (!region_mark(c->session, args, &c->err))
		return CMD_ERROR;
	console_print(c, "Mark %s at cycle %s\n", args,
	              group_digits(machine_cycle(c->session->machine), digits));
	return CMD_OK;
}

const struct command cmd_mark = {
	.name = "mark",
	.aliases = "",
	.group = "running",
	.usage = "mark [NAME]",
	.summary = "name the present, for `goto NAME` and `since NAME`; alone, list the marks",
	.help = "`start` marks main. A reused name moves. Marks are deleted when\n"
		"the program is started again.\n"
		"    mark warm        stats since warm        view cpi since warm",
	.exec = cmd_mark_exec,
};
