#include "ui/console/lua.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "scripting/script.h"
#include "ui/console/command_state.h"
#include "ui/console/display.h"
#include "ui/console/interrupt.h"
#include "ui/console/lua_commands.h"
#include "ui/console/lua_motion.h"
#include "ui/console/motion.h"
#include "ui/console/traces.h"
#include "ui/console/view_changes.h"

struct console_lua {
	struct script *script; /* owned */
	struct command_port port;
};

/* ---- m:cmd: runs lines in this console and returns their answers; a script's own machines have
 * their own consoles ---- */
struct commands {
	struct console *console; /* borrowed; NULL: */
	const struct command_port *port; /* borrowed; its own: */
	void *own;
};

static void *console_lua_open_commands(void *ctx, struct script *script, struct session *s,
                                       struct err *err)
{
	struct console *c = ctx;
	struct commands *k = alloc_zeroed(1, sizeof *k);
	if (!k)
		return err_set(err, "out of memory for commands"), NULL;
	k->port = c->scripts;
	if (c->session == s)
		k->console = c;
	else
		k->own = c->scripts->open(c->scripts->ctx, script, s, err);
	if (k->console || k->own)
		return k;
	free(k);
	return NULL;
}

static bool console_lua_close_commands(void *opened, struct err *err)
{
	struct commands *k = opened;
	bool ok = !k->own || k->port->close(k->own, err);
	free(k);
	return ok;
}

static void console_lua_capture_output(void *ctx, const char *text, size_t n)
{
	fwrite(text, 1, n, ctx);
}

static bool console_lua_run_command(void *opened, const char *line, struct command_answer *answer,
                                    struct err *err)
{
	const struct commands *k = opened;
	struct console *c = k->console;
	if (!c)
		return k->port->run(k->own, line, answer, err);
	FILE *text = alloc_stream(&answer->text, &answer->n);
	if (!text)
		return err_set(err, "out of memory for an answer");
	const struct console before = *c;
	c->write = console_lua_capture_output;
	c->write_ctx = text;
	c->answer = answer;
	c->width = 0;
	c->screen = false;
	enum command_result r = console_run(c, line);
	c->write = before.write;
	c->write_ctx = before.write_ctx;
	c->answer = before.answer;
	c->width = before.width;
	c->screen = before.screen;
	bool kept = fclose(text) == 0;
	if (r == CMD_ERROR)
		return err_set(err, "%s", c->err.msg);
	return kept || err_set(err, "out of memory for an answer");
}

/* ---- the script ---- */
static void console_lua_write_output(void *ctx, int fd, const char *text, size_t n)
{
	struct console *c = ctx;
	(void)fd;
	console_write(c, text, n);
}

struct script *lua_script(struct console *c)
{
	struct console_lua *l = c->state->lua;
	if (l)
		return l->script;
	l = alloc_zeroed(1, sizeof *l);
	if (!l) {
		console_fail(c, "out of memory for Lua");
		return NULL;
	}
	l->port = *c->scripts;
	l->port.ctx = c;
	l->port.open = console_lua_open_commands;
	l->port.close = console_lua_close_commands;
	l->port.run = console_lua_run_command;
	const struct script_options so = {
		.safe = c->session && c->session->reach != REACH_ALL,
		.bytes = c->session ? (uint64_t)CONFIG(&c->session->cfg, lua_memory) : 0,
		.base = c->session ? &c->session->cfg : NULL,
		.base_name = c->session ? c->session->config_name : NULL,
		.commands = &l->port,
		.write = console_lua_write_output,
		.ctx = c,
	};
	l->script = script_new(&so, NULL, &c->err);
	if (!l->script || (c->session && !script_adopt(l->script, c->session, "m", &c->err))) {
		script_free(l->script);
		free(l);
		return NULL;
	}
	c->state->lua = l;
	c->script = l->script;
	interrupt_attach_script(l->script);
	return l->script;
}

bool lua_free(struct console *c, struct err *err)
{
	struct console_lua *l = c->state->lua;
	if (!l)
		return true;
	interrupt_attach_script(NULL);
	if (c->session)
		script_forget(l->script, c->session);
	bool ok = script_end(l->script, err);
	script_free(l->script);
	free(l);
	c->state->lua = NULL;
	c->script = NULL;
	return ok;
}

/* ---- typed Lua ---- */
struct said {
	const char *text; /* a statement, */
	const char *path; /* or a file, */
	const struct command *cmd; /* or a command of the script with these arguments */
	const char *args;
};

static bool console_lua_execute_chunk(struct console *c, struct script *s, const struct said *what,
                                      struct err *err)
{
	if (what->cmd)
		return lua_command_run(c, what->cmd, what->args, err);
	return what->path ? script_run_path(s, what->path, err) : script_say(s, what->text, err);
}

static enum command_result console_lua_run_chunk(struct console *c, const struct said *what)
{
	struct script *s = what->cmd ? c->script : lua_script(c);
	struct err err, lost;
	if (!s)
		return CMD_ERROR;
	const struct machine *before = c->session ? c->session->machine : NULL;
	uint64_t cycle = before ? machine_cycle(before) : 0;
	if (c->session) {
		view_changes_keep(c);
		traces_motion(c);
	}
	if (!script_is_busy(s))
		script_begin(s);
	bool ok = console_lua_execute_chunk(c, s, what, &err), written = true;
	if (c->session &&
	    (c->session->machine != before || machine_cycle(c->session->machine) != cycle)) {
		written = traces_poll(c);
		lost = c->err;
		c->session->frame = 0;
		if (!c->screen) {
			motion_status(c);
			displays_show(c);
		}
	}
	if (ok)
		return written ? CMD_OK : console_fail(c, "%s", lost.msg);
	lua_put_trace(c, script_traceback(s));
	return console_fail(c, "%s", err.msg);
}

bool lua_is_file(const char *path)
{
	size_t n = strlen(path);
	return n > 4 && !strcmp(path + n - 4, ".lua") && !strpbrk(path, " \t()=\"'");
}

enum command_result lua_say(struct console *c, const char *text)
{
	return console_lua_run_chunk(c, &(struct said){.text = text});
}

enum command_result lua_file(struct console *c, const char *path)
{
	return console_lua_run_chunk(c, &(struct said){.path = path});
}

enum command_result lua_command(struct console *c, const struct command *cmd, const char *args)
{
	return console_lua_run_chunk(c, &(struct said){.cmd = cmd, .args = args});
}
