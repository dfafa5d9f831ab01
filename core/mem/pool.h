/* Where the pages of a space and of its snapshots come from: slabs of many, of which those that nobody refers to any more are
 * used again. History takes and gives back thousands of them a second; the host's allocator would ask the system for each
 * anew.
 *
 * Lifetime: one reference for each space, the present's and those of snapshots; slabs live as long as the pool. Under
 * AddressSanitizer each page is an allocation of its own, so that it finds who uses one that is gone. */
#ifndef CYCLOPS_CORE_MEM_POOL_H
#define CYCLOPS_CORE_MEM_POOL_H

#include "core/ledger.h"

struct page;
struct slab;

struct pool {
	struct ledger ledger; /* of all that spaces refer to; its references are the pool's */
	struct page *unused;  /* each one's first bytes say which is the next */
	struct slab *slabs;   /* owned */
	size_t next_slab;     /* pages */
};

struct pool *pool_new(void); /* NULL if host memory is out */
struct pool *pool_share(struct pool *p);
void pool_drop(struct pool *p);

/* A page with anything in it, entered in the ledger; NULL if host memory is out. */
struct page *pool_take(struct pool *p);
void pool_give(struct pool *p, struct page *page);

#endif
