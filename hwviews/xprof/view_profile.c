/* `view profile`: counts of a profiler in firmware. */
#include <math.h>
#include <string.h>

#include "hwviews/program/code_lines.h"
#include "hwviews/session/view_text.h"
#include "hwviews/xprof/firmware_profile.h"

enum { ROWS_MAX = 100000, ROWS = 20 };

static void view_profile_append_percent_cell(struct grid *g, enum role role, double share)
{
	grid_double_text(g, role, 100 * share, "%.2f%%", 100 * share);
}

/* Standard error of a share among n samples. */
static double standard_error(double share, uint64_t n)
{
	return sqrt(share * (1 - share) / (double)n);
}

struct row {
	const struct session *s;
	const struct profile *p;
	const struct profile_entry *e;
	bool functions;
};

static double view_profile_row_share(const struct row *r)
{
	return (double)r->e->count / (double)r->p->sum;
}

FILL(fill_address, struct row, grid_hex(g, ROLE_ADDRESS, r->e->pc))
FILL(fill_samples, struct row,
     grid_uint(g, view_profile_row_share(r) >= 0.02 ? ROLE_HOT : ROLE_NUMBER, r->e->count))
FILL(fill_share, struct row,
     view_profile_append_percent_cell(g, ROLE_NUMBER, view_profile_row_share(r)))
FILL(fill_error, struct row,
     view_profile_append_percent_cell(g, ROLE_DIM,
                                      standard_error(view_profile_row_share(r), r->p->sum)))
FILL(fill_exact, struct row,
     view_profile_append_percent_cell(g, ROLE_NUMBER, (double)r->e->exact / (double)r->p->exact))
FILL(fill_place, struct row,
	grid_text(g, ROLE_ADDRESS, "%s", session_where(r->s, r->e->pc, BUFFER(160))))

static void view_profile_fill_instruction(struct grid *g, const void *row)
{
	const struct row *r = row;
	char text[160] = "";
	struct code c;
	if (!r->functions && code_at(r->s, r->e->pc, &c))
		code_text(r->s, &c, text, sizeof text);
	grid_text(g, ROLE_PLAIN, "%s", text);
}

static const struct grid_column columns[] = {
	{"address", "address", "", fill_address, AT_RIGHT,
	 .help = "place of the instruction or function"},
	{"samples", "samples", "samples", fill_samples, AT_RIGHT, .help = "samples there"},
	{"share", "share", "percent of samples", fill_share, AT_RIGHT,
         .help = "of all samples: an estimate of the share of all instructions that the program "
                 "executed"},
	{"error", "±", "percentage points", fill_error, AT_RIGHT,
         .help = "one standard error of that estimate; two samples in three are nearer, and four "
                 "times as many samples halve it"},
	{"exact", "exact", "percent of instructions", fill_exact, AT_RIGHT,
         .help = "with -o oracle.enable=true: the share that it estimates, counted"},
	{"place", "place", "", fill_place, .help = "place of the instruction or function"},
	{"instruction", "instruction", "", view_profile_fill_instruction, FLEXIBLE,
         .help = "as assembly"},
};

static bool view_profile_build_grid(const struct session *s, const struct view_args *args,
                                    struct grid *out, struct err *err)
{
	uint64_t rows = args->rows ? args->rows : ROWS;
	struct profile p;
	struct err why;
	int first = args->argc && !strcmp(args->argv[0], "functions");
	if (!arg_count(args, 1 + first, "profile", err) ||
	    (args->argc > first &&
	     !arg_number(args->argv[first], "a number of rows", ROWS_MAX, &rows, err)))
		return false;
	bool known = profile_read(s, &p, &why), exact = known && p.exact;
	grid_init(out, "Profile", GRID_TABLE(columns));
	if (!exact)
		grid_drop_column(out, "exact");
	if (!known) {
		grid_empty(out, "%s", why.msg);
		return true;
	}
	if (first)
		profile_by_function(s, &p);
	grid_summary(out, "%s samples %s %s %s, one in %s instructions, %s dropped", GROUPED(p.sum),
	             first ? "in" : "at", GROUPED(p.count), first ? "functions" : "places",
	             GROUPED(p.period), GROUPED(p.dropped));
	grid_empty(out, "no sample yet");
	for (size_t i = 0; i < p.count && i < rows; i++) {
		grid_row(out, p.entries[i].pc, ROLE_PLAIN)->pc = p.entries[i].pc;
		grid_cells(out, &(struct row){s, &p, &p.entries[i], first});
	}
	profile_deinit(&p);
	return true;
}

const struct view view_profile = {
	.name = "profile",
	.title = "Profile",
	.args = "[functions] [ROWS]",
	.build = view_profile_build_grid,
	.help.about =
		"Results of a profiler in firmware so far: the hottest instructions first.\n"
		"Start with --firmware build/demos/firmware/pcprofile.elf; firmware of your own\n"
		"is read as well if it exports `firmware_profile` (demos/firmware/firmware.h).\n"
		"`view profile functions` adds up each function's samples.",
	.help.tables = {{GRID_TABLE(columns)}},
	.help.hints =
		"  dropped    samples for which the profiler's table had no room\n"
		"\n"
		"The profiler is a program too: `view cpi` shows its cost, `view l1d` the lines\n"
		"that it evicts, `firmware.share` its part of all cycles.",
};
