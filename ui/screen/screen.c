#include "ui/screen/screen.h"

#include <langinfo.h>
#include <locale.h>
#include <ncurses.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/open_input.h"
#include "core/os/os.h"
#include "ui/console/ending.h"
#include "ui/console/stop_commands.h"
#include "ui/render/safe_print.h"
#include "ui/screen/cmdline.h"
#include "ui/screen/config_path.h"
#include "ui/screen/end_page.h"
#include "ui/screen/guest_input.h"
#include "ui/screen/keys.h"
#include "ui/screen/link_layout.h"
#include "ui/screen/message.h"
#include "ui/screen/narration.h"
#include "ui/screen/opening.h"
#include "ui/screen/palette.h"
#include "ui/screen/part_keys.h"
#include "ui/screen/paste.h"
#include "ui/screen/playground.h"
#include "ui/screen/rebuild.h"
#include "ui/screen/screen_state.h"
#include "ui/screen/survey.h"
#include "ui/screen/tabs.h"
#include "ui/screen/term.h"
#include "ui/screen/timeline.h"
#include "ui/tour/tour.h"

/* ---- the mouse: focus, select, scroll, breakpoints ---- */
enum { WHEEL_ROWS = 3, MARK_CELLS = 3 };

static struct pane *pane_under(const struct screen *s, int y, int x)
{
	struct pane *p[LAYOUT_PANES];
	unsigned n = screen_panes(s, p);
	for (unsigned i = 0; i < n; i++)
		if (rect_has(&p[i]->r, y, x))
			return p[i];
	return NULL;
}

/* True at the column in which views of code show their marks. */
static bool on_marks(const struct pane *p, int x)
{
	return p->view && (!strcmp(p->view->name, "disasm") || !strcmp(p->view->name, "source")) &&
	       x < p->r.x + MARK_CELLS;
}

static void mouse_on_press(struct screen *s, const struct term_mouse *m)
{
	const char *tab = tabs_at(s, m->y, m->x);
	struct pane *p = pane_under(s, m->y, m->x);
	if (tab)
		tabs_show(s, tab);
	if (status_tab_at(s, m->y, m->x) >= 0)
		screen_runf(s, "layout %d", status_tab_at(s, m->y, m->x) + 1);
	if (!p)
		return;
	screen_focus(s, p);
	int row = pane_row_at(p, m->y, m->x);
	if (row < 0)
		return;
	pane_select_row(p, row);
	screen_run(s, "row 0");
	if (m->button == MOUSE_DOUBLE)
		screen_run(s, "explain");
	else if (on_marks(p, m->x))
		screen_run(s, "break-here");
}

static void screen_mouse(struct screen *s)
{
	const struct term_mouse *m = term_mouse();
	bool wheel = m->button == MOUSE_WHEEL_UP || m->button == MOUSE_WHEEL_DOWN;
	int by = m->button == MOUSE_WHEEL_UP ? -WHEEL_ROWS : WHEEL_ROWS;
	s->damaged = true;
	if (s->popup.open) {
		const char *command = NULL;
		if (wheel)
			popup_scroll(&s->popup, by);
		else if (m->button != MOUSE_DRAG)
			command = popup_click(&s->popup, m->y, m->x);
		if (command)
			screen_run(s, command);
		return;
	}
	if (!s->cmdline.open && timeline_mouse(s, m))
		return;
	if (!s->cmdline.open && playground_mouse(s))
		return;
	if (m->button == MOUSE_DRAG)
		return;
	if (wheel) {
		struct pane *p = pane_under(s, m->y, m->x);
		if (p)
			pane_scroll(p, screen_session(s), by);
		return;
	}
	if (!s->cmdline.open)
		mouse_on_press(s, m);
}

enum { STATUS_OWN_ERROR = 125, DRAW_NS = 30000000 };

/* ---- the loop ---- */
/* Opens the prompt for the next line of `commands`. */
static void take_on(struct screen *s)
{
	const int id = stop_commands_taking(s->console);
	if (!id || s->cmdline.open || s->popup.open)
		return;
	cmdline_open(s, "");
	screen_say(s, false, "Commands of stop point %d: one a line, `end` is the last", id);
}

static void drop_taken(struct screen *s)
{
	if (!stop_commands_taking(s->console))
		return;
	stop_commands_drop(s->console);
	screen_say(s, false, "Dropped: the commands are unchanged");
}

/* Shows what an unbound key does in a tour, or where keys are listed. */
static void say_unbound(struct screen *s, int key)
{
	char name[KEY_NAME];
	const struct key *tour = narration_own_key(key);
	if (!key_name_of(key, name))
		return;
	s->damaged = true;
	if (tour)
		screen_say(s, false, "%s does nothing here; while a tour is played: %s", name,
		           tour->help);
	else
		screen_say(s, false,
		           "%s does nothing here; ? lists the keys, : types a command, `bind %s "
		           "COMMAND` gives it one",
		           name, name);
}

