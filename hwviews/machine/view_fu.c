/* `view fu`: functional units, who is on them, and how much they are used. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/defs/stats_fields.h"
#include "hwviews/machine/machine_units.h"
#include "hwviews/session/marks.h"
#include "hwviews/session/view_text.h"

static const struct grid_column class_columns[] = {
	{"units", "units", "", .help = "name of the class"},
	{"taken", "", "", .help = "the marks"},
	{"free_from", "next", "cycle", .min_width = 7, .restless = true,
	 .help = "when the class can start another instruction"},
	{"use", "use", "percent", .align = ALIGN_RIGHT,
	 .help = "the part of all cycles in which its units were taken, in the whole run or a "
	         "part of it: `view fu since main`. Counted when an instruction begins, for "
	         "as long as it will hold the unit"},
	{"executing", "executing", "", .flexible = true,
	 .help = "the oldest instruction on each unit, + how many younger ones are in its "
	         "pipeline"},
};

static const struct grid_column unit_columns[] = {
	{"unit", "unit", "", .help = "idle; busy: executes, and can take another; taken: can't"},
	{"state", "state", "", .min_width = 8, .help = AS_BEFORE},
	{"executing", "executing", "", .flexible = true,
	 .help = "the oldest instruction on each unit, + how many younger ones are in its "
	         "pipeline"},
	{"due", "result due", "cycle", .help = "when the result of the oldest is there"},
	{"free_from", "takes the next", "cycle", .restless = true,
	 .help = "the first cycle in which it can start another"},
	{"also", "behind it", "instructions", .align = ALIGN_RIGHT,
	 .help = "how many are behind the oldest in its pipeline"},
	{"last_seq", "last", "", .help = "whom it took last"},
};

static void unit_row(struct grid *g, const struct session *s, unsigned pool, unsigned unit,
                     unsigned *busy)
{
	const struct pipe *p = machine_pipe(s->machine);
	const struct fu_unit *f = &p->st->fu[pool][unit];
	uint64_t now = p->st->cycle;
	struct unit_tenants t = unit_tenants(p, pool, unit);
	bool taken = f->busy_until > now;
	char inst[128], seq[32], cycle[32];
	*busy += t.first || taken;
	struct grid_row *row =
		grid_row(g, 1 + pool * FU_UNITS_MAX + unit, t.first ? ROLE_PLAIN : ROLE_DIM);
	grid_text(g, ROLE_PLAIN, "%s %u", fu_pool_name[pool], unit);
	grid_text(g, taken ? ROLE_WAITING : t.first ? ROLE_RUNNING : ROLE_DIM, "%s",
	          taken ? "taken" : t.first ? "busy" : "idle");
	if (t.first) {
		row->seq = t.first->seq;
		row->pc = t.first->pc;
		if (t.first->seq == s->selected_seq)
			row->role = ROLE_SELECTED;
		grid_text(g, uop_on_wrong_path(p, t.first) ? ROLE_WRONG_PATH : ROLE_PLAIN, "%s %s",
		          format_seq(p, t.first, seq, sizeof seq),
		          format_uop(s, t.first, inst, sizeof inst));
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

/* A mark for each unit of a class: ● can't take another, ◐ executes and can, ○ idle. */
static void class_row(struct grid *g, const struct session *s, struct stats *st, unsigned pool,
                      unsigned *busy)
{
	const struct pipe *p = machine_pipe(s->machine);
	const uint64_t now = p->st->cycle;
	char marks[FU_UNITS_MAX * 4] = "", who[512] = "", inst[128], seq[32];
	uint64_t first = UINT64_MAX;
	unsigned taken = 0, used = 0;
	struct grid_row *row = grid_row(g, 1 + pool, ROLE_PLAIN);
	for (unsigned unit = 0; unit < p->fu_count[pool]; unit++) {
		const struct fu_unit *f = &p->st->fu[pool][unit];
		const struct unit_tenants t = unit_tenants(p, pool, unit);
		const bool is_taken = f->busy_until > now;
		taken += is_taken;
		used += is_taken || t.first;
		first = f->busy_until < first ? f->busy_until : first;
		strcat(marks, is_taken ? "●" : t.first ? "◐" : "○");
		if (!t.first)
			continue;
		if (!row->seq) {
			row->seq = t.first->seq;
			row->pc = t.first->pc;
		}
		const size_t n = strlen(who);
		snprintf(who + n, sizeof who - n, "%s%s %s", n ? " · " : "",
		         format_seq(p, t.first, seq, sizeof seq),
		         format_uop(s, t.first, inst, sizeof inst));
		if (t.others)
			snprintf(who + strlen(who), sizeof who - strlen(who), " + %u", t.others);
	}
	const bool all = taken == p->fu_count[pool];
	grid_text(g, used ? ROLE_PLAIN : ROLE_DIM, "%s", fu_pool_name[pool]);
	grid_text(g, all ? ROLE_MISS : used ? ROLE_RUNNING : ROLE_DIM, "%s", marks);
	if (all)
		grid_uint_text(g, ROLE_WAITING, first, "%" PRIu64 " left", first - now);
	else
		grid_uint_text(g, ROLE_READY, now, "now");
	const uint64_t could = st->counts.cycles * p->fu_count[pool];
	const double use =
		could ? 100 * (double)*pipe_unit_cycles(&st->counts, pool) / (double)could : 0;
	grid_double_text(g, ROLE_NUMBER, use, "%.1f%%", use);
	grid_text(g, ROLE_PLAIN, "%s", who);
	*busy += used;
}

