/* The line used longest ago (cache_search.h). */
#include "core/pipe/memory/replacement.h"

const struct replacement replacement_lru = {0};
