/* A plug-in selects lines. */
#include "core/pipe/memory/prefetch_kind.h"

static uint32_t external_access(struct hierarchy *h, const struct cache *c,
                                const struct plugin_access *a, uint64_t *line)
{
	return plugins_access(h->plugins, PLUGIN_L1I_PREFETCHER + c->id, a, line);
}

const struct prefetch_kind prefetcher_external = {.access = external_access, .each_access = true};
