/* `view rename`: the register map: the instruction in flight that will write each register, its
 * older writers, and the map that a branch's squash restores. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/base/textbuf.h"
#include "core/pipe/scoreboard.h"
#include "hwviews/session/view_text.h"

/* A register, and its writer in flight; u NULL: none. */
struct row {
	struct uop_row at;
	unsigned reg;
};

/* Lists n instructions; the text has the numbers of `shown` of them. */
static void view_rename_seqs_cell(struct grid *g, enum role role, const uint64_t *seqs, uint32_t n,
                                  uint32_t shown)
{
	struct textbuf t = {(char[160]){0}, 160, 0};
	for (uint32_t i = 0; i < n && i < shown; i++)
		textbuf_add(&t, "%s#%" PRIu64, i ? " " : "", seqs[i]);
	if (n > shown)
		textbuf_add(&t, " + %" PRIu32, n - shown);
	grid_list_text(g, role, seqs, n, "%s", t.buf);
}

enum { WINDOW_MAX = 1024 }; /* pipe.rob_size at most */

/* Older writers of the same register that are still in the window, the youngest first. */
static void fill_before(struct grid *g, const void *row)
{
	const struct row *r = row;
	const struct pipe *p = machine_pipe(r->at.s->machine);
	uint64_t older[WINDOW_MAX];
	uint32_t n = 0;
	for (const struct uop *q = r->at.u; (q = older_writer(p, q)) && n < WINDOW_MAX;)
		older[n++] = q->seq;
	view_rename_seqs_cell(g, ROLE_PLAIN, older, n, 1);
}

/* Writes the instructions that wait for the result, oldest first. The list `users` is youngest
 * first, and has an instruction twice if both its operands read the register. */
static void fill_readers(struct grid *g, const void *row)
{
	const struct row *r = row;
	const struct pipe *p = machine_pipe(r->at.s->machine);
	uint64_t readers[WINDOW_MAX];
	uint32_t from = WINDOW_MAX;
	for (unsigned link = r->at.u->state == UOP_DONE ? NO_LINK : r->at.u->users;
	     link != NO_LINK && from;) {
		const struct uop *c = pipe_uop(p, (uint16_t)(link >> 2));
		if (from == WINDOW_MAX || readers[from] != c->seq)
			readers[--from] = c->seq;
		link = c->src.next[link & 3];
	}
	view_rename_seqs_cell(g, ROLE_WAITING, readers + from, WINDOW_MAX - from, 2);
}

FILL(fill_register, struct row, grid_text(g, ROLE_PLAIN, "%s", reg_name(r->reg)))
FILL(fill_value, struct row, r->at.u->state == UOP_DONE ? grid_hex(g, ROLE_NUMBER, r->at.u->result)
	: grid_blank(g))
FILL(fill_committed, struct row,
     grid_hex(g, ROLE_NUMBER,
              reg_shown(machine_isa(r->at.s->machine), r->reg,
                        machine_reg(r->at.s->machine, r->reg))))

static const struct grid_column columns[] = {
	{"register", "reg", "", fill_register, .help = "the register"},
	{"producer", "producer", "", fill_seq,
	 .help = "the instruction's number, the tag for which readers wait; ? = on a wrong path"},
	{"before", "before", "", fill_before,
	 .help = "older writers of the register in the window: the youngest of them is the "
	         "producer again if this one is squashed"},
	{"instruction", "instruction", "", fill_inst, FLEXIBLE, .help = "the producer as assembly"},
	{"state", "state", "", fill_state, .min_width = 9, .help = "how far it is: see `rob`"},
	{"value", "new value", "", fill_value, FLEXIBLE, .help = "its result, once complete"},
	{"readers", "readers", "", fill_readers, FLEXIBLE,
	 .help = "instructions that wait for its result"},
	{"waits_for", "waits for", "", fill_wait, FLEXIBLE,
	 .help = "the producer's wait, and its end"},
	{"due", "due", "cycle", fill_due, .help = "when that ends"},
	{"committed", "committed", "", fill_committed, .help = "the committed value: see `regs`"},
};

/* A branch in the window, and its age. */
struct branch_row {
	struct uop_row at;
	uint32_t age;
};

FILL(fill_undone, struct branch_row, grid_uint(g, ROLE_NUMBER,
	machine_pipe(r->at.s->machine)->st->rob_count - 1 - r->age))

/* Writes the registers that instructions after the branch overwrite, each with its producer at the
 * branch. */
static void fill_restores(struct grid *g, const void *row)
{
	const struct branch_row *r = row;
	const struct pipe *p = machine_pipe(r->at.s->machine);
	struct textbuf t = {(char[1200]){0}, 1200, 0};
	uint64_t seen = 0;
	for (uint32_t i = r->age + 1; i < p->st->rob_count; i++) {
		const struct uop *u = pipe_rob_at(p, i), *q = older_writer(p, u);
		if (u->inst.rd == REG_SINK || seen >> u->inst.rd & 1)
			continue;
		textbuf_add(&t, "%s%s ", seen ? ", " : "", reg_name(u->inst.rd));
		if (q)
			textbuf_add(&t, "#%" PRIu64, q->seq);
		else
			textbuf_add(&t, "committed");
		seen |= UINT64_C(1) << u->inst.rd;
	}
	grid_text(g, ROLE_PLAIN, "%s", t.buf);
}

