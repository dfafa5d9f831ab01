/* `view what-if`: the savings from removing each cause. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "hwviews/session/view_text.h"
#include "hwviews/why/what_if.h"

struct row {
	const struct what_if_row *r;
	int64_t saved; /* cycles */
	double share;  /* of all cycles */
};

/* Least share of all cycles that is shown as a saving, or a cost. */
static const double LEAST = 0.001;

FILL(fill_cause, struct row, grid_text(g, ROLE_PLAIN, "%s", r->r->remedy->name))
FILL(fill_cycles, struct row, grid_uint_if(g, r->r->ran, ROLE_NUMBER, r->r->cycles))
FILL(fill_saved, struct row, r->r->ran ? grid_int(g, ROLE_NUMBER, r->saved) : grid_blank(g))
FILL(fill_share, struct row, r->r->ran
	? grid_double_text(g, ROLE_NUMBER, 100 * r->share, "%.1f%%", 100 * r->share)
	: grid_blank(g))
FILL(fill_bar, struct row, !r->r->ran ? grid_blank(g)
	: r->share <= -LEAST ? grid_text(g, ROLE_MISS, "would cost")
	: cell_bar(g, r->share, ROLE_MISS))

static void fill_claim(struct grid *g, const void *row)
{
	const struct what_if_row *r = ((const struct row *)row)->r;
	if (*r->remedy->rows)
		grid_double_text(g, ROLE_NUMBER, r->claim, "%s",
		                 GROUPED((uint64_t)(r->claim + 0.5)));
	else
		grid_blank(g);
}

FILL(fill_next, struct row, grid_text(g, ROLE_PLAIN, "%s", r->r->next ? r->r->next : ""))
FILL(fill_grew, struct row, r->r->next
	? grid_double_text(g, ROLE_NUMBER, r->r->grew, "+%s", GROUPED((uint64_t)(r->r->grew + 0.5)))
	: grid_blank(g))
FILL(fill_also, struct row, grid_text(g, ROLE_PLAIN, "%s", r->r->also ? r->r->also : ""))
FILL(fill_shrank, struct row, r->r->also
	? grid_double_text(g, ROLE_NUMBER, r->r->shrank, "-%s",
	                   GROUPED((uint64_t)(r->r->shrank + 0.5)))
	: grid_blank(g))
FILL(fill_settings, struct row, grid_text(g, ROLE_DIM, "%s", !r->r->ran ? r->r->why
	: *r->r->settings ? r->r->settings : "nothing: this machine has no such limit"))

static const struct grid_column columns[] = {
	{"cause", "without", "", fill_cause, .help = "what was taken away"},
	{"cycles", "cycles", "cycles", fill_cycles, AT_RIGHT, .help = "of the stretch without it"},
	{"saved", "saved", "cycles", fill_saved, AT_RIGHT,
	 .help = "cycles less than the machine as it is; negative: more"},
	{"share", "", "percent of cycles", fill_share, AT_RIGHT,
	 .help = "the same, of all its cycles"},
	{"bar", "", "", fill_bar, .restless = true,
	 .help = "the share as a line; would cost: the machine is slower without it"},
	{"claim", "stack says", "cycles", fill_claim, AT_RIGHT,
	 .help = "cycles that the slot stack charges to it (`view slots`)"},
	{"next", "then more goes to", "", fill_next,
	 .help = "the cause that grows most in the slot stack without it: the next limit"},
	{"grew", "", "cycles", fill_grew, AT_RIGHT, .help = "by so many cycles"},
	{"also", "and less to", "", fill_also,
	 .help = "what shrinks most: the cause hid there, too"},
	{"shrank", "", "cycles", fill_shrank, AT_RIGHT, .help = "by so many cycles"},
	{"settings", "the machine was run with", "", fill_settings, FLEXIBLE,
	 .help = "the parameters that removed it"},
};

static void view_what_if_append_cause_row(struct grid *g, unsigned i, const struct what_if *w)
{
	const struct what_if_row *r = &w->row[i];
	const int64_t saved = what_if_saved(w, r);
	grid_row(g, 1 + i, r->ran && (saved || r->claim >= 0.5) ? ROLE_PLAIN : ROLE_DIM);
	grid_cells(g, &(struct row){r, saved, (double)saved / (double)w->cycles});
}

