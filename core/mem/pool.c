#include "core/mem/pool.h"

#include <assert.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "core/mem/mem_priv.h"

#ifdef __SANITIZE_ADDRESS__
enum { POOLED = false };
#else
enum { POOLED = true };
#endif

/* Slabs grow from a few pages, for small guests, to what one large page of the host holds. */
enum { FIRST_SLAB = 16, HUGE_BYTES = 2 << 20, SLAB_MOST = HUGE_BYTES / sizeof(struct page) - 1 };

struct slab {
	struct slab *next;
	struct page page[];
};

struct pool *pool_new(void)
{
	struct pool *p = calloc(1, sizeof *p);
	if (!p)
		return NULL;
	p->ledger.refs = 1;
	p->next_slab = FIRST_SLAB;
	return p;
}

struct pool *pool_share(struct pool *p)
{
	p->ledger.refs++;
	return p;
}

void pool_drop(struct pool *p)
{
	if (!p || --p->ledger.refs)
		return;
	while (p->slabs) {
		struct slab *s = p->slabs;
		p->slabs = s->next;
		free(s);
	}
	free(p);
}

static void put(struct pool *p, struct page *page)
{
	memcpy(page->bytes, &p->unused, sizeof p->unused);
	p->unused = page;
}

static bool add_slab(struct pool *p)
{
	size_t n = p->next_slab;
	struct slab *s;
	if (n >= SLAB_MOST) {
		n = SLAB_MOST;
		s = aligned_alloc(HUGE_BYTES, HUGE_BYTES);
		if (s)
			madvise(s, HUGE_BYTES, MADV_HUGEPAGE); /* only a hint */
	} else {
		s = malloc(sizeof *s + n * sizeof *s->page);
		p->next_slab *= 2;
	}
	if (!s)
		return false;
	s->next = p->slabs;
	p->slabs = s;
	for (size_t i = n; i-- > 0;)
		put(p, &s->page[i]);
	return true;
}

struct page *pool_take(struct pool *p)
{
	struct page *page;
	if (!POOLED) {
		page = malloc(sizeof *page);
	} else {
		if (!p->unused && !add_slab(p))
			return NULL;
		page = p->unused;
		assert(page);
		memcpy(&p->unused, page->bytes, sizeof p->unused);
	}
	if (page)
		ledger_take(&p->ledger, sizeof *page);
	return page;
}

void pool_give(struct pool *p, struct page *page)
{
	ledger_give(&p->ledger, sizeof *page);
	if (POOLED)
		put(p, page);
	else
		free(page);
}
