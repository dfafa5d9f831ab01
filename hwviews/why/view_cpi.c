/* `view cpi`: the CPI stack, by the reason why the oldest instruction waits. */
#include <string.h>

#include "core/defs/stats_fields.h"
#include "hwviews/session/view_text.h"
#include "hwviews/why/stacks.h"

/* Names the base, since `view slots` and `view spent` have another: dispatch slots. */
#define CPI_TITLE "CPI stack by the oldest"

/* Totals of the stack. */
struct counted {
	uint64_t cycles, insts; /* cycles: of the region; insts: of the part */
	uint64_t width, all;    /* commit slots in a cycle; in all rows */
};

/* A row of the stack, or its total. */
struct row {
	const struct stat_row *stat; /* NULL: the total */
	const struct counted *k;
	int64_t slots;
	const char *meaning;
};

static double cycles_of(const struct row *r)
{
	return (double)r->slots / (double)r->k->width;
}

static double view_cpi_row_share(const struct row *r)
{
	return r->k->all ? (double)r->slots / (double)r->k->all : 0;
}

FILL(fill_cause, struct row, r->stat ? cell_cause(g, r->stat->name + strlen("cpi."))
	: grid_text(g, ROLE_PLAIN, "total"))
FILL(fill_cpi, struct row, grid_double(g, ROLE_NUMBER, r->k->insts
	? cycles_of(r) / (double)r->k->insts : 0, 3))
FILL(fill_share, struct row, const double percent = r->stat ? 100 * view_cpi_row_share(r) : 100;
     grid_double_text(g, ROLE_NUMBER, percent, "%.1f%%", percent))

static void view_cpi_fill_bar(struct grid *g, const void *row)
{
	const struct row *r = row;
	const bool base = r->stat && r->stat->offset == offsetof(struct stats, cpi_base);
	if (r->stat)
		cell_bar(g, view_cpi_row_share(r),
		         base                           ? ROLE_HIT
		         : view_cpi_row_share(r) >= 0.1 ? ROLE_MISS
		                                        : ROLE_WAITING);
	else
		grid_blank(g);
}

FILL(fill_cycles, struct row, r->slots < 0 ? grid_double(g, ROLE_NUMBER, cycles_of(r), 2)
	: cell_slots(g, ROLE_NUMBER, (uint64_t)r->slots, r->k->width))
FILL(fill_slots, struct row, r->slots < 0 ? grid_int(g, ROLE_DIM, r->slots)
	: grid_uint(g, ROLE_DIM, (uint64_t)r->slots))

static const struct grid_column columns[] = {
	{"cause", "oldest waits for", "", fill_cause,
         .help = "cause of the oldest's wait in a cycle: row of the stack: a statistic cpi.*"},
	{"cpi", "CPI", "cycles/instruction", fill_cpi, AT_RIGHT,
	 .help = "cycles per committed instruction charged to the cause"},
	{"share", "of cycles", "percent of cycles", fill_share, AT_RIGHT,
         .help = "of all cycles; the bar shows the same"},
	{"bar", "", "", view_cpi_fill_bar, .restless = true, .help = "the share as a line"},
	{"cycles", "cycles", "cycles", fill_cycles, AT_RIGHT,
         .help = "slots divided by the commit width"},
	{"meaning", "meaning", "", fill_text_dim, .of = offsetof(struct row, meaning), FLEXIBLE,
         .help = "what is charged to it"},
	{"slots", "slots", "slots", fill_slots, AT_RIGHT, .help = "commit slots"},
};

static void view_cpi_append_cause_row(struct grid *g, const struct stat_row *stat, int64_t slots,
                                      const struct counted *k)
{
	grid_row(g, 1 + stat->offset, slots ? ROLE_PLAIN : ROLE_DIM);
	grid_cells(g, &(struct row){stat, k, slots, stat->help});
}

/* True for a row that stays 0 in this program: of profile instructions in a program that has none.
 */
static bool view_cpi_row_is_off(const struct session *s, const struct stat_row *stat, int64_t slots)
{
	return !slots && !strncmp(stat->name, "cpi.profile", strlen("cpi.profile")) &&
	       !session_uses_xprof(s);
}

static void view_cpi_append_rows(struct grid *out, const struct session *s, const int64_t *slots,
                                 struct counted *k, const char *total)
{
	for (unsigned i = 0; charge_stat(CHARGE_CPI + i); i++)
		k->all += (uint64_t)slots[i];
	for (unsigned i = 0; charge_stat(CHARGE_CPI + i); i++)
		if (stat_exists(machine_config(s->machine), charge_stat(CHARGE_CPI + i)) &&
		    !view_cpi_row_is_off(s, charge_stat(CHARGE_CPI + i), slots[i]))
			view_cpi_append_cause_row(out, charge_stat(CHARGE_CPI + i), slots[i], k);
	grid_row(out, UINT64_MAX, ROLE_CURRENT);
	grid_cells(out, &(struct row){NULL, k, (int64_t)k->all, total});
}

