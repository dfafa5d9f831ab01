#include "core/base/chains.h"

#include <stdlib.h>

#include "core/base/alloc.h"

enum { LOG2_LEAST = 6 };

void chains_free(struct chains *c)
{
	free(c->first);
	*c = (struct chains){0};
}

bool chains_reserve(struct chains *c, size_t elements, bool *empty)
{
	unsigned log2 = c->first ? c->log2 : LOG2_LEAST;
	while (((size_t)1 << log2) < elements)
		log2++;
	*empty = !c->first || log2 != c->log2;
	if (!*empty)
		return true;
	/* on failure the machine waits and tries again */
	uint32_t *first = alloc_try_zeroed((size_t)1 << log2, sizeof *first);
	if (!first)
		return false;
	free(c->first);
	*c = (struct chains){first, log2};
	return true;
}
