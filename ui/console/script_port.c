#include "ui/console/script_port.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "ui/checkpoint/checkpoint.h"
#include "ui/console/command.h"
#include "ui/console/lua_commands.h"

/* A console whose answers are collected. */
struct commands {
	struct console console;
	FILE *answer; /* of the current command, NULL: none */
};

static void script_port_capture_output(void *ctx, const char *text, size_t n)
{
	struct commands *c = ctx;
	if (c->answer)
		fwrite(text, 1, n, c->answer);
}

static void *script_port_open_commands(void *ctx, struct script *script, struct session *s,
                                       struct err *err)
{
	(void)ctx;
	struct commands *c = alloc_zeroed(1, sizeof *c);
	if (!c)
		return err_set(err, "out of memory for commands"), NULL;
	if (!console_init(&c->console, s, script_port_capture_output, c, err)) {
		free(c);
		return NULL;
	}
	c->console.width = 0;
	c->console.batch = true;
	c->console.script = script;
	return c;
}

static bool script_port_close_commands(void *ctx, struct err *err)
{
	struct commands *c = ctx;
	bool ok = console_end(&c->console, err);
	console_deinit(&c->console);
	free(c);
	return ok;
}

static bool script_port_run_command(void *ctx, const char *line, struct command_answer *answer,
                                    struct err *err)
{
	struct commands *c = ctx;
	FILE *before = c->answer; /* a hook may run commands while a command moves the machine */
	struct command_answer *outer = c->console.answer;
	c->answer = alloc_stream(&answer->text, &answer->n);
	c->console.answer = answer;
	enum command_result r = c->answer ? console_run(&c->console, line) : CMD_ERROR;
	bool kept = c->answer && fclose(c->answer) == 0;
	c->answer = before;
	c->console.answer = outer;
	if (!kept)
		return err_set(err, "out of memory for an answer");
	return r != CMD_ERROR || err_set(err, "%s", c->console.err.msg);
}

static bool script_port_load_checkpoint(struct session *s, const char *path, struct err *err)
{
	struct machine *m = checkpoint_load(s, path, err);
	if (m)
		session_adopt(s, m);
	return m;
}

static bool script_port_save_checkpoint(struct session *s, const char *path, struct err *err)
{
	return checkpoint_save(s, path, err);
}

const struct command_port script_commands = {
	.open = script_port_open_commands,
	.close = script_port_close_commands,
	.run = script_port_run_command,
	.may_define = lua_command_allowed,
	.save = script_port_save_checkpoint,
	.load = script_port_load_checkpoint,
};