static bool view_cpi_build_region_grid(const struct session *s, const struct region *region,
                                       struct grid *out, struct err *err)
{
	struct stats counted;
	const struct stats *st = &counted;
	int64_t slots[CHARGE_CPI_MOST];
	char lately[96];
	if (!region_stats(s, region, &counted, err))
		return false;
	struct counted k = {.cycles = STAT(st, cycles), .insts = STAT(st, insts),
	                    .width = machine_pipe(s->machine)->commit_width};
	grid_init(out, CPI_TITLE, GRID_TABLE(columns));
	grid_summary(out, "%s%sIPC %.3f, %s cycles, %s instructions%s", region->text,
	             *region->text ? ": " : "", k.cycles ? (double)k.insts / (double)k.cycles : 0,
	             GROUPED(k.cycles), GROUPED(k.insts),
	             *region->text ? "" : stack_lately(s, lately));
	grid_empty(out, *region->text ? "no cycle in this region"
	                              : "no cycle has passed yet; `step` executes one");
	for (unsigned i = 0; charge_stat(CHARGE_CPI + i); i++)
		memcpy(&slots[i], (const char *)st + charge_stat(CHARGE_CPI + i)->offset,
		       sizeof slots[i]);
	if (k.cycles)
		view_cpi_append_rows(out, s, slots, &k, "every cycle, and no cycle twice");
	return true;
}

static void view_cpi_build_code_part_grid(const struct session *s, const struct hot_profile *p,
                                          const struct stack_asked *asked, const char *region,
                                          struct grid *out)
{
	int64_t charged[CHARGE_ROWS];
	stack_sum(s, p, asked, charged);
	struct counted k = {.cycles = p->to - p->from, .insts = (uint64_t)charged[CHARGE_RETIRED],
	                    .width = machine_pipe(s->machine)->commit_width};
	grid_init(out, CPI_TITLE, GRID_TABLE(columns));
	view_cpi_append_rows(out, s, charged + CHARGE_CPI, &k,
	                     "every slot that is charged to it, once");
	grid_summary(out, "%s%s%s: %.1f%% of %s cycles, %s instructions", region,
	             *region ? ", " : "", asked->text,
	             k.cycles ? 100 * (double)k.all / (double)(k.cycles * k.width) : 0,
	             GROUPED(k.cycles), GROUPED(k.insts));
}

static bool view_cpi_build_grid(const struct session *s, const struct view_args *args,
                                struct grid *out, struct err *err)
{
	return stack_view_build(s, args, true, view_cpi_build_region_grid,
	                        view_cpi_build_code_part_grid, out, err);
}

const struct view view_cpi = {
	.name = "cpi",
	.title = "CPI stack",
	.args = STACK_ARGS,
	.build = view_cpi_build_grid,
	.help.about =
		"Use of the cycles. Every cycle could commit pipe.commit_width\n"
		"instructions: that many slots. A slot that commits one is \"base\"; each other\n"
		"is charged to the cause of the oldest instruction's wait in that cycle, the\n"
		"same reason that `why` prints. The rows add up to the cycles exactly.\n"
		"Machines that complete out of order (classic5) have issue slots instead.\n"
		"`view spent` and `view slots` charge dispatch slots: their shares differ.",
	.help.tables = {{GRID_TABLE(columns), .indent = 10}, STACK_TABLE},
	.help.hints = STACK_HELP
	"A lost slot is charged to the next instruction to commit, which may wait for\n"
	"another instruction; under bad speculation to the mispredicted branch, or the\n"
	"load that is replayed.\n"
	"\n"
	"base alone would be the ideal machine: 1/width. A large \"memory\" or \"l2\" "
	"is a\n"
	"working set that does not fit; \"bad speculation\" is branches; \"dependency\" "
	"is\n"
	"the latency of the oldest's execution: a chain of the program's own, or a\n"
	"queue for a unit, whose oldest is nearly always executing (`view slots` keeps\n"
	"them apart); \"structural\" is that the oldest itself finds no unit, register\n"
	"or buffer entry: see `fu` and `mshr`.\n"
	"\n"
	"Of a part of the run: `view cpi since main`, `since last` stop, `since NAME`\n"
	"of a mark or function, the last 5,000 cycles, `since -5000`, or between two\n"
	"cycles: `view cpi 1000 2000`. Of a thread: `view cpi thread 2`; while threads\n"
	"are switched: `view cpi thread switch`.",
};
