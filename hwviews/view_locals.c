#include <string.h>

#include "core/hash.h"
#include "hwviews/tell.h"

static const struct grid_column columns[] = {
	{"kind", "", "", ALIGN_LEFT, 0, false, false},
	{"name", "name", "", ALIGN_LEFT, 0, false, false},
	{"value", "value", "", ALIGN_LEFT, 0, true, false},
	{"inlined", "of, inlined here", "", ALIGN_LEFT, 0, false, false},
};

static void put(void *to, const struct session_variable *v)
{
	struct grid *g = to;
	const char *of = v->inlined ? v->inlined : "";
	/* Two blocks may have one of the same name. */
	uint64_t key = hash_bytes(hash_bytes(HASH_START + v->hidden, v->name, strlen(v->name) + 1), of, strlen(of));
	grid_row(g, key | 1, v->hidden ? ROLE_STALE : ROLE_PLAIN);
	grid_text(g, ROLE_DIM, "%s", v->parameter ? "arg" : v->hidden ? "outer" : "");
	grid_text(g, ROLE_PLAIN, "%s", v->name);
	grid_text(g, ROLE_NUMBER, "%s", v->text);
	grid_text(g, ROLE_DIM, "%s", of);
}

static bool build(const struct session *s, const struct view_args *args, struct grid *out, struct err *err)
{
	char where[256];
	if (!arg_count(args, 0, "locals", err))
		return false;
	grid_init(out, "Variables", columns, sizeof columns / sizeof *columns);
	out->essential = 3;
	session_where(s, machine_pc(s->machine), where, sizeof where);
	if (!s->variables)
		grid_empty(out, "variables are told where expressions are computed: at the prompt and on the screen");
	else if (!s->variables(s->evaluate_ctx, put, out))
		grid_empty(out, "nothing is known of variables at %s: %s", where, program_no_lines(s->program));
	else
		grid_empty(out, "no variables here");
	return true;
}

const struct view view_locals = {
	.name = "locals",
	.also = "variables",
	.title = "Variables",
	.args = "",
	.help = "The C variables of the selected call: its arguments, then what is declared in\n"
		"its blocks, innermost first. Values are those of the committed program.\n"
		"\n"
		"  arg          a parameter\n"
		"  outer        one of an inner block has the same name and hides it\n"
		"  of           the function, inlined here, whose variable it is\n"
		"\n"
		"`up` and `down` choose another call; `print NAME` tells more, `ptype NAME` the\n"
		"type. What the compiler keeps nowhere at this place is optimised out.",
	.build = build,
};