static void screen_key(struct screen *s, int key)
{
	const char *command;
	char name[KEY_NAME];
	if (key == TERM_IGNORED)
		return;
	if (!s->cmdline.open && key_name_of(key, name))
		recording_key(s->recording, name);
	/* ':' closes a popup and opens the prompt, or else the text typed next would be taken as
	 * keys. */
	if (key == ':' && s->popup.open && !s->popup.finds) {
		s->damaged = true;
		popup_close(&s->popup);
	}
	/* Only the prompt has Alt keys; elsewhere they are Esc followed by a key. */
	if (key >= TERM_ALT && key < TERM_MOUSE && !s->cmdline.open) {
		screen_key(s, 27);
		screen_key(s, key - TERM_ALT);
	} else if (!s->popup.open && !s->cmdline.open && playground_key(s, key)) {
		return;
	} else if (key == TERM_MOUSE) {
		screen_mouse(s);
	} else if (key == TERM_PASTE) {
		paste_use(s);
	} else if (s->popup.open) {
		s->damaged = true;
		command = s->popup.finds ? palette_key(s, key) : popup_key(&s->popup, key);
		if (command)
			screen_run(s, command);
	} else if (s->cmdline.open) {
		cmdline_key(s, key);
		char *line = cmdline_take(s);
		if (line)
			screen_run(s, line);
		else if (!s->cmdline.open)
			drop_taken(s);
		free(line);
	} else if (narration_takes_key(s, key) && key == '?') {
		screen_run(s, "answer ?");
	} else if (narration_takes_key(s, key)) {
		cmdline_open(s, "answer ");
		cmdline_key(s, key);
	} else if (!(command = screen_bound(s, key))) {
		say_unbound(s, key);
	} else {
		bool was = s->animation.on;
		screen_run(s, command);
		/* Moving by hand ends the animation. */
		if (was && s->animation.on && s->changed && strncmp(command, "animate", 7) != 0)
			animate_set(s, false);
	}
	narration_go_on(s);
	take_on(s);
	recording_prompt(s->recording, s->cmdline.open || (s->popup.open && s->popup.finds));
}

static void handle_signals(struct screen *s)
{
	unsigned what = term_signals() | s->signals;
	s->signals = 0;
	if (what & TERM_GONE)
		running_gone(s);
	if (what & TERM_STOP) {
		term_suspend();
		s->damaged = true;
	}
	if (what & TERM_CONTINUED) {
		term_continue();
		s->damaged = true;
	}
	if (what & TERM_RESIZED) {
		term_resize();
		s->damaged = true;
	}
	if (what & TERM_INTERRUPT) {
		animate_set(s, false);
		if (s->cmdline.open) {
			cmdline_close(s);
			drop_taken(s);
		} else {
			screen_say(s, false, "Nothing is running. q leaves.");
		}
	}
}

/* Shows a message if memory ran out while handling keys or drawing. */
static void tell_lack(struct screen *s)
{
	struct err err;
	if (alloc_settle(true, &err))
		return;
	message_set(s, true, err.msg, strlen(err.msg));
	s->damaged = true;
}

static void screen_run_event_loop(struct screen *s)
{
	uint64_t drawn = 0;
	while (!s->quit) {
		int key = running_next_key(s, 0);
		if (key != TERM_NO_KEY)
			screen_key(s, key);
		s->damaged |= theme_follow(&s->canvas.theme);
		if (s->quit && playground_holds(s))
			s->quit = false;
		/* Handle waiting keys before drawing, but for at most DRAW_NS; a recording has a
		 * picture after each, but for those of a line. */
		bool idle = key == TERM_NO_KEY;
		if (idle && s->playground)
			playground_keep(s->playground);
		if (!s->quit && (s->damaged || s->changed) &&
		    (idle || (s->recording && !s->cmdline.open) ||
		     screen_now_ns() - drawn > DRAW_NS)) {
			screen_draw(s);
			drawn = screen_now_ns();
		}
		/* Drawing may have taken in keys and signals that came while a pane was built. */
		if (idle && !s->quit && !s->typed_count && !s->signals)
			term_wait(survey_go_on(s) || s->changed ? 0 : animate_wait(s));
		handle_signals(s);
		if (s->animation.on)
			animate_tick(s);
		tell_lack(s);
	}
}

static void screen_attach_console(struct screen *s)
{
	struct session *se = screen_session(s);
	s->old_write = s->console->write;
	s->old_write_ctx = s->console->write_ctx;
	s->console->write = message_on_answer;
	s->console->write_ctx = s;
	s->console->screen = true;
	s->console->of_screen = s;
	/* the machine keeps its output for a view */
	session_set_output(se, os_no_output, NULL);
	session_set_warn(se, message_on_warning, s);
	guest_input_begin(s);
}

static void screen_detach_console(struct screen *s)
{
	guest_input_end(s);
	s->console->screen = false;
	s->console->of_screen = NULL;
	s->console->write = s->old_write;
	s->console->write_ctx = s->old_write_ctx;
	session_set_warn(screen_session(s), NULL, NULL);
}

