/* `view profile`: what a profiler in firmware has counted. */
#include <math.h>
#include <string.h>

#include "hwviews/program/code_lines.h"
#include "hwviews/session/view_text.h"
#include "hwviews/xprof/firmware_profile.h"

static const struct grid_column columns[] = {
	{"address", "address", "", .align = ALIGN_RIGHT,
	 .help = "where the instruction or function is"},
	{"samples", "samples", "samples", .align = ALIGN_RIGHT,
	 .help = "how often the program was found there"},
	{"share", "share", "percent of samples", .align = ALIGN_RIGHT,
	 .help = "of all samples: an estimate of the share of all instructions that the "
	         "program executed"},
	{"error", "±", "percentage points", .align = ALIGN_RIGHT,
	 .help = "one standard error of that estimate; two samples in three are nearer, and "
	         "four times as many samples halve it"},
	{"exact", "exact", "percent of instructions", .align = ALIGN_RIGHT,
	 .help = "with -o oracle.enable=true: the share that it estimates, counted"},
	{"place", "place", "", .help = "where the instruction or function is"},
	{"instruction", "instruction", "", .flexible = true, .help = "as assembly"},
};

/* Without an oracle the fifth column is not there. */
enum { COLUMNS = sizeof columns / sizeof *columns, EXACT = 4 };

enum { ROWS_MAX = 100000, ROWS = 20 };

static void cell_percent(struct grid *g, enum role role, double share)
{
	grid_double_text(g, role, 100 * share, "%.2f%%", 100 * share);
}

/* A share among n samples is known to about one standard deviation of as many draws. */
static double standard_error(double share, uint64_t n)
{
	return sqrt(share * (1 - share) / (double)n);
}

static void entry_row(struct grid *g, const struct session *s, const struct profile *p,
                      const struct profile_entry *e, bool functions)
{
	char text[160] = "", where[160];
	double share = (double)e->count / (double)p->sum;
	struct code c;
	struct grid_row *row = grid_row(g, e->pc, ROLE_PLAIN);
	row->pc = e->pc;
	grid_hex(g, ROLE_ADDRESS, e->pc);
	grid_uint(g, share >= 0.02 ? ROLE_HOT : ROLE_NUMBER, e->count);
	cell_percent(g, ROLE_NUMBER, share);
	cell_percent(g, ROLE_DIM, standard_error(share, p->sum));
	if (p->exact)
		cell_percent(g, ROLE_NUMBER, (double)e->exact / (double)p->exact);
	grid_text(g, ROLE_ADDRESS, "%s", session_where(s, e->pc, where, sizeof where));
	if (!functions && code_at(s, e->pc, &c))
		code_text(s, &c, text, sizeof text);
	grid_text(g, ROLE_PLAIN, "%s", text);
}

static bool build(const struct session *s, const struct view_args *args, struct grid *out,
                  struct err *err)
{
	uint64_t rows = args->rows ? args->rows : ROWS;
	struct profile p;
	struct err why;
	char samples[32], places[32], period[32], dropped[32];
	int first = args->argc && !strcmp(args->argv[0], "functions");
	if (!arg_count(args, 1 + first, "profile", err) ||
	    (args->argc > first &&
	     !arg_number(args->argv[first], "a number of rows", ROWS_MAX, &rows, err)))
		return false;
	bool known = profile_read(s, &p, &why), exact = known && p.exact;
	struct grid_column shown[COLUMNS];
	memcpy(shown, columns, sizeof shown);
	if (!exact)
		memmove(&shown[EXACT], &shown[EXACT + 1], (COLUMNS - EXACT - 1) * sizeof *shown);
	grid_init(out, "Profile", shown, COLUMNS - !exact);
	if (!known) {
		grid_empty(out, "%s", why.msg);
		return true;
	}
	if (first)
		profile_by_function(s, &p);
	grid_summary(out, "%s samples %s %s %s, one in %s instructions, %s dropped",
	             group_digits(p.sum, samples), first ? "in" : "at",
	             group_digits(p.count, places), first ? "functions" : "places",
	             group_digits(p.period, period), group_digits(p.dropped, dropped));
	grid_empty(out, "no sample yet");
	for (size_t i = 0; i < p.count && i < rows; i++)
		entry_row(out, s, &p, &p.entries[i], first);
	profile_deinit(&p);
	return true;
}

const struct view view_profile = {
	.name = "profile",
	.title = "Profile",
	.args = "[functions] [ROWS]",
	.help.about =
		"What a profiler in firmware has found so far: the hottest instructions first.\n"
		"Start with --firmware build/demos/firmware/pcprofile.elf; firmware of your own\n"
		"is read as well if it exports `firmware_profile` (demos/firmware/firmware.h).\n"
		"`view profile functions` adds up each function's samples.\n"
		"\n",
	.help.tables = {{GRID_TABLE(columns)}},
	.help.hints =
		"  dropped    samples for which the profiler's table had no room\n"
		"\n"
		"The profiler is a program too: `view cpi` says what it costs, `view l1d` what\n"
		"it pushes out of the cache, `firmware.share` its part of all cycles.",
	.build = build,
};
