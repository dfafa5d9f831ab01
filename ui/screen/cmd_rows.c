/* Commands within the focused pane: row, scroll, search, explain, break-here. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/pipe/pipe.h"
#include "hwviews/flow/context_folds.h"
#include "hwviews/why/hot.h"
#include "hwviews/why/sampled_run.h"
#include "hwviews/why/spent.h"
#include "ui/screen/cmd.h"

static void selection_moved(struct screen *s)
{
	const struct grid_row *row = pane_row(s->focus);
	uint64_t seq = row ? row->seq : 0;
	struct session *se = screen_session(s);
	s->damaged = true;
	/* Other panes follow the selected instruction. */
	if (seq && seq != se->selected_seq) {
		se->selected_seq = seq;
		s->changed = true;
	}
}

bool exec_row(struct screen *s, const char *args, struct err *err)
{
	int64_t by;
	if (arg_is(args, "first") || arg_is(args, "last"))
		pane_select_end(s->focus, arg_is(args, "last"));
	else if (arg_int(args, &by))
		pane_select(s->focus, screen_session(s), by);
	else
		return arg_wrong(s, "row", args, err);
	selection_moved(s);
	return true;
}

bool exec_scroll(struct screen *s, const char *args, struct err *err)
{
	int64_t by;
	int page = pane_rows(s->focus) - 1;
	if (arg_is(args, "page") || arg_is(args, "-page"))
		by = *args == '-' ? -page : page;
	else if (!arg_int(args, &by))
		return arg_wrong(s, "scroll", args, err);
	pane_scroll(s->focus, screen_session(s), by);
	s->damaged = true;
	return true;
}

/* Scrolls columns first, then truncated texts; for source, texts first. */
enum { TEXT_CELLS = 8 };

bool exec_scroll_columns(struct screen *s, const char *args, struct err *err)
{
	int64_t by;
	struct pane *p = s->focus;
	if (!arg_int(args, &by))
		return arg_wrong(s, "scroll-columns", args, err);
	const bool more = pane_cut(p) > p->text_scroll,
		   text_first = p->view && !strcmp(p->view->name, "source");
	if (pane_select_beside(p, by > 0 ? 1 : -1))
		selection_moved(s);
	else if (by > 0 && p->hidden_columns && !(text_first && more))
		p->first_column++;
	else if (by > 0 && more)
		p->text_scroll += TEXT_CELLS;
	else if (by < 0 && p->text_scroll && !(text_first && p->first_column))
		p->text_scroll -= TEXT_CELLS;
	else if (by < 0 && p->first_column)
		p->first_column--;
	s->damaged = true;
	return true;
}

bool exec_follow(struct screen *s, const char *args, struct err *err)
{
	(void)args;
	(void)err;
	pane_follow(s->focus, screen_session(s));
	screen_session(s)->selected_seq = 0;
	s->changed = s->damaged = true;
	return true;
}

bool exec_search(struct screen *s, const char *args, struct err *err)
{
	if (*args)
		snprintf(s->focus->search, sizeof s->focus->search, "%s", args);
	if (!s->focus->search[0])
		return err_set(err, "search for what?");
	bool found = pane_find(s->focus, screen_session(s), 1);
	selection_moved(s);
	return found || err_set(err, "'%s' is not in this pane", s->focus->search);
}

bool exec_search_previous(struct screen *s, const char *args, struct err *err)
{
	(void)args;
	bool found = pane_find(s->focus, screen_session(s), -1);
	selection_moved(s);
	return found || err_set(err, "'%s' is not in this pane", s->focus->search);
}

bool exec_search_next(struct screen *s, const char *args, struct err *err)
{
	(void)args;
	return exec_search(s, "", err);
}

/* Shows the whole row, including what the pane has cut off. */
static void tell_row(struct screen *s, const struct grid_row *row)
{
	const struct grid *g = &s->focus->grid;
	struct text t = {0};
	for (unsigned c = 0; c < g->column_count; c++) {
		const char *title = *g->columns[c].title ? g->columns[c].title : "";
		if (!*row->cells[c].text)
			continue;
		text_printf(&t, "%s%s%s%s%s%s", t.n ? "; " : "", title, *title ? " " : "",
		            row->cells[c].text, *g->columns[c].unit ? " " : "", g->columns[c].unit);
	}
	screen_say(s, false, "%s", t.s ? t.s : "an empty row");
	text_deinit(&t);
}

/* Opens a view: focuses a pane that shows it, or else shows it in this pane. */
static bool open_view(struct screen *s, const char *name)
{
	struct pane *p[LAYOUT_PANES];
	const char *from = s->focus->view->name;
	const unsigned n = screen_panes(s, p);
	for (unsigned i = 0; i < n; i++)
		if (p[i]->view && !strcmp(p[i]->view->name, name)) {
			screen_focus(s, p[i]);
			return true;
		}
	screen_runf(s, "pane %s", name);
	screen_say(s, false, "%s; `pane %s` leads back", s->focus->view->title, from);
	return true;
}

/* Unit of the sample in a row; 0: none. */
static uint64_t cmd_rows_sample_unit(struct screen *s, const struct grid_row *row)
{
	const struct sampled_run *r = screen_session(s)->sampled;
	const char *view = s->focus->view ? s->focus->view->name : "";
	if (r && !strcmp(view, "sample"))
		return row->key;
	return r && !strcmp(view, "phases") ? r->phase[row->key - 1].middle + 1 : 0;
}

/* Command of Enter for twin machines: goes to where the gap grew, or explains an instruction. */
static const char *cmd_rows_twin_action(const struct screen *s)
{
	const char *view = s->focus->view->name;
	return !strcmp(view, "gap") ? "go" : !strcmp(view, "twin") ? "why" : NULL;
}

