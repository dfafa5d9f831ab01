#include "ui/screen/cmdline.h"

#include <ncurses.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <limits.h>

#include <readline/history.h>
#include <readline/readline.h>

#include "core/base/alloc.h"
#include "hwviews/grid/utf8.h"
#include "ui/console/command_history.h"
#include "ui/console/prompt.h"
#include "ui/console/stop_commands.h"
#include "ui/screen/screen_state.h"
#include "ui/screen/term.h"

static const char PROMPT[] = "(cyclops) ";
enum { PENDING = 64, COMPLETIONS_MAX = 400 };

/* Static because readline's callbacks have no context, and a process has one readline. */
static struct {
	unsigned char bytes[PENDING]; /* bytes of keys that readline has not read yet */
	unsigned count, at;
	char **accepted;
	bool ended;
	FILE *nowhere;
} feed;

static int cmdline_getc(FILE *f)
{
	(void)f;
	return feed.at < feed.count ? feed.bytes[feed.at++] : EOF;
}

static int bytes_left(void)
{
	return feed.at < feed.count;
}

static void cmdline_readline_noop(void)
{
}

static void no_prep(int meta)
{
	(void)meta;
}

/* Discards the line, and the text typed before Up, which readline would keep. */
static void cmdline_discard_line(void)
{
	rl_maybe_unsave_line();
	rl_replace_line("", 1);
	rl_point = rl_end = 0;
}

static void cmdline_on_line(char *line)
{
	cmdline_discard_line();
	if (!line) {
		feed.ended = true; /* Ctrl-D */
		return;
	}
	free(*feed.accepted);
	*feed.accepted = line;
}

void cmdline_init(struct screen *s)
{
	s->cmdline = (struct cmdline){0};
	feed.accepted = &s->cmdline.accepted;
	feed.nowhere = alloc_file("/dev/null", "w");
	rl_readline_name = "cyclops";
	rl_catch_signals = 0;
	rl_catch_sigwinch = 0;
	rl_change_environment = 0;
	rl_getc_function = cmdline_getc;
	rl_input_available_hook = bytes_left;
	rl_redisplay_function = cmdline_readline_noop;
	rl_prep_term_function = no_prep;
	rl_deprep_term_function = cmdline_readline_noop;
	if (feed.nowhere)
		rl_outstream = feed.nowhere;
	history_load();
	rl_callback_handler_install(PROMPT, cmdline_on_line);
	rl_variable_bind("bell-style", "none");
	rl_variable_bind("enable-bracketed-paste", "off");
	rl_variable_bind("horizontal-scroll-mode", "on");
}

static void forget_completions(struct cmdline *p)
{
	for (unsigned i = 0; i < p->completion_count; i++)
		free(p->completions[i]);
	free(p->completions);
	p->completions = NULL;
	p->completion_count = 0;
}

void cmdline_deinit(struct screen *s)
{
	rl_callback_handler_remove();
	forget_completions(&s->cmdline);
	free(s->cmdline.accepted);
	s->cmdline.accepted = NULL;
	rl_outstream = NULL;
	if (feed.nowhere)
		fclose(feed.nowhere);
	feed.nowhere = NULL;
}

static void open_with(struct screen *s, const char *label, const char *text, bool for_guest)
{
	using_history();
	rl_set_prompt(label);
	rl_replace_line("", 1);
	rl_insert_text(text);
	forget_completions(&s->cmdline);
	s->cmdline.open = true;
	s->cmdline.for_guest = for_guest;
	s->cmdline.ended = false;
	s->damaged = true;
}

void cmdline_open(struct screen *s, const char *text)
{
	open_with(s, stop_commands_taking(s->console) ? "commands> " : PROMPT, text, false);
}

void cmdline_insert(struct screen *s, const char *text)
{
	forget_completions(&s->cmdline);
	rl_insert_text(text);
	s->damaged = true;
}

