/* `view replay`: loads with replay traps, and the access that each load conflicted with. */
#include <inttypes.h>
#include <stdlib.h>

#include "hwviews/oracle/oracle_rows.h"
#include "hwviews/program/code_lines.h"
#include "hwviews/values/value_rows.h"
#include "hwviews/values/vsample_rows.h"

enum { ROWS = 20, BAR = 8, GLYPH = 3, LATEST = 4 };

/* Panes narrower than this have no column of instructions. */
enum { NARROW = 90, ESSENTIAL = 7 };

struct pane {
	struct grid *g;
	const struct session *s;
	const struct pipe *p;
	bool narrow;
	const struct hotlists *lists; /* NULL: the module vreplay is off */
	unsigned kind;                /* kind of its values */
};

/* True if replayed in the cycle just done. */
static bool view_replay_uop_just_replayed(const struct pipe *p, const struct uop *u)
{
	return uop_was_replayed(u) && u->when.end + 1 == p->st->cycle;
}

static bool view_replay_uop_matches_pair(const struct pane *v, const struct uop *u, uint64_t pc,
                                         uint64_t partner, unsigned trap)
{
	return view_replay_uop_just_replayed(v->p, u) && u->pc == pc && u->mem.replay == trap &&
	       uop_partner_pc(u) == partner;
}

/* The load that this pair's trap replayed in the cycle just done, or NULL. */
static const struct uop *trapped_now(const struct pane *v, uint64_t pc, uint64_t partner,
                                     unsigned trap)
{
	for (uint32_t i = 0; i < v->p->pool_size; i++)
		if (view_replay_uop_matches_pair(v, &v->p->pool[i], pc, partner, trap))
			return &v->p->pool[i];
	return NULL;
}

/* ---- results of the module vreplay ---- */
static void find_vreplay(struct pane *v)
{
	struct err none;
	const struct value_daemon *d = v->s->launch.values;
	const int kind = d ? value_daemon_kind(d, "vreplay", &none) : -1;
	if (kind < 0)
		return;
	v->kind = (unsigned)kind;
	v->lists = value_daemon_main(d);
}

/* The pair's share of the load's list, 0 to 1; 0: never recorded. */
static double view_replay_hotlist_pair_share(const struct pane *v, uint64_t pc, uint64_t partner,
                                             unsigned trap)
{
	struct hot_estimate top[HOTLIST_MAX];
	const uint32_t i = v->lists ? hotlists_find(v->lists, value_place(v->s, pc), v->kind)
	                            : UINT32_MAX;
	const unsigned n = i != UINT32_MAX ? hotlists_top(v->lists, i, top, HOTLIST_MAX) : 0;
	for (unsigned k = 0; k < n; k++)
		if (top[k].value == (partner << 2 | trap))
			return top[k].estimate / (double)hotlists_info(v->lists, i).seen;
	return 0;
}

/* A load, and the conflicting access. */
struct row {
	const struct pane *v;
	uint64_t pc, partner; /* partner 0: no instruction */
	unsigned trap;
	bool now; /* replayed in the cycle just done */
	/* the oracle's entry, and the number of traps; NULL: the row is one of the latest traps,
	 * which left at `end` */
	const struct oracle_entry *e;
	uint64_t all, seq, end;
};

FILL(fill_mark, struct row, grid_text(g, r->now ? ROLE_CURRENT : ROLE_DIM, "%s", r->now ? "◆" : ""))
FILL(fill_times, struct row, r->e ? grid_uint(g, ROLE_NUMBER, r->e->count)
	: grid_uint_text(g, ROLE_DIM, r->seq, "#%" PRIu64, r->seq))

static void view_replay_fill_share(struct grid *g, const void *row)
{
	const struct row *r = row;
	const double share = r->e && r->all ? (double)r->e->count / (double)r->all : 0;
	char bar[BAR * GLYPH + 1];
	if (r->e)
		grid_double_text(g, share > 0.3 ? ROLE_HOT : ROLE_PLAIN, 100 * share, "%s %5.1f",
		                 share_bar(share, BAR, bar, sizeof bar), 100 * share);
	else
		grid_text(g, ROLE_DIM, "cycle %" PRIu64, r->end);
}

FILL(fill_type, struct row, grid_text(g, ROLE_MISS, "%s", r->trap < REPLAY_COUNT
	? replay_name[r->trap] : "?"))

