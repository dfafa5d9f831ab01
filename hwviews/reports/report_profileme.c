/* ProfileMe's results: cycles by instruction and by function, and their causes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/sort.h"
#include "core/prof/common/prof.h"
#include "core/prof/profileme/profileme.h"
#include "hwviews/grid/order.h"
#include "hwviews/oracle/oracle_rows.h"
#include "hwviews/reports/report.h"
#include "hwviews/session/loss_text.h"

struct place {
	uint64_t pc;
	struct profileme_counts counts;
};

static int by_delay(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	if (x->counts.delay != y->counts.delay)
		return x->counts.delay > y->counts.delay ? -1 : 1;
	const uint64_t m = profileme_samples(&x->counts), n = profileme_samples(&y->counts);
	if (m != n)
		return m > n ? -1 : 1;
	return x->pc < y->pc ? -1 : x->pc > y->pc;
}

ORDER(by_pc, struct place, UP(pc))

/* Merges rows of the same pc. Returns the number left. */
static uint32_t put_together(struct place *r, uint32_t n)
{
	uint32_t used = 0;
	sort_stable(r, n, sizeof *r, by_pc);
	for (uint32_t i = 1; i < n; i++) {
		if (r[i].pc != r[used].pc) {
			r[++used] = r[i];
			continue;
		}
		uint64_t *to = (uint64_t *)(void *)&r[used].counts;
		const uint64_t *from = (const uint64_t *)(const void *)&r[i].counts;
		for (size_t k = 0; k < sizeof r->counts / sizeof *to; k++)
			to[k] += from[k];
	}
	return n ? used + 1 : 0;
}

/* All instructions, or functions, the most costly first: malloc'd; NULL with *err. */
static struct place *report_profileme_rank_places(const struct session *s, bool functions,
                                                  uint32_t *n, struct err *err)
{
	const struct prof *d = machine_pipe(s->machine)->prof;
	*n = profileme_entries(d);
	struct place *r = alloc_bytes((*n + (size_t)1) * sizeof *r);
	if (!r) {
		err_set(err, "out of memory for the report");
		return NULL;
	}
	for (uint32_t i = 0; i < *n; i++) {
		r[i].counts = *profileme_entry(d, i, &r[i].pc);
		const struct symbol *sym =
			functions ? program_symbol_at(s->program, r[i].pc) : NULL;
		if (sym)
			r[i].pc = sym->addr;
	}
	if (functions)
		*n = put_together(r, *n);
	sort_stable(r, *n, sizeof *r, by_delay);
	return r;
}

struct row {
	struct code_row at;
	const struct prof *d;
	const struct profileme_counts *c;
};

static const struct profileme_counts *report_profileme_row_counts(const void *row)
{
	return ((const struct row *)row)->c;
}

static uint64_t report_profileme_row_retired(const void *row)
{
	return report_profileme_row_counts(row)->fates[PROFILEME_FATE_RETIRED];
}

FILL(fill_share, struct row, cell_share(g, r->c->delay, profileme_all_delay(r->d)))

static void fill_delay(struct grid *g, const void *row)
{
	const uint64_t retired = report_profileme_row_retired(row);
	if (retired)
		grid_double(g, ROLE_NUMBER,
		            (double)report_profileme_row_counts(row)->delay / (double)retired, 2);
	else
		grid_blank(g);
}

static void fill_executions(struct grid *g, const void *row)
{
	const struct row *r = row;
	const uint64_t retired = report_profileme_row_retired(r);
	grid_uint(g, retired ? ROLE_NUMBER : ROLE_DIM,
	          (uint64_t)((double)retired * profileme_scale(r->d) + 0.5));
}

