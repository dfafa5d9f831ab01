/* Shared chunks: images don't change later, cost only written chunks, and failing allocations
 * change nothing. Includes the source with an allocator of our own, which fails on request and
 * returns unzeroed memory. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/cases.h"

static unsigned allocations_left = UINT32_MAX;
static size_t blocks;

static void *hostile_malloc(size_t n)
{
	if (!allocations_left)
		return NULL;
	allocations_left -= allocations_left != UINT32_MAX;
	void *p = (malloc)(n);
	assert_non_null(p);
	blocks++;
	return memset(p, 0xab, n);
}

static void *hostile_calloc(size_t count, size_t n)
{
	void *p = hostile_malloc(count * n);
	return p ? memset(p, 0, count * n) : NULL;
}

static void hostile_free(void *p)
{
	blocks -= p != NULL;
	(free)(p);
}

#include "core/base/alloc.h"
#define alloc_bytes hostile_malloc
#define alloc_zeroed hostile_calloc
#define alloc_try_bytes hostile_malloc
#define alloc_try_zeroed hostile_calloc
#define free hostile_free
#include "core/base/cow.c"
#undef alloc_bytes
#undef alloc_zeroed
#undef alloc_try_bytes
#undef alloc_try_zeroed
#undef free

enum { BYTES = 64, CHUNKS = 5000 };

static uint64_t first_word(const struct cow *c, uint32_t i)
{
	uint64_t w;
	memcpy(&w, cow_read(c, i), sizeof w);
	return w;
}

static bool cow_test_write_scattered_word(struct cow *c, uint32_t i, uint64_t w)
{
	uint8_t *bytes = cow_write(c, i);
	if (bytes)
		memcpy(bytes + w % 8 * 8, &w, sizeof w);
	return bytes;
}

static bool cow_test_write_first_word(struct cow *c, uint32_t i, uint64_t w)
{
	uint8_t *bytes = cow_write(c, i);
	if (bytes)
		memcpy(bytes, &w, sizeof w);
	return bytes;
}

TEST(what_was_never_written_is_zero)
{
	static const uint32_t sizes[] = {1, 2, 64, 65, 4096, 4097};
	for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
		struct cow *c = cow_new(BYTES, sizes[s]);
		uint64_t empty = cow_hash(c);
		assert_int_equal(first_word(c, sizes[s] - 1), 0);
		assert_true(cow_test_write_first_word(c, sizes[s] - 1, 5));
		assert_int_equal(first_word(c, sizes[s] - 1), 5);
		assert_int_equal(first_word(c, 0), sizes[s] == 1 ? 5 : 0);
		assert_true(cow_hash(c) != empty);
		assert_true(cow_test_write_first_word(c, sizes[s] - 1, 0));
		assert_int_equal(cow_hash(c), empty);
		cow_free(c);
	}
	assert_int_equal(blocks, 0);
}

TEST(an_image_stays_what_it_was)
{
	struct cow *c = cow_new(BYTES, CHUNKS);
	assert_true(cow_test_write_first_word(c, 7, 1) && cow_test_write_first_word(c, 4999, 2));
	uint64_t h1 = cow_hash(c);
	struct cow_image *one = cow_keep(c);
	assert_true(cow_test_write_first_word(c, 7, 10) && cow_test_write_first_word(c, 100, 3));
	uint64_t h2 = cow_hash(c);
	struct cow_image *two = cow_keep(c);
	assert_true(cow_test_write_first_word(c, 4999, 20));
	cow_restore(c, one);
	assert_int_equal(cow_hash(c), h1);
	assert_int_equal(first_word(c, 7), 1);
	assert_int_equal(first_word(c, 100), 0);
	assert_true(cow_test_write_first_word(c, 7, 99)); /* writes no image */
	cow_restore(c, two);
	assert_int_equal(cow_hash(c), h2);
	cow_restore(c, one);
	assert_int_equal(cow_hash(c), h1);
	cow_restore(c, NULL);
	assert_int_equal(first_word(c, 7), 0);
	cow_restore(c, two);
	cow_free(c); /* images may outlive the table */
	c = cow_new(BYTES, CHUNKS);
	cow_restore(c, two);
	assert_int_equal(cow_hash(c), h2);
	cow_image_free(one);
	cow_image_free(two);
	assert_int_equal(cow_hash(c), h2);
	cow_free(c);
	assert_int_equal(blocks, 0);
}

