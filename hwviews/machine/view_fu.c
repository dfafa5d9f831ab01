/* `view fu`: functional units, their instructions, and their utilization. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/defs/stats_fields.h"
#include "core/pipe/slot_rows.h"
#include "hwviews/machine/machine_box.h"
#include "hwviews/session/marks.h"
#include "hwviews/session/view_text.h"

struct unit {
	const struct session *s;
	unsigned pool, unit;
	uint64_t now;
	const struct fu_unit *f;
	struct unit_tenants t;
	bool taken; /* can't take another */
};

FILL(fill_unit, struct unit, grid_text(g, ROLE_PLAIN, "%s %u", fu_pool_name[r->pool], r->unit))
FILL(fill_use_now, struct unit, grid_text(g, r->taken ? ROLE_WAITING : r->t.first ? ROLE_RUNNING
	: ROLE_DIM, "%s", r->taken ? "taken" : r->t.first ? "busy" : "idle"))

static void fill_executing(struct grid *g, const void *row)
{
	const struct unit *u = row;
	const struct pipe *p = machine_pipe(u->s->machine);
	char inst[128], seq[32];
	if (u->t.first)
		grid_text(g, uop_on_wrong_path(p, u->t.first) ? ROLE_WRONG_PATH : ROLE_PLAIN,
		          "%s %s", format_seq(p, u->t.first, seq, sizeof seq),
		          format_uop(u->s, u->t.first, inst, sizeof inst));
	else
		grid_blank(g);
}

FILL(fill_result_due, struct unit, r->t.first
	? cell_due(g, r->now, uop_why(machine_pipe(r->s->machine), r->t.first).due) : grid_blank(g))
FILL(fill_free_from, struct unit, r->taken ? cell_due(g, r->now, r->f->busy_until)
	: grid_uint_text(g, ROLE_READY, r->now, "now, %s", GROUPED(r->now)))
FILL(fill_also, struct unit, r->t.others
	? grid_uint_text(g, ROLE_NUMBER, r->t.others, "%u more", r->t.others)
	: grid_uint_text(g, ROLE_DIM, 0, "%s", ""))
FILL(fill_last_seq, struct unit, r->f->seq
	? grid_uint_text(g, ROLE_DIM, r->f->seq, "#%" PRIu64, r->f->seq) : grid_blank(g))

static const struct grid_column unit_columns[] = {
	{"unit", "unit", "", fill_unit,
	 .help = "idle; busy: executes, and can take another; taken: can't"},
	{"state", "state", "", fill_use_now, .min_width = 8, .help = AS_BEFORE},
	{"executing", "executing", "", fill_executing, FLEXIBLE,
	 .help = "the oldest instruction on each unit, + how many younger ones are in its "
		 "pipeline"},
	{"due", "result due", "cycle", fill_result_due,
	 .help = "when the result of the oldest is there"},
	{"free_from", "takes the next", "cycle", fill_free_from, .restless = true,
	 .help = "the first cycle in which it can start another"},
	{"also", "after it", "instructions", fill_also, AT_RIGHT,
	 .help = "instructions after the oldest in its pipeline"},
	{"last_seq", "last", "", fill_last_seq, .help = "the instruction it took last"},
};

static void view_fu_append_unit_row(struct grid *g, const struct session *s, unsigned pool,
                                    unsigned unit, unsigned *busy)
{
	const struct pipe *p = machine_pipe(s->machine);
	struct unit u = {.s = s, .pool = pool, .unit = unit, .now = p->st->cycle,
	                 .f = &p->st->fu[pool][unit], .t = unit_tenants(p, pool, unit)};
	u.taken = u.f->busy_until > u.now;
	*busy += u.t.first || u.taken;
	struct grid_row *row =
		grid_row(g, 1 + pool * FU_UNITS_MAX + unit, u.t.first ? ROLE_PLAIN : ROLE_DIM);
	if (u.t.first) {
		row->seq = u.t.first->seq;
		row->pc = u.t.first->pc;
		if (u.t.first->seq == s->selected_seq)
			row->role = ROLE_SELECTED;
	}
	grid_cells(g, &u);
}