/* "412 dcache_miss, 3 mispredicted": events for each thousand records. */
static void fill_per_1000(struct grid *g, const void *row)
{
	const struct profileme_counts *c = report_profileme_row_counts(row);
	const uint64_t records = profileme_samples(c);
	char text[240] = "";
	for (unsigned i = 0; i < PROFILEME_EVENT_COUNT; i++) {
		const size_t used = strlen(text);
		if (c->events[i])
			snprintf(text + used, sizeof text - used, "%s%.0f %s", used ? ", " : "",
			         1000 * (double)c->events[i] / (double)records,
			         profileme_event_name[i]);
	}
	grid_text(g, ROLE_MISS, "%s", text);
}

FILL(fill_records, struct row,
     grid_uint(g, ROLE_NUMBER, profileme_samples(report_profileme_row_counts(r))))

static void fill_retired(struct grid *g, const void *row)
{
	const double percent = 100 * (double)report_profileme_row_retired(row) /
	                       (double)profileme_samples(report_profileme_row_counts(row));
	grid_double_text(g, ROLE_NUMBER, percent, "%.0f%%", percent);
}

static void fill_latency(struct grid *g, const void *row)
{
	const uint64_t retired = report_profileme_row_retired(row),
		       cycles = report_profileme_row_counts(row)->latency[grid_of(g)];
	if (retired)
		grid_double(g, cycles ? ROLE_NUMBER : ROLE_DIM, (double)cycles / (double)retired,
		            2);
	else
		grid_blank(g);
}

FILL(fill_event, struct row,
     const uint64_t events = report_profileme_row_counts(r)->events[grid_of(g)];
     grid_uint(g, events ? ROLE_NUMBER : ROLE_DIM, events))

#define TIME_COLUMNS(share_is, delay_is, times_is)                                                 \
	{"share", "cycles", "percent", fill_share, AT_RIGHT, .help = share_is}, \
	{"delay", "delay", "cycles", fill_delay, AT_RIGHT, .help = delay_is}, \
	{"executions", "times", "estimated", fill_executions, AT_RIGHT, .help = times_is}
#define RECORD_COLUMNS(events_are, records_are)                                                    \
	{"per_1000", "per 1000", "", fill_per_1000, FLEXIBLE, .help = events_are}, \
	{"records", "records", "", fill_records, AT_RIGHT, .help = records_are}, \
	{"retired", "retired", "percent", fill_retired, AT_RIGHT, \
	 .help = "of its records; the rest was squashed"}

static const struct grid_column inst_columns[] = {
	TIME_COLUMNS("share of all retire delays, which is of all cycles",
	             "retire delay: cycles from the retirement before it to its own, on average",
	             "how often it was executed: an estimate"),
	{"address", "address", "", fill_code_address, AT_RIGHT, .help = "where it is"},
	{"place", "place", "", fill_code_place, FLEXIBLE, .help = AS_BEFORE},
	{"instruction", "instruction", "", fill_code_inst, FLEXIBLE, .help = "as assembly"},
	RECORD_COLUMNS("records with each event: misses, mispredictions, replay traps",
	               "how many ProfileMe has of it"),
#define L(id, name, sentence)                                                                      \
	{#name, #name, "cycles", .fill = fill_latency, .of = PROFILEME_LATENCY_##id,               \
	 AT_RIGHT, .help = "cycles, on average, " sentence},
	PROFILEME_LATENCIES(L)
#undef L
/* A column for each event that occurs in a record. */
#define E(id, name, sentence)                                                                      \
	{#name, #name, "records", .fill = fill_event, .of = PROFILEME_##id,                        \
	 AT_RIGHT, .help = "records with it: " sentence},
		PROFILEME_EVENTS(E)
#undef E
};

static const struct grid_column function_columns[] = {
	TIME_COLUMNS("share of all cycles", "retire delay of its instructions, on average",
	             "instructions of it that were executed: an estimate"),
	{"address", "address", "", fill_code_address, AT_RIGHT,
	 .help = "where the function begins"},
	{"function", "function", "", fill_code_place, FLEXIBLE, .help = "its name"},
	RECORD_COLUMNS("events, in so many records of its instructions",
	               "how many ProfileMe has of its instructions"),
};

