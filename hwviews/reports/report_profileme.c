/* What ProfileMe has found out: where cycles went by instruction and by function, and why. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/prof/common/prof.h"
#include "core/prof/profileme/profileme.h"
#include "hwviews/oracle/oracle_rows.h"
#include "hwviews/reports/report.h"

#define TIME_COLUMNS(share_is, delay_is, times_is)                                                 \
	{"share", "cycles", "percent", .align = ALIGN_RIGHT, .help = share_is},                    \
	{"delay", "delay", "cycles", .align = ALIGN_RIGHT, .help = delay_is},                      \
	{"executions", "times", "estimated", .align = ALIGN_RIGHT, .help = times_is}
#define RECORD_COLUMNS(events_are, records_are)                                                    \
	{"per_1000", "per 1000", "", .flexible = true, .help = events_are},                        \
	{"records", "records", "", .align = ALIGN_RIGHT, .help = records_are},                     \
	{"retired", "retired", "percent", .align = ALIGN_RIGHT,                                    \
	 .help = "of its records; the rest was squashed"}

static const struct grid_column inst_columns[] = {
	TIME_COLUMNS("share of all retire delays, which is of all cycles",
	             "retire delay: cycles from the retirement before it to its own, on average",
	             "how often it was executed: an estimate"),
	{"address", "address", "", .align = ALIGN_RIGHT, .help = "where it is"},
	{"place", "place", "", .flexible = true, .help = AS_BEFORE},
	{"instruction", "instruction", "", .flexible = true, .help = "as assembly"},
	RECORD_COLUMNS("events, in so many records: misses, mispredictions, replay traps",
	               "how many ProfileMe has of it"),
#define L(id, name, sentence)                                                                      \
	{#name, #name, "cycles", .align = ALIGN_RIGHT, .help = "cycles, on average, " sentence},
	PROFILEME_LATENCIES(L)
#undef L
};

/* Behind them, each of those that some record has. */
static const struct grid_column event_columns[PROFILEME_EVENT_COUNT] = {
#define E(id, name, sentence)                                                                      \
	{#name, #name, "records", .align = ALIGN_RIGHT, .help = "records with it: " sentence},
	PROFILEME_EVENTS(E)
#undef E
};

static const struct grid_column function_columns[] = {
	TIME_COLUMNS("share of all cycles", "retire delay of its instructions, on average",
	             "instructions of it that were executed: an estimate"),
	{"address", "address", "", .align = ALIGN_RIGHT, .help = "where the function begins"},
	{"function", "function", "", .flexible = true, .help = "its name"},
	RECORD_COLUMNS("events, in so many records of its instructions",
	               "how many ProfileMe has of its instructions"),
};

struct row {
	uint64_t pc;
	struct profileme_counts counts;
};

static int by_delay(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	if (x->counts.delay != y->counts.delay)
		return x->counts.delay > y->counts.delay ? -1 : 1;
	const uint64_t m = profileme_samples(&x->counts), n = profileme_samples(&y->counts);
	if (m != n)
		return m > n ? -1 : 1;
	return x->pc < y->pc ? -1 : x->pc > y->pc;
}

static int by_pc(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	return x->pc < y->pc ? -1 : x->pc > y->pc;
}

/* Rows of one pc become one. Returns how many are left. */
static uint32_t put_together(struct row *r, uint32_t n)
{
	uint32_t used = 0;
	qsort(r, n, sizeof *r, by_pc);
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

/* All instructions, or functions, those that cost most first: malloc'd; NULL with *err. */
static struct row *rows_of(const struct session *s, bool functions, uint32_t *n, struct err *err)
{
	const struct prof *d = machine_pipe(s->machine)->prof;
	*n = profileme_entries(d);
	struct row *r = malloc((*n + (size_t)1) * sizeof *r);
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
	qsort(r, *n, sizeof *r, by_delay);
	return r;
}

static void time_cells(struct grid *g, const struct prof *d, const struct profileme_counts *c)
{
	const uint64_t retired = c->fates[PROFILEME_FATE_RETIRED];
	cell_share(g, c->delay, profileme_all_delay(d));
	if (retired)
		grid_double(g, ROLE_NUMBER, (double)c->delay / (double)retired, 2);
	else
		grid_blank(g);
	grid_uint(g, retired ? ROLE_NUMBER : ROLE_DIM,
	          (uint64_t)((double)retired * profileme_scale(d) + 0.5));
}

/* "412 dcache_miss, 3 mispredicted": events in a thousand records. */
static void record_cells(struct grid *g, const struct profileme_counts *c)
{
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
	grid_uint(g, ROLE_NUMBER, records);
	grid_double_text(g, ROLE_NUMBER,
	                 100 * (double)c->fates[PROFILEME_FATE_RETIRED] / (double)records, "%.0f%%",
	                 100 * (double)c->fates[PROFILEME_FATE_RETIRED] / (double)records);
}

static void all_cells(struct grid *g, const struct profileme_counts *c, unsigned events)
{
	const uint64_t retired = c->fates[PROFILEME_FATE_RETIRED];
	for (unsigned i = 0; i < PROFILEME_LATENCY_COUNT; i++) {
		if (retired)
			grid_double(g, c->latency[i] ? ROLE_NUMBER : ROLE_DIM,
			            (double)c->latency[i] / (double)retired, 2);
		else
			grid_blank(g);
	}
	for (unsigned i = 0; i < PROFILEME_EVENT_COUNT; i++)
		if (events >> i & 1)
			grid_uint(g, c->events[i] ? ROLE_NUMBER : ROLE_DIM, c->events[i]);
}

/* Columns of instructions, with those of these events. */
static void init_insts(struct grid *g, unsigned events)
{
	enum { FIRST = sizeof inst_columns / sizeof *inst_columns };
	struct grid_column columns[FIRST + PROFILEME_EVENT_COUNT];
	unsigned n = FIRST;
	memcpy(columns, inst_columns, sizeof inst_columns);
	for (unsigned i = 0; i < PROFILEME_EVENT_COUNT; i++)
		if (events >> i & 1)
			columns[n++] = event_columns[i];
	grid_init(g, "Instructions", columns, n);
}

static unsigned events_in(const struct row *r, uint64_t n)
{
	unsigned events = 0;
	for (uint64_t i = 0; i < n; i++)
		for (unsigned k = 0; k < PROFILEME_EVENT_COUNT; k++)
			events |= r[i].counts.events[k] ? 1u << k : 0u;
	return events;
}

static void summary(struct grid *g, const struct prof *d, uint64_t shown, uint64_t all)
{
	const struct stats *s = d->stats;
	char a[32], b[32], c[32], part[80] = "", lost[96] = "";
	if (shown < all)
		snprintf(part, sizeof part, "%s of %s, ", group_digits(shown, a),
		         group_digits(all, b));
	if (STAT(s, profileme_lost))
		snprintf(lost, sizeof lost, "; LOST %s: profileme.memory is full",
		         group_digits(STAT(s, profileme_lost), c));
	grid_summary(g, "%s%s records, one in %.0f instructions%s", part,
	             group_digits(STAT(s, profileme_records), a), profileme_scale(d), lost);
}

static bool build(const struct session *s, const struct view_args *args, bool functions,
                  struct grid *out, struct err *err)
{
	const struct prof *d = machine_pipe(s->machine)->prof;
	uint32_t n;
	uint64_t limit;
	struct row *r = rows_of(s, functions, &n, err);
	if (!r)
		return false;
	if (!oracle_row_limit(args, 0, n, &limit, err)) {
		free(r);
		return false;
	}
	const unsigned events = events_in(r, limit);
	if (functions)
		grid_init(out, "Functions", function_columns,
		          sizeof function_columns / sizeof *function_columns);
	else
		init_insts(out, events);
	out->essential = functions ? 5 : 6;
	grid_empty(out, "no record has been read yet");
	summary(out, d, limit, n);
	for (uint32_t i = 0; i < limit; i++) {
		grid_row(out, r[i].pc, ROLE_PLAIN)->pc = r[i].pc;
		time_cells(out, d, &r[i].counts);
		if (functions)
			cell_place(out, s, r[i].pc);
		else
			cell_code(out, s, r[i].pc);
		record_cells(out, &r[i].counts);
		if (!functions)
			all_cells(out, &r[i].counts, events);
	}
	free(r);
	return true;
}

static bool build_insts(const struct session *s, const struct view_args *args, struct grid *out,
                        struct err *err)
{
	return build(s, args, false, out, err);
}

static bool build_functions(const struct session *s, const struct view_args *args, struct grid *out,
                            struct err *err)
{
	return build(s, args, true, out, err);
}

const struct report report_profileme = {
	.name = "profileme",
	.title = "Where cycles went, by instruction, and why",
	.args = "[ROWS|all]",
	.help.about =
		"Each instruction of which ProfileMe has a record, those first for which\n"
		"retirement stood still longest.\n"
		"\n",
	.help.tables = {{GRID_TABLE(inst_columns), .indent = 12},
	                {GRID_TABLE(event_columns), .indent = 12}},
	.help.hints =
		"\n"
		"JSON and CSV also have cycles between stages, on average over what retired,\n"
		"and events as numbers. A delay is that of who waits: behind a load that\n"
		"misses, of the load or of the first to need its data.",
	.device = "profileme",
	.build = build_insts,
};

const struct report report_profileme_functions = {
	.name = "profileme functions",
	.title = "Where cycles went, by function",
	.args = "[ROWS|all]",
	.help.about =
		"The records of `report profileme`, together for each function.\n"
		"\n",
	.help.tables = {{GRID_TABLE(function_columns), .indent = 12}},
	.device = "profileme",
	.build = build_functions,
};
