/* Commands layout, focus, zoom and pane. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hwviews/why/hot.h"
#include "ui/screen/cmd.h"
#include "ui/screen/tabs.h"

static void list_layouts(struct screen *s)
{
	char line[160], command[64];
	popup_menu(&s->popup, "Layouts");
	for (unsigned i = 0; i < s->layouts.count; i++) {
		const struct layout *l = &s->layouts.layout[i];
		snprintf(line, sizeof line, "%u  %-12s %s", i + 1, l->name, l->help);
		snprintf(command, sizeof command, "layout %u", i + 1);
		popup_item(&s->popup, line, command);
	}
	s->popup.chosen = s->layout;
}

static bool save_layout(struct screen *s, const char *name, struct err *err)
{
	char *path;
	int at = layouts_save(&s->layouts, name, *s->root, &path, err);
	if (at >= 0) {
		screen_set_layout(s, at);
		screen_say(s, false, "Layout %d, %s, is now kept in %s", at + 1, name, path);
	}
	free(path);
	return at >= 0;
}

bool exec_layout(struct screen *s, const char *args, struct err *err)
{
	if (!*args) {
		list_layouts(s);
		return true;
	}
	if (!strncmp(args, "save ", 5))
		return save_layout(s, args + 5 + strspn(args + 5, " "), err);
	if (arg_is(args, "reset")) {
		int at = s->layout;
		if (!layouts_reset(&s->layouts, (unsigned)at, err))
			return false;
		screen_set_layout(s, at);
		return true;
	}
	int at = layouts_find(&s->layouts, args, err);
	if (at >= 0)
		screen_set_layout(s, at);
	return at >= 0;
}

bool exec_heat(struct screen *s, const char *args, struct err *err)
{
	struct hot_profile known;
	const bool on = arg_is(args, "on") || (!*args && !hot_last(screen_session(s), &known));
	if (*args && !on && !arg_is(args, "off"))
		return arg_wrong(s, "heat", args, err);
	s->survey.off = !on;
	s->survey.done = false;
	const enum command_result r = screen_console(s, on ? "view hot" : "view hot off");
	text_clear(&s->answer);
	if (r == CMD_ERROR)
		return err_set(err, "%s", s->console->err.msg);
	const int code = layouts_find(&s->layouts, "source", err);
	if (on && code >= 0 && !screen_shows(s, "source") && !screen_shows(s, "disasm"))
		screen_set_layout(s, code);
	screen_say(s, false,
	           on ? "beside source and disassembly: executions, and cycles for which it held "
	                "up commit; H hides them"
	              : "no more heat beside the code");
	return true;
}

bool exec_tui(struct screen *s, const char *args, struct err *err)
{
	if (!strncmp(args, "layout", 6) && (!args[6] || args[6] == ' '))
		return exec_layout(s, args + 6 + strspn(args + 6, " "), err);
	if (arg_is(args, "disable"))
		return err_set(err, "the screen closes with the session; use q, and cyclops "
		                    "--no-screen PROGRAM");
	if (*args && !arg_is(args, "enable"))
		return arg_wrong(s, "tui", args, err);
	screen_say(s, false, "this is the screen: ? lists its keys, `layout` its layouts");
	return true;
}

/* Index of the focused pane in p[n]; n: it is not there. */
static unsigned focused_of(const struct screen *s, struct pane *const *p, unsigned n)
{
	unsigned at = 0;
	while (at < n && p[at] != s->focus)
		at++;
	return at;
}

bool exec_focus(struct screen *s, const char *args, struct err *err)
{
	struct pane *p[LAYOUT_PANES];
	unsigned n = screen_panes(s, p);
	if (arg_is(args, "next") || arg_is(args, "previous")) {
		/* While a pane is zoomed, moving the focus zooms the next one. */
		if (s->zoomed)
			n = tiles_panes(*s->root, p);
		if (!n)
			return true;
		screen_focus(s,
		             p[(focused_of(s, p, n) + (arg_is(args, "next") ? 1 : n - 1)) % n]);
		return true;
	}
	for (unsigned i = 1; *args && i <= n; i++) {
		struct pane *q = p[(focused_of(s, p, n) + i) % n];
		if (!strncmp(q->words, args, strlen(args))) {
			screen_focus(s, q);
			return true;
		}
	}
	if (*args && tabs_show(s, args))
		return true;
	return err_set(
		err,
		"no pane here shows '%s'; expected focus next, previous, or the view of a pane",
		args);
}

