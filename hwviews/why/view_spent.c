/* `view spent`: where the time went, in a few lines that a newcomer can read. */
#include <stdio.h>
#include <string.h>

#include "hwviews/program/death.h"
#include "hwviews/session/view_text.h"
#include "hwviews/why/spent.h"
#include "hwviews/why/what_if.h"

/* Rows of what would help, and the least saving of one, in per cent. */
enum { SPENT_HELPS = 3, SPENT_LEAST_SAVED = 2, SPENT_ESSENTIAL = 5, SPENT_HELP_KEY = 100 };
/* Least widths of a pane for these columns, in cells. */
enum { WITH_FUNCTION = 60, WITH_SOURCE = 76, WITH_ADVICE = 110 };

struct row {
	const struct session *s;
	const struct spent_place *place; /* NULL: a line of text */
	unsigned number;                 /* from 1 on; 0: the rest */
	double share;
	const char *text;
	bool narrow;
};

FILL(fill_number, struct row, r->number ? grid_uint(g, ROLE_DIM, r->number) : grid_blank(g))

static void view_spent_fill_share(struct grid *g, const void *row)
{
	const struct row *r = row;
	if (r->place)
		grid_double_text(g, r->number == 1 ? ROLE_HOT : ROLE_NUMBER, 100 * r->share,
		                 "%.0f %%", 100 * r->share);
	else
		grid_blank(g);
}

static void view_spent_fill_lost(struct grid *g, const void *row)
{
	const struct row *r = row;
	const double lost = r->number ? 100 * r->place->lost : 0;
	if (lost > 0)
		grid_double_text(g, ROLE_NUMBER, lost, "%.0f %%", lost);
	else
		grid_blank(g);
}

FILL(fill_cause, struct row, grid_text(g, ROLE_PLAIN, "%s",
	r->number ? r->place->cause->doing : r->text))

/* In a narrow pane without the function: a number is never cut. */
static void view_spent_fill_place(struct grid *g, const void *row)
{
	const struct row *r = row;
	if (!r->place)
		grid_blank(g);
	else if (r->narrow)
		cell_code_place(g, r->s, &r->place->at, r->place->pc);
	else
		grid_text(g, ROLE_ADDRESS, "%s", spent_where(r->s, r->place, BUFFER(256)));
}


static void view_spent_fill_text(struct grid *g, const void *row)
{
	const struct row *r = row;
	if (r->number && r->place->at.file)
		grid_text(g, ROLE_DIM, "%s",
		          code_place_text(r->s, CODE_BY_LINE, &r->place->at, r->place->pc,
		                          BUFFER(160)));
	else
		grid_blank(g);
}

FILL(fill_advice, struct row, grid_text(g, ROLE_PLAIN, "%s",
	r->number ? r->place->cause->advice : ""))

static const struct grid_column columns[] = {
	{"number", "", "", fill_number, .help = "of the place, for `goto spent N`"},
	{"share", "time", "percent of slots", view_spent_fill_share, AT_RIGHT,
	 .restless = true,
	 .help = "of all dispatch slots, those that the place used or lost; what a wrong "
	         "prediction costs is its branch's"},
	{"lost", "lost", "percent of slots", view_spent_fill_lost, AT_RIGHT,
	 .restless = true,
	 .help = "of all dispatch slots, those of its largest loss, the first of `view slots of` "
	         "the place, or the next if no parameter shortens that"},
	{"cause", "while it", "", fill_cause, FLEXIBLE, .restless = true,
	 .help = "that loss; without one of a tenth of its own slots it commits"},
	{"place", "where", "", view_spent_fill_place, FLEXIBLE, .help = "function and line"},
	{"text", "source", "", view_spent_fill_text, FLEXIBLE, .help = "the line"},
	{"advice", "would help", "", fill_advice, FLEXIBLE,
	 .help = "a change of the program against that cause"},
};

static void view_spent_append_place(struct grid *g, const struct session *s,
                                    const struct spent_place *p, unsigned number, bool narrow)
{
	grid_row(g, SPENT_REST_KEY + number, ROLE_PLAIN)->pc = p->pc;
	grid_cells(g, &(struct row){s, p, number, p->share, "", narrow});
}

/* Appends the row of all other places, which names the largest. */
static void view_spent_append_rest(struct grid *g, const struct session *s,
                                   const struct spent *all, bool narrow)
{
	char text[48];
	snprintf(text, sizeof text, "elsewhere; largest %.0f %%:", 100 * all->other.share);
	grid_row(g, SPENT_REST_KEY, ROLE_PLAIN)->pc = all->other.pc;
	grid_cells(g, &(struct row){s, &all->other, 0, all->others, text, narrow});
}

/* The n-th cause of the last what-if whose absence saves much; NULL past the last. */
static const struct what_if_row *view_spent_help(const struct what_if *w, unsigned n)
{
	for (unsigned i = 0; w && i < WHAT_IF_ROWS; i++) {
		const struct what_if_row *row = &w->row[i];
		if (row->ran && *row->settings && row->cycles < w->cycles &&
		    (w->cycles - row->cycles) * 100 >= SPENT_LEAST_SAVED * w->cycles && !n--)
			return row;
	}
	return NULL;
}

static double view_spent_saved(const struct what_if *w, const struct what_if_row *row)
{
	return 100 * (double)(w->cycles - row->cycles) / (double)w->cycles;
}

