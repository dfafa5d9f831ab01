/* Allocates the pages of a space and the nodes of its trees, in slabs, and reuses released ones.
 * History takes and releases thousands of them per second; the host's allocator would request each
 * from the system again.
 *
 * The reserve holds as much as a cycle, or a piece of a system call, needs at most: while it is
 * full, neither fails halfway.
 *
 * Lifetime: one reference for each space, the present's and those of snapshots; slabs live as long
 * as the pool. Under AddressSanitizer each block is an allocation of its own, so that it detects
 * uses after release. */
#ifndef CYCLOPS_CORE_MEM_POOL_H
#define CYCLOPS_CORE_MEM_POOL_H

#include "core/base/host_memory.h"
#include "core/base/memory_account.h"

struct slab;

enum pool_kind { POOL_PAGES, POOL_NODES, POOL_REGIONS, POOL_KINDS };

struct pool_blocks {
	size_t bytes;        /* of a block */
	void *unused;        /* list; the first bytes of each block point to the next */
	struct slab *fresh;  /* slabs with blocks never taken yet, the newest first */
	struct slab *slabs;  /* owned */
	size_t next_slab;    /* blocks */
	size_t left, want;   /* blocks unused or fresh; blocks in a full reserve */
};

struct pool {
	/* counts all blocks that spaces refer to; its references are the pool's */
	struct memory_account ledger;
	struct pool_blocks of[POOL_KINDS];
	/* borrowed; notes that the reserve is in use or empty. NULL: none */
	struct host_memory *scarce;
};

/* A pool of blocks of these sizes, in bytes; NULL if host memory is out. */
struct pool *pool_new(size_t page_bytes, size_t node_bytes, size_t region_bytes);
struct pool *pool_share(struct pool *p);
void pool_drop(struct pool *p);

/* A block of undefined contents, entered in the ledger; NULL if host memory is out, the reserve
 * included. */
void *pool_take(struct pool *p, enum pool_kind kind);
void pool_give(struct pool *p, enum pool_kind kind, void *block);

/* Makes sure that the next n pool_take() succeed; false, and the host's memory is out. */
bool pool_ensure(struct pool *p, enum pool_kind kind, size_t n);

/* Fills the reserve of `pages` and `nodes` blocks; false if host memory is out. */
bool pool_reserve(struct pool *p, size_t pages, size_t nodes);

#endif
