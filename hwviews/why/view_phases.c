/* `view phases`: what kinds of phases the run has, by the code that it executes. */
#include <stdlib.h>
#include <string.h>

#include "hwviews/session/timeline.h"
#include "hwviews/session/view_text.h"
#include "hwviews/why/sampled_run.h"

enum { MAP = 64 }; /* cells of a phase's map of the run */

static const struct grid_column columns[] = {
	{"phase", "phase", "", .help = "its letter, in the order of the run"},
	{"share", "of the run", "percent of instructions", .align = ALIGN_RIGHT,
	 .help = "instructions in it, in percent of all"},
	{"ipc", "IPC", "instructions/cycle", .align = ALIGN_RIGHT,
	 .help = "of all its units together"},
	{"spread", "spread", "", .align = ALIGN_RIGHT,
	 .help = "how far its intervals' vectors are from their mean; 0: all alike"},
	{"middle", "most like it", "unit", .align = ALIGN_RIGHT,
	 .help = "the unit whose interval is nearest to that mean: look there first, with "
	         "Enter or `sample goto`"},
	{"function", "function", "", .help = "where the program was in that unit"},
	{"map", "where in the run", "", .flexible = true,
	 .help = "from left to right: █ mostly this phase, ░ partly, · not"},
};

/* Each cell is a stretch of the run: full if most of its units are the phase's, else half full if
 * any is. */
static void map_cell(struct grid *g, const struct sampled_run *r, unsigned phase)
{
	char text[3 * MAP + 1] = "";
	const size_t cells = r->count < MAP ? r->count : MAP;
	for (size_t c = 0; c < cells; c++) {
		const size_t from = c * r->count / cells, to = (c + 1) * r->count / cells;
		size_t of = 0;
		for (size_t i = from; i < to; i++)
			of += r->unit[i].phase == phase;
		strcat(text, 2 * of > to - from ? "█" : of ? "░" : "·");
	}
	grid_text(g, ROLE_HIT, "%s", text);
}

static void phase_row(struct grid *g, const struct session *s, const struct sampled_run *r,
                      unsigned k)
{
	const struct sampled_phase *p = &r->phase[k];
	const struct sampled_unit *u = &r->unit[p->middle];
	const double cpi = sampled_phase_cpi(r, k);
	char where[64];
	struct grid_row *row = grid_row(g, 1 + k, ROLE_PLAIN);
	row->pc = u->pc;
	grid_text(g, ROLE_PLAIN, "%c", sampled_letter(k));
	grid_double_text(g, ROLE_NUMBER, 100 * p->weight, "%.1f%%", 100 * p->weight);
	grid_double(g, ROLE_NUMBER, cpi > 0 ? 1 / cpi : 0, 3);
	grid_double(g, ROLE_NUMBER, p->spread, 3);
	grid_uint(g, ROLE_NUMBER, p->middle + 1);
	grid_text(g, ROLE_ADDRESS, "%s", timeline_where(s, u->pc, where, sizeof where));
	map_cell(g, r, k);
}

static bool build(const struct session *s, const struct view_args *args, struct grid *out,
                  struct err *err)
{
	const struct sampled_run *r = s->sampled;
	char insts[32];
	if (args->argc)
		return err_set(err, "view phases takes no words, not '%.40s'", args->argv[0]);
	grid_init(out, "Phases", columns, sizeof columns / sizeof *columns);
	grid_empty(out, "no sample was taken yet: `sample` takes one of the whole run");
	if (!r)
		return true;
	grid_summary(out, "%u phases in %zu intervals of %s instructions", r->phases, r->count,
	             group_digits(r->every, insts));
	for (unsigned k = 0; k < r->phases; k++)
		phase_row(out, s, r, k);
	return true;
}

const struct view view_phases = {
	.name = "phases",
	.title = "Phases",
	.args = "",
	.help.about =
		"What kinds of phases the run has, as the command `sample` found them last. The\n"
		"run is cut into intervals, one around each unit. Of each it is known how much\n"
		"of it every basic block executed. Intervals that are alike in that are a phase\n"
		"(SimPoint: Sherwood and others, 2002).\n"
		"\n",
	.help.tables = {{GRID_TABLE(columns), .indent = 14}},
	.help.hints =
		"\n"
		"Phases are about code alone: units of one phase whose IPC differs in\n"
		"`view sample` differ in their data.",
	.build = build,
};
