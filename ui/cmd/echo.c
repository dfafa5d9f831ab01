/* `echo`: prints a text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "ui/cmd/escapes.h"
#include "ui/console/command.h"

static enum command_result cmd_echo_exec(struct console *c, const char *args)
{
	char *text = alloc_text(args);
	if (!text)
		return console_fail(c, "out of memory");
	const size_t n = escapes_read(text);
	console_print(c, "%s%s", text, n && text[n - 1] == '\n' ? "" : "\n");
	free(text);
	return CMD_OK;
}

const struct command cmd_echo = {
	.name = "echo",
	.aliases = "",
	.group = "support",
	.usage = "echo TEXT",
	.summary = "print TEXT",
	.help = "Escapes are those of C: \\n, \\t, \\\\, \\\", \\033. Unless it ends with \\n,\n"
		"a newline is added.",
	.sessionless = true,
	.exec = cmd_echo_exec,
};
