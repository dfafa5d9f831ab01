/* `view rob`: the reorder buffer, and the reason why each instruction in it waits. */
#include "hwviews/sampler/sampler_rows.h"
#include "hwviews/session/view_text.h"

/* The result, or the outcome of a branch. */
static void view_rob_fill_value(struct grid *g, const void *row)
{
	const struct uop_row *r = row;
	const struct session *s = r->s;
	const struct uop *u = r->u;
	const struct pipe *p = machine_pipe(s->machine);
	uint64_t trap, next = 0, taken, wrong = 0;
	uop_field(p, u, UOP_FIELD_next, &next);
	uop_field(p, u, UOP_FIELD_mispredicted, &wrong);
	const char *missed = wrong ? ", mispredicted" : "";
	if (uop_field(p, u, UOP_FIELD_trap, &trap))
		grid_text(g, ROLE_ERROR, trap == TRAP_ECALL ? "system call" : "fault");
	else if (uop_field(p, u, UOP_FIELD_taken, &taken))
		grid_hex_text(g, wrong ? ROLE_MISS : ROLE_HIT, next, "%s%s",
		              taken ? "taken" : "not taken", missed);
	else if (next && (u->op_flags & OPF_INDIRECT))
		grid_hex_text(g, wrong ? ROLE_MISS : ROLE_HIT, next, "to %s%s",
		              format_addr(s, next, BUFFER(96)), missed);
	else
		cell_field(g, s, u, UOP_FIELD_result, ROLE_NUMBER);
}

static void view_rob_fill_mark(struct grid *g, const void *row)
{
	const struct uop_row *r = row;
	const bool oldest = r->u == pipe_rob_at(machine_pipe(r->s->machine), 0);
	grid_text(g, ROLE_CURRENT, "%s%s", oldest ? "▶" : *sampler_mark(r->s, r->u) ? " " : "",
	          sampler_mark(r->s, r->u));
}

FILL(fill_dispatched, struct uop_row, cell_since(g, machine_cycle(r->s->machine),
	r->u->when.dispatch))

static const struct grid_column columns[] = {
	{"mark", "", "", view_rob_fill_mark, .min_width = 1},
	{"seq", "seq", "", fill_seq,
         .help = "number in fetch order; ? = on a wrong path, will be squashed"},
	{"thread", "thr", "", fill_thread, .there = has_threads, AT_RIGHT,
         .help = "of programs with several threads: whose it is (`info threads`)"},
	{"instruction", "instruction", "", fill_inst, FLEXIBLE, .help = "as assembly"},
	{"waits_for", "state", "", fill_wait_or_state, .min_width = 9, FLEXIBLE,
	 .help = "its activity or wait: a register with #seq is an operand and its producer; "
		 "executing (loads and stores: computing their address); L1D, L2, "
                 "memory: where its data comes from; done (complete, until its turn to commit "
                 "comes); commits next"},
	{"due", "due", "cycle", fill_due,
	 .help = "the end of that, as far as the machine can know"},
	{"value", "value", "", view_rob_fill_value, FLEXIBLE,
         .help = "its result or outcome, shown once the hardware has it"},
	{"pc", "at", "", fill_pc, FLEXIBLE, .help = "its address, as a place"},
	{"dispatched", "dispatched", "cycle", fill_dispatched,
	 .help = "cycle of its dispatch into the window"},
	{"state", "phase", "", fill_state,
	 .help = "its progress: waiting (for operands), ready (to issue), executing, address "
                 "(known, but kept out of memory), memory (in the caches), done"},
};

static bool view_rob_build_grid(const struct session *s, const struct view_args *args,
                                struct grid *out, struct err *err)
{
	const struct pipe *p = machine_pipe(s->machine);
	const struct pipe_state *st = p->st;
	if (!arg_count(args, 0, "rob", err))
		return false;
	/* Completing out of order, no instruction waits for a place in it. */
	grid_init_for(out, p->unordered ? "In flight" : "Reorder buffer", GRID_TABLE(columns), s);
	sampler_mark_column(s, grid_column_named(out, "mark"));
	if (p->unordered)
		grid_summary(out, "%u", st->rob_count);
	else
		grid_summary(out, "%u/%d", st->rob_count, (int)CONFIG(p->cfg, rob_size));
	grid_empty(out, "no instruction in the window: %s", why_fetch_line(s, BUFFER(160)));
	for (uint32_t i = 0; i < st->rob_count; i++) {
		const struct uop *u = pipe_rob_at(p, i);
		uop_grid_row(out, s, u);
		grid_cells(out, &(struct uop_row){s, u});
	}
	out->focus_row = out->row_count ? 0 : out->focus_row;
	return true;
}

const struct view view_rob = {
	.name = "rob",
	.title = "Reorder buffer",
	.args = "",
	.build = view_rob_build_grid,
	.help.about =
		"Every instruction that has been dispatched and not yet committed, in program\n"
		"order, oldest first: the window in which the machine executes out of order.\n"
		"Instructions enter at the bottom, execute when their operands are there, and\n"
		"leave at the top in order, so that the program sees them one after another.\n"
		"A machine that issues in order and completes out of order, as classic5, has no\n"
		"such buffer: the view is then called \"In flight\".\n"
		"\n"
		"  ▶          the oldest: the only one that may commit next\n"
		"  ○          of machines with a sampler: a `mark` stands before it\n"
		"  ◈          of machines with a co-processor: tagged, it will leave a record\n",
	.help.tables = {{GRID_TABLE(columns)}},
	.help.hints =
		"Look at the oldest: while it is not done, nothing commits. A long load at the\n"
		"top and a full buffer below it is a memory-bound program; many that name\n"
		"one #seq are a dependency chain. `why` spells out the whole chain of one row.\n"
		"Shaped by pipe.rob_size, pipe.issue_width, pipe.commit_width.",
};
