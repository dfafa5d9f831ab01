/* `view rename`: which instruction in flight will write each register. */
#include <inttypes.h>
#include <string.h>

#include "hwviews/session/view_text.h"

static const struct grid_column columns[] = {
	{"register", "reg", "", .help = "the register"},
	{"producer", "producer", "",
	 .help = "the instruction's number; ? = on a wrong path (the older producer comes "
	         "back when it is squashed)"},
	{"instruction", "instruction", "", .flexible = true, .help = "as assembly"},
	{"state", "state", "", .min_width = 9, .help = "how far it is: see `rob`"},
	{"value", "new value", "", .flexible = true, .help = "its result, once complete"},
	{"waits_for", "waits for", "", .flexible = true,
	 .help = "what holds the producer, and until when"},
	{"due", "due", "cycle", .help = "when that ends"},
	{"committed", "committed", "", .help = "the value that the program has now: see `regs`"},
};

static void renamed_row(struct grid *g, const struct session *s, unsigned reg, const struct uop *u)
{
	const struct pipe *p = machine_pipe(s->machine);
	struct grid_row *row = grid_row(g, 1 + reg, uop_row_role(s, u));
	row->seq = u->seq;
	row->pc = u->pc;
	grid_text(g, ROLE_PLAIN, "%s", reg_name(reg));
	cell_seq(g, p, u);
	cell_inst(g, s, u);
	grid_text(g, uop_state_role(u), "%s", format_state(u));
	if (u->state == UOP_DONE)
		grid_hex(g, ROLE_NUMBER, u->result);
	else
		grid_blank(g);
	cell_why(g, p, u);
	grid_hex(g, ROLE_NUMBER, machine_reg(s->machine, reg));
}

static bool build(const struct session *s, const struct view_args *args, struct grid *out,
                  struct err *err)
{
	const struct pipe *p = machine_pipe(s->machine);
	bool all = args->argc == 1 && strcmp(args->argv[0], "all") == 0;
	unsigned renamed = 0;
	if (args->argc && !all)
		return err_set(err, "view rename takes 'all' or nothing, not '%s'", args->argv[0]);
	grid_init(out, "Register renaming", columns, sizeof columns / sizeof *columns);
	for (unsigned reg = 1; reg < REG_SINK; reg++) {
		uint16_t slot = p->st->rename[reg];
		if (slot != NO_SLOT) {
			renamed_row(out, s, reg, pipe_uop(p, slot));
			renamed++;
		} else if (all) {
			grid_row(out, 1 + reg, ROLE_DIM);
			grid_text(out, ROLE_PLAIN, "%s", reg_name(reg));
			for (int i = 0; i < 6; i++)
				grid_blank(out);
			grid_hex(out, ROLE_NUMBER, machine_reg(s->machine, reg));
		}
	}
	grid_summary(out, "%u of 63 registers have a producer in the window", renamed);
	grid_empty(out, "every register is committed: one has a row while an instruction in the "
	                "window is to write it");
	return true;
}

const struct view view_rename = {
	.name = "rename",
	.title = "Register renaming",
	.args = "[all]",
	.help.about =
		"Who produces each register: for every register with a new value under way, the\n"
		"youngest instruction in the window that writes it. An instruction dispatched\n"
		"next that reads the register takes it from there, not from the register file:\n"
		"that is how two writes of one register can be in flight without disturbing\n"
		"each other. Registers without a row are committed; `rename all` shows those\n"
		"too.\n"
		"\n",
	.help.tables = {{GRID_TABLE(columns)}},
	.help.hints =
		"\n"
		"A register that is always late is on the critical path: `why` on its row.",
	.build = build,
};