static void cell_inst_at(struct grid *g, const struct session *s, uint64_t pc)
{
	struct code c;
	char text[128];
	if (pc && code_at(s, pc, &c))
		grid_text(g, ROLE_PLAIN, "%s", code_text(s, &c, text, sizeof text));
	else
		grid_blank(g);
}

FILL(fill_load, struct row, cell_addr(g, r->v->s, ROLE_ADDRESS, r->pc))
FILL(fill_instruction, struct row, cell_inst_at(g, r->v->s, r->pc))
FILL(fill_partner, struct row, r->partner ? cell_addr(g, r->v->s, ROLE_ADDRESS, r->partner)
	: grid_text(g, ROLE_DIM, "no instruction"))
FILL(fill_partner_instruction, struct row, cell_inst_at(g, r->v->s, r->partner))

static void fill_vreplay(struct grid *g, const void *row)
{
	const struct row *r = row;
	const double share =
		r->e ? view_replay_hotlist_pair_share(r->v, r->pc, r->partner, r->trap) : 0;
	if (!r->v->lists || !r->e)
		grid_blank(g);
	else if (share > 0)
		grid_double(g, ROLE_HIT, 100 * (share < 1 ? share : 1), 1);
	else
		grid_text(g, ROLE_DIM, "not yet");
}

FILL(fill_squashed, struct row, r->e
	? grid_double(g, ROLE_DIM, (double)r->e->more[0] / (double)r->e->count, 1) : grid_blank(g))

static const struct grid_column columns[] = {
	{"mark", "", "", fill_mark, .min_width = 1, .restless = true},
	{"times", "times", "", fill_times, AT_RIGHT, .help = "traps of this pair; of all traps"},
	{"share", "share", "percent", view_replay_fill_share, .restless = true, .help = AS_BEFORE},
	{"type", "type", "", fill_type, .help = "order, size or synonym"},
	{"load", "load", "", fill_load, FLEXIBLE,
	 .help = "the two accesses; no instruction: a line without a known access"},
	{"instruction", "instruction", "", fill_instruction, FLEXIBLE,
         .help = "as assembly, of both"},
	{"partner", "conflicts with", "", fill_partner, FLEXIBLE,
	 .help = "the two accesses; no instruction: a line without a known access"},
	{"partner_instruction", "instruction", "", fill_partner_instruction, FLEXIBLE,
         .help = "as assembly, of both"},
	{"vreplay", "vreplay", "percent of the pairs of this load", fill_vreplay, AT_RIGHT,
	 .help = "by --values vreplay: share of this pair in the samples of this load"},
	{"squashed", "squashed", "instructions a trap", fill_squashed, AT_RIGHT, .restless = true,
	 .help = "instructions squashed each time"},
};

/* ---- all traps, counted by the oracle ---- */
static void pair_row(const struct pane *v, const struct oracle_entry *e, uint64_t all)
{
	struct row r = {.v = v, .pc = e->key[0],
	                .partner = e->key[1] & ((UINT64_C(1) << ORACLE_TRAP_SHIFT) - 1),
	                .trap = (unsigned)(e->key[1] >> ORACLE_TRAP_SHIFT), .e = e, .all = all};
	const struct uop *now = trapped_now(v, r.pc, r.partner, r.trap);
	r.now = now != NULL;
	struct grid_row *row =
		grid_row(v->g, e->key[0] * 31 + e->key[1], now ? ROLE_CURRENT : ROLE_PLAIN);
	row->seq = now ? now->seq : 0;
	row->pc = r.pc;
	grid_cells(v->g, &r);
}

static bool view_replay_append_pair_rows(const struct pane *v, const struct oracle *o,
                                         const struct view_args *args, struct err *err)
{
	const struct view_args some = {
		.argc = args->argc, .argv = args->argv, .rows = args->rows ? args->rows : ROWS};
	uint64_t limit;
	uint32_t n;
	if (!oracle_row_limit(&some, 0, oracle_entries(o, ORACLE_REPLAYS), &limit, err))
		return false;
	struct ranked *r = oracle_rank(o, ORACLE_REPLAYS, &n, err);
	if (!r)
		return false;
	uint64_t all = 0;
	for (uint32_t i = 0; i < n; i++)
		all += r[i].count;
	for (uint32_t i = 0; i < limit; i++)
		pair_row(v, r[i].e, all);
	free(r);
	return true;
}

