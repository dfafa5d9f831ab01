/* `view btb`: the branch target buffer. */
#include <inttypes.h>

#include "hwviews/grid/setmap.h"

static const struct grid_column columns[] = {
	{"way", "way", "", ALIGN_RIGHT, 0, false, false},
	{"branch", "branch at", "", ALIGN_LEFT, 0, true, false},
	{"target", "target", "", ALIGN_LEFT, 0, true, false},
	{"order", "order of use", "", ALIGN_LEFT, 0, false, false},
	{"address", "address", "", ALIGN_LEFT, 0, false, false},
};

static const struct btb_entry *entry_at(const struct setmap *map, uint32_t set, uint32_t way)
{
	const struct bpred *b = map->ctx;
	return &b->btb[(size_t)set * b->btb_ways + way];
}

static struct set_entry entry(const struct setmap *map, uint32_t set, uint32_t way)
{
	const struct btb_entry *e = entry_at(map, set, way);
	return (struct set_entry){.valid = e->tag != 0, .used = e->used, .addr = e->tag << 1};
}

static uint32_t set_of(const struct setmap *map, uint64_t pc)
{
	const struct bpred *b = map->ctx;
	return (uint32_t)bpred_index(b, pc) & b->btb_mask;
}

static void way_row(struct grid *g, const struct setmap *map, const struct session *s,
                    const struct set_choice *choice, uint32_t way)
{
	const struct btb_entry *e = entry_at(map, choice->set, way);
	uint64_t pc = e->tag << 1;
	char buf[32];
	bool hit = e->tag && choice->by_address && choice->addr == pc;
	struct grid_row *row = grid_row(g, 1 + (uint64_t)choice->set * map->ways + way,
	                                hit ? ROLE_HIT : e->tag ? ROLE_PLAIN : ROLE_DIM);
	grid_uint(g, ROLE_DIM, way);
	if (!e->tag) {
		grid_text(g, ROLE_DIM, "empty");
		return;
	}
	row->pc = pc;
	cell_addr(g, s, ROLE_ADDRESS, pc);
	cell_addr(g, s, ROLE_ADDRESS, e->target);
	grid_text(g, ROLE_DIM, "%s", setmap_rank(map, choice->set, way, buf, sizeof buf));
	grid_hex(g, ROLE_DIM, pc);
}

static bool build(const struct session *s, const struct view_args *args, struct grid *out,
                  struct err *err)
{
	const struct bpred *b = &machine_pipe(s->machine)->bpred;
	const struct stats *st = machine_stats(s->machine);
	struct setmap map = {.name = "btb",
	                     .sets = b->btb_ways ? b->btb_mask + 1 : 0,
	                     .ways = b->btb_ways,
	                     .clock = b->st->btb_clock,
	                     .ctx = b,
	                     .entry = entry,
	                     .set_of = set_of};
	struct set_choice choice;
	char where[96], hits[32], lookups[32];
	if (!map.sets) {
		grid_init(out, "Branch target buffer", columns, sizeof columns / sizeof *columns);
		grid_empty(out, "this machine has none (%s)",
		           b->kind == BPRED_PERFECT ? "bpred.kind = perfect" : "btb.sets = 0");
		return true;
	}
	if (!setmap_choose(&map, s, args, &choice, err))
		return false;
	if (choice.map) {
		uint32_t dirty,
			valid = setmap_build(out, "Branch target buffer", &map, s, args, &dirty);
		double rate = STAT(st, btb_lookups) ? 100.0 * (double)STAT(st, btb_hits) /
		                                              (double)STAT(st, btb_lookups)
		                                    : 0;
		grid_summary(out, "%.1f%% hits (%s of %s); %u sets, %u-way; %u/%u valid", rate,
		             group_digits(STAT(st, btb_hits), hits),
		             group_digits(STAT(st, btb_lookups), lookups), map.sets, map.ways,
		             valid, map.sets * map.ways);
		return true;
	}
	grid_init(out, "Branch target buffer", columns, sizeof columns / sizeof *columns);
	if (choice.by_address)
		grid_summary(out, "set %u of %u, where %s lives", choice.set, map.sets,
		             format_addr(s, choice.addr, where, sizeof where));
	else
		grid_summary(out, "set %u of %u", choice.set, map.sets);
	for (uint32_t way = 0; way < map.ways; way++)
		way_row(out, &map, s, &choice, way);
	return true;
}

const struct view view_btb = {
	.name = "btb",
	.title = "Branch target buffer",
	.args = "[SET | ADDRESS]",
	.help = "Where taken branches and jumps went last time. Fetch looks here for the target\n"
		"of what it predicts as taken, before the instruction has been decoded; returns\n"
		"use the return stack (`ras`) instead.\n"
		"\n"
		"Without an argument a map: one character stands for one or more sets.\n"
		"  ·  empty    ░  some ways valid    ▒  all ways valid    █  used recently\n"
		"  sets, map      which sets a row has, and their characters\n"
		"  valid, dirty   entries of these sets in use; there are no modified ones\n"
		"  used last      the newest of them\n"
		"\n"
		"With a set number, or the address or symbol of a branch, the ways of that set:\n"
		"  branch at    whose target it is; marked if it is the one asked for\n"
		"  target       where fetch goes after it\n"
		"  order of use  place in the set: the oldest is replaced first\n"
		"  way          place in the set\n"
		"  address      of the branch, as a number\n"
		"\n"
		"A taken branch that is not here costs a redirect from decode; an indirect jump\n"
		"whose target changes is mispredicted although it hits: see `rob`.\n"
		"Shaped by btb.sets, btb.ways.",
	.build = build,
};
