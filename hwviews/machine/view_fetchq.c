/* `view fetchq`: fetched instructions that wait for decode. */
#include <stdio.h>

#include "core/isa/profile_inst.h"
#include "core/pipe/xprof/xprof.h"
#include "hwviews/machine/machine_box.h"
#include "hwviews/program/code_lines.h"
#include "hwviews/session/view_text.h"

/* In a pane of fewer cells, names of queues are abbreviated. */
enum { BRIEF_BELOW = 76 };

/* Flags as decode will have them, stepped from one instruction of the queue to the next. */
struct flags {
	uint16_t known, late; /* late: known only when a poppf pops them */
};

static bool will_drop(const struct flags *f, const struct uop *u)
{
	return u->prefix_len && !((f->known | f->late) >> u->profile_type & 1);
}

static void view_fetchq_update_known_flags(struct flags *f, const struct uop *u)
{
	if (!uop_is_profile(u) || u->prefix_len || !inst_is_xprof(&u->inst))
		return;
	uint16_t types = (uint16_t)profile_types(&u->inst);
	if (u->op_flags & OPF_LOAD)
		f->late |= types;
	if (u->inst.op != OP_SETPF && u->inst.op != OP_RESETPF)
		return;
	f->late &= (uint16_t)~types;
	f->known = (uint16_t)(u->inst.op == OP_SETPF ? f->known | types : f->known & ~types);
}

struct row {
	struct uop_row at;
	const struct flags *flags; /* flags of decode before this instruction */
	bool narrow;
};

/* Decode's coming action on a profile instruction, and fetch's past one. */
static void cell_profile(struct grid *g, const struct row *r)
{
	char then[112] = "";
	const struct uop *u = r->at.u;
	const struct flags *f = r->flags;
	unsigned k = u->profile_type;
	const char *flag = f->late >> k & 1 ? "late" : f->known >> k & 1 ? "on" : "off";
	bool drop = will_drop(f, u), skips = u->flags & UF_SKIPS,
	     followed = inst_is_control(&u->inst) && (u->mark.flags & BPM_TAKEN);
	if (skips)
		snprintf(then, sizeof then, ", skips its block");
	else if (followed)
		snprintf(then, sizeof then, ", taken to %s",
		         format_addr(r->at.s, u->pred_next, BUFFER(96)));
	else if (u->flags & UF_NOT_PREDICTED)
		snprintf(then, sizeof then, ", not followed");
	/* A difference that costs a new fetch is shown as a miss. */
	bool wrong = drop ? followed && !skips : skips && !(f->late >> k & 1);
	grid_hex_text(g, wrong ? ROLE_MISS : drop ? ROLE_DROPPED : ROLE_PLAIN,
	              u->pred_next, "%sflag %u %s%s", drop ? "- " : "", k, flag, then);
}

static void cell_prediction(struct grid *g, const struct session *s, const struct uop *u)
{
	char where[96];
	unsigned mark = u->mark.flags;
	if (!inst_is_control(&u->inst)) {
		grid_blank(g);
		return;
	}
	format_addr(s, u->pred_next, where, sizeof where);
	if (!(mark & BPM_TAKEN))
		grid_hex_text(g, ROLE_PLAIN, u->pred_next, "not taken");
	else if (mark & BPM_FROM_RAS)
		grid_hex_text(g, ROLE_PLAIN, u->pred_next, "return to %s", where);
	else if ((mark & BPM_BTB_HIT) || u->pred_next != u->pc + uop_len(u))
		grid_hex_text(g, ROLE_PLAIN, u->pred_next, "taken to %s", where);
	else
		grid_hex_text(g, ROLE_MISS, u->pred_next, "taken, target unknown");
}

FILL(fill_predicts, struct row, r->at.u->prefix_len ? cell_profile(g, r)
	: cell_prediction(g, r->at.s, r->at.u))
static void view_fetchq_fill_wait(struct grid *g, const void *row)
{
	enum { NARROW_CELLS = 14 };
	const struct row *r = row;
	const struct pipe *p = machine_pipe(r->at.s->machine);
	const struct why w = uop_why(p, r->at.u);
	const char *reason = why_cell(p, r->at.u, &w, BUFFER(96));
	grid_text(g, why_role(&w), "%s",
	          r->narrow ? machine_brief_reason(reason, NARROW_CELLS, BUFFER(96)) : reason);
}

