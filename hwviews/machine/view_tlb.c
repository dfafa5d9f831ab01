/* `view tlb`: both translation buffers. */

#include "core/pipe/memory/cache.h"
#include "hwviews/grid/setmap.h"

static const struct tlb_entry *view_tlb_entry_at(const struct tlb *t, uint32_t set, uint32_t way)
{
	return &t->entries[(size_t)set * t->ways + way];
}

static struct set_entry view_tlb_read_entry(const struct setmap *map, uint32_t set, uint32_t way)
{
	const struct tlb_entry *e = view_tlb_entry_at(map->ctx, set, way);
	return (struct set_entry){.valid = e->tag != 0, .used = e->used};
}

struct row {
	const struct session *s;
	const struct setmap *map;
	const struct tlb_entry *e;
	uint32_t set, way;
	uint64_t page; /* address of its first byte */
};

FILL(fill_tlb, struct row, grid_text(g, ROLE_DIM, "%s", r->map->name))
FILL(fill_set, struct row, grid_uint(g, ROLE_DIM, r->set))
FILL(fill_way, struct row, grid_uint(g, ROLE_DIM, r->way))
FILL(fill_page, struct row, grid_hex(g, ROLE_ADDRESS, r->page))
FILL(fill_place, struct row,
	grid_text(g, ROLE_ADDRESS, "%s", format_place(r->s, r->page, BUFFER(96))))
FILL(fill_order, struct row,
	grid_text(g, ROLE_DIM, "%s", setmap_rank(r->map, r->set, r->way, BUFFER(96))))
FILL(fill_walk, struct row, const uint64_t now = machine_cycle(r->s->machine);
	cell_due(g, now, r->e->ready > now ? r->e->ready : NO_CYCLE))

/* Appends the valid entries of all sets, or of the set of *addr. Returns the number of valid
 * entries in all sets. */
static uint32_t tlb_rows(struct grid *g, const struct session *s, const struct tlb *t,
                         const char *name, const uint64_t *addr, uint64_t key)
{
	struct setmap map = {.name = name,
	                     .sets = t->sets,
	                     .ways = t->ways,
	                     .ctx = t,
	                     .entry = view_tlb_read_entry};
	uint32_t valid = 0;
	for (uint32_t set = 0; set < t->sets; set++) {
		bool wanted = !addr || set == ((uint32_t)(*addr >> t->page_log2) & t->set_mask);
		for (uint32_t way = 0; way < t->ways; way++) {
			const struct tlb_entry *e = view_tlb_entry_at(t, set, way);
			if (!e->tag)
				continue;
			valid++;
			if (!wanted)
				continue;
			grid_row(g, key + (uint64_t)set * t->ways + way, ROLE_PLAIN);
			grid_cells(g, &(struct row){s, &map, e, set, way,
			                            (e->tag - 1) << t->page_log2});
		}
	}
	return valid;
}

static double view_tlb_percent_of(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static const struct grid_column columns[] = {
	{"tlb", "tlb", "", fill_tlb, .help = "page of the translation, and place in it"},
	{"set", "set", "", fill_set, AT_RIGHT, .help = AS_BEFORE},
	{"way", "way", "", fill_way, AT_RIGHT, .help = AS_BEFORE},
	{"page", "page", "", fill_page,
	 .help = "address of its first byte; first byte names its contents"},
	{"place", "first byte", "", fill_place, FLEXIBLE, .help = "what lies there"},
	{"order", "order of use", "", fill_order,
	 .help = "place in the set: the oldest is replaced first"},
	{"walk", "walk ends", "cycle", fill_walk, FLEXIBLE,
	 .help = "for a pending translation: accesses that need it earlier wait for the same walk, "
		 "and count as misses"},
};

static bool view_tlb_build_grid(const struct session *s, const struct view_args *args,
                                struct grid *out, struct err *err)
{
	const struct hierarchy *h = &machine_pipe(s->machine)->mem;
	const struct stats *st = machine_stats(s->machine);
	uint64_t addr = 0;
	if (!arg_count(args, 1, "tlb", err) ||
	    (args->argc && !arg_address(s, args->argv[0], &addr, err)))
		return false;
	grid_init(out, "Translation buffers", GRID_TABLE(columns));
	const uint64_t *only = args->argc ? &addr : NULL;
	uint32_t code = tlb_rows(out, s, &h->itlb, "code", only, 1);
	uint32_t data = tlb_rows(out, s, &h->dtlb, "data", only, UINT64_C(1) << 32);
	grid_summary(out, "code %u/%u, %.2f%% misses of %s; data %u/%u, %.2f%% misses of %s", code,
	             h->itlb.sets * h->itlb.ways,
	             view_tlb_percent_of(STAT(st, itlb_misses), STAT(st, itlb_accesses)),
	             GROUPED(STAT(st, itlb_accesses)), data, h->dtlb.sets * h->dtlb.ways,
	             view_tlb_percent_of(STAT(st, dtlb_misses), STAT(st, dtlb_accesses)),
	             GROUPED(STAT(st, dtlb_accesses)));
	grid_empty(out, only ? "no translation in the set of that address"
	                     : "no translation yet: the first access to a page enters one");
	return true;
}

const struct view view_tlb = {
	.name = "tlb",
	.title = "Translation buffers",
	.args = "[ADDRESS]",
	.build = view_tlb_build_grid,
	.help.about = "The cached translations: one entry covers a page. Fetch\n"
		      "uses the code TLB, loads and stores the data TLB; a miss adds its penalty\n"
		      "before the cache access. With ADDRESS, only the set of its page.\n"
		      "lives.",
	.help.tables = {{GRID_TABLE(columns), .indent = 15}},
	.help.hints =
		"Few pages with many misses: the pages fall into the same sets. Many pages with\n"
		"many misses: the program touches memory too far apart.\n"
		"Shaped by itlb.*, dtlb.*, tlb.page, tlb.penalty.",
};