static void view_menu(struct screen *s)
{
	char line[160], command[96];
	const struct view *v;
	popup_menu(&s->popup, "Which view?");
	for (unsigned i = 0; (v = view_at(screen_session(s), i)); i++) {
		snprintf(line, sizeof line, "%-12s %s", v->name, v->title);
		snprintf(command, sizeof command, "pane view %s", v->name);
		popup_item(&s->popup, line, command);
		if (v == s->focus->view)
			s->popup.chosen = (int)i;
	}
}

/* Arranges panes after the user has changed them: the arrangement stays when the terminal's size
 * changes. */
static void cmd_panes_arrange(struct screen *s)
{
	if (!s->narration.on_stage && !s->end.shown)
		s->layouts.layout[s->layout].chosen = s->root;
	screen_arrange(s);
}

static bool cmd_panes_resize_pane(struct screen *s, bool width, int cells, struct err *err)
{
	struct node *leaf = tiles_leaf(*s->root, s->focus);
	if (!leaf || !tiles_grow(leaf, width, cells))
		return err_set(err, "nothing lies %s this pane",
		               width ? "beside" : "above or below");
	cmd_panes_arrange(s);
	return true;
}

static bool show_view(struct screen *s, const char *words, struct err *err)
{
	if (!pane_set_view(s->focus, screen_session(s), words, err))
		return false;
	cmd_panes_arrange(s);
	return true;
}

/* Halves or doubles the cycles per column of the pipeline diagram in the focused pane. */
static bool zoom_pipe(struct screen *s, bool in, struct err *err)
{
	enum { FARTHEST = 4096 };
	struct pane *p = s->focus;
	const bool far = p->argc > 2 && !strcmp(p->argv[p->argc - 2], "by");
	unsigned long by = far ? strtoul(p->argv[p->argc - 1], NULL, 10) : 1;
	struct text words = {0};
	if (in ? by < 2 : by >= FARTHEST) {
		screen_say(s, false, "%s",
		           in ? "a column is a cycle: no closer" : "that is the smallest scale");
		return true;
	}
	by = in ? by / 2 : by * 2;
	for (int i = 0; i < p->argc - (far ? 2 : 0); i++)
		text_printf(&words, "%s%s", i ? " " : "", p->argv[i]);
	if (by > 1)
		text_printf(&words, " by %lu", by);
	const bool ok = words.s ? show_view(s, words.s, err) : err_set(err, "out of memory");
	text_deinit(&words);
	return ok;
}

/* During an animation, zoom changes its rate also in the pipeline diagram. */
bool exec_zoom(struct screen *s, const char *args, struct err *err)
{
	const bool in = arg_is(args, "in");
	if (*args && !in && !arg_is(args, "out"))
		return arg_wrong(s, "zoom", args, err);
	if (!*args) {
		s->zoomed = !s->zoomed;
		screen_arrange(s);
	} else if (!s->animation.on && s->focus->view && !strcmp(s->focus->view->name, "pipe")) {
		return zoom_pipe(s, in, err);
	} else {
		animate_faster(s, in ? 1 : -1);
	}
	return true;
}

bool exec_pane(struct screen *s, const char *args, struct err *err)
{
	struct node *leaf = tiles_leaf(*s->root, s->focus);
	if (arg_is(args, "wider") || arg_is(args, "narrower"))
		return cmd_panes_resize_pane(s, true, arg_is(args, "wider") ? 2 : -2, err);
	if (arg_is(args, "taller") || arg_is(args, "shorter"))
		return cmd_panes_resize_pane(s, false, arg_is(args, "taller") ? 1 : -1, err);
	if (arg_is(args, "menu")) {
		view_menu(s);
		return true;
	}
	if (!strncmp(args, "view ", 5))
		return show_view(s, args + 5 + strspn(args + 5, " "), err);
	if (!strncmp(args, "split", 5) &&
	    (!args[5] || arg_is(args, "split columns") || arg_is(args, "split rows"))) {
		struct pane *added = tiles_split(s->root, leaf, !arg_is(args, "split rows"), err);
		if (!added)
			return false;
		s->zoomed = false;
		s->focus = added;
		cmd_panes_arrange(s);
		return true;
	}
	if (arg_is(args, "close")) {
		struct pane *p[LAYOUT_PANES];
		const unsigned at = focused_of(s, p, tiles_panes(*s->root, p));
		if (!tiles_close(s->root, leaf, err))
			return false;
		s->focus = p[at ? at - 1 : 1];
		cmd_panes_arrange(s);
		return true;
	}
	char view[32];
	snprintf(view, sizeof view, "%.*s", (int)strcspn(args, " "), args);
	return view_named(screen_session(s), view) ? show_view(s, args, err)
	                                           : arg_wrong(s, "pane", args, err);
}
