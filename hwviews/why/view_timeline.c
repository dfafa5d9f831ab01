/* `view timeline`: statistics of each part of the run, a row for each. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "hwviews/session/marks.h"
#include "hwviews/session/timeline.h"
#include "hwviews/session/view_text.h"

enum { BINS = 32, BINS_MOST = TIMELINE_BINS };

struct row {
	const struct session *s;
	const struct timeline_bin *b;
	bool here; /* the present is in it */
};

/* Has all rows of the stack; its text names the two largest causes of loss. */
static void fill_causes(struct grid *g, const void *row)
{
	const struct timeline_bin *b = ((const struct row *)row)->b;
	const unsigned most = timeline_cause(b);
	struct timeline_bin rest = *b;
	char first[32], second[32], text[96] = "";
	rest.count[TIMELINE_CPI + most] = 0;
	const unsigned next = timeline_cause(&rest);
	if (most)
		snprintf(text, sizeof text, "%s %.0f%%",
		         timeline_cause_name(most, first, sizeof first),
		         100 * timeline_share(b, most));
	if (most && next && timeline_share(b, next) >= 0.05)
		snprintf(text + strlen(text), sizeof text - strlen(text), ", %s %.0f%%",
		         timeline_cause_name(next, second, sizeof second),
		         100 * timeline_share(b, next));
	grid_list_text(g, ROLE_PLAIN, &b->count[TIMELINE_CPI], timeline_cpi_rows(), "%s", text);
}

FILL(fill_mark, struct row, grid_text(g, ROLE_CURRENT, "%s", r->here ? "▶" : ""))
FILL(fill_from, struct row, grid_uint(g, ROLE_NUMBER, r->b->from))
FILL(fill_to, struct row, grid_uint(g, ROLE_NUMBER, r->b->to))
FILL(fill_ipc, struct row, grid_double(g, ROLE_NUMBER, timeline_ipc(r->b), 3))
FILL(fill_bar, struct row, cell_bar(g,
	timeline_ipc(r->b) / (double)machine_pipe(r->s->machine)->commit_width, ROLE_HIT))
FILL(fill_lost, struct row, const double lost = 100 * timeline_lost(r->b);
	grid_double_text(g, lost >= 50 ? ROLE_MISS : ROLE_NUMBER, lost, "%.1f%%", lost))
FILL(fill_function, struct row,
	grid_text(g, ROLE_ADDRESS, "%s", timeline_where(r->s, r->b->pc, BUFFER(64))))
FILL(fill_per_1000, struct row, grid_double(g, ROLE_NUMBER, timeline_per_1000(r->b, grid_of(g)), 1))
FILL(fill_counts, struct row, grid_list_text(g, ROLE_DIM, r->b->count, TIMELINE_CPI, "%s",
	GROUPED(r->b->count[TIMELINE_insts])))
FILL(fill_pc_number, struct row, grid_hex(g, ROLE_DIM, r->b->pc))

static const struct grid_column columns[] = {
	{"mark", "", "", fill_mark, .min_width = 1},
	{"from", "from", "cycle", fill_from, AT_RIGHT,
	 .help = "the cycles after the first number, up to and including the second"},
	{"to", "to", "cycle", fill_to, AT_RIGHT, .help = AS_BEFORE},
	{"ipc", "IPC", "instructions/cycle", fill_ipc, AT_RIGHT,
	 .help = "instructions committed per cycle"},
	{"bar", "", "", fill_bar, .restless = true,
	 .help = "that, as a part of the machine's commit width"},
	{"lost", "lost", "percent of slots", fill_lost, AT_RIGHT,
	 .help = "commit slots that committed nothing, of all"},
	{"causes", "to", "slots", fill_causes,
	 .help = "the causes that lost most of them, as rows of `view cpi`; in JSON the slots of "
	         "all its rows, in its order"},
	{"function", "function", "", fill_function, FLEXIBLE,
	 .help = "the program's place: of a short row at its beginning, of a long one at most of "
		 "its recorded points"},
	{"l1d", "L1D", "misses per 1000 instructions", fill_per_1000, .of = TIMELINE_l1d_misses,
	 AT_RIGHT, .help = "misses per 1,000 instructions"},
	{"l2", "L2", "misses per 1000 instructions", fill_per_1000, .of = TIMELINE_l2_misses,
	 AT_RIGHT, .help = AS_BEFORE},
	{"l1i", "L1I", "misses per 1000 instructions", fill_per_1000, .of = TIMELINE_l1i_misses,
	 AT_RIGHT, .help = AS_BEFORE},
	{"mispredicts", "mispredicted", "per 1000 instructions", fill_per_1000,
	 .of = TIMELINE_bpred_mispredicts, AT_RIGHT,
	 .help = "branches and jumps that committed so, per 1,000 instructions"},
	{"counts", "insts", "instructions, mispredictions, misses", fill_counts, AT_RIGHT,
	 .help = "instructions committed; in JSON and Lua a list: instructions, mispredictions, "
	         "misses of L1I, L1D, L2, and of the TLBs of instructions and data"},
	{"pc", "at", "address", fill_pc_number, .help = "an address in that function"},
};