static unsigned events_in(const struct place *r, uint64_t n)
{
	unsigned events = 0;
	for (uint64_t i = 0; i < n; i++)
		for (unsigned k = 0; k < PROFILEME_EVENT_COUNT; k++)
			events |= r[i].counts.events[k] ? 1u << k : 0u;
	return events;
}

static void report_profileme_format_summary(struct grid *g, const struct session *session,
                                            const struct prof *d, uint64_t shown, uint64_t all)
{
	const struct stats *s = d->stats;
	char part[80] = "", lost[160] = "";
	if (shown < all)
		snprintf(part, sizeof part, "%s of %s, ", GROUPED(shown), GROUPED(all));
	if (STAT(s, profileme_lost))
		snprintf(lost, sizeof lost, "%s: profileme.memory is full",
		         format_loss(session, LOSS_OF_PROFILEME, BUFFER(128)));
	grid_summary(g, "%s%s records, one in %.0f instructions%s%s", part,
	             GROUPED(STAT(s, profileme_records)), profileme_scale(d), lost,
	             format_loss(session, LOSS_OF_CODE, BUFFER(200)));
}

static bool report_profileme_build_grid(const struct session *s, const struct view_args *args,
                                        bool functions, struct grid *out, struct err *err)
{
	const struct prof *d = machine_pipe(s->machine)->prof;
	uint32_t n;
	uint64_t limit;
	struct place *r = report_profileme_rank_places(s, functions, &n, err);
	if (!r)
		return false;
	if (!oracle_row_limit(args, 0, n, &limit, err)) {
		free(r);
		return false;
	}
	const unsigned events = events_in(r, limit);
	if (functions)
		grid_init(out, "Functions", GRID_TABLE(function_columns));
	else
		grid_init(out, "Instructions", GRID_TABLE(inst_columns));
	for (unsigned i = 0; !functions && i < PROFILEME_EVENT_COUNT; i++)
		if (!(events >> i & 1))
			grid_drop_column(out, profileme_event_name[i]);
	out->essential = functions ? 5 : 6;
	grid_empty(out, "no record has been read yet");
	report_profileme_format_summary(out, s, d, limit, n);
	for (uint32_t i = 0; i < limit; i++) {
		grid_row(out, r[i].pc, ROLE_PLAIN)->pc = r[i].pc;
		grid_cells(out, &(struct row){{s, r[i].pc}, d, &r[i].counts});
	}
	free(r);
	return true;
}

static bool report_profileme_build_inst_grid(const struct session *s, const struct view_args *args,
                                             struct grid *out, struct err *err)
{
	return report_profileme_build_grid(s, args, false, out, err);
}

static bool build_functions(const struct session *s, const struct view_args *args, struct grid *out,
                            struct err *err)
{
	return report_profileme_build_grid(s, args, true, out, err);
}

const struct report report_profileme = {
	.name = "profileme",
	.title = "Where cycles went, by instruction, and why",
	.args = "[ROWS|all]",
	.device = "profileme",
	.build = report_profileme_build_inst_grid,
	.help.about = "Each instruction of which ProfileMe has a record, those first for which\n"
		      "retirement waited longest.",
	.help.tables = {{GRID_TABLE(inst_columns), .indent = 12}},
	.help.hints =
		"JSON and CSV also have cycles between stages, on average over what retired,\n"
		"and events as numbers. A delay belongs to the instruction that waits: after a\n"
		"load that misses, to the load or the first to need its data.",
};

const struct report report_profileme_functions = {
	.name = "profileme functions", .title = "Where cycles went, by function",
	.args = "[ROWS|all]", .device = "profileme", .build = build_functions,
	.help.about =
		"The records of `report profileme`, together for each function.",
	.help.tables = {{GRID_TABLE(function_columns), .indent = 12}},
};
