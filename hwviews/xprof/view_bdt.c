/* `view bdt`: the block descriptor table. */
#include <stdio.h>

#include "core/pipe/plugin.h"
#include "core/pipe/xprof/xprof.h"
#include "hwviews/grid/setmap.h"
#include "hwviews/program/code_lines.h"

enum { ESSENTIAL = 8 };

static const struct bdt_entry *view_bdt_entry_at(const struct setmap *map, uint32_t set,
                                                 uint32_t way)
{
	const struct bdt *t = map->ctx;
	return &t->entry[(size_t)set * t->ways + way];
}

static uint32_t view_bdt_set_index(const struct setmap *map, uint64_t addr)
{
	return bdt_set(map->ctx, addr);
}

/* True if the block's flag is predicted to be on: by its bit, or by a plug-in. */
static bool predicts_on(const struct session *s, const struct bdt_entry *e)
{
	const struct xprof *x = &machine_pipe(s->machine)->xprof;
	struct code c;
	if (!x->plugins)
		return e->on;
	const struct plugin_flag f =
		xprof_asked(x, e->leader, code_at(s, e->leader, &c) ? c.type : 0, e);
	return plugins_peek_flag(x->plugins, &f);
}

/* True if fetch has skipped the block of e in the cycle just done. */
static bool skipped_now(const struct pipe *p, const struct bdt_entry *e)
{
	for (uint32_t i = 0; i < p->st->fetchq_count; i++) {
		const struct uop *u = pipe_fetchq_at(p, i);
		if (u->pc == e->leader && (u->flags & UF_SKIPS) &&
		    u->when.fetch + 1 == p->st->cycle)
			return true;
	}
	return false;
}

struct row {
	const struct session *s;
	const struct bdt_entry *e;
	uint32_t set, way;
	bool now; /* used in the cycle just done */
};

FILL(fill_mark, struct row, grid_text(g, ROLE_CURRENT, "%s", !r->now ? ""
	: skipped_now(machine_pipe(r->s->machine), r->e) ? "▶" : "◆"))
FILL(fill_set, struct row, grid_uint(g, ROLE_DIM, r->set))
FILL(fill_way, struct row, grid_uint(g, ROLE_DIM, r->way))
FILL(fill_leader, struct row, r->e->leader ? cell_addr(g, r->s, ROLE_ADDRESS, r->e->leader)
	: grid_text(g, ROLE_DIM, "empty"))
FILL(fill_follow, struct row, grid_hex_text(g, r->e->locked ? ROLE_LOCKED : ROLE_ADDRESS,
	r->e->follow, "%s%s", format_addr(r->s, r->e->follow, BUFFER(96)), r->e->locked ? "…" : ""))

/* The action of fetch when it next meets the leader. */
static void fill_fetch(struct grid *g, const void *row)
{
	const struct row *r = row;
	const struct bdt_entry *e = r->e;
	if (e->locked)
		grid_text(g, ROLE_LOCKED, "learning");
	else if (predicts_on(r->s, e))
		grid_text(g, ROLE_PLAIN, "fetches");
	else if (e->count < machine_pipe(r->s->machine)->xprof.bdt.least)
		grid_text(g, ROLE_DIM, "too short");
	else
		grid_uint_text(g, ROLE_DROPPED, e->count - 1, "skips %u", e->count - 1);
}

FILL(fill_predicts, struct row, const bool on = predicts_on(r->s, r->e);
	grid_text(g, on ? ROLE_PROFILE : ROLE_DIM, "%s", on ? "● on" : "○ off"))
FILL(fill_insts, struct row, grid_uint(g, ROLE_NUMBER, r->e->count))
FILL(fill_lock, struct row, grid_text(g, ROLE_LOCKED, "%s", r->e->locked ? "■ locked" : ""))
FILL(fill_used, struct row, cell_since(g, machine_cycle(r->s->machine), r->e->touched))
FILL(fill_bytes, struct row, grid_uint(g, ROLE_DIM, r->e->follow - r->e->leader))
FILL(fill_address, struct row, grid_hex(g, ROLE_DIM, r->e->leader))

static const struct grid_column columns[] = {
	{"mark", "", "", fill_mark, .min_width = 1},
	{"set", "set", "", fill_set, AT_RIGHT, .help = "the entry's place in the table"},
	{"way", "way", "", fill_way, AT_RIGHT, .help = AS_BEFORE},
	{"leader", "leader", "", fill_leader, FLEXIBLE,
	 .help = "first instruction of the block; address: the same as a number"},
	{"follow", "follow", "", fill_follow, FLEXIBLE,
	 .help = "where fetch resumes; with … as far as is known yet"},
	{"fetch", "fetch", "", fill_fetch,
	 .help = "fetch's action after the leader: skips so many instructions, fetches them, also "
		 "because they are too few to pay, or still learns their number"},
	{"predicts", "flag", "", fill_predicts,
	 .help = "prediction bit: the flag when decode last met the block; with a plug-in (`help "
		 "plugins`) its prediction for the block now"},
	{"insts", "insts", "instructions", fill_insts, AT_RIGHT,
	 .help = "length of the block in instructions, as far as is known"},
	{"lock", "lock", "", fill_lock,
	 .help = "■ fetch may not use it: until decode meets the leader again, the block may be "
	         "longer than was seen"},
	{"used", "used", "cycle", fill_used, .restless = true,
	 .help = "last use by fetch or decode"},
	{"bytes", "bytes", "bytes", fill_bytes, AT_RIGHT, .help = "the same in bytes"},
	{"address", "address", "", fill_address, .help = "of the leader"},
};

