#include "hwviews/program/regfile.h"

#include <inttypes.h>
#include <stdio.h>

enum { REGS = 32 };

#define REGISTER "its name by convention"
#define VALUE "committed, all 64 bits"
#define MEANING                                                                                    \
	"the place an address points to, or the number, in as many decimal digits as make it "     \
	"exact"

const struct grid_column regfile_columns[REGFILE_COLUMNS] = {
	{"register", "reg", "", .help = REGISTER},
	{"value", "value", "", .help = VALUE},
	{"meaning", "meaning", "", .flexible = true, .help = MEANING},
	{"producer", "next value from", "", .flexible = true,
	 .help = "the youngest instruction in the window that writes it: `rename` has more"},
	{"due", "due", "cycle", .help = "when that result is there"},
	{"number", "no.", "", .help = "number of the register"},
};

/* Two registers a row: the second of each row stands in the columns named 2. */
static const struct grid_column paired[] = {
	{"register", "reg", "", .help = REGISTER},
	{"value", "value", "", .help = VALUE},
	{"meaning", "meaning", "", .flexible = true, .help = MEANING},
	{"register2", "reg", "", .help = REGISTER},
	{"value2", "value", "", .help = VALUE},
	{"meaning2", "meaning", "", .flexible = true, .help = MEANING},
};

/* None of a thread that does not run: what is in flight is another's. */
static const struct uop *producer_of(const struct session *s, unsigned reg)
{
	const struct pipe *p = machine_pipe(s->machine);
	if (machine_parked(s->machine))
		return NULL;
	uint16_t slot = p->st->rename[reg];
	return slot == NO_SLOT ? NULL : pipe_uop(p, slot);
}

static void name_and_value(struct grid *g, const struct session *s, unsigned reg)
{
	const struct uop *u = producer_of(s, reg);
	uint64_t value = machine_seen_reg(s->machine, reg);
	grid_text(g, ROLE_DIM, "%s", reg_name(reg));
	grid_hex(g, u ? ROLE_WAITING : value ? ROLE_NUMBER : ROLE_DIM, value);
}

/* In the narrow form a register on its way says so instead of what it means. */
static void short_meaning(struct grid *g, const struct session *s, unsigned reg,
                          reg_meaning *meaning)
{
	const struct pipe *p = machine_pipe(s->machine);
	const struct uop *u = producer_of(s, reg);
	char buf[128];
	if (u)
		grid_text(g, uop_state_role(u), "%s %s", format_seq(p, u, buf, sizeof buf),
		          format_state(u));
	else
		grid_text(g, ROLE_ADDRESS, "%s",
		          meaning(s, reg, machine_seen_reg(s->machine, reg), buf, sizeof buf));
}

static void pair_row(struct grid *g, const struct session *s, unsigned reg, reg_meaning *meaning)
{
	grid_row(g, 1 + reg, ROLE_PLAIN);
	for (unsigned half = 0; half < 2; half++) {
		name_and_value(g, s, reg + half * (REGS / 2));
		short_meaning(g, s, reg + half * (REGS / 2), meaning);
	}
}

static void single_row(struct grid *g, const struct session *s, unsigned reg, reg_meaning *meaning)
{
	const struct pipe *p = machine_pipe(s->machine);
	const struct uop *u = producer_of(s, reg);
	char buf[128], seq[32];
	struct grid_row *row = grid_row(g, 1 + reg, ROLE_PLAIN);
	name_and_value(g, s, reg);
	grid_text(g, ROLE_ADDRESS, "%s",
	          meaning(s, reg, machine_seen_reg(s->machine, reg), buf, sizeof buf));
	if (u) {
		row->seq = u->seq;
		row->pc = u->pc;
		grid_text(g, uop_state_role(u), "%s %s, %s", format_seq(p, u, seq, sizeof seq),
		          op_info[u->inst.op].mnemonic, format_state(u));
		cell_due(g, p->st->cycle, uop_why(p, u).due);
	} else {
		grid_blank(g);
		grid_blank(g);
	}
	grid_text(g, ROLE_DIM, "%c%u", reg < REG_F0 ? 'x' : 'f', reg % REGS);
}

void regfile_build(struct grid *g, const char *title, const struct session *s,
                   const struct view_args *args, unsigned first, reg_meaning *meaning)
{
	if (args->rows && args->rows < REGS) {
		grid_init(g, title, GRID_TABLE(paired));
		for (unsigned i = 0; i < REGS / 2; i++)
			pair_row(g, s, first + i, meaning);
	} else {
		grid_init(g, title, GRID_TABLE(regfile_columns));
		for (unsigned i = 0; i < REGS; i++)
			single_row(g, s, first + i, meaning);
	}
}
