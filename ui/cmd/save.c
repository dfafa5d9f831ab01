/* save, restore: checkpoint files. */
#include "core/config.h"
#include "hwviews/grid.h"
#include "ui/checkpoint.h"
#include "ui/motion.h"
#include "ui/shown.h"
#include "ui/traces.h"

static enum command_result save(struct console *c, const char *args)
{
	char digits[32];
	if (!*args)
		return console_fail(c, "save to which file?");
	if (!checkpoint_save(c->session, args, &c->err))
		return CMD_ERROR;
	console_print(c, "Saved cycle %s to %s\n", group_digits(machine_cycle(c->session->machine), digits), args);
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

static enum command_result restore(struct console *c, const char *args)
{
	struct config before = *machine_config(c->session->machine);
	if (!*args)
		return console_fail(c, "restore which file?");
	struct machine *m = checkpoint_load(c->session, args, &c->err);
	if (!m)
		return CMD_ERROR;
	shown_keep(c);
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
	.usage = "save FILE",
	.summary = "write the whole machine to a checkpoint file",
	.help = "Registers, memory, pipeline, caches, predictors, statistics and the inputs\n"
	        "read so far; not history or breakpoints.",
	.complete = COMPLETE_FILE,
	.files = true,
	.exec = save,
};

const struct command cmd_restore = {
	.name = "restore",
	.aliases = "",
	.group = "files",
	.usage = "restore FILE",
	.summary = "go to where a checkpoint file was saved",
	.help = "It must be of the same program and version; its configuration comes with it. A\n"
	        "damaged file is refused and changes nothing. History begins there; breakpoints\n"
	        "stay.",
	.complete = COMPLETE_FILE,
	.files = true,
	.exec = restore,
};
