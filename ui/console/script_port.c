#include "ui/console/script_port.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "ui/checkpoint/checkpoint.h"
#include "ui/child/child_words.h"
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

/* A script may define a command if the name is free, and the kind of completion exists. */
static bool script_port_may_define(void *ctx, const struct script_command *told, struct err *err)
{
	(void)ctx;
	for (unsigned i = 0; i < command_count; i++)
		if (!strcmp(commands[i]->name, told->name) ||
		    command_has_alias(commands[i], told->name))
			return err_set(err, "'%s' is the command '%s' already, which stays",
			               told->name, commands[i]->name);
	return lua_command_completes(told, err);
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
	.may_define = script_port_may_define,
	.save = script_port_save_checkpoint,
	.load = script_port_load_checkpoint,
	.execute = child_shell,
};