static void view_bdt_append_way_row(struct grid *g, const struct setmap *map,
                                    const struct session *s, const struct set_choice *choice,
                                    uint32_t set, uint32_t way)
{
	const struct bdt_entry *e = view_bdt_entry_at(map, set, way);
	const struct row r = {
		s, e, set, way, e->leader && e->touched + 1 == machine_cycle(s->machine)};
	const bool asked = e->leader && choice->by_address && choice->addr == e->leader;
	struct grid_row *row = grid_row(g, 1 + (uint64_t)set * map->ways + way,
	                                asked ? ROLE_HIT : e->leader ? ROLE_PLAIN : ROLE_DIM);
	row->pc = e->leader;
	if (e->leader) {
		grid_cells(g, &r);
	} else {
		fill_mark(g, &r);
		fill_set(g, &r);
		fill_way(g, &r);
		fill_leader(g, &r);
	}
}

static bool set_is_empty(const struct setmap *map, uint32_t set)
{
	for (uint32_t way = 0; way < map->ways; way++)
		if (view_bdt_entry_at(map, set, way)->leader)
			return false;
	return true;
}

static void set_rows(struct grid *g, const struct setmap *map, const struct session *s,
                     const struct set_choice *choice, uint32_t set)
{
	for (uint32_t way = 0; way < map->ways; way++)
		if (!choice->map || view_bdt_entry_at(map, set, way)->leader)
			view_bdt_append_way_row(g, map, s, choice, set, way);
}

static void view_bdt_format_summary(struct grid *g, const struct setmap *map,
                                    const struct session *s)
{
	const struct stats *st = machine_stats(s->machine);
	uint32_t valid = 0, locked = 0;
	for (uint32_t set = 0; set < map->sets; set++)
		for (uint32_t way = 0; way < map->ways; way++) {
			const struct bdt_entry *e = view_bdt_entry_at(map, set, way);
			valid += e->leader != 0;
			locked += e->leader && e->locked;
		}
	char held[32] = "";
	if (locked)
		snprintf(held, sizeof held, "%u locked, ", locked);
	grid_summary(g, "%u/%u  %s%s skips, %s wrong", valid, map->sets * map->ways, held,
	             GROUPED(STAT(st, xprof_skips)), GROUPED(STAT(st, xprof_flag_mispredicts)));
}

static bool view_bdt_build_grid(const struct session *s, const struct view_args *args,
                                struct grid *out, struct err *err)
{
	const struct pipe *p = machine_pipe(s->machine);
	const struct bdt *t = &p->xprof.bdt;
	const struct setmap map = {.name = "bdt",
	                           .sets = t->ways ? t->mask + 1 : 0,
	                           .ways = t->ways,
	                           .ctx = t,
	                           .set_of = view_bdt_set_index};
	struct set_choice choice;
	if (map.sets && !setmap_choose(&map, s, args, &choice, err))
		return false;
	grid_init(out, "Block descriptor table", GRID_TABLE(columns));
	grid_texts(out, "fetch");
	out->essential = ESSENTIAL;
	if (!map.sets) {
		grid_empty(out, "this machine has none (%s)",
		           p->xprof.enabled ? "bdt.sets = 0" : "xprof.enable = false");
		return true;
	}
	if (choice.map)
		view_bdt_format_summary(out, &map, s);
	else if (choice.by_address)
		grid_summary(out, "set %u of %u, where %s lives", choice.set, map.sets,
		             format_addr(s, choice.addr, BUFFER(96)));
	else
		grid_summary(out, "set %u of %u", choice.set, map.sets);
	grid_empty(out, "no block of profile instructions has been met with its flag off");
	for (uint32_t set = 0; set < map.sets; set++)
		if (choice.map ? !set_is_empty(&map, set) : set == choice.set)
			set_rows(out, &map, s, &choice, set);
	for (unsigned i = 0; i < out->row_count; i++)
		if (*out->rows[i].cells[0].text && out->focus_row == UINT32_MAX)
			out->focus_row = i;
	return true;
}

const struct view view_bdt = {
	.name = "bdt",
	.title = "Block descriptor table",
	.args = "[SET | ADDRESS]",
	.build = view_bdt_build_grid,
	.help.about =
		"The profile flag predictor: blocks of profile instructions that decode has met\n"
		"while their flag was off, so that fetch can skip them the next time. A block\n"
		"is a run of profile instructions of one type; its first is the leader, and\n"
		"the instruction after the last is its follow.\n"
		"\n"
		"Without an argument all entries, else the ways of a set, given by its number\n"
		"or by the address or symbol of a leader.\n"
		"  ▶ ◆     used in this cycle: fetch skipped the block; looked up, updated\n",
	.help.tables = {{GRID_TABLE(columns), .indent = 10}},
	.help.hints =
		"The leader itself is always fetched, and decode checks the prediction by it:\n"
		"a block that was skipped with its flag on is fetched after all.\n"
		"Many entries that come and go mean more blocks than room.\n"
		"Shaped by bdt.sets, bdt.ways, bdt.replacement, bdt.min_block,\n"
		"bdt.skip_penalty, xprof.predictor.",
};
