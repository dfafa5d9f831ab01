/* `view history`: the snapshots that going back can start from. */
#include <stdio.h>

#include "hwviews/grid/setmap.h"
#include "hwviews/session/view_text.h"

/* A cycle with a snapshot. */
struct place {
	uint64_t cycle, now, before; /* before: cycle of the row above; UINT64_MAX: none */
	const char *what;
};

FILL(fill_mark, struct place, grid_text(g, ROLE_CURRENT, "%s", r->cycle == r->now ? "▶" : ""))

static void fill_away(struct grid *g, const void *row)
{
	const struct place *p = row;
	const bool ahead = p->cycle > p->now;
	const uint64_t away = ahead ? p->cycle - p->now : p->now - p->cycle;
	if (away)
		grid_uint_text(g, ROLE_DIM, away, "%s %s", GROUPED(away), ahead ? "ahead" : "ago");
	else
		grid_uint_text(g, ROLE_CURRENT, 0, "here");
}

FILL(fill_gap, struct place, r->before == UINT64_MAX ? grid_blank(g)
	: grid_uint(g, ROLE_DIM, r->cycle - r->before))

static const struct grid_column columns[] = {
	{"mark", "", "", fill_mark, .min_width = 1},
	{"cycle", "cycle", "cycle", fill_uint, .of = offsetof(struct place, cycle), AT_RIGHT,
	 .help = "the place, and its kind"},
	{"what", "what", "", fill_text, .of = offsetof(struct place, what), FLEXIBLE,
	 .help = AS_BEFORE},
	{"away", "from here", "cycles", fill_away, AT_RIGHT, .restless = true,
	 .help = "distance in cycles"},
	{"gap", "since the one before", "cycles", fill_gap, AT_RIGHT,
	 .help = "cycles executed again, at most, to reach a cycle before this snapshot"},
};

static void place_row(struct grid *g, uint64_t key, const struct place *p)
{
	grid_row(g, key, p->cycle == p->now ? ROLE_CURRENT : ROLE_PLAIN);
	grid_cells(g, p);
}

static void history_rows(struct grid *g, const struct session *s, const struct run_history *h)
{
	uint64_t now = machine_cycle(s->machine), before = UINT64_MAX;
	bool here = false;
	for (unsigned i = 0;; i++) {
		uint64_t cycle = run_snapshot_cycle(s->run, i);
		if (!here && cycle > now) {
			if (h->newest_cycle != now) {
				g->focus_row = g->row_count;
				place_row(g, UINT64_MAX,
				          &(struct place){now, now, before, "where we are"});
				before = now;
			}
			here = true;
		}
		if (cycle == UINT64_MAX)
			break;
		if (cycle == now) {
			here = true;
			g->focus_row = g->row_count;
		}
		place_row(g, 1 + cycle,
		          &(struct place){cycle, now, before,
		                          i ? "snapshot" : "snapshot: the beginning"});
		before = cycle;
	}
	if (before != h->newest_cycle) {
		if (h->newest_cycle == now)
			g->focus_row = g->row_count;
		place_row(g, UINT64_MAX - 1,
		          &(struct place){h->newest_cycle, now, before, "the newest cycle"});
	}
}

static bool view_history_build_grid(const struct session *s, const struct view_args *args,
                                    struct grid *out, struct err *err)
{
	struct run_history h;
	char bytes[32], first[32], newest[32];
	if (!arg_count(args, 0, "history", err))
		return false;
	grid_init(out, "History", GRID_TABLE(columns));
	grid_empty(out, "no history is kept: reverse commands are off");
	if (!s->run)
		return true;
	run_history(s->run, &h);
	if (!h.snapshots)
		return true;
	snprintf(bytes, sizeof bytes, "%.1f MiB", (double)h.bytes / (1 << 20));
	group_digits(h.first_cycle, first);
	group_digits(h.newest_cycle, newest);
	if (h.changes)
		grid_summary(out, "%u snapshot%s, %s, cycles %s to %s, %s change%s by hand",
		             h.snapshots, h.snapshots == 1 ? "" : "s", bytes, first, newest,
		             GROUPED(h.changes), h.changes == 1 ? "" : "s");
	else
		grid_summary(out, "%u snapshot%s, %s, cycles %s to %s", h.snapshots,
		             h.snapshots == 1 ? "" : "s", bytes, first, newest);
	history_rows(out, s, &h);
	return true;
}

const struct view view_history = {
	.name = "history",
	.title = "History",
	.args = "",
	.build = view_history_build_grid,
	.help.about =
		"Snapshots for going back. Going back means restoring the latest\n"
		"snapshot before the place and executing again up to it, which gives exactly\n"
		"the same machine; so any cycle between the first and the newest can be\n"
		"reached.\n"
		"\n"
		"  ▶           the present; the rows below lie ahead and will be replayed\n",
	.help.tables = {{GRID_TABLE(columns), .indent = 14}},
	.help.hints =
		"Changes by hand (`set`) and by hooks are a part of it and counted alike: going\n"
		"over one makes it again.\n"
		"\n"
		"Snapshots thin out with age, until the way from one to the next takes some 40\n"
		"milliseconds; farther if their memory, 432 MiB beside the program's own\n"
		"memory, does not suffice. Around visited places they are\n"
		"closer together. `info history` shows the cost of the newest: where a program\n"
		"writes to most of its memory, each needs much copying, and they are\n"
		"farther apart.",
};
