/* `view sample`: the whole run as a sample, a row for each unit. */

#include "hwviews/session/timeline.h"
#include "hwviews/session/view_text.h"
#include "hwviews/why/sampled_run.h"

static double per_1000(uint64_t count, const struct sampled_unit *u)
{
	return u->insts ? 1000 * (double)count / (double)u->insts : 0;
}

struct row {
	const struct session *s;
	const struct sampled_unit *u;
	uint64_t number; /* from 1 on */
	bool here;       /* the machine is in the unit's part of the run */
};

static double ipc_of(const struct row *r)
{
	const double cpi = sampled_cpi(r->u);
	return cpi > 0 ? 1 / cpi : 0;
}

FILL(fill_mark, struct row, grid_text(g, ROLE_CURRENT, "%s", r->here ? "▶" : ""))
FILL(fill_at, struct row, grid_uint(g, ROLE_NUMBER, r->u->at))
FILL(fill_phase, struct row, grid_text(g, ROLE_PLAIN, "%c", sampled_letter(r->u->phase)))
FILL(fill_ipc, struct row, grid_double(g, ROLE_NUMBER, ipc_of(r), 3))
FILL(fill_bar, struct row, cell_bar(g,
	ipc_of(r) / (double)machine_pipe(r->s->machine)->commit_width, ROLE_HIT))
FILL(fill_function, struct row,
	grid_text(g, ROLE_ADDRESS, "%s", timeline_where(r->s, r->u->pc, BUFFER(64))))
FILL(fill_l1d, struct row, grid_double(g, ROLE_NUMBER, per_1000(r->u->l1d_misses, r->u), 1))
FILL(fill_l2, struct row, grid_double(g, ROLE_NUMBER, per_1000(r->u->l2_misses, r->u), 1))
FILL(fill_mispredicts, struct row, grid_double(g, ROLE_NUMBER, per_1000(r->u->mispredicts, r->u),
	1))

static const struct grid_column columns[] = {
	{"mark", "", "", fill_mark, .min_width = 1},
	{"unit", "unit", "", fill_uint, .of = offsetof(struct row, number), AT_RIGHT,
	 .help = "its number, for `sample goto`"},
	{"at", "after", "instructions", fill_at, AT_RIGHT,
	 .help = "instructions of the program before its begin"},
	{"phase", "phase", "", fill_phase,
	 .help = "the phase of its part: a letter of `view phases`"},
	{"ipc", "IPC", "instructions/cycle", fill_ipc, AT_RIGHT,
	 .help = "instructions committed per cycle, in the unit"},
	{"bar", "", "", fill_bar, .restless = true,
	 .help = "that, as a part of the machine's commit width"},
	{"function", "function", "", fill_function, FLEXIBLE,
	 .help = "where the program was at its end"},
	{"l1d", "L1D", "misses per 1000 instructions", fill_l1d, AT_RIGHT,
	 .help = "misses per 1000 instructions"},
	{"l2", "L2", "misses per 1000 instructions", fill_l2, AT_RIGHT, .help = AS_BEFORE},
	{"mispredicts", "mispredicted", "per 1000 instructions", fill_mispredicts, AT_RIGHT,
	 .help = "branches, per 1000 instructions"},
};

static void view_sample_append_unit_row(struct grid *g, const struct session *s,
                                        const struct sampled_run *r, size_t i)
{
	const uint64_t now = machine_insts(s->machine), from = r->every * i;
	const bool here = now >= from && (now < from + r->every || i + 1 == r->count);
	if (here)
		g->focus_row = g->row_count;
	grid_row(g, 1 + i, here ? ROLE_CURRENT : ROLE_PLAIN)->pc = r->unit[i].pc;
	grid_cells(g, &(struct row){s, &r->unit[i], i + 1, here});
}

static bool view_sample_build_grid(const struct session *s, const struct view_args *args,
                                   struct grid *out, struct err *err)
{
	const struct sampled_run *r = s->sampled;
	if (args->argc)
		return err_set(err, "view sample takes no words, not '%.40s'", args->argv[0]);
	grid_init(out, "Sample", GRID_TABLE(columns));
	grid_empty(out, "no sample was taken yet: `sample` takes one of the whole run");
	if (!r)
		return true;
	uint64_t cycles = 0, all = 0;
	for (size_t i = 0; i < r->count; i++) {
		cycles += r->unit[i].cycles;
		all += r->unit[i].insts;
	}
	grid_summary(out,
	             "IPC %.2f in %s%s instructions: %zu units of %s, one in every %s; %s",
	             cycles ? (double)all / (double)cycles : 0, r->cut ? "the first " : "",
	             GROUPED(r->insts), r->count, GROUPED(SAMPLED_UNIT), GROUPED(r->every),
	             args->rows ? "Enter goes there" : "sample goto UNIT");
	for (size_t i = 0; i < r->count; i++)
		view_sample_append_unit_row(out, s, r, i);
	return true;
}

const struct view view_sample = {
	.name = "sample",
	.title = "Sample",
	.args = "",
	.build = view_sample_build_grid,
	.help.about =
		"The whole run as last sampled by the command `sample`: where the\n"
		"program is slow, before its cycles are executed. A short unit at a random\n"
		"place of each interval was executed with timing; between units caches and\n"
		"predictors were kept warm.\n"
		"\n"
		"  ▶         the unit whose part of the run the machine is in\n",
	.help.tables = {{GRID_TABLE(columns), .indent = 12}},
	.help.hints =
		"Enter on a row, or `sample goto 17`, takes the machine there. Its history then\n"
		"begins 2000 instructions before the unit, and all commands work as ever.",
};
