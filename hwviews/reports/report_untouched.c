/* Report of functions that instrumentation skipped, the reasons, and their share of the run. */
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/sort.h"
#include "hwviews/grid/order.h"
#include "hwviews/oracle/oracle_rows.h"
#include "hwviews/reports/report.h"
#include "loader/edit/moved_code.h"
#include "loader/instrument/instrument.h"

/* Counts executed instructions of the original program. */
struct shares {
	const struct session *s;
	struct moved_code moved;
	struct counters blocks;  /* of kind bb; count 0: none */
	bool known;
	uint64_t total;
};

static bool report_untouched_read_block_count(const struct shares *x, uint64_t k, uint64_t *times)
{
	return machine_peek(x->s->machine, x->blocks.memory + 8 * x->blocks.words * k, times,
	                    sizeof *times);
}

/* Number of original instructions in [from, to). */
static uint64_t report_untouched_count_insts_between(const struct shares *x, uint64_t from,
                                                     uint64_t to)
{
	const uint64_t now = moved_code_to(&x->moved, from);
	uint64_t n = 0;
	for (uint64_t i = moved_index(&x->moved, now);
	     now && i < x->moved.count && x->moved.pairs[2 * i + 1] < to; i++)
		n++;
	return n;
}

/* Instructions executed in the new code's [lo, hi), without inserted ones. */
static uint64_t executed_in(const struct shares *x, uint64_t lo, uint64_t hi)
{
	const struct prof *prof = machine_pipe(x->s->machine)->prof;
	uint64_t sum = 0, times;
	if (session_oracle(x->s)) {
		for (uint64_t i = moved_index(&x->moved, lo);
		     i < x->moved.count && x->moved.text + x->moved.pairs[2 * i] < hi; i++)
			sum += oracle_count(prof, x->moved.text + x->moved.pairs[2 * i]);
		return sum;
	}
	for (uint64_t k = 0; k < x->blocks.count; k++) {
		const struct counter *c = &x->blocks.all[k];
		const uint64_t now = moved_code_to(&x->moved, c->at);
		if (now >= lo && now < hi && report_untouched_read_block_count(x, k, &times) &&
		    times)
			sum += times * report_untouched_count_insts_between(x, c->at, c->to);
	}
	return sum;
}

static bool shares_init(struct shares *x, const struct session *s)
{
	*x = (struct shares){.s = s};
	if (!program_moved_code(s->program, &x->moved))
		return false;
	if (!program_counters_of(s->program, INSTRUMENT_BB, &x->blocks))
		x->blocks.count = 0;
	x->known = session_oracle(s) || x->blocks.count;
	x->total = x->known ? executed_in(x, 0, UINT64_MAX) : 0;
	return true;
}

/* ---- rows ---- */
struct untouched {
	const struct skipped_function *f;
	const struct symbol *symbol;  /* NULL: no name */
	uint64_t insts, executed;
};

ORDER(by_executed, struct untouched, DOWN(executed) ?: DOWN(insts) ?: UP(f->at))

static struct untouched *report_untouched_find_functions(const struct shares *x,
                                                         const struct skipped_functions *left,
                                                         uint64_t *alone, uint64_t *share)
{
	struct untouched *all = alloc_zeroed(left->count + 1, sizeof *all);
	*alone = *share = 0;
	for (uint64_t i = 0; all && i < left->count; i++) {
		const struct symbol *s =
			program_symbol_at(x->s->program, moved_code_to(&x->moved, left->all[i].at));
		const uint64_t first = s ? moved_index(&x->moved, s->addr) : 0,
			       end = s ? moved_index(&x->moved, s->addr + s->size) : 0;
		all[i] = (struct untouched){
			.f = &left->all[i], .symbol = s, .insts = end - first,
			.executed = s && x->known ? executed_in(x, s->addr, s->addr + s->size) : 0,
		};
		if (left_alone[left->all[i].why]) {
			*alone += 1;
			*share += all[i].executed;
		}
	}
	if (all)
		sort_stable(all, left->count, sizeof *all, by_executed);
	return all;
}

struct row {
	const struct shares *x;
	const struct untouched *u;
};

static void report_untouched_fill_function(struct grid *g, const void *row)
{
	const struct symbol *name = ((const struct row *)row)->u->symbol;
	grid_text(g, ROLE_ADDRESS, "%s", name ? name->name : "?");
}

