/* No prefetcher. */
#include "core/pipe/memory/prefetch_kind.h"

const struct prefetch_kind prefetcher_none = {0};
