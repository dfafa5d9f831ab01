#include "hwviews/program/regfile.h"

#include <stdio.h>

enum { REGS = 32 };

#define REGISTER "its name by convention"
#define VALUE "committed, all 64 bits; 32 in RV32"
#define MEANING                                                                                    \
	"the place an address points to, or the number, in as many decimal digits as identify it " \
	"exact"

/* NULL for a thread that does not run: instructions in flight belong to another. */
static const struct uop *producer_of(const struct session *s, unsigned reg)
{
	const struct pipe *p = machine_pipe(s->machine);
	if (machine_parked(s->machine))
		return NULL;
	uint16_t slot = p->st->rename[reg];
	return slot == NO_SLOT ? NULL : pipe_uop(p, slot);
}

struct row {
	const struct session *s;
	unsigned reg;
	reg_meaning *meaning;
};

/* The register of the cell: in the first column the row's, in the second its neighbour. */
static unsigned reg_of(const struct grid *g, const struct row *r)
{
	return r->reg + grid_of(g);
}

FILL(fill_register, struct row, grid_text(g, ROLE_DIM, "%s", reg_name(reg_of(g, r))))

static void regfile_fill_value(struct grid *g, const void *row)
{
	const struct row *r = row;
	const unsigned reg = reg_of(g, r);
	const uint64_t value =
		reg_shown(machine_isa(r->s->machine), reg, machine_seen_reg(r->s->machine, reg));
	grid_hex(g, producer_of(r->s, reg) ? ROLE_WAITING : value ? ROLE_NUMBER : ROLE_DIM,
	         value);
}

static void regfile_fill_meaning(struct grid *g, const void *row)
{
	const struct row *r = row;
	const unsigned reg = reg_of(g, r);
	grid_text(g, ROLE_ADDRESS, "%s",
	          r->meaning(r->s, reg,
	                     reg_shown(machine_isa(r->s->machine), reg,
	                               machine_seen_reg(r->s->machine, reg)),
	                     BUFFER(128)));
}

/* In the narrow form a register with a producer shows that in place of its meaning. */
static void fill_short_meaning(struct grid *g, const void *row)
{
	const struct row *r = row;
	const struct uop *u = producer_of(r->s, reg_of(g, r));
	char buf[32];
	if (u)
		grid_text(g, uop_state_role(u), "%s %s",
		          format_seq(machine_pipe(r->s->machine), u, buf, sizeof buf),
		          format_state(u));
	else
		regfile_fill_meaning(g, row);
}

static void fill_producer(struct grid *g, const void *row)
{
	const struct row *r = row;
	const struct uop *u = producer_of(r->s, r->reg);
	char seq[32];
	if (u)
		grid_text(g, uop_state_role(u), "%s %s, %s",
		          format_seq(machine_pipe(r->s->machine), u, seq, sizeof seq),
		          op_info[u->inst.op].mnemonic, format_state(u));
	else
		grid_blank(g);
}

static void fill_result_due(struct grid *g, const void *row)
{
	const struct row *r = row;
	const struct pipe *p = machine_pipe(r->s->machine);
	const struct uop *u = producer_of(r->s, r->reg);
	if (u)
		cell_due(g, p->st->cycle, uop_why(p, u).due);
	else
		grid_blank(g);
}

FILL(fill_number, struct row, grid_text(g, ROLE_DIM, "%c%u", r->reg < REG_F0 ? 'x' : 'f',
	r->reg % REGS))

const struct grid_column regfile_columns[REGFILE_COLUMNS] = {
	{"register", "reg", "", fill_register, .help = REGISTER},
	{"value", "value", "", regfile_fill_value, .help = VALUE},
	{"meaning", "meaning", "", regfile_fill_meaning, FLEXIBLE, .help = MEANING},
	{"producer", "next value from", "", fill_producer, FLEXIBLE,
         .help = "the youngest instruction in the window that writes it: `rename` has more"},
	{"due", "due", "cycle", fill_result_due, .help = "when that result is there"},
	{"number", "no.", "", fill_number, .help = "number of the register"},
};

/* Two registers to a row, if fewer rows fit: the second is in the columns named 2. */
static const struct grid_column paired[] = {
	{"register", "reg", "", fill_register, .help = REGISTER},
	{"value", "value", "", regfile_fill_value, .help = VALUE},
	{"meaning", "meaning", "", fill_short_meaning, FLEXIBLE, .help = MEANING},
	{"register2", "reg", "", fill_register, .of = REGS / 2, .help = REGISTER},
	{"value2", "value", "", regfile_fill_value, .of = REGS / 2, .help = VALUE},
	{"meaning2", "meaning", "", fill_short_meaning, .of = REGS / 2, FLEXIBLE, .help = MEANING},
};

static void register_row(struct grid *g, const struct session *s, unsigned reg,
                         reg_meaning *meaning, bool alone)
{
	const struct uop *u = alone ? producer_of(s, reg) : NULL;
	struct grid_row *row = grid_row(g, 1 + reg, ROLE_PLAIN);
	if (u) {
		row->seq = u->seq;
		row->pc = u->pc;
	}
	grid_cells(g, &(struct row){s, reg, meaning});
}

void regfile_build(struct grid *g, const char *title, const struct session *s,
                   const struct view_args *args, unsigned first, reg_meaning *meaning)
{
	if (args->rows && args->rows < REGS) {
		grid_init(g, title, GRID_TABLE(paired));
		for (unsigned i = 0; i < REGS / 2; i++)
			register_row(g, s, first + i, meaning, false);
	} else {
		grid_init(g, title, GRID_TABLE(regfile_columns));
		for (unsigned i = 0; i < REGS; i++)
			register_row(g, s, first + i, meaning, true);
	}
}
