/* `view rename`: the instruction in flight that will write each register. */
#include <string.h>

#include "hwviews/session/view_text.h"

/* A register, and its writer in flight; u NULL: none. */
struct row {
	struct uop_row at;
	unsigned reg;
};

FILL(fill_register, struct row, grid_text(g, ROLE_PLAIN, "%s", reg_name(r->reg)))
FILL(fill_value, struct row, r->at.u->state == UOP_DONE ? grid_hex(g, ROLE_NUMBER, r->at.u->result)
	: grid_blank(g))
FILL(fill_committed, struct row, grid_hex(g, ROLE_NUMBER, machine_reg(r->at.s->machine, r->reg)))

static const struct grid_column columns[] = {
	{"register", "reg", "", fill_register, .help = "the register"},
	{"producer", "producer", "", fill_seq,
	 .help = "the instruction's number; ? = on a wrong path (the older producer comes back "
	         "when it is squashed)"},
	{"instruction", "instruction", "", fill_inst, FLEXIBLE, .help = "as assembly"},
	{"state", "state", "", fill_state, .min_width = 9, .help = "how far it is: see `rob`"},
	{"value", "new value", "", fill_value, FLEXIBLE, .help = "its result, once complete"},
	{"waits_for", "waits for", "", fill_wait, FLEXIBLE,
	 .help = "the producer's wait, and its end"},
	{"due", "due", "cycle", fill_due, .help = "when that ends"},
	{"committed", "committed", "", fill_committed, .help = "the committed value: see `regs`"},
};

static bool view_rename_build_grid(const struct session *s, const struct view_args *args,
                                   struct grid *out, struct err *err)
{
	const struct pipe *p = machine_pipe(s->machine);
	bool all = args->argc == 1 && strcmp(args->argv[0], "all") == 0;
	unsigned renamed = 0;
	if (args->argc && !all)
		return err_set(err, "view rename takes 'all' or nothing, not '%s'", args->argv[0]);
	grid_init(out, "Register renaming", GRID_TABLE(columns));
	for (unsigned reg = 1; reg < REG_SINK; reg++) {
		uint16_t slot = p->st->rename[reg];
		if (slot != NO_SLOT) {
			const struct uop *u = pipe_uop(p, slot);
			uop_grid_row(out, s, u)->key = 1 + reg;
			grid_cells(out, &(struct row){{s, u}, reg});
			renamed++;
		} else if (all) {
			grid_row(out, 1 + reg, ROLE_DIM);
			fill_register(out, &(struct row){{s, NULL}, reg});
			grid_skip_to(out, "committed");
			fill_committed(out, &(struct row){{s, NULL}, reg});
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
	.build = view_rename_build_grid,
	.help.about =
		"Producers of registers: for every register with a new value in flight, the\n"
		"youngest instruction in the window that writes it. An instruction dispatched\n"
		"next that reads the register takes it from there, not from the register file:\n"
		"that is how two writes of one register can be in flight without disturbing\n"
		"each other. Registers without a row are committed; `rename all` shows those\n"
		"too.",
	.help.tables = {{GRID_TABLE(columns)}},
	.help.hints = "A register that is always late is on the critical path: `why` on its row.",
};
