#include "hwviews/machine/cache_view.h"

#include <inttypes.h>
#include <stdio.h>

#include "core/pipe/memory/prefetch_kind.h"
#include "core/pipe/memory/replacement.h"
#include "hwviews/grid/setmap.h"

struct cache_ctx {
	const struct hierarchy *hierarchy;
	const struct cache *cache;
	uint64_t now;
	const char *nearer;
};

static struct set_entry cache_view_read_entry(const struct setmap *map, uint32_t set, uint32_t way)
{
	const struct cache_ctx *c = map->ctx;
	const struct cache_line *line = &c->cache->lines[(size_t)set * c->cache->ways + way];
	return (struct set_entry){.valid = line->tag != 0, .dirty = (line->flags & CL_DIRTY) != 0,
	                          .filling = line->ready > c->now, .used = line->used,
	                          .addr = line->tag ? cache_line_addr(c->cache, set, way) : 0};
}

static uint32_t cache_view_set_index(const struct setmap *map, uint64_t addr)
{
	const struct cache_ctx *c = map->ctx;
	return (uint32_t)(addr >> c->cache->line_log2) & c->cache->set_mask;
}

static bool cache_view_goes_next(const struct setmap *map, uint32_t set, uint32_t way)
{
	const struct cache_ctx *c = map->ctx;
	const struct replacement *policy = c->cache->policy;
	return !policy->unseen && policy->victim(c->hierarchy, c->cache, set) == way;
}

struct row {
	const struct session *s;
	const struct setmap *map;
	struct set_entry e;
	const struct cache_line *line;
	uint32_t set, way;
};

FILL(fill_way, struct row, grid_uint(g, ROLE_DIM, r->way))
FILL(fill_line, struct row, grid_hex(g, ROLE_ADDRESS, r->e.addr))
FILL(fill_place, struct row,
	grid_text(g, ROLE_ADDRESS, "%s", format_place(r->s, r->e.addr, BUFFER(96))))

static void fill_line_state(struct grid *g, const void *row)
{
	const struct row *r = row;
	const struct set_entry *e = &r->e;
	grid_text(g, e->filling ? ROLE_MISS : e->dirty ? ROLE_HOT : ROLE_PLAIN, "%s%s%s",
	          e->filling ? "on its way" : e->dirty ? "dirty" : "clean",
	          e->filling && e->dirty ? ", dirty" : "",
	          r->line->flags & CL_PREFETCHED ? ", prefetched" : "");
}

FILL(fill_arrival, struct row, const struct cache_ctx *c = r->map->ctx;
	cell_due(g, c->now, r->e.filling ? r->line->ready : NO_CYCLE))
FILL(fill_from, struct row, const struct cache_ctx *c = r->map->ctx;
	grid_text(g, ROLE_DIM, "%s", r->line->flags & CL_FROM_MEMORY ? "memory" : c->nearer))
FILL(fill_order, struct row,
	grid_text(g, ROLE_DIM, "%s", setmap_rank(r->map, r->set, r->way, BUFFER(96))))

const struct grid_column cache_columns[CACHE_COLUMNS] = {
	{"way", "way", "", fill_way, AT_RIGHT, .help = "place in the set"},
	{"line", "line", "", fill_line,
	 .help = "address of its first byte; marked if it is the requested one"},
	{"place", "place", "", fill_place, FLEXIBLE, .help = "what lies there"},
	{"state", "state", "", fill_line_state,
	 .help = "clean, dirty (newer than the level below), on its way; prefetched and not used "
		 "since"},
	{"due", "due", "cycle", fill_arrival, .help = "when a line on its way is there"},
	{"from", "from", "", fill_from, .help = "where its last fill came from"},
	{"order", "order of use", "", fill_order,
	 .help = "place in the set, and which is replaced next; below, the state of the policy "
		 "(l1d.replacement), and strides"},
};

static void cache_view_append_way_row(struct grid *g, const struct setmap *map,
                                      const struct session *s, const struct set_choice *choice,
                                      uint32_t way)
{
	const struct cache *cache = ((const struct cache_ctx *)map->ctx)->cache;
	const struct row r = {s,
	                      map,
	                      cache_view_read_entry(map, choice->set, way),
	                      &cache->lines[(size_t)choice->set * map->ways + way],
	                      choice->set,
	                      way};
	const bool hit = r.e.valid && choice->by_address &&
	                 choice->addr >> cache->line_log2 == r.line->tag - 1;
	grid_row(g, 1 + (uint64_t)choice->set * map->ways + way,
	         hit ? ROLE_HIT : r.e.valid ? ROLE_PLAIN : ROLE_DIM);
	if (r.e.valid) {
		grid_cells(g, &r);
	} else {
		fill_way(g, &r);
		grid_skip_to(g, "state");
		grid_text(g, ROLE_DIM, "empty");
	}
}

