/* complete: the completions of a line, as the Tab key offers them. */
#include <stdlib.h>
#include <string.h>

#include "ui/console/answer_data.h"
#include "ui/console/command.h"

static enum command_result cmd_complete_exec(struct console *c, const char *args)
{
	char *word;
	size_t from;
	json_t *rows = answer_data_rows(c, "completions");
	for (unsigned i = 0; (word = console_complete(c, args, strlen(args), i, &from)); i++) {
		console_print(c, "%.*s%s\n", (int)from, args, word);
		data_text(data_row(rows), "completion", word);
		free(word);
	}
	return CMD_OK;
}

const struct command cmd_complete = {
	.name = "complete",
	.aliases = "",
	.group = "support",
	.usage = "complete LINE",
	.summary = "print the completions of a line, as Tab offers them",
	.help = "    complete view re         complete break sum\n",
	.exec = cmd_complete_exec,
};
