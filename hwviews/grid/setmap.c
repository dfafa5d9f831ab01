#include "hwviews/grid/setmap.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
	ROWS_DEFAULT = 16,
	WITH_LEGEND = 5, /* panes with more rows than this spare one for the legend */
	WIDTH_DEFAULT = 64,
	WIDTH_MAX = 256,
	WIDTH_MIN = 16,
	WIDTH_STEP = 8,
	BESIDE = 44,      /* character columns beside the map, */
	BESIDE_BARE = 28, /* and without `newest` */
	RECENT = 64   /* an entry counts as recently used for this many accesses */
};

char *format_bytes(uint64_t bytes, char *buf, size_t n)
{
	if (bytes >= 1 << 20 && bytes % (1 << 20) == 0)
		snprintf(buf, n, "%" PRIu64 " MB", bytes >> 20);
	else if (bytes >= 1 << 10 && bytes % (1 << 10) == 0)
		snprintf(buf, n, "%" PRIu64 " KB", bytes >> 10);
	else
		snprintf(buf, n, "%" PRIu64 " bytes", bytes);
	return buf;
}

bool setmap_choose(const struct setmap *map, const struct session *s, const struct view_args *args,
                   struct set_choice *out, struct err *err)
{
	uint64_t v;
	if (!arg_count(args, 1, map->name, err))
		return false;
	*out = (struct set_choice){.map = args->argc == 0};
	if (!args->argc)
		return true;
	const char *text = args->argv[0];
	/* A plain decimal number is a set, everything else an address. */
	if (strspn(text, "0123456789") == strlen(text)) {
		if (!arg_number(text, "a set", map->sets - 1, &v, err))
			return false;
		out->set = (uint32_t)v;
		return true;
	}
	if (!arg_address(s, text, &out->addr, err))
		return false;
	out->by_address = true;
	out->set = map->set_of(map, out->addr);
	return true;
}

/* Totals of a group of sets. */
struct group {
	uint32_t valid, dirty, total;
	bool filling, recent;
	uint64_t newest_used, newest;
};

static void setmap_group_add_set(struct group *g, const struct setmap *map, uint32_t set)
{
	for (uint32_t way = 0; way < map->ways; way++) {
		struct set_entry e = map->entry(map, set, way);
		g->total++;
		if (!e.valid)
			continue;
		g->valid++;
		g->dirty += e.dirty;
		g->filling |= e.filling;
		g->recent |= e.used + RECENT > map->clock;
		if (e.used >= g->newest_used) {
			g->newest_used = e.used;
			g->newest = e.addr;
		}
	}
}

static const char *setmap_group_glyph(const struct group *g)
{
	if (g->filling)
		return "↓";
	if (g->recent)
		return "█";
	if (g->dirty)
		return "▓";
	if (g->valid && g->valid == g->total)
		return "▒";
	return g->valid ? "░" : "·";
}

static void setmap_merge_groups(struct group *into, const struct group *g)
{
	into->valid += g->valid;
	into->dirty += g->dirty;
	into->total += g->total;
	into->recent |= g->recent;
	if (g->valid && g->newest_used >= into->newest_used) {
		into->newest_used = g->newest_used;
		into->newest = g->newest;
	}
}

struct row {
	const struct session *s;
	const struct group *of;
	const char *map; /* a character for each set or group of sets */
	uint32_t first, count; /* sets */
};

FILL(fill_sets, struct row, grid_text(g, ROLE_DIM, "%" PRIu32 "-%" PRIu32, r->first,
	r->first + r->count - 1))
FILL(fill_map, struct row, grid_text(g, r->of->recent ? ROLE_HOT : ROLE_PLAIN, "%s", r->map))
FILL(fill_valid, struct row, grid_uint(g, ROLE_NUMBER, r->of->valid))
FILL(fill_dirty, struct row, grid_uint(g, ROLE_NUMBER, r->of->dirty))
FILL(fill_newest, struct row, r->of->valid ? cell_addr(g, r->s, ROLE_ADDRESS, r->of->newest)
	: grid_blank(g))

#define SETS_AND_MAP                                                                               \
	{"sets", "sets", "", fill_sets, .help = "sets, a character each or for several"},          \
	{                                                                                          \
		"map", "map", "sets a character", fill_map, .help = AS_BEFORE                      \
	}
#define NEWEST \
	{"newest", "used last", "", fill_newest, FLEXIBLE, .help = "of these the newest"}

const struct grid_column setmap_columns[SETMAP_COLUMNS] = {
	SETS_AND_MAP,
	{"valid", "valid", "entries", fill_valid, AT_RIGHT,
	 .help = "entries of these sets that hold something, and something modified"},
	{"dirty", "dirty", "entries", fill_dirty, AT_RIGHT, .help = AS_BEFORE},
	NEWEST,
};
const struct grid_column setmap_clean_columns[SETMAP_CLEAN_COLUMNS] = {
	SETS_AND_MAP,
	{"valid", "valid", "entries", fill_valid, AT_RIGHT,
	 .help = "entries of these sets that hold something"},
	NEWEST,
};

