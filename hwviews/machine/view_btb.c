/* `view btb`: the branch target buffer. */

#include "hwviews/grid/setmap.h"

static const struct btb_entry *view_btb_entry_at(const struct setmap *map, uint32_t set,
                                                 uint32_t way)
{
	const struct bpred *b = map->ctx;
	return &b->btb[(size_t)set * b->btb_ways + way];
}

static struct set_entry view_btb_read_entry(const struct setmap *map, uint32_t set, uint32_t way)
{
	const struct btb_entry *e = view_btb_entry_at(map, set, way);
	return (struct set_entry){.valid = e->tag != 0, .used = e->used, .addr = e->tag << 1};
}

static uint32_t view_btb_set_index(const struct setmap *map, uint64_t pc)
{
	const struct bpred *b = map->ctx;
	return (uint32_t)bpred_index(b, pc) & b->btb_mask;
}

struct row {
	const struct session *s;
	const struct setmap *map;
	const struct btb_entry *e;
	uint32_t set, way;
	uint64_t pc; /* of the branch */
};

FILL(fill_way, struct row, grid_uint(g, ROLE_DIM, r->way))
FILL(fill_branch, struct row, cell_addr(g, r->s, ROLE_ADDRESS, r->pc))
FILL(fill_target, struct row, cell_addr(g, r->s, ROLE_ADDRESS, r->e->target))
FILL(fill_order, struct row,
	grid_text(g, ROLE_DIM, "%s", setmap_rank(r->map, r->set, r->way, BUFFER(32))))
FILL(fill_address, struct row, grid_hex(g, ROLE_DIM, r->pc))

static const struct grid_column columns[] = {
	{"way", "way", "", fill_way, AT_RIGHT, .help = "place in the set"},
	{"branch", "branch at", "", fill_branch, FLEXIBLE,
	 .help = "address of its branch; marked if it is the requested one"},
	{"target", "target", "", fill_target, FLEXIBLE, .help = "where fetch goes after it"},
	{"order", "order of use", "", fill_order,
	 .help = "place in the set: the oldest is replaced first"},
	{"address", "address", "", fill_address, .help = "of the branch, as a number"},
};

static void view_btb_append_way_row(struct grid *g, const struct setmap *map,
                                    const struct session *s, const struct set_choice *choice,
                                    uint32_t way)
{
	const struct btb_entry *e = view_btb_entry_at(map, choice->set, way);
	const struct row r = {s, map, e, choice->set, way, e->tag << 1};
	const bool hit = e->tag && choice->by_address && choice->addr == r.pc;
	struct grid_row *row = grid_row(g, 1 + (uint64_t)choice->set * map->ways + way,
	                                hit ? ROLE_HIT : e->tag ? ROLE_PLAIN : ROLE_DIM);
	if (e->tag) {
		row->pc = r.pc;
		grid_cells(g, &r);
	} else {
		fill_way(g, &r);
		grid_text(g, ROLE_DIM, "empty");
	}
}

static bool view_btb_build_grid(const struct session *s, const struct view_args *args,
                                struct grid *out, struct err *err)
{
	const struct bpred *b = &machine_pipe(s->machine)->bpred;
	const struct stats *st = machine_stats(s->machine);
	struct setmap map = {.name = "btb",
	                     .sets = b->btb_ways ? b->btb_mask + 1 : 0,
	                     .ways = b->btb_ways,
	                     .clock = b->st->btb_clock,
	                     .ctx = b,
	                     .clean = true,
	                     .entry = view_btb_read_entry,
	                     .set_of = view_btb_set_index};
	struct set_choice choice;
	char where[96];
	if (!map.sets) {
		grid_init(out, "Branch target buffer", GRID_TABLE(columns));
		if (b->btb_external)
			grid_empty(out, "a plug-in has the targets (btb.kind = external)");
		else
			grid_empty(out, "this machine has none (%s)",
			           b->perfect ? "bpred.kind = perfect" : "btb.sets = 0");
		return true;
	}
	if (!setmap_choose(&map, s, args, &choice, err))
		return false;
	if (choice.map) {
		const uint32_t valid =
			setmap_build(out, "Branch target buffer", &map, s, args, NULL);
		double rate = STAT(st, btb_lookups) ? 100.0 * (double)STAT(st, btb_hits) /
		                                              (double)STAT(st, btb_lookups) : 0;
		grid_summary(out, "%.1f%% hits (%s of %s); %u sets, %u-way; %u/%u valid", rate,
		             GROUPED(STAT(st, btb_hits)), GROUPED(STAT(st, btb_lookups)), map.sets,
		             map.ways, valid, map.sets * map.ways);
		return true;
	}
	grid_init(out, "Branch target buffer", GRID_TABLE(columns));
	if (choice.by_address)
		grid_summary(out, "set %u of %u, where %s lives", choice.set, map.sets,
		             format_addr(s, choice.addr, where, sizeof where));
	else
		grid_summary(out, "set %u of %u", choice.set, map.sets);
	for (uint32_t way = 0; way < map.ways; way++)
		view_btb_append_way_row(out, &map, s, &choice, way);
	return true;
}

const struct view view_btb = {
	.name = "btb",
	.title = "Branch target buffer",
	.args = "[SET | ADDRESS]",
	.build = view_btb_build_grid,
	.help.about =
		"Last targets of taken branches and jumps. Fetch looks here for the target\n"
		"of a predicted taken branch, before the instruction has been decoded; returns\n"
		"use the return stack (`ras`) instead.\n"
		"\n"
		"Without an argument a map: one character stands for one or more sets.\n"
		"  ·  empty    ░  some ways valid    ▒  all ways valid    █  used recently\n",
	.help.tables = {{GRID_TABLE(setmap_clean_columns), .indent = 15},
                        {GRID_TABLE(columns), .indent = 15,
                         .before = "\nWith a set number, or the address or symbol of a branch, the "
                                   "ways of that set:\n"}},
	.help.hints =
		"A taken branch that is not here costs a redirect from decode; an indirect jump\n"
		"whose target changes is mispredicted although it hits: see `rob`.\n"
		"Shaped by btb.sets, btb.ways.",
};