/* Executes the commands of a row: "set a = 1; set b = 2". Settings of a profiling system need a new
 * run: starts the program again, and returns to the present cycle. False: the row has no commands.
 */
static bool cmd_rows_execute(struct screen *s, const struct grid_row *row)
{
	const struct pane *p = s->focus;
	const struct session *se = screen_session(s);
	const char *view = p->view ? p->view->name : "";
	const bool system = !strcmp(view, "systems");
	char line[128];
	if (!row || (!system && strcmp(view, "beside") != 0))
		return false;
	unsigned c = 0;
	while (strcmp(p->grid.columns[c].name, "command") != 0)
		c++;
	char *all = alloc_text(row->cells[c].text), *rest = all;
	if (!all || !*all) {
		free(all);
		return false;
	}
	const bool sets = !strncmp(all, "set ", 4);
	const uint64_t cycle = machine_cycle(se->machine);
	for (char *one; (one = strsep(&rest, ";"));) {
		snprintf(line, sizeof line, "%s", one + strspn(one, " "));
		screen_run(s, line);
	}
	free(all);
	if (system && sets) {
		screen_run(s, "starti");
		screen_runf(s, "goto %" PRIu64, cycle);
		screen_choose_tree(s);
	}
	return true;
}

/* Number of the place in a row of view spent, its first without a selection; 0: it is not shown, or
 * the row is of no place. */
static unsigned cmd_rows_spent_place(const struct screen *s, const struct grid_row *row)
{
	const struct pane *p = s->focus;
	const bool spent = p->view && !strcmp(p->view->name, "spent") && p->built;
	if (!row && spent && s->end.shown && p->grid.row_count)
		row = &p->grid.rows[0];
	return spent && row ? (unsigned)row->cells[0].raw.u : 0;
}

/* Shows every line that the row of all other places of view spent sums up, without counting again.
 * False: it is another row. */
static bool cmd_rows_show_rest(struct screen *s, const struct grid_row *row)
{
	const struct pane *p = s->focus;
	struct hot_profile counted;
	if (!row || row->key != SPENT_REST_KEY || !p->view || strcmp(p->view->name, "spent") != 0 ||
	    !hot_last(screen_session(s), &counted))
		return false;
	screen_runf(s, "view hot lines all %" PRIu64 " %" PRIu64, counted.from, counted.to);
	return true;
}

/* Explains a row of what-if in view spent. False: it is another row. */
static bool cmd_rows_tell_help(struct screen *s, const struct grid_row *row)
{
	const struct pane *p = s->focus;
	char text[384];
	if (!row || !p->view || strcmp(p->view->name, "spent") != 0 ||
	    !spent_tell_help(screen_session(s), row->key, text, sizeof text))
		return false;
	screen_say(s, false, "%s", text);
	return true;
}

bool exec_explain(struct screen *s, const char *args, struct err *err)
{
	const struct grid_row *row = pane_row(s->focus);
	const char *in_both = row && row->seq ? cmd_rows_twin_action(s) : NULL;
	(void)args;
	(void)err;
	if (cmd_rows_execute(s, row) || cmd_rows_show_rest(s, row) ||
	    cmd_rows_tell_help(s, row))
		return true;
	if (cmd_rows_spent_place(s, row))
		screen_runf(s, "goto spent %u", cmd_rows_spent_place(s, row));
	else if (!row)
		screen_run(s, "why");
	else if (row->opens)
		return open_view(s, row->opens);
	else if (cmd_rows_sample_unit(s, row))
		screen_runf(s, "sample goto %" PRIu64, cmd_rows_sample_unit(s, row));
	else if (in_both)
		screen_runf(s, "twin %s #%" PRIu64, in_both, row->seq);
	else if (row->seq && pipe_find(machine_pipe(screen_session(s)->machine), row->seq))
		screen_runf(s, "why #%" PRIu64, row->seq);
	else
		tell_row(s, row);
	return true;
}

bool exec_expand_here(struct screen *s, const char *args, struct err *err)
{
	const struct grid_row *row = pane_row(s->focus);
	bool rest;
	(void)args;
	if (!s->focus->view || strcmp(s->focus->view->name, "cct") != 0)
		return err_set(err, "this pane has nothing to expand; `pane view cct` shows "
		                    "calling contexts, which expand");
	const uint32_t node = row ? context_of_key(row->key, &rest) : CONTEXT_NONE;
	if (node == CONTEXT_NONE)
		return err_set(err, "select a calling context first: arrow keys, or a click");
	/* On the row that sums up smaller contexts, replace it by theirs. */
	screen_runf(s, "expand %s%" PRIu32, rest ? "" : "toggle ", node);
	return true;
}

/* Stop point at an address; 0 if none. */
static int cmd_rows_stop_at_pc(const struct screen *s, uint64_t pc)
{
	const struct stop_point *sp;
	for (unsigned i = 0; (sp = run_stop_at(screen_session(s)->run, i)); i++)
		if (sp->kind == STOP_POINT_PC && sp->addr == pc)
			return sp->id;
	return 0;
}

bool exec_break_here(struct screen *s, const char *args, struct err *err)
{
	const bool none = !pane_row(s->focus) && !screen_session(s)->selected_seq;
	uint64_t pc = none ? machine_pc(screen_session(s)->machine) : screen_selected(s).pc;
	(void)args;
	if (!pc)
		return err_set(err, "this row has no code; `break PLACE` names a place");
	int id = cmd_rows_stop_at_pc(s, pc);
	if (id)
		screen_runf(s, "delete %d", id);
	else
		screen_runf(s, "break *0x%" PRIx64, pc);
	return true;
}