/* Sets [first, first + count), `per` to a character. */
static struct group setmap_append_map_row(struct grid *g, const struct setmap *map,
                                          const struct session *s, uint32_t first, uint32_t count,
                                          uint32_t per)
{
	char line[WIDTH_MAX * 3 + 1];
	size_t n = 0;
	struct group row = {0};
	for (uint32_t set = first; set < first + count; set += per) {
		struct group one = {0};
		for (uint32_t i = set; i < set + per && i < first + count; i++)
			setmap_group_add_set(&one, map, i);
		const char *c = setmap_group_glyph(&one);
		memcpy(line + n, c, strlen(c));
		n += strlen(c);
		setmap_merge_groups(&row, &one);
	}
	line[n] = '\0';
	grid_row(g, 1 + (uint64_t)first, row.valid ? ROLE_PLAIN : ROLE_DIM);
	grid_cells(g, &(struct row){s, &row, line, first, count});
	return row;
}

/* How the sets are drawn. */
struct setmap_shape {
	uint32_t width, per; /* characters in a row, sets a character */
	bool newest;         /* room for the column "newest" */
};

/* Takes the width if it shows the sets in finer detail. */
static void setmap_try_width(struct setmap_shape *best, uint32_t sets, uint32_t rows,
                             uint32_t width, bool newest)
{
	const uint32_t per = (sets + width * rows - 1) / (width * rows);
	if (!best->width || per < best->per)
		*best = (struct setmap_shape){width, per, newest};
}

/* A map fills its pane: as many characters as its rows and columns need to show a set each, or as
 * few sets a character as they allow. */
static struct setmap_shape setmap_find_shape(const struct setmap *map, const struct view_args *args)
{
	struct setmap_shape best = {0};
	const uint32_t rows = args->rows > WITH_LEGEND ? args->rows - 1
	                      : args->rows ? args->rows : ROWS_DEFAULT;
	const uint32_t columns = args->columns ? args->columns : WIDTH_DEFAULT + BESIDE;
	if (!args->rows) {
		uint32_t width = WIDTH_DEFAULT;
		while (width > WIDTH_MIN && width + BESIDE > columns)
			width /= 2;
		setmap_try_width(&best, map->sets, rows, width, true);
		return best;
	}
	for (unsigned bare = 0; bare < 2; bare++) {
		const uint32_t beside = bare ? BESIDE_BARE : BESIDE;
		const uint32_t room = columns > beside + WIDTH_MIN ? columns - beside : WIDTH_MIN,
			       most = room < WIDTH_MAX ? room / WIDTH_STEP * WIDTH_STEP
		                                       : WIDTH_MAX;
		for (uint32_t width = WIDTH_MIN; width < most; width *= 2)
			setmap_try_width(&best, map->sets, rows, width, !bare);
		setmap_try_width(&best, map->sets, rows, most, !bare);
	}
	return best;
}

uint32_t setmap_build(struct grid *g, const char *title, const struct setmap *map,
                      const struct session *s, const struct view_args *args, uint32_t *dirty)
{
	const struct setmap_shape shape = setmap_find_shape(map, args);
	const uint32_t per = shape.per, width = shape.width;
	if (map->clean)
		grid_init(g, title, GRID_TABLE(setmap_clean_columns));
	else
		grid_init(g, title, GRID_TABLE(setmap_columns));
	if (!shape.newest)
		grid_drop_column(g, "newest");
	g->legend = map->clean ? "·empty ░part ▒full █new ↓due" :
	                         "·empty ░part ▒full ▓dirty █new ↓due";
	struct group all = {0};
	for (uint32_t set = 0; set < map->sets; set += per * width) {
		uint32_t count = map->sets - set < per * width ? map->sets - set : per * width;
		struct group row = setmap_append_map_row(g, map, s, set, count, per);
		setmap_merge_groups(&all, &row);
	}
	if (dirty)
		*dirty = all.dirty;
	return all.valid;
}

char *setmap_rank(const struct setmap *map, uint32_t set, uint32_t way, char *buf, size_t n)
{
	unsigned newer = 0, valid = 0;
	struct set_entry me = map->entry(map, set, way);
	for (uint32_t w = 0; w < map->ways; w++) {
		struct set_entry e = map->entry(map, set, w);
		valid += e.valid;
		newer += e.valid && e.used > me.used;
	}
	const bool full = valid == map->ways && map->ways > 1, oldest = full && newer + 1 == valid,
		   next = full && me.valid &&
	                  (map->goes_next ? map->goes_next(map, set, way) : oldest);
	char rank[24];
	snprintf(rank, sizeof rank, "%u newer", newer);
	snprintf(buf, n, "%s%s",
	         !me.valid    ? ""
	         : oldest     ? "oldest"
	         : newer == 0 ? "most recent"
	                      : rank,
	         next ? ": next to go" : "");
	return buf;
}
