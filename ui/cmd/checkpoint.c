/* checkpoint, restart: keep a state of the program, and return to it. */
#include <inttypes.h>

#include "hwviews/session/marks.h"
#include "ui/cmd/checkpoint.h"
#include "ui/console/answer_data.h"
#include "ui/console/checkpoints.h"
#include "ui/console/here.h"
#include "ui/console/motion.h"

static enum command_result cmd_checkpoint_exec(struct console *c, const char *args)
{
	char digits[32];
	if (*args)
		return console_fail(c, "checkpoint takes no argument; `save FILE` writes a file");
	const struct kept_place *k = checkpoints_add(c);
	if (!k)
		return CMD_ERROR;
	console_print(c, "Checkpoint %d: cycle %s, %s\n", k->id,
	              group_digits(k->state.cycle, digits), k->where);
	data_count(answer_data(c), "checkpoint", (uint64_t)k->id);
	return CMD_OK;
}

static enum command_result cmd_restart_exec(struct console *c, const char *args)
{
	const struct kept_place *k = checkpoints_find(c, args);
	const struct run_stop_info info = {.reason = STOPPED_DONE};
	struct err err;
	enum kept_way way = KEPT_VISITED;
	if (!k)
		return CMD_ERROR;
	if (!kept_state_serves(&k->state, c->session))
		return console_fail(c, "checkpoint %d is of another run of the program", k->id);
	if (!motion_start(c, false))
		return CMD_ERROR;
	const bool ok = kept_state_return(&k->state, c->session, &way, &err);
	if (ok && way == KEPT_ALONE)
		console_print(c, "History no longer has this state: it begins here\n");
	if (ok)
		spot_return(here_spot(c), &k->at, way != KEPT_VISITED);
	return motion_end_report(c, ok, &info, &err, MOTION_SOURCE);
}

enum command_result checkpoint_list(struct console *c, const char *args)
{
	const struct kept_place *k;
	char digits[32];
	json_t *rows = answer_data_rows(c, "checkpoints");
	(void)args;
	for (unsigned i = 0; (k = checkpoints_at(c, i)); i++) {
		console_print(c, "%-3d cycle %s, %s\n", k->id,
		              group_digits(k->state.cycle, digits), k->where);
		json_t *row = data_row(rows);
		data_count(row, "checkpoint", (uint64_t)k->id);
		data_count(row, "cycle", k->state.cycle);
		data_text(row, "where", k->where);
	}
	if (!checkpoints_at(c, 0))
		console_print(c, "No checkpoints\n");
	return CMD_OK;
}

enum command_result checkpoint_delete(struct console *c, const char *args)
{
	const struct kept_place *k = checkpoints_find(c, args);
	if (!k)
		return CMD_ERROR;
	checkpoints_drop(c, k->id);
	return CMD_OK;
}

const struct command cmd_checkpoint = {
	.name = "checkpoint",
	.aliases = "",
	.group = "running",
	.usage = "checkpoint",
	.summary = "keep this state of the program, for restart",
	.help = "    checkpoint           info checkpoints\n"
		"    restart 1            delete checkpoint 1\n"
		"A checkpoint is the whole machine at this place. Unlike `goto CYCLE` it is\n"
		"there also after a change by hand earlier in the run. `run` and `restore` drop\n"
		"them.",
	.exec = cmd_checkpoint_exec,
};

const struct command cmd_restart = {
	.name = "restart",
	.aliases = "",
	.group = "running",
	.usage = "restart NUMBER",
	.summary = "return to a checkpoint",
	.help = "History is the checkpoint's own again: if the program was changed before that\n"
		"state, going back re-executes what led to it.",
	.exec = cmd_restart_exec,
};
