/* Finding commands by name, alias and beginning. */
#include "ui/console/command.h"

#include <stdio.h>
#include <string.h>

#include "core/base/nearest_word.h"
#include "core/machine/params.h"
#include "ui/console/habits.h"
#include "ui/console/lua_commands.h"

bool command_has_alias(const struct command *cmd, const char *word)
{
	size_t n = strlen(word);
	for (const char *w = cmd->aliases; *w; w += strspn(w, " ")) {
		size_t len = strcspn(w, " ");
		if (len == n && !strncmp(w, word, n))
			return true;
		w += len;
	}
	return false;
}

const struct command *command_at(struct console *c, unsigned i)
{
	return i < c->command_count ? c->commands[i] : lua_command_at(c, i - c->command_count);
}

/* The parameter of this name without its group: pipe.rob_size of "rob_size"; NULL: none. */
static const struct param *find_param(const char *word)
{
	for (size_t i = 0; i < param_count; i++) {
		const char *dot = strchr(params[i].name, '.');
		if (dot && strchr(word, '_') && !strcmp(dot + 1, word))
			return &params[i];
	}
	return NULL;
}

const struct command *command_find(struct console *c, const char *word, struct err *err)
{
	enum { SUGGESTED_MAX = 12 };
	const struct command *cmd, *found = NULL;
	struct nearest near;
	const struct param *param;
	const char *right;
	char candidates[256] = "";
	unsigned count = 0, plain = 0; /* plain: neither of the screen nor a script's */
	nearest_init(&near, word);
	for (unsigned i = 0; (cmd = command_at(c, i)); i++) {
		if (!strcmp(cmd->name, word) || command_has_alias(cmd, word))
			return cmd;
		nearest_offer(&near, cmd->name);
		const bool other = cmd->screen || i >= c->command_count;
		if (strncmp(cmd->name, word, strlen(word)) != 0 || (other && plain))
			continue;
		plain += !other;
		size_t used = strlen(candidates);
		if (count++ < SUGGESTED_MAX)
			snprintf(candidates + used, sizeof candidates - used, "%s%s",
			         used ? ", " : "", cmd->name);
		found = cmd;
	}
	right = habit_find(word);
	if (count == 1 && !right)
		return found;
	if (count && !right)
		err_set(err, "'%s' may be: %s%s", word, candidates,
		        count > SUGGESTED_MAX ? ", ..." : "");
	else if (right)
		err_set(err, "no command is called '%s': %s", word, right);
	else if (*word == ':')
		err_set(err,
		        "no command is called '%s': the colon only opens the screen's prompt; "
		        "leave it out",
		        word);
	else if ((param = find_param(word)))
		err_set(err,
		        "no command is called '%s'; `config %s` shows this parameter, `set %s = "
		        "VALUE` changes it",
		        word, param->name, param->name);
	else if (word[1])
		err_set(err, "no command is called '%s'; %s", word,
		        nearest_said(&near, "`help` lists them"));
	else
		err_set(err, "no command is called '%s'; `help` lists them", word);
	return NULL;
}