/* An image's cost grows with the bytes written since the last one, not with the memory's size. */
TEST(images_share)
{
	struct cow *c = cow_new(BYTES, CHUNKS);
	for (uint32_t i = 0; i < CHUNKS; i++)
		assert_true(cow_test_write_first_word(c, i, i + 1));
	size_t all = cow_bytes(c), before = blocks;
	assert_true(all >= CHUNKS * BYTES && all < CHUNKS * (BYTES + 40));
	struct cow_image *one = cow_keep(c);
	assert_int_equal(blocks, before + 1);
	size_t bare = cow_held_bytes(c);
	assert_true(bare > 0 && bare < 100);
	void *was = cow_write(c, 5);
	assert_ptr_equal(cow_write(c, 5), was); /* copied once */
	assert_int_equal(blocks, before + 1 + 1 + c->height);
	assert_true(cow_held_bytes(c) < (size_t)BYTES + 4 * 600);
	assert_true(cow_held_bytes(c) > BYTES);
	assert_int_equal(cow_bytes(c), all);
	/* Chunks that only the image holds are its own, wherever the table goes. */
	size_t held = cow_held_bytes(c);
	struct cow_image *two = cow_keep(c);
	assert_int_equal(cow_held_bytes(c), held + bare);
	cow_restore(c, one);
	assert_int_equal(cow_held_bytes(c), held + bare);
	cow_restore(c, NULL);
	assert_int_equal(cow_held_bytes(c), held + bare + (all - cow_bytes(c)));
	cow_restore(c, two);
	cow_image_free(two);
	assert_int_equal(cow_held_bytes(c), held);
	cow_image_free(one);
	assert_int_equal(cow_held_bytes(c), 0);
	assert_int_equal(blocks, before);
	cow_free(c);
	assert_int_equal(blocks, 0);
}

/* Chunks without another holder are not copied. */
TEST(a_freed_image_gives_back)
{
	struct cow *c = cow_new(BYTES, CHUNKS);
	assert_true(cow_test_write_first_word(c, 9, 1));
	const void *bytes = cow_read(c, 9);
	cow_image_free(cow_keep(c));
	assert_ptr_equal(cow_write(c, 9), bytes);
	cow_free(c);
}

/* Random writes, images and restores, compared with plain copies. */
TEST(random_use_equals_copies)
{
	enum { N = 200, IMAGES = 8, WORDS = BYTES / 8 };
	static uint64_t now[N][WORDS], kept[IMAGES][N][WORDS];
	struct cow_image *image[IMAGES] = {NULL};
	struct cow *c = cow_new(BYTES, N);
	uint64_t seed = 1;
	memset(now, 0, sizeof now);
	memset(kept, 0, sizeof kept);
	for (unsigned step = 0; step < 20000; step++) {
		seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
		uint32_t i = (uint32_t)(seed >> 33) % N, k = (uint32_t)(seed >> 50) % IMAGES;
		if (step % 37 == 0) {
			cow_image_free(image[k]);
			image[k] = cow_keep(c);
			memcpy(kept[k], now, sizeof now);
		} else if (step % 53 == 0) {
			cow_restore(c, image[k]); /* NULL restores zeros */
			memcpy(now, kept[k], sizeof now);
		} else {
			assert_true(cow_test_write_scattered_word(c, i, seed));
			now[i][seed % 8] = seed;
		}
		assert_memory_equal(cow_read(c, i), now[i], BYTES);
	}
	for (uint32_t i = 0; i < N; i++)
		assert_memory_equal(cow_read(c, i), now[i], BYTES);
	for (unsigned k = 0; k < IMAGES; k++) {
		cow_restore(c, image[k]);
		for (uint32_t i = 0; i < N; i++)
			assert_memory_equal(cow_read(c, i), kept[k][i], BYTES);
		cow_image_free(image[k]);
	}
	cow_free(c);
	assert_int_equal(blocks, 0);
}

/* In each call, each allocation fails once. */
TEST(without_memory_nothing_changes)
{
	for (unsigned n = 0; n < 3; n++) {
		allocations_left = n;
		assert_null(cow_new(BYTES, CHUNKS));
		assert_int_equal(blocks, 0);
	}
	allocations_left = UINT32_MAX;
	struct cow *c = cow_new(BYTES, CHUNKS);
	assert_true(cow_test_write_first_word(c, 70, 7));
	struct cow_image *image = cow_keep(c);
	uint64_t hash = cow_hash(c);
	unsigned failed = 0;
	for (unsigned n = 0;; n++) {
		allocations_left = n;
		bool written = cow_test_write_first_word(c, 70, 8);
		allocations_left = UINT32_MAX;
		if (written)
			break;
		assert_int_equal(cow_hash(c), hash);
		failed++;
	}
	/* A retry finds the chunks that failed attempts copied. */
	assert_true(failed > 0 && failed <= c->height + 1);
	allocations_left = 0;
	assert_null(cow_write(c, 4000));
	assert_null(cow_keep(c));
	assert_int_equal(first_word(c, 70), 8);
	cow_restore(c, image); /* can't fail */
	assert_int_equal(cow_hash(c), hash);
	allocations_left = UINT32_MAX;
	cow_image_free(image);
	cow_free(c);
	assert_int_equal(blocks, 0);
}
