/* Pseudo-LRU: each node of a binary tree over the ways points away from the last use.
 *
 * Bit i of a set's word is node i, whose children are 2i and 2i + 1; set: the next victim is in the
 * right half. */
#include "core/pipe/memory/replacement.h"

static size_t tree_plru_words(const struct cache *c)
{
	return c->sets;
}

static uint32_t tree_plru_victim(const struct hierarchy *h, const struct cache *c, uint32_t set)
{
	uint32_t node = 1;
	(void)h;
	while (node < c->ways)
		node = 2 * node + (uint32_t)(c->order[set] >> node & 1);
	return node - c->ways;
}

/* Makes the nodes above a way point to the other half. */
static void tree_plru_used(struct hierarchy *h, const struct cache *c, uint32_t set, uint32_t way)
{
	uint64_t tree = c->order[set];
	(void)h;
	for (uint32_t node = c->ways + way; node > 1; node /= 2) {
		const uint64_t bit = UINT64_C(1) << node / 2;
		tree = node & 1 ? tree & ~bit : tree | bit;
	}
	c->order[set] = tree;
}

static void tree_plru_show(const struct cache *c, uint32_t set, struct textbuf *out)
{
	for (uint32_t node = 1; node < c->ways; node++)
		textbuf_add(out, "%s%u", node > 1 && !(node & (node - 1)) ? " " : "",
		            (unsigned)(c->order[set] >> node & 1));
}

const struct replacement replacement_tree_plru = {
	.words = tree_plru_words,
	.victim = tree_plru_victim,
	.used = tree_plru_used,
	.filled = tree_plru_used,
	.shows = "tree, 1: the right half goes next",
	.show = tree_plru_show,
};