/* ---- without an oracle: those still in the pool, newest first ---- */
static void latest_rows(const struct pane *v)
{
	uint64_t before = UINT64_MAX;
	for (unsigned k = 0; k < LATEST; k++) {
		const struct uop *newest = NULL;
		for (uint32_t i = 0; i < v->p->pool_size; i++) {
			const struct uop *u = &v->p->pool[i];
			if (uop_was_replayed(u) && u->seq < before &&
			    (!newest || u->seq > newest->seq))
				newest = u;
		}
		if (!newest)
			return;
		before = newest->seq;
		const bool now = view_replay_uop_just_replayed(v->p, newest);
		struct grid_row *row =
			grid_row(v->g, newest->seq, now ? ROLE_CURRENT : ROLE_PLAIN);
		row->seq = newest->seq;
		row->pc = newest->pc;
		grid_cells(v->g, &(struct row){.v = v, .pc = newest->pc,
		                               .partner = uop_partner_pc(newest),
		                               .trap = newest->mem.replay, .now = now,
		                               .seq = newest->seq, .end = newest->when.end});
	}
}

static bool view_replay_build_grid(const struct session *s, const struct view_args *args,
                                   struct grid *out, struct err *err)
{
	const struct pipe *p = machine_pipe(s->machine);
	const struct stats *stats = machine_stats(s->machine);
	const struct config *cfg = machine_config(s->machine);
	const struct oracle *o = session_oracle(s);
	const bool counted = o && oracle_has(o, ORACLE_REPLAYS),
		   taken = CONFIG(cfg, lsq_speculate) || CONFIG(cfg, lsq_replay_size) ||
	                   CONFIG(cfg, lsq_replay_synonym);
	struct pane v = {
		.g = out, .s = s, .p = p, .narrow = args->columns && args->columns < NARROW};
	if (!counted && !arg_count(args, 0, "replay (without an oracle)", err))
		return false;
	find_vreplay(&v);
	grid_init(out, "Replay traps", GRID_TABLE(columns));
	if (v.narrow)
		grid_keep_columns(out, "mark times type load partner");
	out->essential = ESSENTIAL;
	grid_summary(out, "%s order, %s size, %s synonym; %s instructions squashed%s",
	             GROUPED(STAT(stats, order_violations)), GROUPED(STAT(stats, size_replays)),
	             GROUPED(STAT(stats, synonym_replays)), GROUPED(STAT(stats, replay_squashed)),
	             counted || !taken ? "" : "; oracle.replays=true counts pairs");
	if (taken)
		grid_empty(out, "no load was replayed yet");
	else
		grid_empty(out, "this machine takes none: --config burrows2000 does, or "
		                "lsq.speculate, lsq.replay_size, lsq.replay_synonym");
	if (!counted) {
		latest_rows(&v);
		return true;
	}
	if (view_replay_append_pair_rows(&v, o, args, err))
		return true;
	grid_deinit(out);
	return false;
}

const struct view view_replay = {
	.name = "replay",
	.title = "Replay traps",
	.args = "[ROWS|all]",
	.build = view_replay_build_grid,
	.help.about =
		"Loads that the load/store queue squashed and fetched again, with all that\n"
		"follows: the 21264's replay traps, as Burrows and his co-authors describe\n"
		"them. Each has a partner, the access that it conflicts with.\n"
		"\n"
		"  order    the load passed an older store that turned out to write\n"
		"           its bytes (lsq.speculate)\n"
		"  size     an older store in the queue has only some of its bytes; again and\n"
		"           again until that has reached the cache (lsq.replay_size)\n"
		"  synonym  it would miss while another line of the same index is on its way\n"
		"           (lsq.replay_synonym)\n"
		"\n"
		"  ◆                   replayed in this cycle\n",
	.help.tables = {{GRID_TABLE(columns), .indent = 22}},
	.help.hints =
		"The pairs are exact, counted by the oracle\n"
		"(oracle.enable=true, oracle.replays=true) and unknown to hardware: ProfileMe\n"
		"names the load alone, and vreplay looks for its partner. Without an oracle\n"
		"the latest are shown, as far as the machine still has them. ◆ marks what was\n"
		"replayed in this cycle: `why` on it names its partner, and\n"
		"`catch replay if type == \"size\"` stops on it.\n"
		"Sums stand above; `stats lsq` has more.",
};