FILL(fill_share, struct row, r->x->known ? cell_share(g, r->u->executed, r->x->total)
	: grid_text(g, ROLE_DIM, "-"))
FILL(fill_executed, struct row, r->x->known ? grid_uint(g, ROLE_NUMBER, r->u->executed)
	: grid_text(g, ROLE_DIM, "-"))

static void report_untouched_fill_what(struct grid *g, const void *row)
{
	const bool alone = left_alone[((const struct row *)row)->u->f->why];
	grid_text(g, alone ? ROLE_STALE : ROLE_PROFILE, "%s",
	          alone ? "left alone" : "counted otherwise");
}

FILL(fill_why, struct row, grid_text(g, ROLE_PLAIN, "%s", skip_reason_text[r->u->f->why]))
FILL(fill_kind, struct row, grid_text(g, ROLE_DIM, "%s", instrument_name[r->u->f->kind]))
FILL(fill_insts, struct row, grid_uint(g, ROLE_DIM, r->u->insts))
FILL(fill_was, struct row, grid_hex(g, ROLE_DIM, r->u->f->at))

static const struct grid_column columns[] = {
	{"function", "function", "", report_untouched_fill_function, FLEXIBLE, .help = "its name"},
	{"share", "share", "%", fill_share, AT_RIGHT,
	 .help = "of the program's executed instructions, without added code; - without counts: "
		 "the oracle and kind bb have them"},
	{"executed", "executed", "instructions", fill_executed, AT_RIGHT,
         .help = "its instructions that were executed"},
	{"what", "what", "", report_untouched_fill_what,
	 .help = "left alone: nothing is counted in it. counted otherwise: it is counted in "
		 "another way than the others"},
	{"why", "because", "", fill_why, FLEXIBLE, .help = "why, in words"},
	{"kind", "kind", "", fill_kind, .help = "the kind of instrumentation that didn't fit"},
	{"insts", "has", "instructions", fill_insts, AT_RIGHT,
         .help = "instructions in the function"},
	{"was", "was at", "", fill_was, AT_RIGHT, .help = "its address in the original program"},
};

static bool report_untouched_build_grid(const struct session *s, const struct view_args *args,
                                        struct grid *out, struct err *err)
{
	struct shares x;
	struct skipped_functions left;
	uint64_t limit, alone, share;
	if (!program_left(s->program, &left) || !shares_init(&x, s))
		return err_set(err, "the program is not instrumented; use --instrument path, or "
		                    "one that `cyclops instrument --kind path` has made");
	if (!oracle_row_limit(args, 0, left.count, &limit, err))
		return false;
	struct untouched *all = report_untouched_find_functions(&x, &left, &alone, &share);
	if (!all)
		return err_set(err, "out of memory for the functions that were left alone");
	grid_init(out, "Untouched", GRID_TABLE(columns));
	grid_empty(out, "nothing was left alone");
	if (x.known)
		grid_summary(
			out,
			"%llu function%s left alone, with %.2f%% of the program's instructions",
			(unsigned long long)alone, alone == 1 ? "" : "s",
			x.total ? 100 * (double)share / (double)x.total : 0);
	else
		grid_summary(
			out,
			"%llu function%s left alone; -o oracle.enable=true counts executions there",
			(unsigned long long)alone, alone == 1 ? "" : "s");
	for (uint64_t i = 0; i < limit; i++) {
		const struct skipped_function *f = all[i].f;
		/* A function has a row for each kind and reason. */
		grid_row(out, f->at << 16 | (uint64_t)f->kind << 8 | (uint64_t)f->why,
		         ROLE_PLAIN)->pc = moved_code_to(&x.moved, f->at);
		grid_cells(out, &(struct row){&x, &all[i]});
	}
	free(all);
	return true;
}

const struct report report_untouched = {
	.name = "untouched",
	.title = "Functions that instrumentation left alone, and the reasons",
	.args = "[ROWS|all]",
	.build = report_untouched_build_grid,
	.help.about =
		"Functions that can't be instrumented safely are unchanged. Those where most\n"
		"of the run was spent come first.",
	.help.tables = {{GRID_TABLE(columns), .indent = 12}},
};
