/* The playground on the screen: running its text, keys, mouse, command. */
#include "ui/screen/playground.h"

#include <limits.h>
#include <ncurses.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <wchar.h>

#include "core/base/alloc.h"
#include "ui/console/stop_commands.h"
#include "ui/screen/cmd.h"
#include "ui/screen/term.h"
#include "ui/tour/tour.h"

/* ---- measuring ---- */
/* Runs the version to its end on a hidden machine, for its cycles. */
static void playground_measure_run(struct playground *p, const struct session *s)
{
	struct err err;
	struct session *beside = session_beside(s, &s->cfg, NULL, NULL, -1, &err);
	p->before = p->run;
	p->run = (struct playground_run){0};
	if (!beside)
		return;
	machine_run(beside->machine, PLAYGROUND_CYCLES, UINT64_MAX);
	p->run.known = machine_status(beside->machine) != MACHINE_RUNNING;
	p->run.cycles = machine_cycle(beside->machine);
	p->run.insts = machine_insts(beside->machine);
	session_free(beside);
}

static void say_run(struct screen *s, const struct playground *p)
{
	const struct playground_run *now = &p->run, *then = &p->before;
	char digits[32], by[32], difference[96] = "";
	if (p->result.message_count)
		return;
	if (!now->known) {
		screen_say(s, false, "It does not end within %s cycles",
		           group_digits(PLAYGROUND_CYCLES, digits));
		return;
	}
	if (then->known && then->cycles != now->cycles)
		snprintf(difference, sizeof difference, ", %s %s than before",
		         group_digits(then->cycles > now->cycles ? then->cycles - now->cycles
		                                                 : now->cycles - then->cycles,
		                      by),
		         then->cycles > now->cycles ? "fewer" : "more");
	else if (then->known)
		snprintf(difference, sizeof difference, ", as before");
	char insts[32];
	screen_say(s, false, "%s cycles to its end%s; %s instructions",
	           group_digits(now->cycles, digits), difference, group_digits(now->insts, insts));
}

/* ---- breakpoints, from session to session ---- */
static void keep_stops(struct screen *s)
{
	struct playground *p = s->playground;
	size_t n;
	free(p->stops);
	p->stops = NULL;
	FILE *f = alloc_stream(&p->stops, &n);
	const unsigned count = f ? stop_commands_write(f, s->console) : 0;
	if (!f || fclose(f) || !count) {
		free(p->stops);
		p->stops = NULL;
	}
}

static void playground_discard_output(void *ctx, const char *text, size_t n)
{
	(void)ctx, (void)text, (void)n;
}

/* Sets the kept breakpoints again, if their place still exists; *gone: the command line of the
 * first whose place does not, owned. */
static void set_stops(struct screen *s, char **gone)
{
	struct console *c = s->console;
	char *rest = s->playground->stops, *line;
	void (*const say)(void *ctx, const char *text, size_t n) = c->write;
	*gone = NULL;
	c->write = playground_discard_output;
	while ((line = strsep(&rest, "\n")))
		if (*line && *line != '#' && console_run(c, line) == CMD_ERROR && !*gone)
			*gone = alloc_text(line);
	c->write = say;
	free(s->playground->stops);
	s->playground->stops = NULL;
}

/* Runs to the first breakpoint; without breakpoints to main in C, or in assembly until an
 * instruction has committed. */
static void run_first(struct screen *s)
{
	const struct playground *p = s->playground;
	const bool stops = run_stop_at(screen_session(s)->run, 0) != NULL;
	if (!stops && p->c && !p->result.message_count)
		screen_console(s, "tbreak main");
	screen_console(s, stops || p->c ? "continue" : "stepi");
}

static void playground_offer(struct screen *s, const struct playground_text *t)
{
	char when[32] = "an earlier session", of[96] = "";
	const char *slash = strrchr(t->path, '/');
	struct stat st;
	struct tm tm;
	if (s->playground->count > 1)
		snprintf(of, sizeof of, "%.64s, ", slash ? slash + 1 : t->path);
	if (stat(t->kept, &st) == 0 && localtime_r(&st.st_mtime, &tm))
		strftime(when, sizeof when, "%Y-%m-%d %H:%M", &tm);
	screen_say(s, true, "An edit of %s%s was kept: Enter takes it, Esc drops it", of,
	           when);
}

