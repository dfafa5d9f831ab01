#include "ui/console/batch.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/open_input.h"
#include "ui/console/stop_commands.h"
#include "ui/render/safe_print.h"

/* Skips the expression's text at the beginning of a message, if the command ends in it, to avoid
 * printing it twice. */
static const char *behind_text(const char *command, const char *msg)
{
	for (const char *tail = command; *tail; tail++) {
		const size_t n = strlen(tail);
		if (!strncmp(msg, tail, n) && msg[n] == ':' && msg[n + 1] == ' ')
			return msg + n + 2;
	}
	return msg;
}

static void batch_report_error(const char *what, const char *msg)
{
	msg = behind_text(what, msg);
	say_error("%s%s%s", what, *what ? ": " : "", msg);
}

void batch_startup_file(struct console *c)
{
	char path[PATH_MAX];
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	if (config && *config == '/')
		snprintf(path, sizeof path, "%s/cyclops/init", config);
	else if (home && *home == '/')
		snprintf(path, sizeof path, "%s/.config/cyclops/init", home);
	else
		return;
	FILE *own = open_own_input(path);
	if (own)
		fclose(own);
	if (own ? console_source(c, path) == CMD_ERROR
	        : errno != ENOENT && errno != ENOTDIR && errno != EACCES &&
	                  console_fail(c, "%s: %s", path, open_input_error()) == CMD_ERROR)
		batch_report_error("", c->err.msg);
}

enum command_result batch_options(struct console *c, const struct options *o)
{
	enum command_result r = CMD_OK;
	for (unsigned i = 0; i < o->command_count && r == CMD_OK; i++) {
		const struct option_command *cmd = &o->commands[i];
		r = cmd->file ? console_source(c, cmd->text) : console_run(c, cmd->text);
		if (r == CMD_ERROR)
			batch_report_error(cmd->file ? "" : cmd->text, c->err.msg);
	}
	if (r == CMD_OK && stop_commands_taking(c)) {
		r = console_fail(c, "the lines of `commands %d` have no `end`",
		                 stop_commands_taking(c));
		stop_commands_drop(c);
		batch_report_error("", c->err.msg);
	}
	fflush(stdout);
	return r;
}

int batch_input(struct console *c)
{
	enum command_result r = console_source(c, "-");
	if (r == CMD_ERROR)
		batch_report_error("", c->err.msg);
	fflush(stdout);
	return r == CMD_ERROR ? STATUS_COMMAND_FAILED : 0;
}
