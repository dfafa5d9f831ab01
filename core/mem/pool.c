#include "core/mem/pool.h"

#include <assert.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "core/base/alloc.h"
#include "core/base/populate.h"

#if defined __SANITIZE_ADDRESS__ || defined POOL_OF_EACH
enum { POOLED = false };
#else
enum { POOLED = true };
#endif

/* Slabs grow from a few blocks, for small guests, to one large page of the host. */
enum { FIRST_SLAB = 16, HUGE_BYTES = 2 << 20 };

struct slab {
	struct slab *next, *next_fresh;
	size_t blocks, taken; /* taken: leading blocks that were ever taken */
	alignas(16) uint8_t bytes[];
};

struct pool *pool_new(size_t page_bytes, size_t node_bytes, size_t region_bytes)
{
	struct pool *p = alloc_zeroed(1, sizeof *p);
	if (!p)
		return NULL;
	p->ledger.refs = 1;
	p->of[POOL_PAGES].bytes = page_bytes;
	p->of[POOL_NODES].bytes = node_bytes;
	p->of[POOL_REGIONS].bytes = region_bytes;
	for (unsigned i = 0; i < POOL_KINDS; i++)
		p->of[i].next_slab = FIRST_SLAB;
	return p;
}

struct pool *pool_share(struct pool *p)
{
	p->ledger.refs++;
	return p;
}

static void pool_free_block(struct pool_blocks *b, void *block)
{
	memcpy(block, &b->unused, sizeof b->unused);
	b->unused = block;
	b->left++;
}

static void *get_unused(struct pool_blocks *b)
{
	void *block = b->unused;
	memcpy(&b->unused, block, sizeof b->unused);
	b->left--;
	return block;
}

static void pool_release_all(struct pool_blocks *b)
{
	while (b->slabs) {
		struct slab *s = b->slabs;
		b->slabs = s->next;
		free(s);
	}
	while (!POOLED && b->unused)
		free(get_unused(b));
}

void pool_drop(struct pool *p)
{
	if (!p || --p->ledger.refs)
		return;
	for (unsigned i = 0; i < POOL_KINDS; i++)
		pool_release_all(&p->of[i]);
	free(p);
}

static struct slab *new_slab(const struct pool_blocks *b, size_t n, bool huge)
{
	const size_t most = (HUGE_BYTES - sizeof(struct slab)) / b->bytes;
	/* on failure the reserve is used, and then the machine waits */
	struct slab *s;
	if (n > most)
		n = most;
	if (n < most || !huge) {
		s = alloc_try_bytes(sizeof *s + n * b->bytes);
		if (s && huge) /* at least half of it will be used, as slabs double */
			populate_memory(s, sizeof *s + n * b->bytes);
	} else {
		s = alloc_try_aligned(HUGE_BYTES, HUGE_BYTES);
		if (s)
			madvise(s, HUGE_BYTES, MADV_HUGEPAGE); /* only a hint */
	}
	if (s)
		*s = (struct slab){ .blocks = n };
	return s;
}

/* Adds a slab of `most` blocks, or a small one if memory is short; false if host memory is out. The
 * host clears a large page as a whole on its first write, so `huge` is false for the reserve, of
 * which most is never touched. */
static bool add_slab(struct pool_blocks *b, size_t most, bool huge)
{
	struct slab *s = new_slab(b, most, huge);
	if (!s && most > FIRST_SLAB)
		s = new_slab(b, FIRST_SLAB, huge);
	if (!s)
		return false;
	s->next = b->slabs;
	b->slabs = s;
	s->next_fresh = b->fresh;
	b->fresh = s;
	b->left += s->blocks;
	return true;
}

static bool pool_grow_slabs(struct pool_blocks *b)
{
	if (!add_slab(b, b->next_slab, true))
		return false;
	if (b->next_slab * b->bytes < HUGE_BYTES)
		b->next_slab *= 2;
	return true;
}

static void *get_fresh(struct pool_blocks *b)
{
	struct slab *s = b->fresh;
	void *block = s->bytes + s->taken++ * b->bytes;
	if (s->taken == s->blocks)
		b->fresh = s->next_fresh;
	b->left--;
	return block;
}

/* A block from the slabs, which grow before the reserve is used. */
static void *pool_allocate_block(struct pool_blocks *b, bool *dipped)
{
	*dipped = b->left <= b->want && !pool_grow_slabs(b);
	if (b->unused)
		return get_unused(b);
	return b->fresh ? get_fresh(b) : NULL;
}

/* A block from the host's allocator, or else from the reserve. */
static void *get_alone(struct pool_blocks *b, bool *dipped)
{
	/* on failure the reserve is used */
	void *block = alloc_try_bytes(b->bytes);
	*dipped = !block;
	return !block && b->unused ? get_unused(b) : block;
}

void *pool_take(struct pool *p, enum pool_kind kind)
{
	static const char what[] = "the program's memory";
	struct pool_blocks *b = &p->of[kind];
	bool dipped;
	void *block = POOLED ? pool_allocate_block(b, &dipped) : get_alone(b, &dipped);
	if (!block) {
		host_memory_refuse(p->scarce, what);
		return NULL;
	}
	if (dipped)
		host_memory_dip(p->scarce, what);
	memory_account_take(&p->ledger, b->bytes);
	return block;
}

void pool_give(struct pool *p, enum pool_kind kind, void *block)
{
	struct pool_blocks *b = &p->of[kind];
	memory_account_give(&p->ledger, b->bytes);
	if (POOLED || b->left < b->want)
		pool_free_block(b, block);
	else
		free(block);
}

/* Ensures at least n blocks; false if host memory is out. */
static bool pool_ensure_blocks(struct pool_blocks *b, size_t n)
{
	while (b->left < n) {
		/* the machine waits until it is filled */
		void *alone = POOLED ? NULL : alloc_try_bytes(b->bytes);
		if (alone)
			pool_free_block(b, alone);
		else if (!POOLED ||
		         !add_slab(b, n - b->left > FIRST_SLAB ? n - b->left : FIRST_SLAB, false))
			return false;
	}
	return true;
}

bool pool_ensure(struct pool *p, enum pool_kind kind, size_t n)
{
	if (pool_ensure_blocks(&p->of[kind], n))
		return true;
	host_memory_refuse(p->scarce, "the program's memory map");
	return false;
}

static bool pool_fill_reserve(struct pool_blocks *b, size_t want)
{
	b->want = want;
	return pool_ensure_blocks(b, want);
}

bool pool_reserve(struct pool *p, size_t pages, size_t nodes)
{
	return pool_fill_reserve(&p->of[POOL_PAGES], pages) &&
	       pool_fill_reserve(&p->of[POOL_NODES], nodes);
}
