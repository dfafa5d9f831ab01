#include "core/base/pool.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"

struct pool_block {
	alignas(max_align_t) struct pool_block *next;
};

void *pool_alloc(struct pool *p, size_t n)
{
	struct pool_block *b = n <= SIZE_MAX - sizeof *b ? alloc_zeroed(1, sizeof *b + n) : NULL;
	if (!b)
		return NULL;
	b->next = p->blocks;
	p->blocks = b;
	return b + 1;
}

char *pool_text(struct pool *p, const char *text, size_t n)
{
	char *copy = pool_alloc(p, n + 1);
	if (copy)
		memcpy(copy, text, n);
	return copy;
}

void pool_deinit(struct pool *p)
{
	while (p->blocks) {
		struct pool_block *b = p->blocks;
		p->blocks = b->next;
		free(b);
	}
}