static const struct grid_column branch_columns[] = {
	{"seq", "branch", "", fill_seq, .help = "its number"},
	{"instruction", "instruction", "", fill_inst, FLEXIBLE, .help = "as assembly"},
	{"restores", "its squash restores", "", fill_restores, FLEXIBLE,
	 .help = "the registers that younger instructions write, and the producer that each has "
	         "again then; committed: none in the window"},
	{"undone", "undone", "instructions", fill_undone, AT_RIGHT,
	 .help = "younger instructions in the window, which a squash removes"},
	{"waits_for", "waits for", "", fill_wait, FLEXIBLE,
	 .help = "its wait, until which it is not known whether it squashes"},
	{"due", "due", "cycle", fill_due, .help = "when that ends"},
};

static void view_rename_branch_rows(struct grid *g, const struct session *s)
{
	const struct pipe *p = machine_pipe(s->machine);
	for (uint32_t i = 0; i < p->st->rob_count; i++) {
		const struct uop *u = pipe_rob_at(p, i);
		if (u->state == UOP_DONE || !(u->op_flags & (OPF_BRANCH | OPF_INDIRECT)))
			continue;
		uop_grid_row(g, s, u);
		grid_cells(g, &(struct branch_row){{s, u}, i});
	}
	grid_summary(g, "unresolved branches in the window: %u", g->row_count);
	grid_empty(g, "no branch in the window is unresolved");
}

static void view_rename_register_rows(struct grid *g, const struct session *s, bool all)
{
	const struct pipe *p = machine_pipe(s->machine);
	unsigned renamed = 0;
	for (unsigned reg = 1; reg < REG_SINK; reg++) {
		uint16_t slot = p->st->rename[reg];
		if (slot != NO_SLOT) {
			const struct uop *u = pipe_uop(p, slot);
			uop_grid_row(g, s, u)->key = 1 + reg;
			grid_cells(g, &(struct row){{s, u}, reg});
			renamed++;
		} else if (all) {
			grid_row(g, 1 + reg, ROLE_DIM);
			fill_register(g, &(struct row){{s, NULL}, reg});
			grid_skip_to(g, "committed");
			fill_committed(g, &(struct row){{s, NULL}, reg});
		}
	}
	grid_summary(g, "%u renamed; %u/%u free", renamed,
	             p->rob_limit - p->st->rob_count, p->rob_limit);
	grid_empty(g, "every register is committed: one has a row while an instruction in the "
	              "window is to write it");
}

static bool view_rename_build_grid(const struct session *s, const struct view_args *args,
                                   struct grid *out, struct err *err)
{
	const bool all = args->argc == 1 && strcmp(args->argv[0], "all") == 0,
		   branches = args->argc == 1 && strcmp(args->argv[0], "branches") == 0;
	if (args->argc && !all && !branches)
		return err_set(err, "view rename takes 'all', 'branches' or nothing, not '%s'",
		               args->argv[args->argc - 1]);
	if (branches)
		grid_init(out, "Register renaming", GRID_TABLE(branch_columns));
	else
		grid_init(out, "Register renaming", GRID_TABLE(columns));
	if (machine_pipe(s->machine)->in_order)
		grid_empty(out, "in order this machine renames no registers; writers: `view regs`");
	else if (branches)
		view_rename_branch_rows(out, s);
	else
		view_rename_register_rows(out, s, all);
	return true;
}

const struct view view_rename = {
	.name = "rename",
	.title = "Register renaming",
	.args = "[all | branches]",
	.build = view_rename_build_grid,
	.help.about =
		"The register map: for every register with a new value in flight, the youngest\n"
		"instruction in the window that writes it. An instruction dispatched next that\n"
		"reads the register takes it from there, not from the register file: that is\n"
		"how two writes of one register can be in flight without disturbing each other.\n"
		"Registers without a row are committed; `rename all` shows those too.\n"
		"\n"
		"A result is kept in its instruction's entry of the reorder buffer until it\n"
		"commits: as many new values as it has free entries, which the line above the\n"
		"rows counts, can be named.",
	.help.tables = {{GRID_TABLE(columns)},
	                {GRID_TABLE(branch_columns),
	                 .before = "\n`view rename branches` has a row for each branch that may "
	                           "squash. There are\nno copies of the map: each instruction "
	                           "keeps the producer that it replaced\n(before), and a squash "
	                           "puts these back, youngest first:\n\n"}},
	.help.hints = "A register that is always late is on the critical path: `why` on its row.\n"
	              "`help renaming` explains it. Shaped by pipe.rob_size.",
};
