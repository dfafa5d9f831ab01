/* `view beside`: twins worth opening, a row each, with the command that opens it. */
#include <stdio.h>

#include "core/pipe/pipe.h"
#include "hwviews/grid/view.h"
#include "hwviews/session/view_text.h"

/* A twin, and the question that it answers. */
struct row {
	const char *what, *command, *shows;
};

FILL(fill_command, struct row, grid_text(g, ROLE_ADDRESS, "%s", r->command))

static const struct grid_column columns[] = {
	{"what", "machine B", "", fill_text, .of = offsetof(struct row, what),
	 .help = "its change"},
	{"command", "Enter", "", fill_command, .help = "the command that opens it"},
	{"shows", "shows", "", fill_text_dim, .of = offsetof(struct row, shows), FLEXIBLE,
	 .help = "the question that it answers"},
};

static bool view_beside_build_grid(const struct session *s, const struct view_args *args,
                                   struct grid *out, struct err *err)
{
	if (!arg_count(args, 0, "beside", err))
		return false;
	char window[64];
	const long long twice = 2 * (long long)CONFIG(machine_config(s->machine), rob_size);
	snprintf(window, sizeof window, "twin pipe.rob_size=%lld", twice > 1024 ? 1024 : twice);
	const struct row rows[] = {
		{"window twice as large", window, "does it wait for room, or for the oldest?"},
		{"no L1D misses", "twin l1d.size=8M", "what do its misses cost?"},
		{"a branch predictor of counters alone", "twin bpred.kind=bimodal",
	         "what is history worth to its branches?"},
		{"two wide, in order", "twin inorder2", "what is out-of-order execution worth?"},
		{"the classic five stages", "twin classic5", "what do a textbook's stalls cost?"},
		{"the same, counting basic blocks", "twin instrument=bb",
	         "what does instrumentation cost, and where?"},
	};
	grid_init(out, "Put a second machine beside this one", GRID_TABLE(columns));
	grid_summary(out, "Enter opens it, in step with this one; also `twin PARAMETER=VALUE`");
	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
		grid_row(out, i + 1, ROLE_PLAIN);
		grid_cells(out, &rows[i]);
	}
	return true;
}

const struct view view_beside = {
	.name = "beside",
	.title = "Beside",
	.args = "",
	.build = view_beside_build_grid,
	.help.about =
		"Machines to put beside this one, as its twin: each runs the same program and\n"
		"has one thing changed, so that the difference in cycles is that thing's. On\n"
		"the screen, layout 7 shows them until there is a twin, and Enter opens the\n"
		"selected one. `twin off` closes it.",
	.help.tables = {{GRID_TABLE(columns), .indent = 13}},
	.help.hints =
		"`what-if` tries single causes without a second machine; `cyclops compare`\n"
		"runs several machines to the end of the program.",
};
