/* `view displays`: expressions displayed at every stop. */
#include <string.h>

#include "hwviews/session/view_text.h"

/* A line of a value; number 0: continues the row above. */
struct row {
	uint64_t number;
	const char *what, *line; /* line: ends at its line feed */
	bool failed;
};

FILL(fill_number, struct row, grid_uint_if(g, r->number, ROLE_DIM, r->number))
FILL(fill_value, struct row, grid_text(g, r->failed ? ROLE_ERROR : ROLE_NUMBER, "%.*s",
	(int)strcspn(r->line, "\n"), r->line))

static const struct grid_column columns[] = {
	{"number", "", "", fill_number, AT_RIGHT, .help = "its number for `undisplay`"},
	{"what", "what", "", fill_text, .of = offsetof(struct row, what),
	 .help = "the expression, and its value now"},
	{"value", "value", "", fill_value, FLEXIBLE, .help = AS_BEFORE},
};

/* Appends a row for each line of the value. */
static void view_displays_append_display_rows(void *to, int number, const char *what,
                                              const char *text, bool failed)
{
	struct grid *g = to;
	uint64_t key = (uint64_t)number << 32;
	for (bool first = true; first || *text; first = false) {
		grid_row(g, ++key, failed ? ROLE_ERROR : ROLE_PLAIN);
		grid_cells(g, &(struct row){first ? (uint64_t)number : 0, first ? what : "", text,
		                            failed});
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
}

static bool view_displays_build_grid(const struct session *s, const struct view_args *args,
                                     struct grid *out, struct err *err)
{
	if (!arg_count(args, 0, "displays", err))
		return false;
	grid_init(out, "Displays", GRID_TABLE(columns));
	if (s->displays)
		s->displays(s->displays_ctx, view_displays_append_display_rows, out);
	grid_empty(out, "none: `display a0` shows a register here, `display rob.count` what the "
	                "machine has, `display i` a variable");
	return true;
}

const struct view view_displays = {
	.name = "displays",
	.also = "watches",
	.title = "Displays",
	.args = "",
	.build = view_displays_build_grid,
	.help.about = "The values that `display EXPRESSION` and `display x/... ADDRESS` keep in\n"
		      "sight, at this cycle. Changes since the last stop are\n"
		      "marked.\n"
		      "\n"
		      "  display a0            a register\n"
		      "  display rob.count     what the machine has (`help expressions`)\n"
		      "  display node->next    a variable of the program\n"
		      "  display x/4x sp       memory\n"
		      "  undisplay 2           this one no longer; without a number none\n",
	.help.tables = {{GRID_TABLE(columns), .indent = 24}},
};
