/* Common parts of the screen's commands: finding one, and their arguments. */
#include "ui/screen/cmd.h"

#include <stdlib.h>
#include <string.h>

const struct command *screen_command_find(const struct screen *s, const char *word, size_t n)
{
	const struct console *c = s->console;
	for (unsigned i = 0; i < c->command_count; i++)
		if (c->commands[i]->screen && strlen(c->commands[i]->name) == n &&
		    !strncmp(c->commands[i]->name, word, n))
			return c->commands[i];
	return NULL;
}

bool arg_is(const char *args, const char *word)
{
	return !strcmp(args, word);
}

bool arg_int(const char *args, int64_t *out)
{
	char *end;
	*out = strtoll(args, &end, 10);
	return end != args && !*end;
}

bool arg_wrong(const struct screen *s, const char *name, const char *args, struct err *err)
{
	return err_set(err, "%s '%s' is not understood; expected %s", name, args,
	               screen_command_find(s, name, strlen(name))->usage);
}
