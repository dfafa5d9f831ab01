/* `view systems`: the profiling systems that this machine can have, and the commands that turn them
 * on. */
#include "core/pipe/pipe.h"
#include "hwviews/grid/view.h"
#include "hwviews/session/view_text.h"

struct row {
	const char *name, *paper, *what, *command, *tour;
	bool on;
};

FILL(fill_mark, struct row, grid_text(g, r->on ? ROLE_PROFILE : ROLE_DIM, r->on ? "●" : "○"))
FILL(fill_command, struct row, grid_text(g, ROLE_ADDRESS, "%s", r->on ? "" : r->command))

static const struct grid_column columns[] = {
	{"state", "", "", fill_mark, .min_width = 1, .help = "●: it is on; ○: off"},
	{"name", "system", "", fill_text, .of = offsetof(struct row, name), .help = "its name"},
	{"command", "Enter", "", fill_command,
	 .help = "the command that turns it on for the next `run`, or teaches it. On the screen "
	         "Enter executes it, starts the program again and comes back to this cycle"},
	{"paper", "paper", "", fill_text_dim, .of = offsetof(struct row, paper),
	 .help = "its authors and year"},
	{"tour", "tour", "", fill_text_dim, .of = offsetof(struct row, tour),
	 .help = "`tour NAME` teaches it"},
	{"what", "", "", fill_text_dim, .of = offsetof(struct row, what), FLEXIBLE,
	 .help = "what it does"},
};

static bool view_systems_build_grid(const struct session *s, const struct view_args *args,
                                    struct grid *out, struct err *err)
{
	if (!arg_count(args, 0, "systems", err))
		return false;
	const struct config *cfg = machine_config(s->machine);
	const struct row rows[] = {
		{"Profile instructions", "Vaswani '03",
	         "counts that stay in the code, and cost nothing while their flag is off",
	         "tour profile", "profile", session_uses_xprof(s)},
		{"Co-processor", "Zilles '01",
	         "a small engine beside the core, with your microcode",
	         "set cop.enable = true", "cop", CONFIG(cfg, cop)},
		{"Contexts", "Ammons '97",
	         "callers and callees, and the cost of each calling context",
	         "set oracle.enable = true; set oracle.contexts = true", "cct",
	         CONFIG(cfg, oracle) && CONFIG(cfg, oracle_contexts)},
		{"Value sampling", "Burrows '00", "results of instructions, by interrupts alone",
	         "set vsample.enable = true", "values", CONFIG(cfg, vsample)},
		{"Stratified sampling", "Sastry '01", "a stream of events, compressed on the way",
	         "set sampler.enable = true", "sampler", CONFIG(cfg, sampler)},
	};
	enum { SYSTEMS = sizeof rows / sizeof *rows };
	unsigned on = 0;
	for (unsigned i = 0; i < SYSTEMS; i++)
		on += rows[i].on;
	grid_init(out, "Profiling systems", GRID_TABLE(columns));
	if (on)
		grid_summary(out, "%u of %u on", on, (unsigned)SYSTEMS);
	else
		grid_summary(out, "none is on");
	for (unsigned i = 0; i < SYSTEMS; i++) {
		grid_row(out, i + 1, rows[i].on ? ROLE_PLAIN : ROLE_DIM);
		grid_cells(out, &rows[i]);
	}
	return true;
}

const struct view view_systems = {
	.name = "systems",
	.title = "Profiling systems",
	.args = "",
	.build = view_systems_build_grid,
	.help.about =
		"The profiling systems that this machine can have. Layout 3 shows them while\n"
		"none is on; with one, it shows that one.",
	.help.tables = {{GRID_TABLE(columns), .indent = 12}},
	.help.hints =
		"`-o cop.enable=true` and the like turn them on from the beginning. `cyclops\n"
		"bakeoff` compares all of them on one program.",
};