/* A class of units, or the write ports of a register file. */
struct class {
	const char *name;
	char marks[FU_UNITS_MAX * 4]; /* ● can't take another, ◐ executes and can, ○ idle */
	unsigned used;
	bool full;          /* no unit can take another */
	uint64_t now, next; /* next: cycle in which one can */
	double use;         /* percent; negative: not counted */
	char oldest[512];   /* the oldest on each unit */
};

FILL(fill_units, struct class, grid_text(g, r->used ? ROLE_PLAIN : ROLE_DIM, "%s", r->name))
FILL(fill_taken, struct class, grid_text(g, r->full ? ROLE_MISS : r->used ? ROLE_RUNNING : ROLE_DIM,
	"%s", r->marks))
FILL(fill_next, struct class, r->next > r->now
	? grid_uint_text(g, ROLE_WAITING, r->next, "%" PRIu64 " left", r->next - r->now)
	: grid_uint_text(g, ROLE_READY, r->now, "now"))
FILL(fill_use, struct class, r->use >= 0
	? grid_double_text(g, ROLE_NUMBER, r->use, "%.1f%%", r->use) : grid_blank(g))
FILL(fill_oldest, struct class, grid_text(g, ROLE_PLAIN, "%s", r->oldest))

static const struct grid_column class_columns[] = {
	{"units", "units", "", fill_units, .help = "name of the class"},
	{"taken", "", "", fill_taken, .help = "the marks"},
	{"free_from", "next", "cycle", fill_next, .min_width = 7, .restless = true,
	 .help = "when the class can start another instruction"},
	{"use", "use", "percent", fill_use, AT_RIGHT,
	 .help = "the share of cycles in which its units were taken, in the whole run or a part of "
		 "it: `view fu since main`. Counted when an instruction begins, for all cycles "
		 "that it will hold the unit"},
	{"executing", "executing", "", fill_oldest, FLEXIBLE,
	 .help = "the oldest instruction on each unit, + how many younger ones are in its "
		 "pipeline"},
};

static void class_row(struct grid *g, const struct session *s, struct stats *st, unsigned pool,
                      unsigned *busy)
{
	const struct pipe *p = machine_pipe(s->machine);
	struct class c = {.name = fu_pool_name[pool], .now = p->st->cycle, .next = UINT64_MAX};
	unsigned taken = 0;
	struct grid_row *row = grid_row(g, 1 + pool, ROLE_PLAIN);
	for (unsigned unit = 0; unit < p->fu_count[pool]; unit++) {
		const struct fu_unit *f = &p->st->fu[pool][unit];
		const struct unit_tenants t = unit_tenants(p, pool, unit);
		const bool is_taken = f->busy_until > c.now;
		taken += is_taken;
		c.used += is_taken || t.first;
		c.next = f->busy_until < c.next ? f->busy_until : c.next;
		strcat(c.marks, is_taken ? "●" : t.first ? "◐" : "○");
		if (!t.first)
			continue;
		if (!row->seq) {
			row->seq = t.first->seq;
			row->pc = t.first->pc;
		}
		const size_t n = strlen(c.oldest);
		snprintf(c.oldest + n, sizeof c.oldest - n, "%s%s %s", n ? " · " : "",
		         format_seq(p, t.first, BUFFER(32)), format_uop(s, t.first, BUFFER(128)));
		if (t.others)
			snprintf(c.oldest + strlen(c.oldest), sizeof c.oldest - strlen(c.oldest),
			         " + %u", t.others);
	}
	const uint64_t could = st->counts.cycles * p->fu_count[pool];
	c.full = taken == p->fu_count[pool];
	c.use = could ? 100 * (double)*pipe_unit_cycles(&st->counts, pool) / (double)could : 0;
	grid_cells(g, &c);
	*busy += c.used;
}

