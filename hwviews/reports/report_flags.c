/* Report of an instrumented program's profile flags: the places that switch a flag, and each flag's
 * present setting there. */
#include "hwviews/oracle/oracle_rows.h"
#include "hwviews/reports/report.h"
#include "loader/edit/moved_code.h"
#include "loader/instrument/switches.h"

static const char *report_flags_units_text(const struct flag_place *p)
{
	return p->units == UNITS_LOOPS    ? "a loop"
	       : p->units == UNITS_BLOCKS ? "a block" : "the function";
}

struct row {
	const struct session *s;
	const struct moved_code *m;
	const struct flag_place *p;
	uint64_t at, type;
	bool on; /* the instruction there is setpf */
};

static void report_flags_append_address_cell(struct grid *g, const struct row *r, uint64_t at)
{
	grid_text(g, ROLE_ADDRESS, "%s", program_addr_text(r->s->program, at, BUFFER(128)));
}

FILL(fill_address, struct row, grid_hex(g, ROLE_ADDRESS, r->at))
FILL(fill_place, struct row, report_flags_append_address_cell(g, r, r->at))
FILL(fill_now, struct row, grid_text(g, r->p->check || r->on ? ROLE_PROFILE : ROLE_DIM, "%s",
	r->p->check ? "check" : r->on ? "on" : "off"))
FILL(fill_units, struct row, grid_text(g, ROLE_PLAIN, "%s", report_flags_units_text(r->p)))
FILL(fill_unit, struct row, report_flags_append_address_cell(g, r, moved_code_to(r->m, r->p->unit)))
FILL(fill_function, struct row, grid_hex(g, ROLE_DIM, moved_code_to(r->m, r->p->function)))
FILL(fill_was, struct row, grid_hex(g, ROLE_DIM, r->p->at))

static const struct grid_column columns[] = {
	{"address", "address", "", fill_address, AT_RIGHT, .help = "place of the flag instruction"},
	{"place", "place", "", fill_place, FLEXIBLE, .help = AS_BEFORE},
	{"type", "type", "profile type", fill_uint, .of = offsetof(struct row, type), AT_RIGHT,
	 .help = "of the profile instructions that it switches"},
	{"now", "now", "", fill_now,
	 .help = "on: a setpf stands there; off: a resetpf; check: the program decides by itself"},
	{"units", "switches", "", fill_units,
	 .help = "the unit of code of the flag, and its begin: all flags of a unit switch its "
		 "profiling"},
	{"unit", "beginning at", "", fill_unit, FLEXIBLE, .help = "where that unit begins"},
	{"function", "function", "", fill_function, AT_RIGHT, .help = "its first instruction"},
	{"was", "was at", "", fill_was, AT_RIGHT,
	 .help = "the instruction that follows it, in the original program"},
};

static void flag_row(struct grid *g, const struct session *s, const struct moved_code *m,
                     const struct flag_place *p, unsigned k, uint64_t at)
{
	uint16_t now = 0;
	machine_peek(s->machine, at, &now, sizeof now);
	grid_row(g, at, ROLE_PLAIN)->pc = at;
	grid_cells(g, &(struct row){s, m, p, at, k, now == flag_set(k)});
}

static bool report_flags_build_grid(const struct session *s, const struct view_args *args,
                                    struct grid *out, struct err *err)
{
	struct flags flags;
	struct moved_code moved;
	uint64_t limit, shown = 0;
	if (!program_flags(s->program, &flags) || !program_moved_code(s->program, &moved))
		return err_set(err, "the program has no profile flags; use --instrument bb=1, "
		                    "or one that `cyclops instrument --kind bb=1` has made");
	if (!oracle_row_limit(args, 0, UINT32_MAX, &limit, err))
		return false;
	grid_init(out, "Flags", GRID_TABLE(columns));
	grid_empty(out, "there are none");
	grid_summary(out, "%llu places", (unsigned long long)flags.count);
	for (uint64_t i = 0; i < flags.count && shown < limit; i++)
		for (unsigned k = 0; k < 8; k++)
			for (unsigned other = 0;
			     (flags.all[i].types >> k & 1) && other <= flags.all[i].entry;
			     other++) {
				const uint64_t at = flag_address(&moved, &flags.all[i], k, other,
				                                 session_peek, s->machine);
				if (at && shown++ < limit)
					flag_row(out, s, &moved, &flags.all[i], k, at);
			}
	return true;
}

const struct report report_flags = {
	.name = "flags",
	.title = "Places that switch an instrumented program's profile flags",
	.args = "[ROWS|all]",
	.build = report_flags_build_grid,
	.help.about = "The resetpf and setpf of a program whose profile instructions have a type\n"
		      "(--instrument bb=1,units=loops), by address: what a runtime writes to.",
	.help.tables = {{GRID_TABLE(columns), .indent = 15}},
	.help.hints = "Vaswani, Srikant and Thazhuthaveetil, III.C.",
};
