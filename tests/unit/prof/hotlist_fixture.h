/* Made-up streams of values, for the tests of hotlists. */
#ifndef CYCLOPS_TESTS_UNIT_PROF_HOTLIST_FIXTURE_H
#define CYCLOPS_TESTS_UNIT_PROF_HOTLIST_FIXTURE_H

#include "core/prof/values/hotlist.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"
#include "tests/cases.h"

enum { LIST_MAX = 64 };

struct buffer {
	_Alignas(8) uint8_t bytes[sizeof(struct hotlist) + LIST_MAX * sizeof(struct hot_value)];
};

static inline struct hotlist *hotlist_fixture_init_list(struct buffer *b)
{
	memset(b, 0, sizeof *b);
	return (struct hotlist *)(void *)b->bytes;
}

static inline uint64_t hotlist_fixture_count_of_value(const struct hotlist *l, uint64_t value)
{
	for (uint64_t i = 0; i < l->used; i++)
		if (l->at[i].value == value)
			return l->at[i].count;
	return 0;
}

/* ---- streams ---- */
typedef uint64_t stream_fn(uint64_t i, uint64_t *random);

static inline uint64_t hotlist_fixture_random_below(uint64_t *random, uint64_t n)
{
	return (uint64_t)((unsigned __int128)hash_splitmix64_next(random) * n >> 64);
}

static inline uint64_t hotlist_fixture_uniform_value(uint64_t i, uint64_t *random)
{
	(void)i;
	return hotlist_fixture_random_below(random, 40);
}

/* A skewed stream: half of the values are 1, a quarter 2, and so on. */
static inline uint64_t hotlist_fixture_skewed_value(uint64_t i, uint64_t *random)
{
	(void)i;
	return 1 + (uint64_t)__builtin_ctzll(hash_splitmix64_next(random) | UINT64_C(1) << 40);
}

/* Every third value is the same, the others never recur: all 64 bits count. */
static inline uint64_t hotlist_fixture_wide_value(uint64_t i, uint64_t *random)
{
	const uint64_t v = hash_splitmix64_next(random);
	return i % 3 ? v : UINT64_C(0x8000000000000001);
}

/* A stream with phases: first one value is frequent, then another value. */
static inline uint64_t hotlist_fixture_phased_value(uint64_t i, uint64_t *random)
{
	return i % 4 ? hotlist_fixture_random_below(random, 100) + 1000 : i < 3000 ? 1 : 2;
}

/* Defeats tables that evict rare values: a value recurs after every seventeen others. */
static inline uint64_t hotlist_fixture_adversarial_value(uint64_t i, uint64_t *random)
{
	const uint64_t v = hash_splitmix64_next(random);
	return i % 18 == 17 ? 7 : v;
}

static stream_fn *const streams[] = {hotlist_fixture_uniform_value, hotlist_fixture_skewed_value,
                                     hotlist_fixture_wide_value, hotlist_fixture_phased_value,
                                     hotlist_fixture_adversarial_value};
enum { STREAMS = 5, LENGTH = 6000 };

/* Makes stream `which`, the same at each call. */
static inline void hotlist_fixture_make_stream(unsigned which, uint64_t *out)
{
	uint64_t random = 1000 + which;
	for (uint64_t i = 0; i < LENGTH; i++)
		out[i] = streams[which](i, &random);
}

static inline uint64_t times_in(const uint64_t *stream, uint64_t value)
{
	uint64_t n = 0;
	for (unsigned i = 0; i < LENGTH; i++)
		n += stream[i] == value;
	return n;
}

#endif
