/* The tree from page numbers to pages, shared by snapshots. */
#include "core/mem/mem_priv.h"

#include <stdlib.h>

static unsigned child_index(uint64_t pn, unsigned height)
{
	return (unsigned)(pn >> (height * NODE_LOG2)) & (NODE_FAN - 1);
}

/* Pages below one child of a node at this height. */
static uint64_t child_span(unsigned height)
{
	return UINT64_C(1) << (height * NODE_LOG2);
}

static void page_release(struct pool *pool, struct page *p)
{
	if (!p || --p->refs)
		return;
	free(p->code);
	pool_give(pool, POOL_PAGES, p);
}

void tree_release_page(struct space *s, struct page *p)
{
	if (p) {
		s->reach -= sizeof *p;
		s->pages--;
	}
	page_release(s->pool, p);
}

static void node_release(struct pool *pool, struct node *n, unsigned height)
{
	if (!n || --n->refs)
		return;
	for (unsigned i = 0; i < NODE_FAN; i++) {
		if (height)
			node_release(pool, n->child[i], height - 1);
		else
			page_release(pool, n->child[i]);
	}
	pool_give(pool, POOL_NODES, n);
}

/* A copy of a node, with one reference and the same children. */
static struct node *node_copy(struct pool *pool, const struct node *from, unsigned height)
{
	struct node *n = pool_take(pool, POOL_NODES);
	if (!n)
		return NULL;
	*n = *from;
	n->refs = 1;
	for (unsigned i = 0; i < NODE_FAN; i++) {
		if (!n->child[i])
			continue;
		if (height)
			((struct node *)n->child[i])->refs++;
		else
			((struct page *)n->child[i])->refs++;
	}
	return n;
}

/* The node at *slot, owned and its sum invalid, created if needed; the node that holds slot must be
 * owned. NULL if host memory is out. */
static struct node *node_own(struct space *s, struct node **slot, unsigned height)
{
	struct node *n = *slot;
	if (!n) {
		n = pool_take(s->pool, POOL_NODES);
		if (!n)
			return NULL;
		*n = (struct node){ .refs = 1 };
		s->reach += sizeof *n;
	} else if (n->refs > 1) {
		n = node_copy(s->pool, n, height);
		if (!n)
			return NULL;
		(*slot)->refs--;
	}
	n->sum_valid = false;
	return *slot = n;
}

struct page *tree_find(const struct space *s, uint64_t pn)
{
	const struct node *n = s->root;
	for (unsigned h = TREE_HEIGHT; n && h; h--)
		n = n->child[child_index(pn, h)];
	return n ? n->child[child_index(pn, 0)] : NULL;
}

struct page **tree_own_slot(struct space *s, uint64_t pn)
{
	struct node **slot = &s->root;
	for (unsigned h = TREE_HEIGHT;; h--) {
		struct node *n = node_own(s, slot, h);
		if (!n)
			return NULL;
		void **child = &n->child[child_index(pn, h)];
		if (!h)
			return (struct page **)child;
		slot = (struct node **)child;
	}
}

void tree_note_anonymous(struct space *s, uint64_t pn)
{
	struct node *n = s->root;
	for (unsigned h = TREE_HEIGHT;; h--) {
		n->anonymous = true;
		if (!h)
			return;
		n = n->child[child_index(pn, h)];
	}
}

struct page *tree_own_page(struct space *s, uint64_t pn)
{
	struct page **slot = tree_own_slot(s, pn);
	if (!slot)
		return NULL;
	struct page *p = *slot;
	if (!p) {
		p = pool_take(s->pool, POOL_PAGES);
		if (!p)
			return NULL;
		memset(p, 0, sizeof *p);
		p->refs = 1;
		s->reach += sizeof *p;
		s->pages++;
		*slot = p;
		const struct mem_region *r = regions_find(s->regions, pn << PAGE_LOG2);
		p->anonymous = r && r->start <= pn << PAGE_LOG2 && region_is_anonymous(r);
		if (p->anonymous)
			tree_note_anonymous(s, pn);
	} else if (p->refs > 1) {
		struct page *old = p;
		p = pool_take(s->pool, POOL_PAGES);
		if (!p)
			return NULL;
		memcpy(p->bytes, old->bytes, PAGE_BYTES);
		p->refs = 1;
		p->anonymous = old->anonymous;
		p->code = old->code;
		p->coded = old->coded;
		p->code_stores = 0;
		old->code = NULL;
		old->refs--;
		*slot = p;
	}
	p->digest_valid = false;
	return p;
}

static uint64_t node_next(const struct node *n, unsigned height, uint64_t pn)
{
	uint64_t span = child_span(height);
	for (unsigned i = child_index(pn, height); i < NODE_FAN; i++) {
		if (n->child[i]) {
			if (!height)
				return pn;
			uint64_t found = node_next(n->child[i], height - 1, pn);
			if (found != PAGE_COUNT)
				return found;
		}
		pn = (pn & ~(span - 1)) + span;
	}
	return PAGE_COUNT;
}

uint64_t tree_next(const struct space *s, uint64_t pn)
{
	return s->root && pn < PAGE_COUNT ? node_next(s->root, TREE_HEIGHT, pn) : PAGE_COUNT;
}

struct each {
	uint64_t first, last;
	void (*fn)(void *ctx, struct page *p);
	void *ctx;
};