/* A row for the write ports of a register file that are taken in the next cycle. */
static void port_row(struct grid *g, const struct pipe *p, unsigned file)
{
	static const char *const name[WRITE_FILES] = {"int write", "fp write"};
	const uint64_t now = p->st->cycle, limit = p->write_ports[file];
	struct class c = {.name = name[file], .now = now, .next = now, .use = -1};
	while (c.next < now + WRITE_CYCLES) {
		const struct write_slot *w = &p->writes[c.next & (WRITE_CYCLES - 1)];
		const unsigned taken = w->cycle == c.next ? w->used[file] : 0;
		if (c.next == now)
			c.used = taken;
		if (taken < limit)
			break;
		c.next++;
	}
	c.full = c.used == limit;
	for (unsigned i = 0; i < limit && i < FU_UNITS_MAX; i++)
		strcat(c.marks, i < c.used ? "●" : "○");
	grid_row(g, 1 + FU_POOL_COUNT * FU_UNITS_MAX + file, ROLE_PLAIN);
	grid_cells(g, &c);
}

static bool view_fu_build_grid(const struct session *s, const struct view_args *args,
                               struct grid *out, struct err *err)
{
	const struct pipe *p = machine_pipe(s->machine);
	struct region region;
	struct stats counted;
	unsigned units = 0, busy = 0;
	if (!region_take(s, args->argc, args->argv, &region, err))
		return false;
	const bool each = region.argc > 0;
	if (region.argc > 1 || (each && (region.given || strcmp(region.argv[0], "units") != 0)))
		return err_set(err,
		               "'%s' is not understood; expected view fu " REGION_ARGS
		               ", or view fu units for a row per unit, as it is now",
		               region.argv[region.argc - 1]);
	if (!each && !region_stats(s, &region, &counted, err))
		return false;
	if (each)
		grid_init(out, "Functional units", GRID_TABLE(unit_columns));
	else
		grid_init(out, "Functional units", GRID_TABLE(class_columns));
	for (unsigned pool = 0; pool < FU_POOL_COUNT; pool++) {
		units += p->fu_count[pool];
		if (!each && p->fu_count[pool])
			class_row(out, s, &counted, pool, &busy);
		for (unsigned unit = 0; each && unit < p->fu_count[pool]; unit++)
			view_fu_append_unit_row(out, s, pool, unit, &busy);
	}
	for (unsigned file = 0; !each && p->writes && file < WRITE_FILES; file++)
		if (p->write_ports[file] != UINT32_MAX)
			port_row(out, p, file);
	grid_summary(out, "%u/%u in use%s%s", busy, units, region.given ? "; use " : "",
	             region.given ? region.text : "");
	return true;
}

const struct view view_fu = {
	.name = "fu",
	.also = "units",
	.title = "Functional units",
	.build = view_fu_build_grid,
	.args = "[units | " REGION_ARGS "]",
	.help.about =
		"The units that execute instructions: int (integer ALUs, branches), imuldiv,\n"
		"fadd, fmuldiv, and mem (ports that compute addresses for loads and stores).\n"
		"Issue starts the oldest ready instructions on free units, at most\n"
		"pipe.issue_width of them in a cycle.\n"
		"\n"
		"A row is a class, a mark a unit of it:\n"
		"  ○ idle   ◐ executes, and can take another (pipelined)   ● can't take one\n",
	.help.tables = {{GRID_TABLE(class_columns), .indent = 14},
                        {GRID_TABLE(unit_columns), .indent = 18,
                         .before = "\n`view fu units` has a row for each unit, with the oldest "
                                   "instruction on it:\n\n"}},
	.help.hints =
		"Machines with pipe.int_writes or pipe.fp_writes have rows for the write\n"
		"ports of the registers: ● taken in the cycle to come; next: when one is free.\n"
		"With fu.div divisions have units of their own, div.\n"
		"\n"
		"Dividers and square roots hold their unit for most of their latency: a class\n"
		"that stays ● with ready instructions in `rob` is a structural bottleneck\n"
		"(statistic issue.fu_busy). Shaped by fu.*, lat.*, occ.*, pipe.fp_writes.",
};
