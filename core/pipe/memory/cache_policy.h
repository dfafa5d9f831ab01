/* The prefetcher of a cache: its state (prefetch.h). */
#ifndef CYCLOPS_CORE_PIPE_MEMORY_CACHE_POLICY_H
#define CYCLOPS_CORE_PIPE_MEMORY_CACHE_POLICY_H

#include <stddef.h>
#include <stdint.h>

struct prefetch_kind;

struct prefetcher {
	const struct prefetch_kind *by; /* prefetch_kind.h; NULL: none */
	uint32_t degree;            /* lines, or strides, ahead */
	uint32_t mask;              /* entries of the table - 1 */
	size_t bytes;               /* of the table */
	void *table;                /* the kind's own; NULL: none */
	uint64_t *issued, *useful, *late, *dropped; /* statistics */
};

#endif
