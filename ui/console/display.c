#include "ui/console/display.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "ui/console/command_state.h"
#include "ui/screen/text.h"

static bool display_line_prints_value(const char *line)
{
	return !strncmp(line, "print", 5) || !strncmp(line, "x/", 2);
}

enum command_result display_run(struct console *c, int id, const char *line)
{
	struct command_state *st = c->state;
	const int before = st->display_id;
	if (!strncmp(line, "x/", 2) && id != DISPLAY_PANE)
		console_print(c, "%d: %s\n", id, line);
	st->display_id = id;
	const enum command_result r = console_run(c, line);
	st->display_id = before;
	return r;
}

void displays_show(struct console *c)
{
	struct command_state *st = c->state;
	for (size_t i = 0; i < st->display_count; i++) {
		bool repeating = c->repeating;
		c->repeating = false;
		const char *line = st->displays[i].line;
		/* Panes of the screen show views themselves. */
		const bool elsewhere = (c->screen && !strncmp(line, "view", 4)) ||
		                       (c->displays_seen && display_line_prints_value(line));
		if (!elsewhere && display_run(c, st->displays[i].id, line) == CMD_ERROR)
			console_print(c, "%d: %s\n", st->displays[i].id, c->err.msg);
		c->repeating = repeating;
	}
}

static void display_append_output(void *ctx, const char *text, size_t n)
{
	/* Memory columns are separated by tabs, which grids can't contain. */
	for (size_t i = 0; i < n; i++)
		text_append(ctx, text[i] == '\t' ? "  " : text + i, text[i] == '\t' ? 2 : 1);
}

/* Runs the line, stores its answer, and restores the console's state. */
static bool answer_of(struct console *c, const char *line, struct text *answer)
{
	struct command_state *st = c->state;
	const struct console as_it_is = *c;
	const uint64_t x_addr = st->x_addr;
	const char x_format = st->x_format, x_size = st->x_size;
	c->write = display_append_output;
	c->write_ctx = answer;
	c->lines = NULL;
	c->answer = NULL;
	c->repeating = false;
	c->width = 0;
	const bool ok = display_run(c, DISPLAY_PANE, line) == CMD_OK;
	if (!ok)
		text_append(answer, c->err.msg, strlen(c->err.msg));
	char *last = c->last;
	*c = as_it_is;
	c->last = last;
	st->x_addr = x_addr;
	st->x_format = x_format;
	st->x_size = x_size;
	while (answer->n && answer->s[answer->n - 1] == '\n')
		answer->s[--answer->n] = '\0';
	return ok;
}

/* Splits "a0 = 5" into name and value, and passes both to fn. */
static void display_report_value(const struct display *d, const struct text *answer, bool ok,
                                 session_display_fn *fn, void *to)
{
	const char *what = d->line, *text = answer->s ? answer->s : "";
	if (!strncmp(what, "print", 5))
		what += 5 + (what[5] == ' ');
	const char *expression = *what == '/' ? what + strcspn(what, " ") : what;
	expression += strspn(expression, " ");
	const size_t n = strlen(expression);
	if (ok && !strncmp(text, expression, n) && !strncmp(text + n, " = ", 3))
		text += n + 3;
	fn(to, d->id, what, text, !ok);
}

void displays_tell(void *ctx, session_display_fn *fn, void *to)
{
	struct console *c = ctx;
	const struct command_state *st = c->state;
	for (size_t i = 0; i < st->display_count; i++) {
		const struct display *d = &st->displays[i];
		struct text answer = {0};
		if (!display_line_prints_value(d->line))
			continue;
		const bool ok = answer_of(c, d->line, &answer);
		display_report_value(d, &answer, ok, fn, to);
		text_deinit(&answer);
	}
}

size_t displays_count(const struct console *c)
{
	size_t n = 0;
	for (size_t i = 0; i < c->state->display_count; i++)
		n += display_line_prints_value(c->state->displays[i].line);
	return n;
}

int display_add(struct console *c, const char *line)
{
	struct command_state *st = c->state;
	struct display *grown = alloc_resize(st->displays, (st->display_count + 1) * sizeof *grown);
	char *copy = alloc_text(line);
	if (grown)
		st->displays = grown;
	if (!grown || !copy) {
		free(copy);
		console_fail(c, "out of memory");
		return 0;
	}
	st->displays[st->display_count++] =
		(struct display){.id = ++st->last_display, .line = copy};
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