/* Rows of the causes whose absence saves most cycles, by the last what-if. */
static void view_spent_append_helps(struct grid *g, const struct session *s, bool narrow)
{
	const struct what_if *w = s->what_if;
	const struct what_if_row *row;
	for (unsigned i = 0; i < SPENT_HELPS && (row = view_spent_help(w, i)); i++) {
		if (!i) {
			grid_row(g, SPENT_HELP_KEY, ROLE_DIM);
			grid_skip_to(g, "cause");
			grid_text(g, ROLE_DIM, "around cycle %s:",
			          GROUPED(w->part.from + (w->part.to - w->part.from) / 2));
		}
		const double saved = view_spent_saved(w, row);
		grid_row(g, SPENT_HELP_KEY + 1 + i, ROLE_PLAIN);
		grid_skip_to(g, "share");
		grid_double_text(g, ROLE_HIT, -saved, "-%.0f %%", saved);
		grid_skip_to(g, "cause");
		grid_text(g, ROLE_PLAIN, "%s %s", what_if_with(row->remedy), row->remedy->name);
		if (!narrow)
			grid_text(g, ROLE_DIM, "%s", row->settings);
	}
}

bool spent_tell_help(const struct session *s, uint64_t key, char *buf, size_t n)
{
	const struct what_if *w = s->what_if;
	if (!w || key < SPENT_HELP_KEY || key > SPENT_HELP_KEY + SPENT_HELPS)
		return false;
	const struct what_if_row *row =
		key == SPENT_HELP_KEY ? NULL
				      : view_spent_help(w, (unsigned)(key - SPENT_HELP_KEY - 1));
	if (!row)
		snprintf(buf, n,
		         "The rows below are of cycles %s to %s, by `what-if`: `view what-if` has "
		         "all causes.",
		         GROUPED(w->part.from), GROUPED(w->part.to));
	else
		snprintf(buf, n, "Without %s (%s) these %s cycles would be %.0f %% fewer.",
		         row->remedy->name, row->settings, GROUPED(w->cycles),
		         view_spent_saved(w, row));
	return true;
}

static bool view_spent_build_grid(const struct session *s, const struct view_args *args,
                                  struct grid *out, struct err *err)
{
	struct spent all;
	struct hot_profile p;
	struct err why = {.msg = ""};
	if (!arg_count(args, 0, "spent", err))
		return false;
	/* A pane shows what is known; text and JSON count now. */
	if (!args->rows && !hot_last(s, &p))
		hot_take(s, &(struct region){0}, &p, &why);
	const bool narrow = args->columns && args->columns < WITH_FUNCTION;
	const bool ended = machine_has_ended(s->machine);
	char death[512], title[528];
	snprintf(title, sizeof title, "The end: %s",
	         death_text(s, death, sizeof death) ? death : "where the time went");
	grid_init(out, ended ? title : "Where the time goes", GRID_TABLE(columns));
	out->essential = SPENT_ESSENTIAL;
	if (args->columns && args->columns < WITH_SOURCE)
		grid_drop_column(out, "text");
	if (args->columns && args->columns < WITH_ADVICE)
		grid_drop_column(out, "advice");
	grid_empty(out, "%s", *why.msg ? why.msg : "counted while the screen waits for a key");
	/* The figures of a part of the run would be taken for the whole run's. */
	const double counted = spent_counted(s);
	if (args->rows && ended && counted < 1)
		grid_empty(out, "counting where the time went: %.0f %%", 100 * counted);
	if ((args->rows && ended && counted < 1) || !spent_find(s, &all))
		return true;
	const double ipc = (double)all.insts / (double)(all.to - all.from);
	/* Before the end the total may be only that of the first cycles. */
	if (!all.from && ended)
		grid_summary(out, "%s cycles, by slots, IPC %.2f, %s instructions",
		             GROUPED(all.to), ipc, GROUPED(all.insts));
	else
		grid_summary(out, "cycles %s to %s, by slots, IPC %.2f, %s instructions",
		             GROUPED(all.from), GROUPED(all.to), ipc, GROUPED(all.insts));
	for (unsigned i = 0; i < all.count; i++)
		view_spent_append_place(out, s, &all.place[i], i + 1, narrow);
	if (all.other.share > 0)
		view_spent_append_rest(out, s, &all, narrow);
	view_spent_append_helps(out, s, narrow);
	return true;
}

const struct view view_spent = {
	.name = "spent",
	.title = "Where the time goes",
	.args = "",
	.build = view_spent_build_grid,
	.help.about =
		"The three places in the program's own code that took most of the time, each\n"
		"with its largest loss and what would help, and the rest. Enter on a row, or\n"
		"`goto spent 1`, goes to the middle of its time. It is of the last profile\n"
		"(`view hot`); a screen that shows it counts the whole recorded run, or the\n"
		"last 2,000,000 cycles of a long one, while it waits for a key.\n",
	.help.tables = {{GRID_TABLE(columns)}},
	.help.hints =
		"The last rows are `what-if` for some 50,000 cycles around the middle of the\n"
		"first place's time: how many of them a machine without that cause saves. Code\n"
		"of libraries that was inlined counts for the line that calls it, and so does\n"
		"all code without lines. `view hot lines` and `view slots` have all of it.\n"
		"By slots: of a cycle's dispatch slots each is charged to what used or lost it.\n"
		"`view cpi` and the timeline go by the oldest instruction at commit, so\n"
		"their shares differ.",
};
