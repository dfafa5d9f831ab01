/* Smith's tagged prefetch (Computing Surveys 1982): a miss, and the first use of a prefetched line,
 * request the next lines. */
#include "core/pipe/memory/prefetch_kind.h"

static uint32_t next_line_access(struct hierarchy *h, const struct cache *c,
                                 const struct plugin_access *a, uint64_t *line)
{
	const struct prefetcher *p = &c->prefetcher;
	(void)h;
	if (a->hit && !a->prefetched)
		return 0;
	for (uint32_t i = 0; i < p->degree; i++)
		line[i] = a->line + 1 + i;
	return p->degree;
}

const struct prefetch_kind prefetcher_next_line = {.access = next_line_access};
