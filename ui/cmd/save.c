/* save, restore: checkpoint files. */
#include <inttypes.h>
#include <string.h>

#include "core/base/output_file.h"
#include "core/defs/config.h"
#include "core/machine/params.h"
#include "hwviews/grid/grid.h"
#include "ui/checkpoint/checkpoint.h"
#include "ui/console/args.h"
#include "ui/console/motion.h"
#include "ui/console/stop_commands.h"
#include "ui/console/checkpoints.h"
#include "ui/console/traces.h"
#include "ui/console/view_changes.h"

static enum command_result save_breakpoints(struct console *c, const char *path)
{
	struct output_file o;
	if (!*path)
		return console_fail(
			c, "save breakpoints: no file given; expected save breakpoints FILE");
	if (!output_begin(&o, path, OUTPUT_FILE_ANY, &c->err))
		return CMD_ERROR;
	const unsigned i = stop_commands_write(o.f, c);
	if (!output_end(&o, path, &c->err))
		return CMD_ERROR;
	console_print(c, "Saved %u breakpoint%s to %s; `source %s` makes %s again\n", i,
	              i == 1 ? "" : "s", path, path, i == 1 ? "it" : "them");
	return CMD_OK;
}

static enum command_result cmd_save_exec(struct console *c, const char *args)
{
	char digits[32], word[16];
	const char *rest = parse_word(args, word, sizeof word);
	if (!*args)
		return console_fail(c, "save: no file given; expected save FILE");
	if (!strcmp(word, "breakpoints"))
		return save_breakpoints(c, rest);
	if (!checkpoint_save(c->session, args, &c->err))
		return CMD_ERROR;
	console_print(c, "Saved cycle %s to %s\n",
	              group_digits(machine_cycle(c->session->machine), digits), args);
	return CMD_OK;
}

static void put_differences(struct console *c, const struct config *before)
{
	const struct config *now = machine_config(c->session->machine);
	for (size_t i = 0; i < param_count; i++) {
		char was[PARAM_TEXT_MAX], is[PARAM_TEXT_MAX];
		if (!config_same(before, now, &params[i]))
			console_print(c, "%s = %s, as it was saved (here %s)\n", params[i].name,
			              config_format(now, &params[i], is, sizeof is),
			              config_format(before, &params[i], was, sizeof was));
	}
}

static enum command_result cmd_restore_exec(struct console *c, const char *args)
{
	struct config before = *machine_config(c->session->machine);
	if (!*args)
		return console_fail(
			c,
			"restore: no file given; expected restore FILE, as `save FILE` wrote it");
	struct machine *m = checkpoint_load(c->session, args, &c->err);
	if (!m)
		return CMD_ERROR;
	view_changes_keep(c);
	checkpoints_clear(c);
	session_adopt(c->session, m);
	bool written = traces_new_run(c);
	put_differences(c, &before);
	if (!c->screen)
		motion_status(c);
	return written ? CMD_OK : CMD_ERROR;
}

const struct command cmd_save = {
	.name = "save",
	.aliases = "",
	.group = "files",
	.usage = "save FILE | breakpoints FILE",
	.summary = "write the whole machine to a checkpoint file",
	.help = "Registers, memory, pipeline, caches, predictors, statistics and the inputs\n"
		"read so far; not history or breakpoints. `save breakpoints FILE` writes these\n"
		"as commands, for `source`; ./breakpoints is a checkpoint's file of that name.",
	.complete = COMPLETE_FILE,
	.files = true,
	.exec = cmd_save_exec,
};

const struct command cmd_restore = {
	.name = "restore",
	.aliases = "",
	.group = "files",
	.usage = "restore FILE",
	.summary = "go to the state in a checkpoint file",
	.help = "It must be of the same program and version; its configuration comes with it. A\n"
		"damaged file is refused and changes nothing. History begins there; breakpoints\n"
		"stay.",
	.complete = COMPLETE_FILE,
	.files = true,
	.exec = cmd_restore_exec,
};
