/* `view breakpoints`: stop points, their conditions and hits. */
#include <inttypes.h>
#include <stdio.h>

#include "hwviews/session/view_text.h"

static const char *view_breakpoints_kind_text(const struct stop_point *sp)
{
	static const char *const stages[] = {[STAGE_COMMIT] = "break at commit",
	                                     [STAGE_FETCH] = "break at fetch",
	                                     [STAGE_DISPATCH] = "break at dispatch"};
	switch (sp->kind) {
	case STOP_POINT_PC: return stages[sp->stage];
	case STOP_POINT_MEMORY: return "watch memory";
	case STOP_POINT_REG: return "watch register";
	case STOP_POINT_VALUE: return "watch value";
	case STOP_POINT_MICRO: return "break at execute";
	default: return sp->size ? "watch reads" : "event";
	}
}

struct row {
	const struct session *s;
	const struct stop_point *sp;
};

FILL(fill_id, struct row, grid_uint(g, ROLE_BREAKPOINT, (uint64_t)r->sp->id))
FILL(fill_what, struct row, grid_text(g, ROLE_PLAIN, "%s", r->sp->text))
FILL(fill_kind, struct row, grid_text(g, ROLE_DIM, "%s", view_breakpoints_kind_text(r->sp)))

static void fill_on(struct grid *g, const void *row)
{
	const struct stop_point *sp = ((const struct row *)row)->sp;
	char thread[32] = "";
	if (sp->thread)
		snprintf(thread, sizeof thread, ", thread %u", sp->thread);
	grid_text(g, sp->enabled ? ROLE_READY : ROLE_STALE, "%s%s%s", sp->enabled ? "on" : "off",
	          sp->temporary ? ", once" : "", thread);
}

FILL(fill_condition, struct row, grid_text(g, ROLE_PLAIN, "%s", r->sp->condition_text))
FILL(fill_hits, struct row, grid_uint(g, ROLE_NUMBER, r->sp->hits))
FILL(fill_ignore, struct row, grid_uint(g, ROLE_NUMBER, r->sp->ignore))

static void view_breakpoints_fill_place(struct grid *g, const void *row)
{
	const struct row *r = row;
	const struct stop_point *sp = r->sp;
	char where[160];
	if (sp->pending)
		grid_text(g, ROLE_DIM, "pending: no library that is mapped has it");
	else if (sp->kind == STOP_POINT_PC)
		grid_text(g, ROLE_ADDRESS, "%s",
		          session_where(r->s, sp->addr, where, sizeof where));
	else if (sp->kind == STOP_POINT_MICRO)
		grid_text(g, ROLE_ADDRESS, "microcode %" PRIu64, sp->addr);
	else if (sp->size)
		grid_text(g, ROLE_ADDRESS, "%s, %" PRIu64 " bytes",
		          format_addr(r->s, sp->addr, where, sizeof where), sp->size);
	else
		grid_blank(g);
}

static const struct grid_column columns[] = {
	{"id", "no.", "", fill_id, AT_RIGHT, .help = "its number for delete, enable and condition"},
	{"what", "what", "", fill_what, FLEXIBLE, .help = "as it was given"},
	{"kind", "kind", "", fill_kind,
	 .help = "at commit: when the program reaches it, never on a wrong path; at fetch or "
		 "dispatch: when the machine does, wrong paths included. Watchpoints stop when "
                 "committed memory, a register or a value changes"},
	{"state", "state", "", fill_on,
	 .help = "on or off; once: it is deleted after its stop; thread 2: only in that one"},
	{"condition", "if", "", fill_condition, FLEXIBLE, .help = "stops only if this is true"},
	{"hits", "hits", "hits", fill_hits, AT_RIGHT,
	 .help = "hits going forward, ignored ones included"},
	{"ignore", "to ignore", "hits", fill_ignore, AT_RIGHT,
	 .help = "further hits that do not stop"},
	{"place", "at", "", view_breakpoints_fill_place, FLEXIBLE,
	 .help = "its place, or the bytes"},
};

static void stop_row(struct grid *g, const struct session *s, const struct stop_point *sp)
{
	struct grid_row *row = grid_row(g, (uint64_t)sp->id, sp->enabled ? ROLE_PLAIN : ROLE_DIM);
	row->pc = sp->kind == STOP_POINT_PC && !sp->pending ? sp->addr : 0;
	grid_cells(g, &(struct row){s, sp});
}

static bool view_breakpoints_build_grid(const struct session *s, const struct view_args *args,
                                        struct grid *out, struct err *err)
{
	if (!arg_count(args, 0, "breakpoints", err))
		return false;
	grid_init(out, "Breakpoints", GRID_TABLE(columns));
	grid_empty(out, "none: `break find` stops where find commits its first instruction");
	const struct stop_point *sp;
	for (unsigned i = 0; s->run && (sp = run_stop_at(s->run, i)); i++)
		stop_row(out, s, sp);
	grid_summary(out, "%u", out->row_count);
	return true;
}

const struct view view_breakpoints = {
	.name = "breakpoints",
	.title = "Breakpoints",
	.args = "",
	.build = view_breakpoints_build_grid,
	.help.about = "Where the machine stops: breakpoints, watchpoints and event breakpoints.",
	.help.tables = {{GRID_TABLE(columns)}},
	.help.hints =
		"They work in both directions: reverse-continue goes to the latest earlier hit.",
};