/* Runs the user's file of commands for each start of the screen. */
static void run_own_file(struct screen *s)
{
	char *path = config_path("screen"), *line = NULL;
	FILE *f = path ? open_own_input(path) : NULL;
	size_t room = 0;
	ssize_t n;
	while (f && !s->quit && (n = alloc_line(&line, &room, f)) >= 0) {
		while (n > 0 && (line[n - 1] == '\n' || line[n - 1] == '\r'))
			line[--n] = '\0';
		if (!line[strspn(line, " \t")] || line[strspn(line, " \t")] == '#')
			continue;
		screen_run(s, line);
		if (s->message_is_error && s->message.n)
			break; /* keep the error message */
	}
	if (f)
		fclose(f);
	free(line);
	free(path);
}

static bool screen_init_state(struct screen *s, struct tour_place *place, struct err *err)
{
	s->canvas.ascii = strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
	if (!theme_load(&s->canvas.theme, NULL, err))
		return false;
	if (!end_page_init(&s->end, err) || !layouts_load(&s->layouts, err) ||
	    !canvas_size(&s->canvas, LINES, COLS))
		return false;
	rebuild_begin(s);
	s->last_stop = UINT64_MAX;
	s->machine = screen_session(s)->machine;
	s->cycle = machine_cycle(s->machine);
	int at = layouts_find(&s->layouts, screen_session(s)->twin ? "twin" : "window",
	                      &(struct err){0});
	screen_set_layout(s, at < 0 ? 0 : at);
	cmdline_init(s);
	screen_attach_console(s);
	run_own_file(s);
	struct err why;
	if (!narration_begin(s, place, &why))
		screen_say(s, true, "%s", why.msg);
	s->playground = place->playground;
	playground_begin(s);
	/* After an error, stay where it happened. */
	if (!s->quit && !(s->message_is_error && s->message.n) && !s->console->err.msg[0] &&
	    !err->msg[0] && !s->playground && !place->moment) {
		s->end.cycles = place->cycles;
		s->end.insts = place->insts;
		if (place->cycles)
			screen_run(s, "continue");
		else
			opening_go(s);
	}
	if (place->moment)
		link_layout_show(s, place->moment);
	/* Show an error from before the screen was opened: of the last command of -e or -x, or of a
	 * layout file. */
	if (s->console->err.msg[0])
		screen_say(s, true, "%s", s->console->err.msg);
	else if (err->msg[0])
		screen_say(s, true, "%s", err->msg);
	else if (term_substituted() && !place->cycles)
		screen_say(s, false, "%s", term_substituted());
	else if (!s->message.n && !narration_on(&s->narration))
		screen_say(s, false,
		           "Press s to step, c to run, ? for help, 1 to 8 for layouts, t for "
		           "tours, Ctrl-P for anything%s.",
		           s->log.n ? ", l for what was printed" : "");
	return true;
}

bool screen_possible(void)
{
	return term_possible();
}

/* Prints on the terminal what the program has written, also after a place in the past; its output
 * was in a pane until now. */
static void screen_print_output(const struct session *se)
{
	struct run_history h;
	struct run_stop_info info;
	struct err none;
	run_history(se->run, &h);
	if (!ending_came() && machine_cycle(se->machine) < h.newest_cycle)
		run_goto_cycle(se->run, h.newest_cycle, &info, &none);
	const struct os *os = machine_os_const(se->machine);
	for (int fd = 1; fd <= 2; fd++) {
		uint64_t first;
		size_t n;
		const char *bytes = os_output(os, fd, &first, &n);
		say_output(fd == 2 ? stderr : stdout, bytes, n);
		if (n && bytes[n - 1] != '\n')
			say_output(fd == 2 ? stderr : stdout, "\n", 1);
		fflush(stdout);
	}
}

int screen_main(struct console *c, struct tour_place *place, const struct text *said)
{
	struct screen s = {.console = c, .draw = screen_draw};
	if (said->n)
		text_append(&s.log, said->s, said->n);
	struct err err = {0}, why;
	bool recorded = true, shows_output = false;
	char *old_locale = alloc_text(setlocale(LC_CTYPE, NULL));
	setlocale(LC_CTYPE, "");
	bool ok = term_open(&err);
	if (ok) {
		ok = screen_init_state(&s, place, &err);
		if (ok) {
			screen_run_event_loop(&s);
			screen_detach_console(&s);
			cmdline_deinit(&s);
		}
		shows_output = ok && !narration_on(&s.narration) && !s.playground;
		recorded = recording_end(s.recording, &why);
		narration_deinit(&s.narration);
		timeline_deinit(&s.timeline);
		popup_deinit(&s.popup);
		palette_deinit(&s.palette);
		bindings_deinit(&s.bindings);
		layouts_deinit(&s.layouts);
		end_page_deinit(&s.end);
		canvas_deinit(&s.canvas);
		term_close();
		if (shows_output)
			screen_print_output(c->session);
	}
	text_deinit(&s.answer);
	text_deinit(&s.message);
	text_deinit(&s.log);
	text_deinit(&s.pasted);
	if (old_locale)
		setlocale(LC_CTYPE, old_locale);
	free(old_locale);
	if (!ok)
		say_error("%s", err.msg);
	if (!recorded)
		say_error("%s", why.msg);
	return ok && recorded && !ending_came() ? 0 : STATUS_OWN_ERROR;
}
