/* A console with all commands: their table, beginning and ending. Commands call files of this
 * folder, which find commands through the console: only this file names them. */
#include "ui/console/command.h"

#include <stdlib.h>

#include "scripting/expr/expr.h"
#include "ui/console/checkpoints.h"
#include "ui/console/command_state.h"
#include "ui/console/display.h"
#include "ui/console/lua.h"
#include "ui/console/lua_commands.h"
#include "ui/console/script_port.h"
#include "ui/console/stop_commands.h"
#include "ui/console/stops.h"
#include "ui/console/traces.h"
#include "ui/render/terminal.h"

#define COMMAND(id) extern const struct command cmd_##id;
#include "ui/cmd/commands.def"
#undef COMMAND

const struct command *const commands[] = {
#define COMMAND(id) &cmd_##id,
#include "ui/cmd/commands.def"
#undef COMMAND
};
const unsigned command_count = sizeof commands / sizeof *commands;

bool console_init(struct console *c, struct session *s,
                  void (*write)(void *ctx, const char *text, size_t n), void *ctx, struct err *err)
{
	*c = (struct console){.session = s,
	                      .commands = commands,
	                      .command_count = command_count,
	                      .scripts = &script_commands,
	                      .write = write,
	                      .write_ctx = ctx,
	                      .width = terminal_width(),
	                      .ascii = !terminal_utf8()};
	c->state = state_new();
	c->quiz = c->state ? &c->state->quiz : NULL;
	if (!c->state)
		return err_set(err, "out of memory for the console");
	c->exprs = exprs_new(s, err);
	if (!c->exprs) {
		state_free(c->state);
		return false;
	}
	if (s) {
		s->displays = displays_tell;
		s->displays_ctx = c;
	}
	return true;
}

bool console_end(struct console *c, struct err *err)
{
	stops_release(c);
	if (c->state && c->state->signal_listener)
		machine_unlisten(c->session->machine, c->state->signal_listener);
	if (c->state)
		c->state->signal_listener = 0;
	bool ok = lua_free(c, err);
	return traces_finish(c, ok ? err : NULL) && ok;
}

void console_deinit(struct console *c)
{
	if (c->session && c->session->displays_ctx == c)
		c->session->displays = NULL;
	console_end(c, NULL);
	lua_commands_free(c->state);
	checkpoints_clear(c);
	stop_commands_free(c->state->stop_commands);
	state_free(c->state);
	free(c->last);
	exprs_free(c->exprs);
	*c = (struct console){0};
}
