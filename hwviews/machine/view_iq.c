/* `view iq`: the issue queue: operands awaited by their tags, wake-up and selection in the cycle
 * just done. */
#include <inttypes.h>

#include "core/base/textbuf.h"
#include "core/pipe/window.h"
#include "hwviews/session/view_text.h"

/* Cycle that has just been done: a wake-up or selection in it is shown. */
static uint64_t iq_last_cycle(const struct uop_row *r)
{
	return machine_cycle(r->s->machine) - 1;
}

static bool iq_was_selected(const struct uop_row *r)
{
	return r->u->state > UOP_READY && r->u->when.issue == iq_last_cycle(r);
}

/* True if the result for source i, awaited until then, came in the last cycle. */
static bool iq_arrived(const struct uop_row *r, unsigned i)
{
	const struct uop *u = r->u;
	const struct uop *q = u->src.seq[i]
	                              ? pipe_uop(machine_pipe(r->s->machine), u->src.slot[i])
	                              : NULL;
	return q && q->seq == u->src.seq[i] && q->when.done == iq_last_cycle(r) &&
	       u->when.dispatch < q->when.done;
}

static unsigned iq_register(const struct uop *u, unsigned i)
{
	return i == 0 ? u->inst.rs1 : i == 1 ? u->inst.rs2 : u->inst.rs3;
}

static bool iq_awaited(const struct uop *u, unsigned i)
{
	const unsigned operand = i == 1 && uop_is_store(u) ? SOURCE_LATER : i;
	return u->src.pending >> operand & 1;
}

static void view_iq_fill_operand(struct grid *g, const void *row)
{
	const struct uop_row *r = row;
	const unsigned i = grid_of(g), reg = iq_register(r->u, i);
	const uint64_t tag = r->u->src.seq[i];
	if (!reg)
		grid_blank(g);
	else if (!tag)
		grid_text(g, ROLE_DIM, "%s ●", reg_name(reg));
	else if (iq_awaited(r->u, i))
		grid_text(g, ROLE_WAITING, "%s ○ #%" PRIu64, reg_name(reg), tag);
	else if (iq_arrived(r, i))
		grid_text(g, ROLE_CURRENT, "%s ◆ #%" PRIu64, reg_name(reg), tag);
	else
		grid_text(g, ROLE_DONE, "%s ● #%" PRIu64, reg_name(reg), tag);
}

static void view_iq_fill_woken(struct grid *g, const void *row)
{
	const struct uop_row *r = row;
	uint64_t by[3];
	uint32_t n = 0;
	struct textbuf t = {(char[80]){0}, 80, 0};
	for (unsigned i = 0; i < 3; i++) {
		const uint64_t seq = r->u->src.seq[i];
		if (!iq_register(r->u, i) || iq_awaited(r->u, i) || !iq_arrived(r, i) ||
		    (n && by[n - 1] == seq))
			continue;
		textbuf_add(&t, "%s#%" PRIu64, n ? " " : "", seq);
		by[n++] = seq;
	}
	grid_list_text(g, ROLE_CURRENT, by, n, "%s", t.buf);
}

static void view_iq_fill_selected(struct grid *g, const void *row)
{
	const struct uop_row *r = row;
	const struct pipe *p = machine_pipe(r->s->machine);
	const struct why w = uop_why(p, r->u);
	if (!iq_was_selected(r) && w.id != WHY_MOVING)
		fill_wait(g, row);
	else if (!iq_was_selected(r))
		grid_text(g, ROLE_READY, r->u->when.dispatch == iq_last_cycle(r)
		                                 ? "just dispatched" : "next cycle");
	else if (r->u->at.pool == FU_NONE)
		grid_text(g, ROLE_RUNNING, "selected");
	else
		grid_text(g, ROLE_RUNNING, "selected, %s %u", fu_pool_name[r->u->at.pool],
		          r->u->at.unit);
}

FILL(fill_unit_needed, struct uop_row, grid_text(g, ROLE_PLAIN, "%s", r->u->at.pool == FU_NONE
	? "" : fu_pool_name[r->u->at.pool]))