/* Takes the maximum number of rows from the words: a number after the region's words, or alone. */
static bool take_bins(const struct view_args *args, int *argc, uint64_t *bins, struct err *err)
{
	unsigned numbers = 0;
	for (int i = 0; i < args->argc; i++)
		numbers += isdigit((unsigned char)*args->argv[i]) &&
		           !(i && !strcmp(args->argv[i - 1], "since"));
	*argc = args->argc;
	*bins = args->rows > 4 ? args->rows - 2 : BINS;
	if (*bins > BINS_MOST)
		*bins = BINS_MOST;
	const char *last = args->argc ? args->argv[args->argc - 1] : "";
	if (numbers % 2 == 0 || !isdigit((unsigned char)*last))
		return true;
	--*argc;
	if (!arg_number(last, "how many rows", BINS_MOST, bins, err))
		return false;
	return *bins || err_set(err, "0 rows; expected view timeline 1 to %d", BINS_MOST);
}

static bool view_timeline_build_grid(const struct session *s, const struct view_args *args,
                                     struct grid *out, struct err *err)
{
	struct timeline_span span;
	struct timeline_bins bins;
	struct region region;
	uint64_t most;
	int argc;
	if (!s->run) {
		grid_init(out, "Timeline", GRID_TABLE(columns));
		grid_empty(out, "nothing is recorded of this run");
		return true;
	}
	run_timeline(s->run, &span);
	if (!take_bins(args, &argc, &most, err) || !region_take(s, argc, args->argv, &region, err))
		return false;
	if (region.argc)
		return err_set(err,
		               "'%.40s' is not understood; expected view timeline " REGION_ARGS
		               " [ROWS]",
		               region.argv[0]);
	if (!region.given) {
		region.from = span.first;
		region.to = span.newest;
	}
	if (!timeline_bins(s, region.from, region.to, most, 1, &bins, err))
		return false;
	const uint64_t now = machine_cycle(s->machine);
	grid_init(out, "Timeline", GRID_TABLE(columns));
	grid_empty(out, region.given ? "no cycle in this region"
	                             : "no cycle has passed yet; `step` executes one");
	grid_summary(out, "cycles %s to %s, %s a row", GROUPED(bins.from), GROUPED(bins.to),
	             GROUPED(bins.width));
	for (size_t i = 0; i < bins.count; i++) {
		const struct timeline_bin *b = &bins.bin[i];
		const bool here = b->from < now ? now <= b->to : !i && now == b->from;
		if (here)
			out->focus_row = out->row_count;
		grid_row(out, 1 + b->from, here ? ROLE_CURRENT : ROLE_PLAIN)->pc = b->pc;
		grid_cells(out, &(struct row){s, b, here});
	}
	timeline_bins_free(&bins);
	return true;
}

const struct view view_timeline = {
	.name = "timeline",
	.title = "Timeline",
	.args = REGION_ARGS " [ROWS]",
	.build = view_timeline_build_grid,
	.help.about =
		"The run from its beginning to the newest cycle, cut into rows of equal length,\n"
		"a power of two of cycles: its speed, its causes of waiting, and the\n"
		"program's place.\n"
		"\n"
		"  ▶         the row of the present\n",
	.help.tables = {{GRID_TABLE(columns), .indent = 12}},
	.help.hints =
		"Every row has the counts of `stats FROM TO`, exactly. All of the run comes\n"
		"from a record of 256 to 512 points, whose distance doubles as the run gets\n"
		"longer; for finer rows that part is executed again.\n"
		"\n"
		"Look for parts that are alike: they are the program's phases. A row to examine\n"
		"is a region: `view cpi 4096 8192`, `view hot 4096 8192`;\n"
		"`selection 4096 8192` gives it a word. On the screen the timeline lies along\n"
		"the bottom: T gives it the keys.\n"
		"\n"
		"  view timeline        view timeline 64        view timeline since main\n"
		"  view timeline 100000 200000 50               view timeline selection --json",
};