/* The replacement policy's state of a set, and the entries of the prefetcher's table whose last
 * access was to it. */
static void cache_view_append_policy_rows(struct grid *g, const struct session *s,
                                          const struct cache *c, uint32_t set)
{
	const struct replacement *policy = c->policy ? c->policy : &replacement_lru;
	const struct prefetch_kind *by = c->prefetcher.by;
	const uint64_t key = 1 + (uint64_t)c->sets * c->ways;
	if (policy->show) {
		char text[256] = "";
		policy->show(c, set, &(struct textbuf){text, sizeof text, 0});
		grid_row(g, key + set, ROLE_DIM);
		grid_skip_to(g, "place");
		grid_text(g, ROLE_DIM, "%s", policy->shows);
		grid_skip_to(g, "order");
		grid_text(g, ROLE_NUMBER, "%s", text);
	}
	for (uint32_t i = 0; by && by->entry && i <= c->prefetcher.mask; i++) {
		struct prefetch_entry e;
		if (!by->entry(&c->prefetcher, i, &e) ||
		    ((uint32_t)(e.addr >> c->line_log2) & c->set_mask) != set)
			continue;
		grid_row(g, key + c->sets + i, ROLE_DIM)->pc = e.pc;
		grid_skip_to(g, "line");
		grid_hex(g, ROLE_ADDRESS, e.addr);
		grid_text(g, ROLE_DIM, "prefetcher: %s", format_addr(s, e.pc, BUFFER(96)));
		grid_text(g, ROLE_PLAIN, "%s", e.state);
		grid_skip_to(g, "order");
		grid_text(g, ROLE_NUMBER, "%+" PRId64 " bytes", e.stride);
	}
}

static void cache_view_format_summary(struct grid *g, const struct cache_view *v, uint32_t valid,
                                      uint32_t dirty)
{
	const struct cache *c = v->cache;
	char size[24];
	format_bytes((uint64_t)c->sets * c->ways << c->line_log2, size, sizeof size);
	char dirty_too[24] = "";
	if (!v->clean)
		snprintf(dirty_too, sizeof dirty_too, ", %u dirty", dirty);
	double rate = v->accesses ? 100.0 * (double)v->misses / (double)v->accesses : 0;
	grid_summary(g,
	             "%.1f%% misses (%s of %s); %s, %u-way, %u-byte lines; %u/%u valid%s", rate,
	             GROUPED(v->misses), GROUPED(v->accesses), size, c->ways, 1u << c->line_log2,
	             valid, c->sets * c->ways, dirty_too);
}

bool cache_view_build(const struct cache_view *v, const struct session *s,
                      const struct view_args *args, struct grid *out, struct err *err)
{
	const struct pipe *p = machine_pipe(s->machine);
	struct cache_ctx ctx = {&p->mem, v->cache, p->st->cycle, v->nearer};
	struct setmap map = {.name = v->name,
	                     .sets = v->cache->sets,
	                     .ways = v->cache->ways,
	                     .clock = p->mem.st->clock,
	                     .ctx = &ctx,
	                     .clean = v->clean,
	                     .entry = cache_view_read_entry,
	                     .set_of = cache_view_set_index,
	                     .goes_next = v->cache->policy ? cache_view_goes_next : NULL};
	struct set_choice choice;
	char where[96];
	if (!setmap_choose(&map, s, args, &choice, err))
		return false;
	if (choice.map) {
		uint32_t dirty, valid = setmap_build(out, v->title, &map, s, args, &dirty);
		cache_view_format_summary(out, v, valid, dirty);
		return true;
	}
	grid_init(out, v->title, GRID_TABLE(cache_columns));
	if (choice.by_address)
		grid_summary(out, "set %u of %u, where %s lives", choice.set, map.sets,
		             format_addr(s, choice.addr, where, sizeof where));
	else
		grid_summary(out, "set %u of %u", choice.set, map.sets);
	for (uint32_t way = 0; way < map.ways; way++)
		cache_view_append_way_row(out, &map, s, &choice, way);
	cache_view_append_policy_rows(out, s, v->cache, choice.set);
	return true;
}
