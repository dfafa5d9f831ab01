/* Walks over bitmaps of ring positions, against a search position by position. */
#include <stdint.h>

#include <string.h>

#include "core/pipe/ring.h"
#include "tests/cases.h"

enum { WORDS_MAX = 16 };

static uint64_t ring_random = 1;

static uint64_t random_bits(void)
{
	ring_random ^= ring_random << 13;
	ring_random ^= ring_random >> 7;
	return ring_random ^= ring_random << 17;
}

struct window {
	uint32_t words, head, count;
	uint64_t bits[WORDS_MAX];
};

/* In the window, `density` of 8 entries are set; outside it, none. */
static struct window ring_make_random_window(uint32_t words, uint32_t head, uint32_t count,
                                             unsigned density)
{
	struct window w = {.words = words, .head = head, .count = count};
	for (uint32_t age = 0; age < count; age++)
		if ((random_bits() >> 40) % 8 < density)
			ring_set(w.bits, (head + age) & (words * 64 - 1));
	return w;
}

static bool is_set(const struct window *w, uint32_t age)
{
	const uint32_t pos = (w->head + age) & (w->words * 64 - 1);
	return w->bits[pos / 64] >> pos % 64 & 1;
}

/* Bit i: word i is set, or only marked as set. */
static uint32_t some_of(const uint64_t *bits, uint32_t words)
{
	uint32_t some = (uint32_t)random_bits() & ((1u << words) - 1);
	for (uint32_t i = 0; i < words; i++)
		some |= (uint32_t)(bits[i] != 0) << i;
	return some;
}

static uint32_t test_ring_age(const struct window *w, uint32_t place)
{
	return ring_age(place, w->head, w->words * 64 - 1);
}

/* Every entry once, the oldest first. */
static void check_walk(const struct window *w)
{
	struct ring_walk walk =
		ring_walk_begin(w->bits, w->words, w->head, some_of(w->bits, w->words));
	for (uint32_t age = 0; age < w->count; age++)
		if (is_set(w, age) && test_ring_age(w, ring_walk_next(&walk)) != age)
			fail_msg("%u words, head %u, %u entries: age %u is missed", w->words,
			         w->head, w->count, age);
	assert_int_equal(ring_walk_next(&walk), RING_END);
}

/* Checks the same for look-ups from each age on. */
static void check_next(const struct window *w)
{
	uint32_t next = RING_END;
	for (uint32_t age = w->words * 64; age-- > 0;) {
		if (is_set(w, age))
			next = age;
		assert_int_equal(ring_next(w->bits, w->words, w->head, age), next);
	}
}

#if RING_BITS
static const uint32_t words_of[] = {RING_FIXED_WORDS};
#else
static const uint32_t words_of[] = {1, 2, 4, 16};
#endif

/* Windows of all lengths up to the whole ring, from every head: the last word is often partly used,
 * and often shared with the first. */
TEST(walks_visit_all)
{
	for (size_t i = 0; i < sizeof words_of / sizeof *words_of; i++) {
		const uint32_t size = words_of[i] * 64, step = size > 128 ? 61 : 1;
		for (uint32_t head = 0; head < size; head += step)
			for (uint32_t count = 0; count <= size; count += count > 130 ? 37 : 1) {
				const struct window w = ring_make_random_window(
					words_of[i], head, count, 1 + count % 8);
				check_walk(&w);
			}
	}
}

TEST(look_ups_find_the_next)
{
	for (size_t i = 0; i < sizeof words_of / sizeof *words_of; i++)
		for (uint32_t head = 0; head < words_of[i] * 64; head += 13) {
			const struct window w =
				ring_make_random_window(words_of[i], head, words_of[i] * 64, 1);
			check_next(&w);
		}
}

/* Entries dropped in the middle of a walk are not visited. */
TEST(walks_leave_out_what_is_dropped)
{
	const uint32_t words = RING_FIXED ? words_of[0] : 4, size = words * 64;
	for (uint32_t head = 0; head < size; head += 3) {
		/* in a walk over two bitmaps, a part of the window's entries each */
		struct window w = ring_make_random_window(words, head, size - 6, 6);
		struct window left = w;
		uint64_t both[2 * WORDS_MAX];
		const uint32_t some = some_of(w.bits, words);
		for (uint32_t k = 0; k < words; k++) {
			const uint64_t dropped = random_bits() & w.bits[k];
			left.bits[k] &= ~dropped;
			both[k] = left.bits[k];
			both[words + k] = dropped;
		}
		struct ring_walk walk =
			RING_FIXED ? ring_walk_begin(w.bits, words, head, some)
				   : ring_walk_begin_all(both, 2, both, words, head, some);
		const uint32_t most = head % 4 ? 50 : 0;
		uint32_t place = 0, visited = 0, last = RING_END;
		for (; visited < most && (place = ring_walk_next(&walk)) != RING_END; visited++)
			last = test_ring_age(&w, place);
		if (RING_FIXED)
			ring_walk_drop(&walk, both + words, head);
		else
			ring_walk_drop_bitmap(&walk, 1);
		for (uint32_t age = last + 1; age < size - 6; age++)
			if (is_set(&left, age))
				assert_int_equal(test_ring_age(&w, ring_walk_next(&walk)), age);
		assert_int_equal(ring_walk_next(&walk), RING_END);
	}
}
