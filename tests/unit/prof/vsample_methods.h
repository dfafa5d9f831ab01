/* Guests and figures that tests of the value sampler's methods share. */
#ifndef CYCLOPS_TESTS_UNIT_PROF_VSAMPLE_METHODS_H
#define CYCLOPS_TESTS_UNIT_PROF_VSAMPLE_METHODS_H

#include "core/pipe/interrupt/bounce.h"

#include "tests/unit/prof/vsample_fixture.h"

static inline void until_entered(struct machine *m)
{
	while (handler_of(m)->phase == VSAMPLE_AWAY)
		assert_true(machine_step(m));
}

static inline void until_away(struct machine *m)
{
	while (handler_of(m)->phase != VSAMPLE_AWAY)
		assert_true(machine_step(m));
}

static inline unsigned vsample_methods_count_resident_lines(const struct cache *c, uint64_t base,
                                                            uint64_t lines)
{
	unsigned n = 0;
	for (uint64_t i = 0; i < lines; i++) {
		const uint64_t number = (base >> c->line_log2) + i;
		const struct cache_line *set =
			c->lines + (size_t)((uint32_t)number & c->set_mask) * c->ways;
		for (uint32_t w = 0; w < c->ways; w++)
			n += set[w].tag == number + 1;
	}
	return n;
}

#endif
