/* Policies of a cache: replacement (replace.h) and prefetching (prefetch.h). */
#ifndef CYCLOPS_CORE_PIPE_MEMORY_CACHE_POLICY_H
#define CYCLOPS_CORE_PIPE_MEMORY_CACHE_POLICY_H

#include <stdint.h>

/* Values of l1i.replacement, l1d.replacement and l2.replacement, in this order. */
enum replacement {
	REPLACE_LRU,
	REPLACE_FIFO,      /* evicts the line filled first */
	REPLACE_RANDOM,    /* evicts a random one, by its own generator, seeded by sim.seed */
	/* a bit for each node of a binary tree over the ways points away from the last use */
	REPLACE_TREE_PLRU,
	REPLACE_EXTERNAL   /* a plug-in decides */
};

/* Values of l1i.prefetch, l1d.prefetch and l2.prefetch, in this order. */
enum prefetch_kind { PREFETCH_NONE, PREFETCH_NEXT_LINE, PREFETCH_EXTERNAL, PREFETCH_STRIDE };

enum stride_state { STRIDE_INITIAL, STRIDE_TRANSIENT, STRIDE_STEADY, STRIDE_NONE };

struct stride_entry {
	uint64_t pc;     /* 0: none */
	uint64_t last;   /* byte address of its last access */
	int64_t stride;  /* bytes */
	uint64_t state;  /* enum stride_state */
};

struct prefetcher {
	enum prefetch_kind kind;
	uint32_t degree;            /* lines, or strides, ahead */
	uint32_t mask;              /* entries of the table - 1 */
	struct stride_entry *table; /* by pc >> 1; PREFETCH_STRIDE only */
	uint64_t *issued, *useful, *late, *dropped; /* statistics */
};

#endif
