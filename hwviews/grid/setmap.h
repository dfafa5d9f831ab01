/* Draws a set-associative structure as a map: rows of sets, a character each; parses the argument
 * that selects a set.
 *
 * Shared by the views of caches and of the branch target buffer. */
#ifndef CYCLOPS_HWVIEWS_GRID_SETMAP_H
#define CYCLOPS_HWVIEWS_GRID_SETMAP_H

#include "hwviews/session/view_text.h"

/* Columns of a map; clean: of a structure that is never dirty. */
enum { SETMAP_COLUMNS = 5, SETMAP_CLEAN_COLUMNS = 4 };
extern const struct grid_column setmap_columns[SETMAP_COLUMNS];
extern const struct grid_column setmap_clean_columns[SETMAP_CLEAN_COLUMNS];

/* The state of one entry that a map needs. */
struct set_entry {
	bool valid, dirty, filling;
	uint64_t used; /* LRU clock of its last use */
	uint64_t addr; /* byte address of its contents */
};

struct setmap {
	const char *name; /* of the view */
	uint32_t sets, ways;
	uint64_t clock;   /* now, on the clock of set_entry.used */
	const void *ctx;  /* the structure, for entry() */
	bool clean;       /* no entry is ever dirty */
	struct set_entry (*entry)(const struct setmap *map, uint32_t set, uint32_t way);
	uint32_t (*set_of)(const struct setmap *map, uint64_t addr);
	/* True if this entry of a full set is replaced next. NULL: the one used longest ago is. */
	bool (*goes_next)(const struct setmap *map, uint32_t set, uint32_t way);
};

/* The parsed argument of such a view. */
struct set_choice {
	bool map;      /* no argument: the whole map */
	bool by_address;
	uint32_t set;
	uint64_t addr; /* if by_address */
};

bool setmap_choose(const struct setmap *map, const struct session *s, const struct view_args *args,
                   struct set_choice *out, struct err *err);
/* Initialises g and fills it with the map. Returns the number of valid entries; *dirty, unless
 * NULL, receives the number of dirty ones. */
uint32_t setmap_build(struct grid *g, const char *title, const struct setmap *map,
                      const struct session *s, const struct view_args *args, uint32_t *dirty);
/* "most recent", "2nd of 4": a way's rank in its set by last use. Returns buf. */
char *setmap_rank(const struct setmap *map, uint32_t set, uint32_t way, char *buf, size_t n);
/* "64 KB", "512 bytes", "2 MB". Returns buf. */
char *format_bytes(uint64_t bytes, char *buf, size_t n);

#endif
