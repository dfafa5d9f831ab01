#include "core/pipe/variant.h"

#include "core/pipe/pipe.h"

const struct variant *variant_of(const struct pipe *p, bool watched)
{
	static const struct variant *const table[2][2][2] = {
		{{&variant_quiet, &variant_quiet_small}, {&variant_watched, &variant_watched_small}},
		{{&variant_quiet_prof, &variant_quiet_small_prof}, {&variant_watched_prof, &variant_watched_small_prof}},
	};
	return table[p->prof->count || p->mem.heeds || p->plugins.any][watched][p->rob_words == 1];
}
