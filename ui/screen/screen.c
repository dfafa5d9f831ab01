#include "ui/screen/screen.h"

#include <inttypes.h>
#include <langinfo.h>
#include <locale.h>
#include <ncurses.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/pipe/why.h"
#include "hwviews/utf8.h"
#include "ui/screen/keys.h"
#include "ui/screen/screen_priv.h"
#include "ui/screen/term.h"

enum { STATUS_OWN_ERROR = 125, LOG_BYTES = 256 * 1024, DRAW_NS = 30000000 };

uint64_t screen_now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* ---- panes ---- */
struct rect screen_area(const struct screen *s)
{
	return (struct rect){1, 0, s->canvas.rows - 3, s->canvas.cols};
}

unsigned screen_panes(const struct screen *s, struct pane **out)
{
	unsigned n, shown = 0;
	if (s->zoomed) {
		out[0] = s->focus;
		return 1;
	}
	n = tiles_panes(*s->root, out);
	for (unsigned i = 0; i < n; i++)
		if (out[i]->r.h)
			out[shown++] = out[i];
	return shown;
}

static void build_panes(struct screen *s)
{
	struct pane *p[LAYOUT_PANES];
	unsigned n = screen_panes(s, p);
	const struct session *se = screen_session(s);
	uint64_t now = machine_cycle(se->machine);
	if (se->machine != s->machine || now != s->cycle) {
		s->last_stop = se->machine != s->machine ? UINT64_MAX : s->cycle;
		s->machine = se->machine;
		s->cycle = now;
	}
	for (unsigned i = 0; i < n; i++)
		pane_build(p[i], se, s->last_stop);
	s->changed = false;
	s->damaged = true;
}

void screen_arrange(struct screen *s)
{
	struct pane *p[LAYOUT_PANES];
	tiles_place(*s->root, screen_area(s));
	if (!s->focus->r.h && tiles_panes(*s->root, p))
		s->focus = p[0];
	if (s->zoomed)
		pane_place(s->focus, screen_area(s));
	s->changed = s->damaged = true;
}

/* The tree for the present size. Its first pane gets the focus unless the focused one is among them. */
static void choose_tree(struct screen *s)
{
	struct pane *p[LAYOUT_PANES];
	s->root = layout_tree(&s->layouts.layout[s->layout], s->canvas.cols, s->canvas.rows);
	unsigned n = tiles_panes(*s->root, p), at = 0;
	while (at < n && p[at] != s->focus)
		at++;
	if (at == n)
		s->focus = p[0];
	screen_arrange(s);
}

void screen_set_layout(struct screen *s, int i)
{
	s->layout = i;
	s->focus = NULL;
	s->zoomed = false;
	choose_tree(s);
}

void screen_focus(struct screen *s, struct pane *p)
{
	if (p == s->focus)
		return;
	s->focus = p;
	s->damaged = true;
	if (s->zoomed)
		screen_arrange(s);
}

/* ---- saying ---- */
static void say(struct screen *s, bool error, const char *text, size_t n)
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
	char *text;
	va_list ap;
	va_start(ap, fmt);
	int n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	say(s, error, text, (size_t)n);
	free(text);
}

static void on_answer(void *ctx, const char *text, size_t n)
{
	struct screen *s = ctx;
	text_append(&s->answer, text, n);
}

/* The guest's output is kept by the machine and shown by its view. */
static void on_output(void *ctx, int fd, const void *bytes, size_t n)
{
	(void)ctx;
	(void)fd;
	(void)bytes;
	(void)n;
}

static void on_warning(void *ctx, const char *line)
{
	struct screen *s = ctx;
	text_printf(&s->answer, "%s\n", line);
}

static void show_answer(struct screen *s, const char *line)
{
	char title[POPUP_TITLE];
	char *caught = term_caught();
	if (caught)
		text_printf(&s->answer, "%s", caught);
	free(caught);
	if (!s->answer.n)
		return;
	if (text_lines(&s->answer) <= MESSAGE_ROWS) {
		say(s, false, s->answer.s, s->answer.n);
	} else {
		snprintf(title, sizeof title, "%s", line);
		popup_text(&s->popup, title, s->answer.s, false);
		text_append(&s->log, s->answer.s, s->answer.n);
		text_keep_end(&s->log, LOG_BYTES);
		s->damaged = true;
	}
}

/* ---- running lines ---- */
/* Puts the selected row's numbers in. False with *err if it has none. malloc'd. */
static char *expand(const struct screen *s, const char *line, struct err *err)
{
	const struct grid_row *row = pane_row(s->focus);
	struct text t = {0};
	for (const char *c = line; *c; c++) {
		bool seq = !strncmp(c, "%seq", 4), pc = !strncmp(c, "%pc", 3);
		if (!seq && !pc) {
			text_append(&t, c, 1);
			continue;
		}
		if (!row || !(seq ? row->seq : row->pc)) {
			text_deinit(&t);
			err_set(err, "select a row about %s first: arrow keys, or a click", seq ? "an instruction" : "code");
			return NULL;
		}
		text_printf(&t, seq ? "%" PRIu64 : "0x%" PRIx64, seq ? row->seq : row->pc);
		c += seq ? 3 : 2;
	}
	if (!t.s)
		return strdup("");
	return t.s;
}