/* readline has one history: swap in a temporary one while the guest's input is typed. */
static void swap_histories(void)
{
	static HISTORY_STATE other;
	HISTORY_STATE *now = history_get_history_state();
	if (!now)
		return;
	history_set_history_state(&other);
	other = *now;
	free(now);
}

void cmdline_open_for_guest(struct screen *s, const char *label)
{
	swap_histories();
	open_with(s, label, "", true);
}

void cmdline_close(struct screen *s)
{
	rl_revert_line(1, 0); /* undo edits of a history line */
	cmdline_discard_line();
	if (s->cmdline.for_guest && s->cmdline.open)
		swap_histories();
	forget_completions(&s->cmdline);
	s->cmdline.open = false;
	s->damaged = true;
}

char *cmdline_take(struct screen *s)
{
	char *line = s->cmdline.accepted;
	s->cmdline.accepted = NULL;
	return line;
}

/* ---- completion ---- */
static size_t common_prefix(char **words, unsigned n)
{
	size_t len = n ? strlen(words[0]) : 0;
	for (unsigned i = 1; i < n; i++) {
		size_t k = 0;
		while (k < len && words[i][k] == words[0][k])
			k++;
		len = k;
	}
	return len;
}

static void cmdline_complete_word(struct screen *s)
{
	struct cmdline *p = &s->cmdline;
	unsigned n = 0;
	size_t from = (size_t)rl_point, at = (size_t)rl_point;
	forget_completions(p);
	p->completions = alloc_zeroed(COMPLETIONS_MAX, sizeof *p->completions);
	while (p->completions && n < COMPLETIONS_MAX &&
	       (p->completions[n] = console_complete(s->console, rl_line_buffer, at, n, &from)))
		n++;
	p->completion_count = n;
	size_t len = common_prefix(p->completions, n);
	if (n && len >= at - from) {
		char *word = alloc_text_n(p->completions[0], len);
		if (word && strncmp(rl_line_buffer + from, word, at - from) == 0) {
			rl_insert_text(word + (at - from));
			if (n == 1 && !(len && strchr("/.:", word[len - 1])))
				rl_insert_text(" ");
		}
		free(word);
	}
	if (n == 1)
		forget_completions(p);
	s->damaged = true;
}

/* ---- keys ---- */
static const struct {
	int key;
	const char *bytes;
} sequences[] = {
	{TERM_SPECIAL + KEY_UP, "\033[A"},      {TERM_SPECIAL + KEY_DOWN, "\033[B"},
	{TERM_SPECIAL + KEY_RIGHT, "\033[C"},   {TERM_SPECIAL + KEY_LEFT, "\033[D"},
	{TERM_SPECIAL + KEY_HOME, "\001"},      {TERM_SPECIAL + KEY_END, "\005"},
	{TERM_SPECIAL + KEY_DC, "\033[3~"},     {TERM_SPECIAL + KEY_BACKSPACE, "\177"},
	{TERM_SPECIAL + KEY_ENTER, "\r"},       {TERM_SPECIAL + KEY_PPAGE, "\033[A"},
	{TERM_SPECIAL + KEY_NPAGE, "\033[B"},   {TERM_CTRL_LEFT, "\033b"},
	{TERM_CTRL_RIGHT, "\033f"},
};

static void cmdline_feed_readline(struct cmdline *p, const char *bytes, size_t n)
{
	forget_completions(p);
	if (n > PENDING)
		return;
	memcpy(feed.bytes, bytes, n);
	feed.count = (unsigned)n;
	feed.at = 0;
	while (bytes_left())
		rl_callback_read_char();
}

static void push_char(struct cmdline *p, wchar_t wc, bool alt)
{
	char bytes[MB_LEN_MAX + 1];
	mbstate_t state = {0};
	size_t lead = alt;
	bytes[0] = '\033';
	size_t n = wcrtomb(bytes + lead, wc, &state);
	if (n != (size_t)-1)
		cmdline_feed_readline(p, bytes, n + lead);
}

