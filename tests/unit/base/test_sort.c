/* Sorting: the order of equal elements stays, for any number and size of elements. */
#include <stdint.h>

#include <string.h>

#include "core/base/hash.h"
#include "core/base/sort.h"
#include "tests/cases.h"

enum { MOST = 300 };

struct element {
	uint8_t key, pad[2];
	uint16_t place; /* before sorting */
};

static int sort_test_compare(const void *a, const void *b)
{
	return ((const struct element *)a)->key - ((const struct element *)b)->key;
}

static int sort_test_compare_reversed(const void *a, const void *b, void *calls)
{
	++*(unsigned *)calls;
	return sort_test_compare(b, a);
}

static void sort_test_fill(struct element *all, unsigned n, uint64_t seed, unsigned keys)
{
	for (unsigned i = 0; i < n; i++)
		all[i] = (struct element){.key = (uint8_t)(hash_word(seed, i) % keys),
		                          .pad = {(uint8_t)i, 7},
		                          .place = (uint16_t)i};
}

/* Checks that each element is intact, and comes after elements with smaller keys and after earlier
 * elements with its own key. */
static void sort_test_assert_sorted(const struct element *all, unsigned n, int sign)
{
	uint8_t seen[MOST] = {0};
	for (unsigned i = 0; i < n; i++) {
		assert_true(all[i].place < n && !seen[all[i].place]++);
		assert_true(all[i].pad[0] == (uint8_t)all[i].place && all[i].pad[1] == 7);
		if (!i)
			continue;
		const int order = sign * (all[i - 1].key - all[i].key);
		assert_true(order < 0 || (!order && all[i - 1].place < all[i].place));
	}
}

TEST(equal_elements_keep_their_order)
{
	struct element all[MOST + 1];
	for (unsigned n = 0; n <= MOST; n++)
		for (unsigned keys = 1; keys < 200; keys = keys * 3 + 1) {
			unsigned calls = 0;
			sort_test_fill(all, n, n * 1000 + keys, keys);
			all[n].key = 77;
			sort_stable(all, n, sizeof *all, sort_test_compare);
			sort_test_assert_sorted(all, n, 1);
			sort_test_fill(all, n, n * 1000 + keys, keys);
			sort_stable_with(all, n, sizeof *all, sort_test_compare_reversed, &calls);
			sort_test_assert_sorted(all, n, -1);
			assert_true(n < 2 || calls);
			assert_int_equal(all[n].key, 77);
		}
}