static void node_each(const struct node *n, unsigned height, uint64_t base, const struct each *e)
{
	const unsigned log2 = height * NODE_LOG2;
	const uint64_t begin = e->first > base ? (e->first - base) >> log2 : 0,
		       end = ((e->last - base - 1) >> log2) + 1;
	for (uint64_t i = begin; i < NODE_FAN && i < end; i++) {
		if (height && n->child[i])
			node_each(n->child[i], height - 1, base + (i << log2), e);
		else if (n->child[i])
			e->fn(e->ctx, n->child[i]);
	}
}

void tree_each(const struct space *s, uint64_t first, uint64_t last,
               void (*fn)(void *ctx, struct page *p), void *ctx)
{
	if (s->root)
		node_each(s->root, TREE_HEIGHT, 0, &(struct each){first, last, fn, ctx});
}

/* Owns the existing nodes above pn that [first, last) covers only partly. */
static bool own_edge(struct space *s, uint64_t pn, uint64_t first, uint64_t last)
{
	struct node **slot = &s->root;
	for (unsigned h = TREE_HEIGHT; *slot; h--) {
		uint64_t span = child_span(h) << NODE_LOG2, base = pn & ~(span - 1);
		if (first <= base && base + span <= last)
			return true;
		struct node *n = node_own(s, slot, h);
		if (!n)
			return false;
		if (!h)
			return true;
		slot = (struct node **)&n->child[child_index(pn, h)];
	}
	return true;
}

bool tree_prepare_clear(struct space *s, uint64_t first, uint64_t last)
{
	return own_edge(s, first, first, last) && own_edge(s, last - 1, first, last);
}

/* Deducts a node and all below it from the space's counts, also if snapshots still refer to
 * them. */
static void node_leaves(struct space *s, const struct node *n, unsigned height)
{
	s->reach -= sizeof *n;
	for (unsigned i = 0; i < NODE_FAN; i++) {
		if (!n->child[i])
			continue;
		if (height) {
			node_leaves(s, n->child[i], height - 1);
		} else {
			s->reach -= sizeof(struct page);
			s->pages--;
		}
	}
}

static void node_clear(struct space *s, struct node **slot, unsigned height, uint64_t base,
                       uint64_t first, uint64_t last)
{
	struct node *n = *slot;
	uint64_t span = child_span(height);
	if (!n || last <= base || base + (span << NODE_LOG2) <= first)
		return;
	if (first <= base && base + (span << NODE_LOG2) <= last) {
		node_leaves(s, n, height);
		node_release(s->pool, n, height);
		*slot = NULL;
		return;
	}
	n->sum_valid = false;
	for (unsigned i = 0; i < NODE_FAN; i++, base += span) {
		if (height) {
			node_clear(s, (struct node **)&n->child[i], height - 1, base, first, last);
		} else if (first <= base && base < last) {
			tree_release_page(s, n->child[i]);
			n->child[i] = NULL;
		}
	}
}

void tree_clear(struct space *s, uint64_t first, uint64_t last)
{
	node_clear(s, &s->root, TREE_HEIGHT, 0, first, last);
}

struct discard {
	uint64_t first, last;
	void (*fn)(void *ctx, struct page *p);
	void *ctx;
	bool drop; /* else the nodes are owned only, which has no visible effect */
};

static bool node_discard(struct space *s, struct node **slot, unsigned height, uint64_t base,
                         const struct discard *d)
{
	const uint64_t span = child_span(height);
	struct node *n = *slot;
	bool more = false;
	if (!n || !n->anonymous || d->last <= base || base + (span << NODE_LOG2) <= d->first)
		return true;
	n = node_own(s, slot, height);
	if (!n)
		return false;
	for (unsigned i = 0; i < NODE_FAN; i++, base += span) {
		if (height) {
			struct node **child = (struct node **)&n->child[i];
			if (!node_discard(s, child, height - 1, base, d))
				return false;
			more |= *child && (*child)->anonymous;
			continue;
		}
		struct page *p = n->child[i];
		const bool anonymous = p && p->anonymous;
		if (anonymous && d->drop && d->first <= base && base < d->last) {
			d->fn(d->ctx, p);
			tree_release_page(s, p);
			n->child[i] = NULL;
		} else {
			more |= anonymous;
		}
	}
	n->anonymous = more;
	return true;
}

bool tree_discard(struct space *s, uint64_t first, uint64_t last,
                  void (*fn)(void *ctx, struct page *p), void *ctx)
{
	struct discard d = {first, last, fn, ctx, false};
	if (!node_discard(s, &s->root, TREE_HEIGHT, 0, &d))
		return false;
	d.drop = true;
	return node_discard(s, &s->root, TREE_HEIGHT, 0, &d);
}

static void node_walk(const struct node *n, unsigned height, const struct ledger_walk *w)
{
	if (!n || !ledger_visit(w, n, sizeof *n))
		return;
	for (unsigned i = 0; i < NODE_FAN; i++) {
		if (height)
			node_walk(n->child[i], height - 1, w);
		else if (n->child[i])
			ledger_visit(w, n->child[i], sizeof(struct page));
	}
}

void tree_walk(const struct space *s, const struct ledger_walk *w)
{
	node_walk(s->root, TREE_HEIGHT, w);
	regions_walk(s->regions, w);
}

struct space space_share(const struct space *s)
{
	if (s->root)
		s->root->refs++;
	if (s->regions)
		s->regions->refs++;
	pool_share(s->pool);
	return *s;
}

void space_release(struct space *s)
{
	node_release(s->pool, s->root, TREE_HEIGHT);
	regions_release(s->pool, s->regions);
	pool_drop(s->pool);
	*s = (struct space){ 0 };
}
