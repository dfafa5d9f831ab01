/* `view what-if`: what removing each cause would save. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "hwviews/session/view_text.h"
#include "hwviews/why/what_if.h"

static const struct grid_column columns[] = {
	{"cause", "without", "", .help = "what was taken away"},
	{"cycles", "cycles", "cycles", .align = ALIGN_RIGHT, .help = "of the stretch without it"},
	{"saved", "saved", "cycles", .align = ALIGN_RIGHT,
	 .help = "cycles less than the machine as it is; negative: more"},
	{"share", "", "percent of cycles", .align = ALIGN_RIGHT,
	 .help = "the same, of all its cycles"},
	{"bar", "", "", .help = "the share as a line"},
	{"claim", "stack says", "cycles", .align = ALIGN_RIGHT,
	 .help = "cycles that the slot stack charges to it (`view slots`)"},
	{"next", "then more goes to", "",
	 .help = "the row of the slot stack that grows most without it: the limit that waits "
	         "behind"},
	{"grew", "", "cycles", .align = ALIGN_RIGHT, .help = "by so many cycles"},
	{"settings", "the machine was run with", "", .flexible = true,
	 .help = "the parameters that took it away"},
};

static void row(struct grid *g, unsigned i, const struct what_if *w)
{
	const struct what_if_row *r = &w->row[i];
	const int64_t saved = (int64_t)(w->cycles - r->cycles);
	const double share = (double)saved / (double)w->cycles;
	grid_row(g, 1 + i, r->ran && (saved || r->claim >= 0.5) ? ROLE_PLAIN : ROLE_DIM);
	grid_text(g, ROLE_PLAIN, "%s", r->remedy->name);
	if (r->ran) {
		grid_uint(g, ROLE_NUMBER, r->cycles);
		grid_int(g, ROLE_NUMBER, saved);
		grid_double_text(g, ROLE_NUMBER, 100 * share, "%.1f%%", 100 * share);
		cell_bar(g, share, ROLE_MISS);
	} else {
		for (unsigned k = 0; k < 4; k++)
			grid_blank(g);
	}
	char digits[32];
	if (*r->remedy->rows)
		grid_double_text(g, ROLE_NUMBER, r->claim, "%s",
		                 group_digits((uint64_t)(r->claim + 0.5), digits));
	else
		grid_blank(g);
	if (r->next) {
		grid_text(g, ROLE_PLAIN, "%s", r->next);
		grid_double_text(g, ROLE_NUMBER, r->grew, "+%s",
		                 group_digits((uint64_t)(r->grew + 0.5), digits));
	} else {
		grid_blank(g);
		grid_blank(g);
	}
	grid_text(g, ROLE_DIM, "%s", r->ran ? r->remedy->settings : r->why);
}

/* It saves something that can be seen, or the stack says that it would. */
static bool matters(const struct what_if *w, const struct what_if_row *r)
{
	const double least = (double)w->cycles / 1000,
		     saved = (double)w->cycles - (double)r->cycles;
	return r->ran && (saved >= least || r->claim >= least);
}

static void rest_row(struct grid *g, unsigned count, unsigned not_run)
{
	grid_row(g, 1 + WHAT_IF_ROWS, ROLE_DIM);
	grid_text(g, ROLE_PLAIN, "%u others", count);
	for (unsigned k = 0; k < 7; k++)
		grid_blank(g);
	if (not_run)
		grid_text(g, ROLE_DIM,
		          "each saves less than 0.1%% or can't be run, as %u can't: `view what-if "
		          "all`",
		          not_run);
	else
		grid_text(g, ROLE_DIM, "each saves less than 0.1%%: `view what-if all`");
}

static bool build(const struct session *s, const struct view_args *args, struct grid *out,
                  struct err *err)
{
	const struct what_if *w = s->what_if;
	const bool all = args->argc == 1 && !strcmp(args->argv[0], "all");
	unsigned rest = 0, not_run = 0;
	char cycles[32], insts[32], from[32];
	if (args->argc && !all)
		return err_set(err, "view what-if takes 'all' or nothing, not '%s'",
		               args->argv[args->argc > 1 && !strcmp(args->argv[0], "all")]);
	grid_init(out, "What if", columns, sizeof columns / sizeof *columns);
	grid_empty(out, "nothing was run again yet: `what-if`, or `what-if since main`");
	if (!w)
		return true;
	grid_summary(out, "%s%s%s instructions%s from %s on: %s cycles", w->text,
	             *w->text ? ": " : "", group_digits(w->insts, insts), w->cut ? " of more" : "",
	             group_digits(w->from, from), group_digits(w->cycles, cycles));
	for (unsigned i = 0; i < WHAT_IF_ROWS; i++)
		if (all || matters(w, &w->row[i]))
			row(out, i, w);
		else {
			rest++;
			not_run += !w->row[i].ran;
		}
	if (rest)
		rest_row(out, rest, not_run);
	return true;
}

const struct view view_what_if = {
	.name = "what-if",
	.title = "What if",
	.args = "[all]",
	.help.about =
		"What a stretch of the run would have cost without one of its causes, as the\n"
		"command `what-if` found out last: it runs the stretch again on machines that\n"
		"each lack one cause, and counts. Causes that neither save a thousandth of the\n"
		"cycles nor are charged one are a line together; `all` shows each.\n"
		"\n",
	.help.tables = {{GRID_TABLE(columns), .indent = 10}},
	.help.hints =
		"\n"
		"Where `saved` and the stack agree, the cause is the bottleneck. Where the\n"
		"stack says more, another limit waits behind it: both must go. Where more is\n"
		"saved than the stack says, what is taken away hid elsewhere, too: fewer\n"
		"misses make a queue shorter. What a row loses, the cycles saved and what\n"
		"other rows gain are the same sum. A larger window has no row of its own.\n"
		"\n"
		"Caches and predictors are warmed by up to a million instructions before; of a\n"
		"stretch longer than a million the first million is run.",
	.build = build,
};
