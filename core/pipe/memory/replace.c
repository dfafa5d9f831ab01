#include "core/pipe/memory/replace.h"

#include <string.h>

#include "core/defs/kinds.h"
#include "core/pipe/memory/replacement.h"

#define DECLARE(id, name, ...) extern const struct replacement replacement_##name;
REPLACE_ROWS(DECLARE, DECLARE)

/* By enum replace_kind. */
static const struct replacement *const replacements[REPLACE_KINDS] = {
#define ROW(id, name, ...) &replacement_##name,
	REPLACE_ROWS(ROW, ROW)
};

void replacement_show_order(const struct cache *c, uint32_t set,
                            uint64_t (*key)(const struct cache *c, size_t line),
                            struct textbuf *out)
{
	const size_t first = (size_t)set * c->ways, end = first + c->ways;
	for (uint32_t rank = 0; rank < c->ways; rank++)
		for (size_t line = first; line < end; line++) {
			uint32_t before = 0;
			for (size_t other = first; other < end; other++)
				before += c->lines[other].tag && key(c, other) < key(c, line);
			if (c->lines[line].tag && before == rank)
				textbuf_add(out, "%s%zu", out->used ? " " : "", line - first);
		}
}

static size_t replace_table_words(const struct cache *c)
{
	return c->policy && c->policy->words ? c->policy->words(c) : 0;
}

void replace_place(struct cache *c, const char *name, int64_t policy, struct arena *a)
{
	c->policy = replacements[policy]->victim ? replacements[policy] : NULL;
	if (replace_table_words(c))
		c->order = arena_take(a, name, replace_table_words(c), sizeof *c->order);
}

void replace_reset(struct cache *c, uint64_t seed)
{
	if (!replace_table_words(c))
		return;
	memset(c->order, 0, replace_table_words(c) * sizeof *c->order);
	if (c->policy->reset)
		c->policy->reset(c, seed);
}

static uint32_t replace_set_index(const struct cache *c, const struct cache_line *line)
{
	assert(c->ways);
	return (uint32_t)((size_t)(line - c->lines) / c->ways);
}

static uint32_t replace_way(const struct cache *c, const struct cache_line *line)
{
	return (uint32_t)((size_t)(line - c->lines) % c->ways);
}

struct cache_line *replace_victim(struct hierarchy *h, const struct cache *c,
                                  struct cache_line *set)
{
	const uint32_t index = replace_set_index(c, set), way = c->policy->victim(h, c, index);
	assert(way < c->ways);
	if (c->policy->evicted)
		c->policy->evicted(c, index, way);
	return set + way;
}

void replace_forget_last(struct hierarchy *h, const struct cache *c)
{
	if (!c->policy || !c->policy->each_use)
		return;
	if (c->id == CACHE_L1I)
		h->st->last_l1i.ready = UINT64_MAX;
	else if (c->id == CACHE_L1D)
		h->st->last_l1d.ready = UINT64_MAX;
}

void replace_used(struct hierarchy *h, const struct cache *c, struct cache_line *line)
{
	if (c->policy->used)
		c->policy->used(h, c, replace_set_index(c, line), replace_way(c, line));
	replace_forget_last(h, c);
}

void replace_filled(struct hierarchy *h, const struct cache *c, struct cache_line *line)
{
	if (c->policy->filled)
		c->policy->filled(h, c, replace_set_index(c, line), replace_way(c, line));
}
