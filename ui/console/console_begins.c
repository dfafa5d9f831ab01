/* Words for where a session on the screen begins. */
#include <string.h>

#include "ui/console/command.h"

static const char *const console_begins_words[] = {
	[CONSOLE_BEGINS_UNSAID] = "ahead",
	[CONSOLE_BEGINS_AHEAD] = "ahead",
	[CONSOLE_BEGINS_MAIN] = "main",
	[CONSOLE_BEGINS_RESET] = "reset",
};

bool console_begins_named(const char *word, enum console_begins *out)
{
	for (unsigned i = CONSOLE_BEGINS_AHEAD; i <= CONSOLE_BEGINS_RESET; i++) {
		if (strcmp(word, console_begins_words[i]) != 0)
			continue;
		*out = (enum console_begins)i;
		return true;
	}
	return false;
}

const char *console_begins_name(enum console_begins b)
{
	return console_begins_words[b];
}
