/* Commands that are about the screen itself: which pane, which row, which layout. They share the prompt and the keys with
 * all others. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/pipe/pipe.h"
#include "ui/screen/keys.h"
#include "ui/screen/screen_priv.h"
#include "ui/screen/term.h"

/* ---- arguments ---- */
static bool is(const char *args, const char *word)
{
	return !strcmp(args, word);
}

static bool wrong(const struct screen_command *cmd, const char *args, struct err *err)
{
	return err_set(err, "%s '%s'? right: %s", cmd->name, args, cmd->usage);
}

#define USAGE(name) wrong(screen_command_find(name, strlen(name)), args, err)

static bool number(const char *args, int64_t *out)
{
	char *end;
	*out = strtoll(args, &end, 10);
	return end != args && !*end;
}

/* ---- layouts and panes ---- */
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

static bool exec_layout(struct screen *s, const char *args, struct err *err)
{
	if (!*args) {
		list_layouts(s);
		return true;
	}
	if (!strncmp(args, "save ", 5))
		return save_layout(s, args + 5 + strspn(args + 5, " "), err);
	if (is(args, "reset")) {
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

static bool exec_focus(struct screen *s, const char *args, struct err *err)
{
	struct pane *p[LAYOUT_PANES];
	unsigned n = screen_panes(s, p), at = 0;
	while (at < n && p[at] != s->focus)
		at++;
	if (is(args, "next") || is(args, "previous")) {
		/* While one pane is zoomed, the next one takes its place. */
		if (s->zoomed)
			n = tiles_panes(*s->root, p);
		for (at = 0; at < n && p[at] != s->focus; at++)
			;
		screen_focus(s, p[(at + (is(args, "next") ? 1 : n - 1)) % n]);
		return true;
	}
	for (unsigned i = 1; *args && i <= n; i++) {
		struct pane *q = p[(at + i) % n];
		if (!strncmp(q->words, args, strlen(args))) {
			screen_focus(s, q);
			return true;
		}
	}
	return err_set(err, "no pane here shows '%s'; right: focus next, previous, or the view of a pane", args);
}

static bool exec_zoom(struct screen *s, const char *args, struct err *err)
{
	(void)args;
	(void)err;
	s->zoomed = !s->zoomed;
	screen_arrange(s);
	return true;
}

static void view_menu(struct screen *s)
{
	char line[160], command[96];
	popup_menu(&s->popup, "Which view?");
	for (unsigned i = 0; i < view_count; i++) {
		snprintf(line, sizeof line, "%-12s %s", views[i]->name, views[i]->title);
		snprintf(command, sizeof command, "pane view %s", views[i]->name);
		popup_item(&s->popup, line, command);
		if (views[i] == s->focus->view)
			s->popup.chosen = (int)i;
	}
}

static bool grow(struct screen *s, bool width, int cells, struct err *err)
{
	struct node *leaf = tiles_leaf(*s->root, s->focus);
	if (!leaf || !tiles_grow(leaf, width, cells))
		return err_set(err, "nothing lies %s this pane", width ? "beside" : "above or below");
	screen_arrange(s);
	return true;
}

static bool exec_pane(struct screen *s, const char *args, struct err *err)
{
	struct node *leaf = tiles_leaf(*s->root, s->focus);
	if (is(args, "wider") || is(args, "narrower"))
		return grow(s, true, is(args, "wider") ? 2 : -2, err);
	if (is(args, "taller") || is(args, "shorter"))
		return grow(s, false, is(args, "taller") ? 1 : -1, err);
	if (is(args, "menu")) {
		view_menu(s);
		return true;
	}
	if (!strncmp(args, "view ", 5)) {
		if (!pane_set_view(s->focus, args + 5 + strspn(args + 5, " "), err))
			return false;
		screen_arrange(s);
		return true;
	}
	if (!strncmp(args, "split", 5) && (!args[5] || is(args, "split columns") || is(args, "split rows"))) {
		struct pane *added = tiles_split(s->root, leaf, !is(args, "split rows"), err);
		if (!added)
			return false;
		s->zoomed = false;
		s->focus = added;
		screen_arrange(s);
		return true;
	}
	if (is(args, "close")) {
		struct pane *p[LAYOUT_PANES];
		unsigned n = tiles_panes(*s->root, p), at = 0;
		while (at < n && p[at] != s->focus)
			at++;
		if (!tiles_close(s->root, leaf, err))
			return false;
		s->focus = p[at ? at - 1 : 1];
		screen_arrange(s);
		return true;
	}
	return USAGE("pane");
}

/* ---- rows ---- */
static void selection_moved(struct screen *s)
{
	const struct grid_row *row = pane_row(s->focus);
	uint64_t seq = row ? row->seq : 0;
	struct session *se = screen_session(s);
	s->damaged = true;
	/* What other panes show about an instruction follows the selection. */
	if (seq && seq != se->selected_seq) {
		se->selected_seq = seq;
		s->changed = true;
	}
}

static bool exec_row(struct screen *s, const char *args, struct err *err)
{
	int64_t by;
	if (is(args, "first") || is(args, "last"))
		pane_select_end(s->focus, is(args, "last"));
	else if (number(args, &by))
		pane_select(s->focus, screen_session(s), by);
	else
		return USAGE("row");
	selection_moved(s);
	return true;
}

static bool exec_scroll(struct screen *s, const char *args, struct err *err)
{
	int64_t by;
	int page = pane_rows(s->focus) - 1;
	if (is(args, "page") || is(args, "-page"))
		by = *args == '-' ? -page : page;
	else if (!number(args, &by))
		return USAGE("scroll");
	pane_scroll(s->focus, screen_session(s), by);
	s->damaged = true;
	return true;
}

static bool exec_scroll_columns(struct screen *s, const char *args, struct err *err)
{
	int64_t by;
	struct pane *p = s->focus;
	if (!number(args, &by))
		return USAGE("scroll-columns");
	if (by > 0 && p->hidden_columns)
		p->first_column++;
	else if (by < 0 && p->first_column)
		p->first_column--;
	s->damaged = true;
	return true;
}

static bool exec_follow(struct screen *s, const char *args, struct err *err)
{
	(void)args;
	(void)err;
	pane_follow(s->focus, screen_session(s));
	screen_session(s)->selected_seq = 0;
	s->changed = s->damaged = true;
	return true;
}

static bool exec_search(struct screen *s, const char *args, struct err *err)
{
	if (*args)
		snprintf(s->focus->search, sizeof s->focus->search, "%s", args);
	if (!s->focus->search[0])
		return err_set(err, "search for what?");
	bool found = pane_find(s->focus, 1);
	selection_moved(s);
	return found || err_set(err, "'%s' is not in this pane", s->focus->search);
}

static bool exec_search_previous(struct screen *s, const char *args, struct err *err)
{
	(void)args;
	bool found = pane_find(s->focus, -1);
	selection_moved(s);
	return found || err_set(err, "'%s' is not in this pane", s->focus->search);
}

static bool exec_search_next(struct screen *s, const char *args, struct err *err)
{
	(void)args;
	return exec_search(s, "", err);
}

/* The row in full: what the pane may have cut off. */
static void tell_row(struct screen *s, const struct grid_row *row)
{
	const struct grid *g = &s->focus->grid;
	struct text t = {0};
	for (unsigned c = 0; c < g->column_count; c++) {
		const char *title = *g->columns[c].title ? g->columns[c].title : "";
		if (!*row->cells[c].text)
			continue;
		text_printf(&t, "%s%s%s%s%s%s", t.n ? "; " : "", title, *title ? " " : "", row->cells[c].text,
		            *g->columns[c].unit ? " " : "", g->columns[c].unit);
	}
	screen_say(s, false, "%s", t.s ? t.s : "an empty row");
	text_deinit(&t);
}

static bool exec_explain(struct screen *s, const char *args, struct err *err)
{
	const struct grid_row *row = pane_row(s->focus);
	char line[64];
	(void)args;
	(void)err;
	if (row && !(row->seq && pipe_find(machine_pipe(screen_session(s)->machine), row->seq))) {
		tell_row(s, row);
		return true;
	}
	if (row)
		snprintf(line, sizeof line, "why #%" PRIu64, row->seq);
	screen_run(s, row ? line : "why");
	return true;
}

/* The stop point that stands at an address; 0 if none. */
static int stop_at(const struct screen *s, uint64_t pc)
{
	const struct stop_point *sp;
	for (unsigned i = 0; (sp = run_stop_at(screen_session(s)->run, i)); i++)
		if (sp->kind == STOP_POINT_PC && sp->addr == pc)
			return sp->id;
	return 0;
}

static bool exec_break_here(struct screen *s, const char *args, struct err *err)
{
	const struct grid_row *row = pane_row(s->focus);
	uint64_t pc = row ? row->pc : machine_pc(screen_session(s)->machine);
	char line[64];
	(void)args;
	if (!pc)
		return err_set(err, "this row is about no code; `break PLACE` names one");
	int id = stop_at(s, pc);
	if (id)
		snprintf(line, sizeof line, "delete %d", id);
	else
		snprintf(line, sizeof line, "break *0x%" PRIx64, pc);
	screen_run(s, line);
	return true;
}

/* ---- the rest ---- */
static bool exec_animate(struct screen *s, const char *args, struct err *err)
{
	int64_t rate;
	if (is(args, "on") || is(args, "off") || is(args, "toggle") || !*args)
		animate_set(s, is(args, "on") || (!is(args, "off") && !s->animation.on));
	else if (is(args, "faster") || is(args, "slower"))
		animate_faster(s, is(args, "faster") ? 1 : -1);
	else if (number(args, &rate) && rate >= 1 && rate <= 1000)
		s->animation.rate = (unsigned)rate;
	else
		return USAGE("animate");
	return true;
}

static bool exec_prompt(struct screen *s, const char *args, struct err *err)
{
	char text[256];
	(void)err;
	snprintf(text, sizeof text, "%s%s", args, *args ? " " : "");
	cmdline_open(s, text);
	return true;
}

static bool exec_keys(struct screen *s, const char *args, struct err *err)
{
	struct text t = {0};
	const char *group = "";
	(void)args;
	(void)err;
	for (unsigned i = 0; i < key_count; i++) {
		if (!*keys[i].help)
			continue;
		if (strcmp(group, keys[i].group) != 0)
			text_printf(&t, "%s%s\n", *group ? "\n" : "", keys[i].group);
		group = keys[i].group;
		text_printf(&t, "  %-7s %-48s %s\n", keys[i].name, keys[i].help, keys[i].command);
	}
	text_printf(&t, "\nEach key is a command: `:` takes any, `help` lists them, `help WORD` explains.\n"
	                "Mouse: click focuses and selects, double click asks why, the wheel scrolls,\n"
	                "a click left of code sets a breakpoint.\n\nThe screen's own commands\n");
	for (unsigned i = 0; i < screen_command_count; i++)
		text_printf(&t, "  %-34s %s\n", screen_commands[i].usage, screen_commands[i].help);
	popup_text(&s->popup, "Keys", t.s ? t.s : "", false);
	text_deinit(&t);
	return true;
}

static bool exec_help_view(struct screen *s, const char *args, struct err *err)
{
	const struct view *v = *args ? view_find(args, err) : s->focus->view;
	if (!v)
		return *args ? false : err_set(err, "this pane shows no view");
	char title[POPUP_TITLE];
	snprintf(title, sizeof title, "%s: view %s", v->title, v->name);
	popup_text(&s->popup, title, v->help, false);
	return true;
}

static bool exec_log(struct screen *s, const char *args, struct err *err)
{
	(void)args;
	if (!s->log.n)
		return err_set(err, "nothing has been said yet");
	popup_text(&s->popup, "What was said", s->log.s, true);
	return true;
}

static bool exec_theme(struct screen *s, const char *args, struct err *err)
{
	const char *name, *help;
	char line[160], command[64];
	if (*args) {
		s->damaged = true;
		return theme_load(&s->canvas.theme, args, err);
	}
	popup_menu(&s->popup, "Colours");
	for (unsigned i = 0; (name = theme_name(i, &help)); i++) {
		snprintf(line, sizeof line, "%-8s %s", name, help);
		snprintf(command, sizeof command, "theme %s", name);
		popup_item(&s->popup, line, command);
	}
	return true;
}

static bool exec_redraw(struct screen *s, const char *args, struct err *err)
{
	(void)args;
	(void)err;
	term_redraw();
	s->damaged = true;
	return true;
}

const struct screen_command screen_commands[] = {
	{"layout", "layout [N | NAME | save NAME | reset]", "show a layout; keep the present one", exec_layout},
	{"focus", "focus next | previous | VIEW", "which pane keys are about", exec_focus},
	{"zoom", "zoom", "the focused pane alone, and back", exec_zoom},
	{"pane", "pane view VIEW [ARGS] | menu | split columns|rows | close | wider|narrower|taller|shorter",
	 "change the focused pane", exec_pane},
	{"row", "row N | -N | first | last", "move the selection", exec_row},
	{"scroll", "scroll N | -N | page | -page", "scroll the focused pane", exec_scroll},
	{"scroll-columns", "scroll-columns N | -N", "scroll sideways", exec_scroll_columns},
	{"follow", "follow", "no selection, no scrolling", exec_follow},
	{"search", "search TEXT", "find a row with this text", exec_search},
	{"search-next", "search-next", "the next match", exec_search_next},
	{"search-previous", "search-previous", "the match before", exec_search_previous},
	{"explain", "explain", "why the selected row is as it is", exec_explain},
	{"break-here", "break-here", "a breakpoint at the selected row, or none again", exec_break_here},
	{"animate", "animate on | off | toggle | faster | slower | RATE", "step by itself", exec_animate},
	{"prompt", "prompt [TEXT]", "type a command that begins with this", exec_prompt},
	{"keys", "keys", "list the keys", exec_keys},
	{"help-view", "help-view [VIEW]", "what a view shows", exec_help_view},
	{"log", "log", "everything that was said", exec_log},
	{"theme", "theme [NAME]", "choose colours", exec_theme},
	{"redraw", "redraw", "draw the screen again", exec_redraw},
};
const unsigned screen_command_count = sizeof screen_commands / sizeof *screen_commands;

const struct screen_command *screen_command_find(const char *word, size_t n)
{
	for (unsigned i = 0; i < screen_command_count; i++)
		if (strlen(screen_commands[i].name) == n && !strncmp(screen_commands[i].name, word, n))
			return &screen_commands[i];
	return NULL;
}
