/* Messages: answers of commands, errors, or else why an instruction is where it is. */
#include "ui/screen/message.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "hwviews/grid/utf8.h"
#include "hwviews/session/place_text.h"
#include "hwviews/why/why_text.h"
#include "ui/console/here.h"
#include "ui/screen/term.h"

enum { LOG_BYTES = 256 * 1024 };

void message_set(struct screen *s, bool error, const char *text, size_t n)
{
	while (n > 0 && (text[n - 1] == '\n' || text[n - 1] == ' '))
		n--;
	text_clear(&s->message);
	text_append(&s->message, text, n);
	s->message_is_error = error;
	s->damaged = true;
	if (!n)
		return;
	text_append(&s->log, text, n);
	text_append(&s->log, "\n", 1);
	text_keep_end(&s->log, LOG_BYTES);
}

void screen_say(struct screen *s, bool error, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	char *text = alloc_format_args(fmt, ap);
	va_end(ap);
	if (!text)
		return;
	message_set(s, error, text, strlen(text));
	free(text);
}

void message_on_answer(void *ctx, const char *text, size_t n)
{
	struct screen *s = ctx;
	text_append(&s->answer, text, n);
}

void message_on_warning(void *ctx, const char *line)
{
	struct screen *s = ctx;
	text_printf(&s->answer, "%s\n", line);
}

/* Bytes of text that fit on one line of `width` cells, broken at a blank if there is one, but not
 * between a number and its %. */
static size_t line_length(const char *text, int width)
{
	size_t whole = strcspn(text, "\n"), n = utf8_fit(text, (unsigned)width);
	if (n >= whole)
		return whole;
	size_t at = n;
	while (at > 0 && (text[at] != ' ' || text[at + 1] == '%'))
		at--;
	return at ? at : n ? n : 1;
}

/* A row on the screen: a line of the text, or part of it if it is wider. */
struct row {
	const char *text;
	size_t n;
};

/* Breaks a text into at most `most` rows; returns their number. */
static int break_rows(const char *text, int width, struct row *row, int most)
{
	int rows = 0;
	for (const char *at = text; *at && rows < most; rows++) {
		row[rows] = (struct row){at, line_length(at, width)};
		at += row[rows].n;
		at += *at == '\n' || *at == ' ';
	}
	return rows;
}

void message_show_answer(struct screen *s, const char *line)
{
	char title[POPUP_TITLE];
	struct row row[MESSAGE_ROWS + 1];
	if (!s->answer.n)
		return;
	if (break_rows(s->answer.s, s->canvas.cols - 2, row, MESSAGE_ROWS + 1) <= MESSAGE_ROWS) {
		message_set(s, false, s->answer.s, s->answer.n);
	} else {
		snprintf(title, sizeof title, "%s", line);
		popup_text(&s->popup, title, s->answer.s, false);
		text_append(&s->log, s->answer.s, s->answer.n);
		text_keep_end(&s->log, LOG_BYTES);
		s->damaged = true;
	}
}

/* ---- drawing ---- */
/* Writes the instruction that is next at the console's place, if it has committed in this cycle;
 * returns the length, less than n. */
static size_t message_put_place(const struct screen *s, char *buf, size_t n)
{
	const struct session *se = screen_session(s);
	const struct spot *at = here_spot(s->console);
	const struct group g = spot_group(at);
	char text[96];
	*buf = '\0';
	if (se->selected_seq || !at->back || at->back > g.n || at->ahead)
		return 0;
	const struct uop *u = g.u[g.n - at->back];
	snprintf(buf, n, "next is #%" PRIu64 " %s, which commits in this cycle; then ", u->seq,
	         format_inst(se, &u->inst, u->pc, text, sizeof text));
	return strlen(buf);
}

/* Shows why the selected or oldest instruction is where it is, or why there is none; used while
 * there is no message. */
static void draw_why(struct screen *s, int y)
{
	const struct session *se = screen_session(s);
	struct canvas *c = &s->canvas;
	char line[1024];
	if (s->running.on || machine_status(se->machine) != MACHINE_RUNNING)
		return;
	const struct uop *u = session_uop(se);
	const size_t used = message_put_place(s, line, sizeof line);
	if (u)
		why_line(se, u, line + used, sizeof line - used);
	else
		why_fetch_line(se, line + used, sizeof line - used);
	draw_text(c, y, 1, c->cols - 2,
	          theme_ink(&c->theme, se->selected_seq ? ROLE_PLAIN : ROLE_DIM, GROUND_NONE),
	          line);
}

int message_rows(const struct screen *s)
{
	struct row row[MESSAGE_ROWS];
	const int rows =
		break_rows(s->message.n ? s->message.s : "", s->canvas.cols - 2, row, MESSAGE_ROWS);
	return rows ? rows : 1;
}

void message_draw(struct screen *s)
{
	struct canvas *c = &s->canvas;
	struct ink ink =
		theme_ink(&c->theme, s->message_is_error ? ROLE_ERROR : ROLE_SELECTED, GROUND_NONE);
	struct row row[MESSAGE_ROWS];
	const int rows =
		break_rows(s->message.n ? s->message.s : "", c->cols - 2, row, MESSAGE_ROWS);
	draw_blank(c, c->rows - 2, 0, c->cols, theme_ink(&c->theme, ROLE_PLAIN, GROUND_NONE));
	if (!rows)
		draw_why(s, c->rows - 2);
	for (int i = 0; i < rows; i++) {
		char line[1024];
		int y = c->rows - 1 - rows + i;
		snprintf(line, sizeof line, "%.*s", (int)row[i].n, row[i].text);
		draw_blank(c, y, 0, c->cols, ink);
		draw_text(c, y, 1, c->cols - 2, ink, line);
	}
}