/* True if something was removed and the change is visible, or the stack predicts one. */
static bool view_what_if_row_matters(const struct what_if *w, const struct what_if_row *r)
{
	const double least = LEAST * (double)w->cycles,
		     saved = (double)w->cycles - (double)r->cycles;
	if (!r->ran)
		return r->claim >= least;
	return *r->settings && (fabs(saved) >= least || r->claim >= least);
}

static void view_what_if_append_rest_row(struct grid *g, unsigned count, unsigned not_run)
{
	grid_row(g, 1 + WHAT_IF_ROWS, ROLE_DIM);
	grid_text(g, ROLE_PLAIN, "%u others", count);
	grid_skip_to(g, "settings");
	if (not_run)
		grid_text(g, ROLE_DIM,
		          "each saves less than 0.1%% or can't be run, as %u can't: `view what-if "
		          "all`",
		          not_run);
	else
		grid_text(g, ROLE_DIM, "each saves less than 0.1%%: `view what-if all`");
}

static bool view_what_if_build_grid(const struct session *s, const struct view_args *args,
                                    struct grid *out, struct err *err)
{
	const struct what_if *w = s->what_if;
	const bool all = args->argc == 1 && !strcmp(args->argv[0], "all");
	unsigned rest = 0, not_run = 0;
	char idle[64] = "", then[64] = "";
	if (args->argc && !all)
		return err_set(err, "view what-if takes 'all' or nothing, not '%s'",
		               args->argv[args->argc > 1 && !strcmp(args->argv[0], "all")]);
	grid_init(out, "What if", GRID_TABLE(columns));
	grid_empty(out, "nothing was run again yet: `what-if`, or `what-if since main`");
	if (!w)
		return true;
	if (w->idle)
		snprintf(idle, sizeof idle, ", and %s without a commit", GROUPED(w->idle));
	if (w->to != machine_cycle(s->machine)) /* "the last 50,000 cycles" are others now */
		snprintf(then, sizeof then, "measured at cycle %s: ", GROUPED(w->to));
	grid_summary(out, "%s%s%s%s%s instructions from %s on: %s cycles%s", then, w->text,
	             *w->text ? ": " : "", w->cut ? "only the first " : "", GROUPED(w->insts),
	             GROUPED(w->from), GROUPED(w->cycles), idle);
	for (unsigned i = 0; i < WHAT_IF_ROWS; i++)
		if (all || view_what_if_row_matters(w, &w->row[i]))
			view_what_if_append_cause_row(out, i, w);
		else {
			rest++;
			not_run += !w->row[i].ran && !w->row[i].remedy->kept;
		}
	if (rest)
		view_what_if_append_rest_row(out, rest, not_run);
	return true;
}

const struct view view_what_if = {
	.name = "what-if",
	.title = "What if",
	.args = "[all]",
	.build = view_what_if_build_grid,
	.help.about =
		"The cost of a part of the run without one of its causes, as the\n"
		"command `what-if` last measured: it runs the part again on machines that\n"
		"each lack one cause, and counts. Causes that neither save a thousandth of the\n"
		"cycles nor are charged one are a line together; `all` shows each.",
	.help.tables = {{GRID_TABLE(columns), .indent = 10}},
	.help.hints =
		"Where `saved` and the stack agree, the cause is the bottleneck. Where the\n"
		"stack has more, another limit follows: both must go. Where more is\n"
		"saved than the stack has, the removed cause also hid elsewhere: fewer\n"
		"misses make a queue shorter. A row's loss equals the cycles saved plus the\n"
		"gain of other rows. Without a latency there is still a cycle of it: only the\n"
		"rest of its row can be saved. A larger window has no row of its own.\n"
		"\n"
		"`would cost`: the machine is slower without the cause. Older instructions that\n"
		"are ready sooner take the unit of a younger one that the next miss waits for;\n"
		"and a wider fetch predicts from older history, unless bpred.update is fetch.\n"
		"`then more goes to` names the cause that grows. Causes that stand there\n"
		"without cycles are the program's own: nothing removes them.\n"
		"\n"
		"Each machine begins with this one's state at the beginning of the part. If its\n"
		"parameters need another pipeline, that begins empty; another target buffer is\n"
		"warmed by the instructions before. Then the unchanged machine is rebuilt in\n"
		"the same way; a cause isn't measured if that changes the part by more than\n"
		"1 %, nor if the program, which may read the time, takes another path without\n"
		"it. Of a part longer than a million instructions the first million is run.",
};