void cmdline_key(struct screen *s, int key)
{
	struct cmdline *p = &s->cmdline;
	s->damaged = true;
	if (key == 27 || key == 3) {
		if (RL_ISSTATE(RL_STATE_ISEARCH))
			cmdline_feed_readline(p, "\007", 1);
		else if (p->completion_count)
			forget_completions(p);
		else
			cmdline_close(s);
		return;
	}
	if (key == '\t') {
		if (p->for_guest)
			rl_insert_text("\t");
		else
			cmdline_complete_word(s);
		return;
	}
	for (size_t i = 0; i < sizeof sequences / sizeof *sequences; i++) {
		if (sequences[i].key == key) {
			cmdline_feed_readline(p, sequences[i].bytes, strlen(sequences[i].bytes));
			key = TERM_NO_KEY;
		}
	}
	bool alt = key >= TERM_ALT && key < TERM_MOUSE;
	if (alt)
		key -= TERM_ALT;
	if (key >= 0 && key < TERM_SPECIAL)
		push_char(p, key == '\n' ? '\r' : (wchar_t)key, alt);
	p->ended = feed.ended;
	feed.ended = false;
	if (p->accepted && *p->accepted && p->for_guest)
		add_history(p->accepted);
	if (p->accepted || p->ended)
		cmdline_close(s);
	if (p->accepted && !p->for_guest)
		history_append(p->accepted);
}

/* ---- drawing ---- */
enum { COMPLETIONS_MIN_COLS = 16 };

static void draw_completions(struct screen *s)
{
	const struct cmdline *p = &s->cmdline;
	struct canvas *c = &s->canvas;
	int widest = 1, most = s->canvas.rows / 3;
	struct ink ink = theme_ink(&c->theme, ROLE_PLAIN, GROUND_BAR);
	if (p->completion_count < 2 || c->cols < COMPLETIONS_MIN_COLS)
		return;
	for (unsigned i = 0; i < p->completion_count; i++) {
		int w = (int)utf8_width(p->completions[i]);
		widest = w > widest ? w : widest;
	}
	widest = widest + 2 > c->cols - 2 ? c->cols - 2 : widest + 2;
	int columns = (c->cols - 2) / widest,
	    rows = ((int)p->completion_count + columns - 1) / columns;
	bool more = rows > most;
	rows = more ? most : rows;
	for (int r = 0; r < rows; r++) {
		int y = c->rows - 1 - rows + r;
		draw_blank(c, y, 0, c->cols, ink);
		for (int k = 0; k < columns; k++) {
			unsigned i = (unsigned)(r * columns + k);
			if (i < p->completion_count)
				draw_text(c, y, 1 + k * widest, widest - 1, ink, p->completions[i]);
		}
		if (more && r == rows - 1)
			draw_text(c, y, c->cols - 12, 12, theme_ink(&c->theme, INK_KEY, GROUND_BAR),
			          " type on");
	}
}

void cmdline_draw(struct screen *s)
{
	struct canvas *c = &s->canvas;
	int y = c->rows - 1;
	char before[1024];
	const char *label = rl_display_prompt ? rl_display_prompt : "";
	draw_completions(s);
	draw_blank(c, y, 0, c->cols, theme_ink(&c->theme, ROLE_PLAIN, GROUND_NONE));
	int x = 1 +
	        draw_text(c, y, 1, c->cols / 2, theme_ink(&c->theme, INK_KEY, GROUND_NONE), label);
	snprintf(before, sizeof before, "%.*s", rl_point, rl_line_buffer);
	int width = c->cols - x - 1, at = (int)utf8_width(before),
	    skip = at >= width ? at - width + 1 : 0;
	draw_text_from(c, y, x, width, theme_ink(&c->theme, ROLE_PLAIN, GROUND_NONE),
	               rl_line_buffer, skip);
	move(y, x + at - skip);
}