static void run_console(struct screen *s, const char *line)
{
	struct session *se = screen_session(s);
	text_clear(&s->answer);
	running_begin(s);
	enum command_result r = console_run(s->console, line);
	running_end(s);
	s->changed = true;
	if (r == CMD_QUIT) {
		s->quit = true;
		return;
	}
	show_answer(s, line);
	if (r == CMD_ERROR)
		say(s, true, s->console->err.msg, strlen(s->console->err.msg));
	/* A selection that has left the machine goes back to the oldest instruction. */
	if (se->selected_seq && !pipe_find(machine_pipe(se->machine), se->selected_seq))
		se->selected_seq = 0;
}

void screen_run(struct screen *s, const char *line)
{
	struct err err;
	char *text = expand(s, line, &err);
	if (!text) {
		say(s, true, err.msg, strlen(err.msg));
		return;
	}
	const char *word = text + strspn(text, " \t");
	size_t n = strcspn(word, " \t");
	const struct screen_command *own = screen_command_find(word, n);
	const char *args = word + n + strspn(word + n, " \t");
	text_clear(&s->message);
	s->damaged = true;
	if (!own && n == 4 && !strncmp(word, "help", 4) && screen_command_find(args, strlen(args))) {
		own = screen_command_find(args, strlen(args));
		screen_say(s, false, "%s: %s", own->usage, own->help);
	} else if (own) {
		if (!own->exec(s, args, &err))
			say(s, true, err.msg, strlen(err.msg));
	} else if (*word) {
		run_console(s, word);
	}
	free(text);
}

/* ---- drawing ---- */
static void draw_too_small(struct screen *s)
{
	char text[96];
	struct canvas *c = &s->canvas;
	snprintf(text, sizeof text, "%dx%d needed, this is %dx%d", SCREEN_MIN_COLS, SCREEN_MIN_ROWS, c->cols, c->rows);
	int x = (c->cols - (int)strlen(text)) / 2;
	draw_text(c, c->rows / 2, x > 0 ? x : 0, c->cols, theme_ink(&c->theme, INK_PAST, GROUND_NONE), text);
}

/* Why the selected or oldest instruction is where it is: always there, as long as nothing else is said. */
static void draw_why(struct screen *s, int y)
{
	const struct session *se = screen_session(s);
	struct canvas *c = &s->canvas;
	const struct uop *u = s->running.on ? NULL : session_uop(se);
	char line[1024];
	if (u)
		draw_text(c, y, 1, c->cols - 2, theme_ink(&c->theme, se->selected_seq ? ROLE_PLAIN : ROLE_DIM, GROUND_NONE),
		          uop_why_line(machine_pipe(se->machine), u, line, sizeof line));
}

static void draw_message(struct screen *s)
{
	struct canvas *c = &s->canvas;
	int rows = (int)text_lines(&s->message), y = c->rows - 1 - (rows ? rows : 1);
	struct ink ink = theme_ink(&c->theme, s->message_is_error ? ROLE_ERROR : ROLE_SELECTED, GROUND_NONE);
	draw_blank(c, c->rows - 2, 0, c->cols, theme_ink(&c->theme, ROLE_PLAIN, GROUND_NONE));
	if (!rows) {
		draw_why(s, y);
		return;
	}
	for (const char *at = s->message.s; *at; y++) {
		char line[1024];
		size_t n = strcspn(at, "\n");
		snprintf(line, sizeof line, "%.*s", (int)n, at);
		draw_blank(c, y, 0, c->cols, ink);
		draw_text(c, y, 1, c->cols - 2, ink, line);
		at += n + (at[n] == '\n');
	}
}

static void draw_panes(struct screen *s)
{
	struct pane *p[LAYOUT_PANES];
	unsigned n = screen_panes(s, p);
	struct canvas *c = &s->canvas;
	if (s->zoomed)
		pane_rule(s->focus, c);
	else
		tiles_lines(*s->root, c);
	draw_lines(c, theme_ink(&c->theme, INK_LINE, GROUND_NONE));
	for (unsigned i = 0; i < n; i++) {
		pane_measure(p[i]);
		pane_draw(p[i], c, p[i] == s->focus);
	}
}

static bool too_small(const struct screen *s)
{
	return s->canvas.cols < SCREEN_MIN_COLS || s->canvas.rows < SCREEN_MIN_ROWS;
}

void screen_draw(struct screen *s)
{
	struct canvas *c = &s->canvas;
	if ((c->rows != LINES || c->cols != COLS) && canvas_size(c, LINES, COLS))
		choose_tree(s);
	/* While the machine moves, panes show what they showed. */
	if (s->changed && !s->running.on && !too_small(s))
		build_panes(s);
	erase();
	if (too_small(s)) {
		draw_too_small(s);
	} else {
		struct rect area = screen_area(s);
		draw_panes(s);
		status_draw(s);
		draw_message(s);
		hints_draw(s);
		if (s->popup.open)
			popup_draw(&s->popup, c, &area);
		if (s->cmdline.open)
			cmdline_draw(s);
	}
	curs_set(s->cmdline.open);
	refresh();
	s->damaged = false;
}

