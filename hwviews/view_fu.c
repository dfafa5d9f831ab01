#include <inttypes.h>
#include <stdio.h>

#include "hwviews/tell.h"

static const struct grid_column columns[] = {
	{"unit", "unit", "", ALIGN_LEFT, 0, false, false},
	{"state", "state", "", ALIGN_LEFT, 8, false, false},
	{"executing", "executing", "", ALIGN_LEFT, 0, true, false},
	{"due", "result due", "cycle", ALIGN_LEFT, 0, false, false},
	{"free_from", "takes the next", "cycle", ALIGN_LEFT, 0, false, true},
	{"also", "behind it", "instructions", ALIGN_RIGHT, 0, false, false},
	{"last_seq", "last", "", ALIGN_LEFT, 0, false, false},
};

struct tenant {
	const struct uop *first; /* the oldest that still executes on the unit */
	unsigned others;
};

static struct tenant tenants(const struct pipe *p, unsigned pool, unsigned unit)
{
	struct tenant t = {0};
	for (uint32_t i = 0; i < p->st->rob_count; i++) {
		const struct uop *u = pipe_rob_at(p, i);
		if (u->state != UOP_EXECUTING || u->at.pool != pool || u->at.unit != unit)
			continue;
		/* A store that waits for its data has left the unit. */
		if (u->flags & UF_ADDR_KNOWN)
			continue;
		if (t.first)
			t.others++;
		else
			t.first = u;
	}
	return t;
}

static void unit_row(struct grid *g, const struct session *s, unsigned pool, unsigned unit, unsigned *busy)
{
	const struct pipe *p = machine_pipe(s->machine);
	const struct fu_unit *f = &p->st->fu[pool][unit];
	uint64_t now = p->st->cycle;
	struct tenant t = tenants(p, pool, unit);
	bool taken = f->busy_until > now;
	char inst[128], seq[32], cycle[32];
	*busy += t.first || taken;
	struct grid_row *row = grid_row(g, 1 + pool * FU_UNITS_MAX + unit, t.first ? ROLE_PLAIN : ROLE_DIM);
	grid_text(g, ROLE_PLAIN, "%s %u", fu_pool_name[pool], unit);
	grid_text(g, taken ? ROLE_WAITING : t.first ? ROLE_RUNNING : ROLE_DIM, "%s",
	          taken ? "taken" : t.first ? "busy" : "idle");
	if (t.first) {
		row->seq = t.first->seq;
		row->pc = t.first->pc;
		if (t.first->seq == s->selected_seq)
			row->role = ROLE_SELECTED;
		grid_text(g, uop_on_wrong_path(p, t.first) ? ROLE_WRONG_PATH : ROLE_PLAIN, "%s %s",
		          tell_seq(p, t.first, seq, sizeof seq),
		          tell_uop(s, t.first, inst, sizeof inst));
		cell_due(g, now, uop_why(p, t.first).due);
	} else {
		grid_blank(g);
		grid_blank(g);
	}
	if (taken)
		cell_due(g, now, f->busy_until);
	else
		grid_uint_text(g, ROLE_READY, now, "now, %s", group_digits(now, cycle));
	if (t.others)
		grid_uint_text(g, ROLE_NUMBER, t.others, "%u more", t.others);
	else
		grid_uint_text(g, ROLE_DIM, 0, "%s", "");
	if (f->seq)
		grid_uint_text(g, ROLE_DIM, f->seq, "#%" PRIu64, f->seq);
}

static bool build(const struct session *s, const struct view_args *args, struct grid *out, struct err *err)
{
	const struct pipe *p = machine_pipe(s->machine);
	unsigned units = 0, busy = 0;
	if (!arg_count(args, 0, "fu", err))
		return false;
	grid_init(out, "Functional units", columns, sizeof columns / sizeof *columns);
	for (unsigned pool = 0; pool < FU_POOL_COUNT; pool++) {
		for (unsigned unit = 0; unit < p->fu_count[pool]; unit++) {
			unit_row(out, s, pool, unit, &busy);
			units++;
		}
	}
	grid_summary(out, "%u/%u in use", busy, units);
	return true;
}

const struct view view_fu = {
	.name = "fu",
	.title = "Functional units",
	.args = "",
	.help = "The units that execute instructions: int (integer ALUs, branches), imuldiv,\n"
		"fadd, fmuldiv, and mem (ports that compute addresses for loads and stores).\n"
		"Issue starts the oldest ready instructions on free units, at most\n"
		"pipe.issue_width of them in a cycle.\n"
		"\n"
		"  state       idle; busy = something executes on it, but it can take another\n"
		"              (pipelined); taken = it can't\n"
		"  executing   the oldest instruction on it, and when its result is due\n"
		"  takes the next   first cycle in which it can start another\n"
		"  behind it   how many younger ones are in its pipeline\n"
		"  last        whom it took last\n"
		"\n"
		"Dividers and square roots hold their unit for most of their latency: rows that\n"
		"stay \"taken\" with ready instructions in `rob` are a structural bottleneck\n"
		"(statistic issue.fu_busy). Shaped by fu.*, lat.*, occ.*.",
	.build = build,
};