FILL(fill_fetched, struct row, cell_since(g, machine_cycle(r->at.s->machine), r->at.u->when.fetch))

static const struct grid_column columns[] = {
	{"seq", "seq", "", fill_seq, .help = "number in fetch order; ? = on a wrong path"},
	{"instruction", "instruction", "", fill_inst, FLEXIBLE, .help = "as assembly"},
	{"pc", "at", "", fill_pc, FLEXIBLE, .help = "its address"},
	{"predicts", "predicts", "", fill_predicts, FLEXIBLE,
	 .help = "of branches and jumps: fetch's next address. \"return to\" comes from the "
		 "return stack, other targets from the branch target buffer; \"target unknown\" "
		 "goes on in sequence until decode redirects fetch. Of profile instructions: "
		 "the flags at decode, and fetch's decision"},
	{"waits_for", "waits for", "", view_fetchq_fill_wait, FLEXIBLE,
	 .help = "the reason why it has not been dispatched, and its end"},
	{"due", "due", "cycle", fill_due, .help = "when that ends"},
	{"fetched", "fetched", "cycle", fill_fetched, .help = "the cycle in which it entered"},
};

/* A row for the rest of a block, which fetch skipped. */
static void view_fetchq_append_gap_row(struct grid *g, const struct session *s, const struct uop *u)
{
	uint64_t first = u->pc + uop_len(u);
	unsigned n = code_count(s, first, u->pred_next);
	struct grid_row *row = grid_row(g, u->seq | UINT64_C(1) << 63, ROLE_HEAD);
	row->seq = u->seq;
	row->pc = first;
	grid_text(g, ROLE_DROPPED, "⋯");
	grid_text(g, ROLE_DROPPED, "%u skipped, to %s", n,
	          format_addr(s, u->pred_next, BUFFER(96)));
	cell_addr(g, s, ROLE_DROPPED, first);
}

static bool view_fetchq_build_grid(const struct session *s, const struct view_args *args,
                                   struct grid *out, struct err *err)
{
	const struct pipe *p = machine_pipe(s->machine);
	const struct pipe_state *st = p->st;
	char where[96];
	if (!arg_count(args, 0, "fetchq", err))
		return false;
	grid_init(out, "Fetch queue", GRID_TABLE(columns));
	format_addr(s, st->fetch_pc, where, sizeof where);
	grid_summary(out, "%u/%d  %s %s", st->fetchq_count, (int)CONFIG(p->cfg, fetch_queue),
	             why_fetch_words(p), where);
	const bool narrow = args->columns && args->columns < BRIEF_BELOW;
	struct flags flags = {0};
	flags.known = xprof_known(p, &flags.late);
	grid_empty(out, "no instruction between fetch and dispatch: %s",
	           why_fetch_line(s, BUFFER(160)));
	for (uint32_t i = 0; i < st->fetchq_count; i++) {
		const struct uop *u = pipe_fetchq_at(p, i);
		struct grid_row *row = uop_grid_row(out, s, u);
		if (row->role == ROLE_PROFILE && will_drop(&flags, u))
			row->role = ROLE_DROPPED;
		grid_cells(out, &(struct row){{s, u}, &flags, narrow});
		view_fetchq_update_known_flags(&flags, u);
		if ((u->flags & (UF_SKIPS | UF_FLAG_MISS)) == UF_SKIPS)
			view_fetchq_append_gap_row(out, s, u);
	}
	out->focus_row = out->row_count ? 0 : out->focus_row;
	return true;
}

const struct view view_fetchq = {
	.name = "fetchq",
	.title = "Fetch queue",
	.args = "",
	.build = view_fetchq_build_grid,
	.help.about =
		"Instructions that fetch has read and decode has not yet taken, oldest first.\n"
		"Fetch runs ahead along the predicted path and fills this queue; decode empties\n"
		"it in order. Nothing here has executed: a wrong prediction empties it at once.\n"
		"\n"
		"  ⋯          a block of profile instructions that fetch skipped, see `bdt`\n",
	.help.tables = {{GRID_TABLE(columns)}},
	.help.hints =
		"A queue that is always full means that the window after it is the bottleneck;\n"
		"one that is often empty means that fetch is: look at l1i, bpred and btb.\n"
		"The line above shows fetch's next action.\n"
		"Shaped by pipe.fetch_queue, pipe.fetch_width, pipe.decode_width, l1i.latency.",
};
