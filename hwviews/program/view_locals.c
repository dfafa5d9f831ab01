/* `view locals`: the variables of the selected frame. */
#include <string.h>

#include "core/base/hash.h"
#include "hwviews/program/frames.h"
#include "hwviews/session/view_text.h"

struct locals_grid {
	const struct session *s;
	struct grid *g;
};

struct row {
	const struct session *s;
	const struct session_variable *v;
};

FILL(fill_kind, struct row, grid_text(g, ROLE_DIM, "%s", r->v->parameter ? "arg" : r->v->hidden
	? "outer" : ""))
FILL(fill_name, struct row, grid_text(g, ROLE_PLAIN, "%s", r->v->name))
FILL(fill_value, struct row, grid_text(g, r->v->writer ? ROLE_WAITING : ROLE_NUMBER, "%s",
	r->v->text))

/* The value that an instruction in flight will write. */
FILL(fill_coming, struct row, r->v->coming ? grid_text(g, ROLE_NUMBER, "%s", r->v->coming)
	: grid_blank(g))

static void fill_writer(struct grid *g, const void *row)
{
	const struct row *r = row;
	const struct pipe *p = machine_pipe(r->s->machine);
	const struct uop *u = r->v->writer ? pipe_find(p, r->v->writer) : NULL;
	char seq[32];
	if (u)
		grid_text(g, uop_state_role(u), "%s %s, %s", format_seq(p, u, seq, sizeof seq),
		          op_info[u->inst.op].mnemonic, format_state(u));
	else
		grid_blank(g);
}

FILL(fill_inlined, struct row, grid_text(g, ROLE_DIM, "%s", r->v->inlined ? r->v->inlined : ""))

static const struct grid_column columns[] = {
	{"kind", "", "", fill_kind, .help = "arg, outer, or neither"},
	{"name", "name", "", fill_name, .help = "as the program has it"},
	{"value", "value", "", fill_value, FLEXIBLE, .help = "its value, in C's notation"},
	{"coming", "will be", "", fill_coming, FLEXIBLE,
	 .help = "its new value from an instruction in flight, once complete"},
	{"writer", "written by", "", fill_writer, FLEXIBLE,
	 .help = "that instruction, the youngest in the window that writes it: to its register, or "
	         "to memory once its address is known; ? = on a wrong path"},
	{"inlined", "of, inlined here", "", fill_inlined, .help = "the function that declares it"},
};

static void view_locals_append_variable_row(void *to, const struct session_variable *v)
{
	const struct locals_grid *t = to;
	struct grid *g = t->g;
	const char *of = v->inlined ? v->inlined : "";
	/* Variables of different blocks may have the same name. */
	uint64_t key = hash_bytes(hash_bytes(HASH_START + v->hidden, v->name, strlen(v->name) + 1),
	                          of, strlen(of));
	struct grid_row *row = grid_row(g, key | 1, v->hidden ? ROLE_STALE : ROLE_PLAIN);
	row->seq = v->writer;
	grid_cells(g, &(struct row){t->s, v});
}

static bool view_locals_build_grid(const struct session *s, const struct view_args *args,
                                   struct grid *out, struct err *err)
{
	char where[256];
	if (!arg_count(args, 0, "locals", err))
		return false;
	grid_init(out, "Variables", GRID_TABLE(columns));
	out->essential = 3;
	session_where_here(s, where, sizeof where);
	if (!s->variables)
		grid_empty(out, "variables are available where expressions are: at the prompt and "
		                "on the screen");
	else if (!s->variables(s->evaluate_ctx, view_locals_append_variable_row,
	                       &(struct locals_grid){s, out}))
		grid_empty(out, "no debug information about variables at %s: %s", where,
		           program_no_lines(s->program));
	else
		grid_empty(out, "no variables here");
	if (frames_selected(s))
		grid_summary(out, "frame #%zu", frames_selected(s));
	return true;
}

const struct view view_locals = {
	.name = "locals",
	.also = "variables",
	.title = "Variables",
	.args = "",
	.build = view_locals_build_grid,
	.help.about =
		"The C variables of the selected call: its arguments, then the declarations of\n"
		"its blocks, innermost first. Values are those of the committed program.\n"
		"\n"
		"  arg          a parameter\n"
		"  outer        one of an inner block has the same name and hides it\n",
	.help.tables = {{GRID_TABLE(columns), .indent = 15}},
	.help.hints =
		"`up` and `down` choose another call; `print NAME` shows more, `ptype NAME` the\n"
		"type. A variable without a location at this place is optimised out.",
};