static void playground_answer_offer(struct screen *s, int key)
{
	struct err err;
	struct playground_text *t = playground_offered(s->playground);
	if (key != '\r' && key != 27) {
		playground_offer(s, t);
		return;
	}
	s->playground->shown = (unsigned)(t - s->playground->text);
	if (!playground_take_kept(t, key == '\r', &err))
		screen_say(s, true, "%s", err.msg);
	else if ((t = playground_offered(s->playground)))
		playground_offer(s, t);
}

void playground_begin(struct screen *s)
{
	struct playground *p = s->playground;
	struct err err;
	if (!p)
		return;
	playground_check(p);
	s->narration.stage = tiles_parse("(rows 60 pipe 40 (columns 58 disasm 42 regs))", &err);
	if (s->narration.stage) {
		s->narration.on_stage = true;
		screen_choose_tree(s);
	}
	playground_measure_run(p, screen_session(s));
	char *gone = NULL;
	/* A text with errors does not run: keep the breakpoints for a correct one. */
	if (!p->result.message_count)
		set_stops(s, &gone);
	if (!s->narration.place->moment)
		run_first(s);
	say_run(s, p);
	if (playground_offered(p))
		playground_offer(s, playground_offered(p));
	if (gone)
		screen_say(s, true, "%s: it has no place in the text any more", gone);
	free(gone);
}

/* Continues the unchanged program, or restarts it at its end. */
static void playground_resume_run(struct screen *s)
{
	if (machine_has_ended(screen_session(s)->machine) &&
	    screen_console(s, "starti") != CMD_OK)
		screen_say(s, true, "%s", s->console->err.msg);
	else
		screen_run(s, "continue");
}

/* Starts a new session on the edited text. */
static void playground_restart_session(struct screen *s)
{
	struct playground *p = s->playground;
	struct err err;
	playground_check(p);
	if (p->result.message_count) {
		const struct asm_message *m = &p->result.message[0];
		p->shown = m->source;
		if (!*m->file)
			editor_go(&playground_shown(p)->editor, m->line, m->column);
		return;
	}
	if (!playground_save(p, &err)) {
		screen_say(s, true, "%s", err.msg);
		return;
	}
	if (p->ran == playground_changes(p)) {
		playground_resume_run(s);
		return;
	}
	if (!p->stops)
		keep_stops(s);
	s->narration.place->again = true;
	s->quit = true;
}

bool exec_playground(struct screen *s, const char *args, struct err *err)
{
	struct playground *p = s->playground;
	if (!p)
		return err_set(err, "this program is no assembly text; use cyclops asm FILE.s");
	if (arg_is(args, "run"))
		playground_restart_session(s);
	else if (arg_is(args, "save"))
		return playground_save(p, err);
	else if (!*args || playground_find(p, args) >= 0)
		p->focused = true;
	else
		return arg_wrong(s, "playground", args, err);
	if (playground_find(p, args) >= 0)
		p->shown = (unsigned)playground_find(p, args);
	s->damaged = true;
	return true;
}

bool playground_holds(struct screen *s)
{
	struct playground *p = s->playground;
	const struct playground_text *t = NULL;
	for (unsigned i = 0; p && i < p->count && !t; i++)
		if (playground_text_changed(&p->text[i]) &&
		    p->text[i].opened != p->text[i].editor.changes)
			t = &p->text[i];
	if (!t || s->narration.place->again || p->warned == playground_changes(p))
		return false;
	p->warned = playground_changes(p);
	screen_say(s, true,
	           "%s is not saved: `playground save` saves it, leaving again drops the changes",
	           t->path);
	return true;
}

/* ---- keys ---- */
static int playground_page_lines(const struct playground *p)
{
	return p->r.h > 4 ? p->r.h - 3 : 1;
}

static void save_and_say(struct screen *s)
{
	struct err err;
	const struct playground *p = s->playground;
	if (playground_save(s->playground, &err))
		screen_say(s, false, "Saved: %s%s", p->text[0].path,
		           p->count > 1 ? ", and the other files" : "");
	else
		screen_say(s, true, "%s", err.msg);
}

static bool playground_insert_key(struct editor *e, int key)
{
	char bytes[MB_LEN_MAX];
	if (key == '\t')
		return editor_insert(e, "\t", 1);
	if (key < ' ' || key == 127 || key >= TERM_SPECIAL)
		return false;
	mbstate_t state = {0};
	const size_t n = wcrtomb(bytes, (wchar_t)key, &state);
	return n != (size_t)-1 && editor_insert(e, bytes, n);
}

