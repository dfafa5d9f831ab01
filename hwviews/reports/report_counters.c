/* Report of an instrumented program's counters except paths (report_paths.c): the counters are in
 * its memory, and its file describes them (loader/instrument/instrument.h). */
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/sort.h"
#include "hwviews/flow/contexts.h"
#include "hwviews/grid/order.h"
#include "hwviews/oracle/oracle_rows.h"
#include "hwviews/reports/report.h"
#include "loader/edit/moved_code.h"
#include "loader/instrument/instrument.h"

/* A counter that is not 0. */
struct counted {
	uint64_t index;          /* in its struct counter */
	uint64_t count;
};

struct profile {
	const struct session *s;
	struct counters counters;
	struct moved_code moved;
	struct counted *list;    /* [n], owned: largest first */
	uint64_t n, total;
};

ORDER(by_count, struct counted, DOWN(count) ?: UP(index))

static bool report_counters_read_counters(struct profile *p, struct err *err)
{
	p->list = alloc_zeroed(p->counters.count + 1, sizeof *p->list);
	if (!p->list)
		return err_set(err, "out of memory for the counters of an instrumented program");
	for (uint64_t k = 0; k < p->counters.count; k++) {
		struct counted *c = &p->list[p->n];
		c->index = k;
		if (!machine_peek(p->s->machine, p->counters.memory + 8 * p->counters.words * k,
		                  &c->count, sizeof c->count) ||
		    !c->count)
			continue;
		p->n++;
		p->total += c->count;
	}
	if (p->n)
		sort_stable(p->list, p->n, sizeof *p->list, by_count);
	return true;
}

static bool is_path_kind(enum instrument_kind kind)
{
	return kind == INSTRUMENT_PATH || kind == INSTRUMENT_PATH_HW;
}

/* The n-th kind, except kinds that count paths. */
static bool find_counters(const struct program *p, unsigned n, struct counters *out)
{
	for (unsigned k = 0; program_counters(p, k, out); k++)
		if (!is_path_kind(out->kind) && !n--)
			return true;
	return false;
}

static bool report_counters_init_profile(struct profile *p, const struct session *s, unsigned n,
                                         struct err *err)
{
	struct counters any;
	*p = (struct profile){.s = s};
	if (!program_counters(s->program, 0, &any) || !program_moved_code(s->program, &p->moved))
		return err_set(err, "the program counts nothing; use --instrument bb, or one "
		                    "that `cyclops instrument --kind bb` has made");
	if (!find_counters(s->program, n, &p->counters))
		return err_set(err, "the program is instrumented for %s; use `report hot-paths`",
		               instrument_name[any.kind]);
	if (!report_counters_read_counters(p, err))
		return false;
	return true;
}

static void report_counters_append_address_cell(struct grid *g, const struct profile *p,
                                                uint64_t old)
{
	const uint64_t now = moved_code_to(&p->moved, old);
	char text[128];
	if (now)
		grid_text(g, ROLE_ADDRESS, "%s",
		          program_addr_text(p->s->program, now, text, sizeof text));
	else
		grid_hex(g, ROLE_DIM, old);
}

struct row {
	const struct profile *p;
	const struct counted *c;
	const struct counter *k;
	bool edge;
};

FILL(fill_kind, struct row, grid_text(g, ROLE_DIM, "%s", instrument_name[r->p->counters.kind]))
FILL(fill_type, struct row, grid_uint_if(g, r->p->counters.type >= 0, ROLE_DIM,
	(uint64_t)r->p->counters.type))
FILL(fill_count, struct row, grid_uint(g, ROLE_NUMBER, r->c->count))
FILL(fill_share, struct row, cell_share(g, r->c->count, r->p->total))
FILL(fill_address, struct row, grid_hex(g, ROLE_ADDRESS, moved_code_to(&r->p->moved, r->k->at)))
FILL(fill_place, struct row, report_counters_append_address_cell(g, r->p, r->k->at))
FILL(fill_to, struct row,
     r->edge ? report_counters_append_address_cell(g, r->p, r->k->to) : grid_blank(g))
FILL(fill_was, struct row, grid_hex(g, ROLE_DIM, r->k->at))
FILL(fill_led_to, struct row, r->edge ? grid_hex(g, ROLE_DIM, r->k->to) : grid_blank(g))

/* ---- blocks and edges ---- */
static const struct grid_column counter_columns[] = {
	{"kind", "kind", "", fill_kind, .help = "of instrumentation: bb or edge"},
	{"type", "type", "profile type", fill_type, AT_RIGHT,
	 .help = "of its profile instructions; nothing: it is plain code"},
	{"count", "count", "times", fill_count, AT_RIGHT,
	 .help = "count, and share of all of that kind"},
	{"share", "share", "%", fill_share, AT_RIGHT, .help = AS_BEFORE},
	{"address", "address", "", fill_address, AT_RIGHT,
	 .help = "of the counted item: a block's first instruction, an edge's branch"},
	{"place", "place", "", fill_place, FLEXIBLE, .help = AS_BEFORE},
	{"to", "to", "", fill_to, FLEXIBLE, .help = "of edges: the target of the branch or jump"},
	{"was", "was at", "", fill_was, AT_RIGHT,
	 .help = "the address in the program before instrumentation"},
	{"led_to", "led to", "", fill_led_to, AT_RIGHT, .help = "of edges: the original target"},
};

static void report_counters_append_counter_row(struct grid *g, const struct profile *p,
                                               const struct counted *c)
{
	const struct counter *k = &p->counters.all[c->index];
	grid_row(g, (uint64_t)p->counters.kind << 56 | c->index, ROLE_PLAIN)->pc =
		moved_code_to(&p->moved, k->at);
	grid_cells(g, &(struct row){p, c, k, p->counters.kind == INSTRUMENT_EDGE});
}

static bool build_counters(const struct session *s, const struct view_args *args, struct grid *out,
                           struct err *err)
{
	struct counters c;
	uint64_t counted = 0, all = 0;
	const char *threads = "";
	unsigned n = 0;
	bool ok = true;
	do {
		struct profile p;
		uint64_t limit;
		ok = report_counters_init_profile(&p, s, n, err) &&
		     oracle_row_limit(args, 0, p.n, &limit, err);
		if (ok && !n) {
			grid_init(out, "Counters", GRID_TABLE(counter_columns));
			grid_empty(out, "nothing was counted");
		}
		for (uint64_t i = 0; ok && i < limit; i++)
			report_counters_append_counter_row(out, &p, &p.list[i]);
		counted += p.n;
		all += p.counters.count;
		if (ok)
			threads = contexts_thread_note(s, p.counters.kind);
		free(p.list);
	} while (ok && find_counters(s->program, ++n, &c));
	if (ok)
		grid_summary(out, "%llu of %llu counters counted%s", (unsigned long long)counted,
		             (unsigned long long)all, threads);
	return ok;
}

const struct report report_counters = {
	.name = "counters",
	.title = "Counts of an instrumented program: blocks, or edges",
	.args = "[ROWS|all]",
	.build = build_counters,
	.help.about =
		"Counters of a program that was started with --instrument bb or edge, or that\n"
		"`cyclops instrument` has made, largest first. Each kind has\n"
		"rows and shares of its own.",
	.help.tables = {{GRID_TABLE(counter_columns), .indent = 14}},
};
