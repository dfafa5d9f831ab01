/* alias, unalias. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "ui/console/args.h"
#include "ui/console/command_state.h"

static enum command_result cmd_alias_list_all(struct console *c)
{
	const struct command_state *st = c->state;
	if (!st->alias_count)
		console_print(c, "No aliases\n");
	for (size_t i = 0; i < st->alias_count; i++)
		console_print(c, "alias %s = %s\n", st->aliases[i].name, st->aliases[i].text);
	return CMD_OK;
}

static bool cmd_alias_is_word(const char *s)
{
	for (; isalnum((unsigned char)*s) || *s == '-' || *s == '_'; s++)
		;
	return !*s;
}

static enum command_result cmd_alias_exec(struct console *c, const char *args)
{
	char name[64];
	const char *equals = strchr(args, '=');
	if (!*args)
		return cmd_alias_list_all(c);
	size_t n = equals ? (size_t)(equals - args) : strcspn(args, " \t");
	snprintf(name, sizeof name, "%.*s", (int)(n < sizeof name ? n : sizeof name - 1), args);
	parse_trim(name);
	const char *text = args + n + (equals != NULL);
	text += strspn(text, " \t");
	if (!*name || !cmd_alias_is_word(name) || !*text)
		return console_fail(c, "expected alias NAME = COMMAND [ARGUMENTS]");
	char *copy = alloc_text(text);
	size_t len = copy ? strlen(copy) : 0;
	bool quoted = len > 1 && copy[0] == '"' && copy[len - 1] == '"';
	if (quoted)
		copy[len - 1] = '\0';
	bool ok = copy && alias_set(c->state, name, copy + quoted);
	free(copy);
	return ok ? CMD_OK : console_fail(c, "out of memory");
}

static enum command_result cmd_unalias_exec(struct console *c, const char *args)
{
	if (!alias_set(c->state, args, NULL))
		return console_fail(c, "there is no alias '%s'", args);
	return CMD_OK;
}

const struct command cmd_alias = {
	.name = "alias",
	.aliases = "",
	.group = "support",
	.usage = "alias [NAME = COMMAND]",
	.summary = "give a command line a short name; alone, list the aliases",
	.help = "Words after NAME in use are added to the line. Quote COMMAND to keep `;`\n"
		"in it for later:\n"
		"    alias s20 = step 20        alias look = \"step; view pipe\"",
	.complete = COMPLETE_COMMAND,
	.sessionless = true,
	.exec = cmd_alias_exec,
};

const struct command cmd_unalias = {
	.name = "unalias",
	.aliases = "",
	.group = "support",
	.usage = "unalias NAME",
	.summary = "forget an alias",
	.help = "",
	.sessionless = true,
	.exec = cmd_unalias_exec,
};