/* Moves the cursor by a key; `pages`: by as many lines as are visible. */
static bool playground_move_cursor(struct playground *p, int key)
{
	static const struct {
		int key;
		enum editor_move move;
		int by;
		bool pages;
	} of[] = {
		{KEY_LEFT, EDITOR_LEFT, 0, false},        {KEY_RIGHT, EDITOR_RIGHT, 0, false},
		{KEY_UP, EDITOR_LINES, -1, false},        {KEY_DOWN, EDITOR_LINES, 1, false},
		{KEY_PPAGE, EDITOR_LINES, -1, true},      {KEY_NPAGE, EDITOR_LINES, 1, true},
		{KEY_HOME, EDITOR_LINE_BEGIN, 0, false},  {KEY_END, EDITOR_LINE_END, 0, false},
		{KEY_SHOME, EDITOR_BEGIN, 0, false},      {KEY_SEND, EDITOR_END, 0, false},
	};
	for (size_t i = 0; i < sizeof of / sizeof *of; i++)
		if (key == TERM_SPECIAL + of[i].key) {
			editor_move(&playground_shown(p)->editor, of[i].move,
			            of[i].by * (of[i].pages ? playground_page_lines(p) : 1));
			return true;
		}
	return false;
}

bool playground_key(struct screen *s, int key)
{
	enum { CTRL_K = 11, CTRL_S = 19, CTRL_U = 21 };
	struct playground *p = s->playground;
	if (!p || !p->focused || !p->r.h || key >= TERM_ALT)
		return false;
	struct editor *e = &playground_shown(p)->editor;
	s->damaged = true;
	text_clear(&s->message);
	if (playground_offered(p)) {
		playground_answer_offer(s, key_canonical(key));
		return true;
	}
	switch (key_canonical(key)) {
	case 27:
		p->focused = false;
		break;
	case '\r':
		editor_new_line(e);
		break;
	case CTRL_S:
	case TERM_SPECIAL + KEY_F(2):
		save_and_say(s);
		break;
	case CTRL_U:
		editor_undo(e);
		break;
	case CTRL_K:
		editor_erase_line(e);
		break;
	case TERM_SPECIAL + KEY_F(1):
		return false;
	case TERM_SPECIAL + KEY_F(3):
	case TERM_SPECIAL + KEY_F(4):
		p->shown += key_canonical(key) == TERM_SPECIAL + KEY_F(4) ? 1 : p->count - 1;
		p->shown %= p->count;
		break;
	case TERM_SPECIAL + KEY_F(5):
		playground_restart_session(s);
		break;
	case TERM_SPECIAL + KEY_BACKSPACE:
		editor_erase(e, true);
		break;
	case TERM_SPECIAL + KEY_DC:
		editor_erase(e, false);
		break;
	default:
		if (!playground_move_cursor(p, key_canonical(key)) &&
		    !playground_insert_key(e, key))
			return key < TERM_SPECIAL;
	}
	return true;
}

void playground_paste(struct screen *s, const char *text, size_t n)
{
	struct playground *p = s->playground;
	if (playground_offered(p))
		playground_offer(s, playground_offered(p));
	else if (!editor_insert(&playground_shown(p)->editor, text, n))
		screen_say(s, true, "there is no room for that");
	s->damaged = true;
}

bool playground_mouse(struct screen *s)
{
	struct playground *p = s->playground;
	const struct term_mouse *m = term_mouse();
	if (!p || !p->r.h)
		return false;
	const bool inside = rect_has(&p->r, m->y, m->x);
	struct playground_text *t = playground_shown(p);
	if (m->button == MOUSE_WHEEL_UP || m->button == MOUSE_WHEEL_DOWN) {
		if (inside)
			editor_move(&t->editor, EDITOR_LINES, m->button == MOUSE_WHEEL_UP ? -3 : 3);
		return inside;
	}
	if (m->button == MOUSE_DRAG)
		return false;
	p->focused = inside;
	for (unsigned i = 0; inside && m->y == p->r.y && i < p->count; i++)
		if (m->x >= p->text[i].tab && m->x < p->text[i].tab + p->text[i].tab_width)
			p->shown = i;
	if (!inside || m->y == p->r.y)
		return inside;
	size_t n;
	const unsigned line = t->top + (unsigned)(m->y - p->r.y - 1);
	const char *text = editor_line_text(&t->editor, line, &n);
	const int cell = m->x - p->r.x - PLAYGROUND_GUTTER + (int)t->left;
	unsigned column = 0;
	while (text && column < n && (int)editor_cells(text, column + 1) <= cell)
		column++;
	editor_go(&t->editor, line, column + 1);
	return true;
}
