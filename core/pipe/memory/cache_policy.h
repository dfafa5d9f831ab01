/* Choices of a cache: which line goes when another comes (replace.h), and which lines are brought
 * in before anything asks for them (prefetch.h). */
#ifndef CYCLOPS_CORE_PIPE_MEMORY_CACHE_POLICY_H
#define CYCLOPS_CORE_PIPE_MEMORY_CACHE_POLICY_H

#include <stdint.h>

/* l1i.replacement and its kin, in this order. */
enum replacement {
	REPLACE_LRU,
	REPLACE_FIFO,      /* the one that came first */
	REPLACE_RANDOM,    /* any, by a generator of its own that sim.seed begins */
	/* a bit for each node of a binary tree over the ways points away from the last use */
	REPLACE_TREE_PLRU,
	REPLACE_EXTERNAL   /* a plug-in decides */
};

/* l1i.prefetch and its kin, in this order. */
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
	struct stride_entry *table; /* by pc >> 1; only of STRIDE */
	uint64_t *issued, *useful, *late, *dropped; /* statistics */
};

#endif