/* Write ports of a register file that are taken in the cycle to come. */
static void port_row(struct grid *g, const struct pipe *p, unsigned file)
{
	static const char *const name[WRITE_FILES] = {"int write", "fp write"};
	const uint64_t now = p->st->cycle, limit = p->write_ports[file];
	char marks[FU_UNITS_MAX * 4] = "";
	uint64_t next = now;
	unsigned used = 0;
	while (next < now + WRITE_CYCLES) {
		const struct write_slot *w = &p->writes[next & (WRITE_CYCLES - 1)];
		const unsigned taken = w->cycle == next ? w->used[file] : 0;
		if (next == now)
			used = taken;
		if (taken < limit)
			break;
		next++;
	}
	for (unsigned i = 0; i < limit && i < FU_UNITS_MAX; i++)
		strcat(marks, i < used ? "●" : "○");
	grid_row(g, 1 + FU_POOL_COUNT * FU_UNITS_MAX + file, ROLE_PLAIN);
	grid_text(g, used ? ROLE_PLAIN : ROLE_DIM, "%s", name[file]);
	grid_text(g, used == limit ? ROLE_MISS : used ? ROLE_RUNNING : ROLE_DIM, "%s", marks);
	if (next > now)
		grid_uint_text(g, ROLE_WAITING, next, "%" PRIu64 " left", next - now);
	else
		grid_uint_text(g, ROLE_READY, now, "now");
	grid_blank(g);
	grid_blank(g);
}

static bool build(const struct session *s, const struct view_args *args, struct grid *out,
                  struct err *err)
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
		               "'%s'? right: view fu " REGION_ARGS
		               ", or view fu units for a row per unit, as it is now",
		               region.argv[region.argc - 1]);
	if (!each && !region_stats(s, &region, &counted, err))
		return false;
	if (each)
		grid_init(out, "Functional units", unit_columns,
		          sizeof unit_columns / sizeof *unit_columns);
	else
		grid_init(out, "Functional units", class_columns,
		          sizeof class_columns / sizeof *class_columns);
	for (unsigned pool = 0; pool < FU_POOL_COUNT; pool++) {
		units += p->fu_count[pool];
		if (!each && p->fu_count[pool])
			class_row(out, s, &counted, pool, &busy);
		for (unsigned unit = 0; each && unit < p->fu_count[pool]; unit++)
			unit_row(out, s, pool, unit, &busy);
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
		"\n"
		"Machines with pipe.int_writes or pipe.fp_writes have rows for the write\n"
		"ports of the registers: ● taken in the cycle to come; next: when one is free.\n"
		"With fu.div divisions have units of their own, div.\n"
		"\n"
		"Dividers and square roots hold their unit for most of their latency: a class\n"
		"that stays ● with ready instructions in `rob` is a structural bottleneck\n"
		"(statistic issue.fu_busy). Shaped by fu.*, lat.*, occ.*, pipe.fp_writes.",
	.build = build,
};