/* ---- the loop ---- */
void screen_key(struct screen *s, int key)
{
	const char *command;
	if (key == TERM_IGNORED)
		return;
	if (key == TERM_MOUSE) {
		screen_mouse(s);
	} else if (s->popup.open) {
		s->damaged = true;
		command = popup_key(&s->popup, key);
		if (command)
			screen_run(s, command);
	} else if (s->cmdline.open) {
		cmdline_key(s, key);
		char *line = cmdline_take(s);
		if (line)
			screen_run(s, line);
		free(line);
	} else if ((command = key_command(key))) {
		bool was = s->animation.on;
		screen_run(s, command);
		/* Moving by hand ends the animation. */
		if (was && s->animation.on && s->changed && strncmp(command, "animate", 7) != 0)
			animate_set(s, false);
	}
}

static int next_key(struct screen *s)
{
	if (!s->typed_count)
		return term_key();
	int key = s->typed[0];
	memmove(s->typed, s->typed + 1, --s->typed_count * sizeof *s->typed);
	return key;
}

static void handle_signals(struct screen *s)
{
	unsigned what = term_signals();
	if (what & TERM_GONE)
		s->quit = true;
	if (what & TERM_STOP) {
		term_suspend();
		s->damaged = true;
	}
	if (what & TERM_RESIZED) {
		term_resize();
		s->damaged = true;
	}
	if (what & TERM_INTERRUPT) {
		animate_set(s, false);
		if (s->cmdline.open)
			cmdline_close(s);
		else
			screen_say(s, false, "Nothing is running. q leaves.");
	}
}

static void loop(struct screen *s)
{
	uint64_t drawn = 0;
	while (!s->quit) {
		int key = next_key(s);
		if (key != TERM_NO_KEY)
			screen_key(s, key);
		/* Keys that are waiting already go first, but not for long. */
		bool idle = key == TERM_NO_KEY;
		if (!s->quit && (s->damaged || s->changed) && (idle || screen_now_ns() - drawn > DRAW_NS)) {
			screen_draw(s);
			drawn = screen_now_ns();
		}
		if (idle && !s->quit)
			term_wait(animate_wait(s));
		handle_signals(s);
		if (s->animation.on)
			animate_tick(s);
	}
}

static void attach(struct screen *s)
{
	struct session *se = screen_session(s);
	s->old_write = s->console->write;
	s->old_write_ctx = s->console->write_ctx;
	s->console->write = on_answer;
	s->console->write_ctx = s;
	s->console->screen = true;
	session_set_output(se, on_output, s);
	session_set_warn(se, on_warning, s);
	/* The keyboard is ours: the program finds its input empty. */
	if (se->stdin_fd == STDIN_FILENO) {
		se->stdin_fd = -1;
		os_set_stdin(machine_os(se->machine), -1);
	}
}

static void detach(struct screen *s)
{
	s->console->screen = false;
	s->console->write = s->old_write;
	s->console->write_ctx = s->old_write_ctx;
	session_set_warn(screen_session(s), NULL, NULL);
}

static bool begin(struct screen *s, struct err *err)
{
	s->canvas.ascii = strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
	if (!theme_load(&s->canvas.theme, NULL, err))
		return false;
	if (!layouts_load(&s->layouts, err) || !canvas_size(&s->canvas, LINES, COLS))
		return false;
	s->last_stop = UINT64_MAX;
	s->machine = screen_session(s)->machine;
	s->cycle = machine_cycle(s->machine);
	int at = layouts_find(&s->layouts, "window", &(struct err){0});
	screen_set_layout(s, at < 0 ? 0 : at);
	cmdline_init(s);
	attach(s);
	if (err->msg[0])
		screen_say(s, true, "%s", err->msg);
	else
		screen_say(s, false, "Press s to step a cycle, c to run, ? for help, 1 to 5 for other layouts.");
	return true;
}

bool screen_possible(void)
{
	return term_possible();
}

int screen_main(struct console *c)
{
	struct screen s = {.console = c};
	struct err err = {0};
	char *old_locale = strdup(setlocale(LC_CTYPE, NULL));
	setlocale(LC_CTYPE, "");
	bool ok = term_open(&err);
	if (ok) {
		ok = begin(&s, &err);
		if (ok) {
			loop(&s);
			detach(&s);
			cmdline_deinit(&s);
		}
		popup_text(&s.popup, "", "", false);
		layouts_deinit(&s.layouts);
		canvas_deinit(&s.canvas);
		term_close();
	}
	text_deinit(&s.answer);
	text_deinit(&s.message);
	text_deinit(&s.log);
	if (old_locale)
		setlocale(LC_CTYPE, old_locale);
	free(old_locale);
	if (!ok)
		fprintf(stderr, "cyclops: %s\n", err.msg);
	return ok ? 0 : STATUS_OWN_ERROR;
}
