/* A random line, by a generator of the cache's own, which sim.seed seeds. */
#include <inttypes.h>

#include "core/base/hash.h"
#include "core/pipe/memory/replacement.h"

static size_t random_words(const struct cache *c)
{
	(void)c;
	return 1;
}

static void random_reset(const struct cache *c, uint64_t seed)
{
	*c->order = seed;
}

static uint32_t random_victim(const struct hierarchy *h, const struct cache *c, uint32_t set)
{
	uint64_t state = *c->order;
	(void)h;
	(void)set;
	return (uint32_t)(hash_splitmix64_next(&state) % c->ways);
}

static void random_evicted(const struct cache *c, uint32_t set, uint32_t way)
{
	(void)set;
	(void)way;
	(void)hash_splitmix64_next(c->order);
}

static void random_show(const struct cache *c, uint32_t set, struct textbuf *out)
{
	(void)set;
	textbuf_add(out, "0x%016" PRIx64, *c->order);
}

const struct replacement replacement_random = {
	.words = random_words,
	.reset = random_reset,
	.victim = random_victim,
	.evicted = random_evicted,
	.shows = "the generator of all sets",
	.show = random_show,
};