FILL(fill_ready_since, struct uop_row, cell_since(g, machine_cycle(r->s->machine),
	r->u->state == UOP_WAITING ? NO_CYCLE : r->u->when.ready))
FILL(fill_entered, struct uop_row, cell_since(g, machine_cycle(r->s->machine),
	r->u->when.dispatch))

static const struct grid_column columns[] = {
	{"seq", "seq", "", fill_seq,
	 .help = "its number, the tag by which others await its result"},
	{"instruction", "instruction", "", fill_inst, FLEXIBLE, .help = "as assembly"},
	{"operand1", "operand 1", "", view_iq_fill_operand, .min_width = 9, .of = 0,
	 .help = "the registers that it reads, and the tag of each one's producer. Without a tag: "
	         "from the register file"},
	{"operand2", "operand 2", "", view_iq_fill_operand, .min_width = 9, .of = 1,
	 .help = AS_BEFORE},
	{"selected", "selected, or why not", "", view_iq_fill_selected, .min_width = 16, FLEXIBLE,
	 .help = "selected: the unit on which it started in this cycle, so that its entry is free; "
	         "else the operand or the limit that kept it here. just dispatched: it entered "
	         "after the selection"},
	{"woken_by", "woken by", "", view_iq_fill_woken,
	 .help = "producers whose results came for it in this cycle"},
	{"due", "due", "cycle", fill_due, .help = "when its wait or its execution ends"},
	{"unit", "unit", "", fill_unit_needed, .help = "the class of units that it needs"},
	{"ready", "ready", "cycle", fill_ready_since,
	 .help = "the cycle in which its last operand was there"},
	{"dispatched", "dispatched", "cycle", fill_entered,
	 .help = "the cycle in which it entered"},
	{"operand3", "operand 3", "", view_iq_fill_operand, .of = 2,
	 .help = "the third, of fused multiplications and additions"},
	{"pc", "at", "", fill_pc, FLEXIBLE, .help = "its address"},
};

static bool view_iq_build_grid(const struct session *s, const struct view_args *args,
                               struct grid *out, struct err *err)
{
	const struct pipe *p = machine_pipe(s->machine);
	unsigned ready = 0, woken = 0, selected = 0;
	if (!arg_count(args, 0, "iq", err))
		return false;
	grid_init(out, "Issue queue", GRID_TABLE(columns));
	for (uint32_t i = 0; i < p->st->rob_count; i++) {
		const struct uop_row r = {s, pipe_rob_at(p, i)};
		const bool taken = iq_was_selected(&r);
		if (r.u->state > UOP_READY && !taken)
			continue;
		uop_grid_row(out, s, r.u);
		grid_cells(out, &r);
		selected += taken;
		ready += r.u->state == UOP_READY;
		woken += r.u->state != UOP_WAITING && r.u->when.ready == iq_last_cycle(&r) &&
		         r.u->when.dispatch < r.u->when.ready;
	}
	grid_summary(out, "%s%u/%u, %u ready; %u woken, %u of %u selected",
	             p->in_order ? "in order, only the oldest may issue: " : "", p->st->iq_count,
	             p->iq_limit, ready, woken, selected, p->issue_width);
	grid_empty(out, "every instruction in the window has issued");
	out->legend = "● there   ◆ came in this cycle   ○ awaited, from #tag";
	return true;
}

const struct view view_iq = {
	.name = "iq",
	.also = "issueq",
	.title = "Issue queue",
	.args = "",
	.build = view_iq_build_grid,
	.help.about =
		"Instructions that have been dispatched and not issued, oldest first, and those\n"
		"that issued in the cycle just done. Each waits here for its operands, and then\n"
		"for its selection: `help issue queue`.\n"
		"\n"
		"An operand and the tag of its producer:\n"
		"  ●  there   ◆  came in this cycle: the result woke it   ○  awaited\n",
	.help.tables = {{GRID_TABLE(columns)}},
	.help.hints =
		"A store is selected without its data: operand 2 of a store may still be ○.\n"
		"Many rows with ○ of one tag: a dependence chain, which no wider machine makes\n"
		"faster. Many ready rows: units or pipe.issue_width are too few.\n"
		"Shaped by pipe.issue_queue, pipe.issue_width, pipe.in_order, fu.*.",
};
