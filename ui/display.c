#include "ui/display.h"

#include <stdlib.h>
#include <string.h>

#include "ui/state.h"

void displays_show(struct console *c)
{
	struct command_state *st = c->state;
	for (size_t i = 0; i < st->display_count; i++) {
		bool repeating = c->repeating;
		c->repeating = false;
		/* Views are what panes of the screen show. */
		const bool shown = !(c->screen && !strncmp(st->displays[i].line, "view", 4));
		if (shown && console_run(c, st->displays[i].line) == CMD_ERROR)
			console_print(c, "%d: %s\n", st->displays[i].id, c->err.msg);
		c->repeating = repeating;
	}
}

int display_add(struct console *c, const char *line)
{
	struct command_state *st = c->state;
	struct display *grown = realloc(st->displays, (st->display_count + 1) * sizeof *grown);
	char *copy = strdup(line);
	if (grown)
		st->displays = grown;
	if (!grown || !copy) {
		free(copy);
		console_fail(c, "out of memory");
		return 0;
	}
	st->displays[st->display_count++] = (struct display){.id = ++st->last_display, .line = copy};
	return st->last_display;
}

bool display_remove(struct console *c, int id)
{
	struct command_state *st = c->state;
	size_t kept = 0;
	bool found = !id;
	for (size_t i = 0; i < st->display_count; i++) {
		if (id && st->displays[i].id != id) {
			st->displays[kept++] = st->displays[i];
			continue;
		}
		found = true;
		free(st->displays[i].line);
	}
	st->display_count = kept;
	if (!found)
		console_fail(c, "there is no display number %d", id);
	return found;
}
