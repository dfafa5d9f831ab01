/* Memory that is freed all at once, for structures that are built step by step. */
#ifndef CYCLOPS_CORE_BASE_POOL_H
#define CYCLOPS_CORE_BASE_POOL_H

#include <stddef.h>

struct pool_block;

/* All zero: empty. */
struct pool {
	struct pool_block *blocks; /* newest first; owned */
};

/* n bytes of zeros, aligned for anything; NULL if memory is out, and the pool is as before. */
void *pool_alloc(struct pool *p, size_t n);
/* A copy of n bytes with a zero after them; NULL as above. */
char *pool_text(struct pool *p, const char *text, size_t n);
void pool_deinit(struct pool *p); /* frees all; p is empty */

#endif
