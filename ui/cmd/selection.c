/* selection: sets the region that the word `selection` names. */
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "hwviews/grid/grid.h"
#include "hwviews/session/marks.h"
#include "ui/console/command.h"

static enum command_result cmd_selection_print_range(struct console *c)
{
	uint64_t from, to;
	char a[32], b[32], n[32];
	if (!region_selected(c->session, &from, &to)) {
		console_print(c,
		              "Nothing is selected. `selection 1000 2000` selects these cycles.\n");
		return CMD_OK;
	}
	console_print(c, "Selected: cycles %s to %s, %s of them\n", group_digits(from, a),
	              group_digits(to, b), group_digits(to - from, n));
	return CMD_OK;
}

static enum command_result cmd_selection_select_region(struct console *c, int argc,
                                                       const char *const *argv)
{
	struct region r;
	if (!region_take(c->session, argc, argv, &r, &c->err))
		return CMD_ERROR;
	if (!r.given || r.argc)
		return console_fail(c,
		                    "'%s' is no region; expected selection 1000 2000, selection "
		                    "since main, selection none",
		                    r.argc ? r.argv[0] : "");
	region_select(c->session, r.from, r.to);
	return cmd_selection_print_range(c);
}

static enum command_result cmd_selection_exec(struct console *c, const char *args)
{
	const char *argv[REGION_WORDS_MAX];
	int argc = 0;
	if (!*args)
		return cmd_selection_print_range(c);
	if (!strcmp(args, "none")) {
		region_unselect(c->session);
		return CMD_OK;
	}
	char *save, *copy = alloc_text(args);
	if (!copy)
		return console_fail(c, "out of memory");
	for (char *w = strtok_r(copy, " \t", &save); w && argc < REGION_WORDS_MAX;
	     w = strtok_r(NULL, " \t", &save))
		argv[argc++] = w;
	const enum command_result r = cmd_selection_select_region(c, argc, argv);
	free(copy);
	return r;
}

const struct command cmd_selection = {
	.name = "selection",
	.aliases = "",
	.group = "views",
	.usage = "selection [FROM TO | since NAME | none]",
	.summary = "select a part of the run, for use by this word; alone, show it",
	.help = "`stats selection`, `view cpi selection`: views and exports of a region take\n"
		"the word. On the screen it is a range of the timeline. It is deleted\n"
		"when the program is started again.\n"
		"    selection 100000 200000        stats selection       view hot selection\n"
		"    selection since main           selection none",
	.words = "since none",
	.exec = cmd_selection_exec,
};
