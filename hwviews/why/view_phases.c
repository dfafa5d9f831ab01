/* `view phases`: the phases of the run, by the code that it executes. */
#include <string.h>

#include "hwviews/session/timeline.h"
#include "hwviews/session/view_text.h"
#include "hwviews/why/sampled_run.h"

enum { MAP = 64 }; /* cells of a phase's map of the run */

struct row {
	const struct session *s;
	const struct sampled_run *r;
	unsigned phase;
};

static const struct sampled_phase *phase_of(const struct row *r)
{
	return &r->r->phase[r->phase];
}

FILL(fill_phase, struct row, grid_text(g, ROLE_PLAIN, "%c", sampled_letter(r->phase)))
FILL(fill_share, struct row, const double share = 100 * phase_of(r)->weight;
	grid_double_text(g, ROLE_NUMBER, share, "%.1f%%", share))
FILL(fill_ipc, struct row, const double cpi = sampled_phase_cpi(r->r, r->phase);
	grid_double(g, ROLE_NUMBER, cpi > 0 ? 1 / cpi : 0, 3))
FILL(fill_spread, struct row, grid_double(g, ROLE_NUMBER, phase_of(r)->spread, 3))
FILL(fill_middle, struct row, grid_uint(g, ROLE_NUMBER, phase_of(r)->middle + 1))
FILL(fill_function, struct row, grid_text(g, ROLE_ADDRESS, "%s", timeline_where(r->s,
	r->r->unit[phase_of(r)->middle].pc, BUFFER(64))))

/* Each cell is a part of the run: full if most of its units are of the phase, else half full if any
 * is. */
static void fill_map(struct grid *g, const void *row)
{
	const struct sampled_run *r = ((const struct row *)row)->r;
	const unsigned phase = ((const struct row *)row)->phase;
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

static const struct grid_column columns[] = {
	{"phase", "phase", "", fill_phase, .help = "its letter, in the order of the run"},
	{"share", "of the run", "percent of instructions", fill_share, AT_RIGHT,
	 .help = "instructions in it, in percent of all"},
	{"ipc", "IPC", "instructions/cycle", fill_ipc, AT_RIGHT,
	 .help = "of all its units together"},
	{"spread", "spread", "", fill_spread, AT_RIGHT,
	 .help = "mean distance of its intervals' vectors from their mean; 0: all alike"},
	{"middle", "most like it", "unit", fill_middle, AT_RIGHT,
	 .help = "the unit whose interval is nearest to that mean: look there first, with Enter or "
		 "`sample goto`"},
	{"function", "function", "", fill_function, .help = "where the program was in that unit"},
	{"map", "where in the run", "", fill_map, FLEXIBLE,
	 .help = "from left to right: █ mostly this phase, ░ partly, · not"},
};

static bool view_phases_build_grid(const struct session *s, const struct view_args *args,
                                   struct grid *out, struct err *err)
{
	const struct sampled_run *r = s->sampled;
	if (args->argc)
		return err_set(err, "view phases takes no words, not '%.40s'", args->argv[0]);
	grid_init(out, "Phases", GRID_TABLE(columns));
	grid_empty(out, "no sample was taken yet: `sample` takes one of the whole run");
	if (!r)
		return true;
	grid_summary(out, "%u phases in %zu intervals of %s instructions", r->phases, r->count,
	             GROUPED(r->every));
	for (unsigned k = 0; k < r->phases; k++) {
		grid_row(out, 1 + k, ROLE_PLAIN)->pc = r->unit[r->phase[k].middle].pc;
		grid_cells(out, &(struct row){s, r, k});
	}
	return true;
}

const struct view view_phases = {
	.name = "phases",
	.title = "Phases",
	.args = "",
	.build = view_phases_build_grid,
	.help.about =
		"Phases of the run, as the command `sample` last found them. The\n"
		"run is cut into intervals, one around each unit. Each has a vector: the share\n"
		"of each basic block in its execution. Intervals with similar vectors are a\n"
		"phase (SimPoint: Sherwood and others, 2002).",
	.help.tables = {{GRID_TABLE(columns), .indent = 14}},
	.help.hints = "Phases are about code alone: units of one phase whose IPC differs in\n"
		      "`view sample` differ in their data.",
};
