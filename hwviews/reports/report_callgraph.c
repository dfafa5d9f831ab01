/* Report of the call graph counted by an instrumented program (loader/instrument/arcs.h). */
#include <stdlib.h>

#include "core/base/sort.h"
#include "hwviews/flow/contexts.h"
#include "hwviews/grid/order.h"
#include "hwviews/oracle/oracle_rows.h"
#include "hwviews/reports/report.h"
#include "loader/edit/moved_code.h"
#include "loader/instrument/arcs.h"

static bool report_callgraph_read_memory(void *ctx, uint64_t at, void *out, size_t n)
{
	return machine_peek(ctx, at, out, n);
}

ORDER(by_calls, struct arc, DOWN(calls) ?: UP(site) ?: UP(callee))

struct row {
	const struct session *s;
	const struct arc *a;
	uint64_t all, site, callee; /* site 0: no call; both are present addresses */
};

FILL(fill_calls, struct row, grid_uint(g, ROLE_NUMBER, r->a->calls))
FILL(fill_share, struct row, cell_share(g, r->a->calls, r->all))

static void fill_caller(struct grid *g, const void *row)
{
	const struct row *r = row;
	char text[128];
	if (r->site)
		grid_text(g, ROLE_ADDRESS, "%s",
		          program_addr_text(r->s->program, r->site, text, sizeof text));
	else
		grid_text(g, ROLE_DIM, "the beginning");
}

static void fill_callee(struct grid *g, const void *row)
{
	const struct row *r = row;
	const struct symbol *name = program_symbol_at(r->s->program, r->callee);
	grid_text(g, ROLE_ADDRESS, "%s", name ? name->name : "?");
}

FILL(fill_site, struct row, grid_hex(g, ROLE_DIM, r->a->site))

static const struct grid_column columns[] = {
	{"calls", "calls", "times", fill_calls, AT_RIGHT,
	 .help = "calls that led there, and their share of all"},
	{"share", "share", "%", fill_share, AT_RIGHT, .help = AS_BEFORE},
	{"caller", "caller", "", fill_caller, FLEXIBLE, .help = "the call"},
	{"callee", "callee", "", fill_callee, FLEXIBLE,
	 .help = "the procedure; the target of a tail call has the call site of the procedure that "
		 "made it"},
	{"site", "call was at", "", fill_site, AT_RIGHT,
	 .help = "its address in the program before instrumentation"},
};

static void arc_row(struct grid *g, const struct session *s, const struct moved_code *m,
                    const struct arc *a, uint64_t all)
{
	const uint64_t callee = moved_code_to(m, a->callee);
	grid_row(g, a->site ^ a->callee << 32, ROLE_PLAIN)->pc = callee;
	grid_cells(g, &(struct row){s, a, all, a->site ? moved_code_to(m, a->site) : 0, callee});
}

static bool report_callgraph_build_grid(const struct session *s, const struct view_args *args,
                                        struct grid *out, struct err *err)
{
	struct arcs arcs;
	struct moved_code moved;
	uint64_t limit, all = 0;
	const char *threads = contexts_thread_note(s, INSTRUMENT_CALLGRAPH);
	if (!arcs_read(s->program, report_callgraph_read_memory, s->machine, &arcs, err))
		return false;
	const bool ok = program_moved_code(s->program, &moved) &&
	                oracle_row_limit(args, 0, arcs.n, &limit, err);
	if (ok) {
		for (uint64_t i = 0; i < arcs.n; i++)
			all += arcs.all[i].calls;
		if (arcs.n)
			sort_stable(arcs.all, arcs.n, sizeof *arcs.all, by_calls);
		grid_init(out, "Call graph", GRID_TABLE(columns));
		grid_empty(out, "nothing has been called");
		if (arcs.lost)
			grid_summary(out, "%llu calls on %llu arcs; LOST %llu: the table is full%s",
			             (unsigned long long)all, (unsigned long long)arcs.n,
			             (unsigned long long)arcs.lost, threads);
		else
			grid_summary(out, "%llu calls on %llu arcs%s", (unsigned long long)all,
			             (unsigned long long)arcs.n, threads);
		for (uint64_t i = 0; i < limit; i++)
			arc_row(out, s, &moved, &arcs.all[i], all);
	}
	arcs_free(&arcs);
	return ok;
}

const struct report report_callgraph = {
	.name = "callgraph",
	.title = "Callers and callees in an instrumented program",
	.args = "[ROWS|all]",
	.build = report_callgraph_build_grid,
	.help.about =
		"Arcs from calls to procedures, as a program counts them that was started with\n"
		"--instrument callgraph: each procedure calls a routine first that looks at two\n"
		"return addresses, the procedure's and its own. The most executed come first.",
	.help.tables = {{GRID_TABLE(columns), .indent = 15}},
	.help.hints =
		"A procedure's cost is not divided among its callers; `view cct` is for that.",
};
