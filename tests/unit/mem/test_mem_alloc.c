/* Guest memory when the host is out of memory: each allocation of each call fails once, and a
 * failing call must leave the space unchanged. Includes the sources with an allocator of our own.
 */
#include <stdint.h>
#include <stdlib.h>

#include "tests/cases.h"

static unsigned allocations_left;

static void *mem_alloc_limited_malloc(size_t n)
{
	return allocations_left && allocations_left-- ? (malloc)(n) : NULL;
}

static void *mem_alloc_limited_calloc(size_t count, size_t n)
{
	return allocations_left && allocations_left-- ? (calloc)(count, n) : NULL;
}

#include "core/base/alloc.h"
#define alloc_bytes mem_alloc_limited_malloc
#define alloc_zeroed mem_alloc_limited_calloc
#define alloc_try_bytes mem_alloc_limited_malloc
#define alloc_try_zeroed mem_alloc_limited_calloc
#define POOL_OF_EACH /* each page and node is an allocation of its own */
#include "core/mem/code.c"
#include "core/mem/hash.c"
#include "core/mem/image.c"
#include "core/mem/map.c"
#include "core/mem/mem.c"
#include "core/mem/pool.c"
#include "core/mem/region.c"
#include "core/mem/tree.c"

enum { RWX = PROT_R | PROT_W | PROT_X, ENOUGH = 1000000 };
#define AT ((uint64_t)(NODE_FAN - 2) * PAGE_BYTES)
#define FAR (MEM_TOP / 2)

static bool mem_alloc_try_store(struct mem *mem)
{
	return mem_store(mem, AT, 8, 99);
}

static bool mem_alloc_try_store_across_pages(struct mem *mem)
{
	return mem_store(mem, AT + 2 * PAGE_BYTES - 4, 8, ~UINT64_C(0));
}

static bool write_block(struct mem *mem)
{
	uint8_t bytes[5 * PAGE_BYTES];
	memset(bytes, 0x5a, sizeof bytes);
	return mem_write(mem, AT + 8, bytes, sizeof bytes);
}

static bool map_over(struct mem *mem)
{
	return mem_map(mem, AT + PAGE_BYTES, 3 * PAGE_BYTES, PROT_R, "over");
}

static bool unmap_most(struct mem *mem)
{
	return mem_unmap(mem, AT + PAGE_BYTES, MEM_TOP - AT - PAGE_BYTES);
}

static bool mem_alloc_try_protect(struct mem *mem)
{
	return mem_protect(mem, AT + PAGE_BYTES, PAGE_BYTES, PROT_R);
}

static bool mem_alloc_try_move(struct mem *mem)
{
	return mem_move(mem, AT, FAR, 4 * PAGE_BYTES);
}

static bool discard_most(struct mem *mem)
{
	return mem_discard(mem, AT + PAGE_BYTES, MEM_TOP - AT - PAGE_BYTES);
}

/* Code can be executed with or without room for decoded records. */
static bool mem_alloc_try_fetch(struct mem *mem)
{
	bool kept = mem_fetch(mem, AT + 2 * PAGE_BYTES) == mem_fetch(mem, AT + 2 * PAGE_BYTES) &&
	            tree_find(&mem->space, (AT >> PAGE_LOG2) + 2)->code;
	assert_int_equal(mem_fetch(mem, AT)->raw, 0x00150513);
	assert_int_equal(mem_fetch(mem, AT + 2 * PAGE_BYTES - 2)->raw, 0x00150513);
	return kept && tree_find(&mem->space, (AT >> PAGE_LOG2) + 1)->code &&
	       tree_find(&mem->space, AT >> PAGE_LOG2)->code;
}

static struct mem *mem_alloc_new_space(void)
{
	allocations_left = ENOUGH;
	struct mem *mem = mem_new();
	const uint32_t code = 0x00150513;
	assert_true(mem_map(mem, AT, 6 * PAGE_BYTES, RWX, "heap"));
	assert_true(mem_map(mem, FAR, 4 * PAGE_BYTES, RWX, "high"));
	for (unsigned i = 0; i < 4; i++) {
		assert_true(mem_poke(mem, AT + i * PAGE_BYTES, &code, sizeof code));
		assert_true(mem_poke(mem, FAR + i * PAGE_BYTES, &code, sizeof code));
	}
	assert_true(mem_poke(mem, AT + 2 * PAGE_BYTES - 2, &code, sizeof code));
	return mem;
}

/* Runs call with every number of allocations until it succeeds; returns how many it needed. */
static unsigned mem_alloc_count_needed(bool call(struct mem *), bool shared)
{
	for (unsigned have = 0;; have++) {
		struct mem *mem = mem_alloc_new_space();
		struct mem_image *img = shared ? mem_snapshot(mem) : NULL;
		uint64_t before = mem_hash(mem), v;
		allocations_left = have;
		bool ok = call(mem);
		if (!ok)
			assert_int_equal(mem_hash(mem), before);
		allocations_left = ENOUGH;
		/* A failed call works once there is memory, and the snapshot is untouched either
		 * way.
		 */
		assert_true(call == mem_alloc_try_move || call(mem) || ok);
		if (img) {
			mem_restore(mem, img);
			assert_int_equal(mem_hash(mem), before);
			assert_true(mem_load(mem, AT, 4, &v));
			assert_int_equal(v, 0x00150513);
		}
		mem_free(mem);
		mem_image_free(img);
		if (ok)
			return have;
	}
}

TEST(failures_leave_the_space_as_it_was)
{
	assert_int_equal(mem_alloc_count_needed(mem_alloc_try_store, false), 0);
	/* Nodes, and a page. */
	const unsigned way = mem_alloc_count_needed(mem_alloc_try_store, true) - TREE_HEIGHT;
	assert_int_equal(way, 2);
	assert_true(mem_alloc_count_needed(mem_alloc_try_store_across_pages, true) >
	            TREE_HEIGHT + way);
	assert_true(mem_alloc_count_needed(write_block, false) <= 2);
	assert_true(mem_alloc_count_needed(write_block, true) > TREE_HEIGHT + 1);
	assert_true(mem_alloc_count_needed(map_over, true) > TREE_HEIGHT);
	assert_true(mem_alloc_count_needed(unmap_most, true) > TREE_HEIGHT);
	assert_true(mem_alloc_count_needed(discard_most, true) > TREE_HEIGHT);
	assert_int_equal(mem_alloc_count_needed(mem_alloc_try_protect, true), 1);
	assert_true(mem_alloc_count_needed(mem_alloc_try_move, true) > TREE_HEIGHT);
	assert_int_equal(mem_alloc_count_needed(mem_alloc_try_fetch, false), 3);
	assert_int_equal(mem_alloc_count_needed(mem_alloc_try_fetch, true), 3);
}

/* With the reserve in place a write across two pages needs nothing else, and the use of the reserve
 * is reported. */
TEST(a_reserve_lasts)
{
	volatile sig_atomic_t stop = 0;
	struct host_memory scarce = { .stop = &stop };
	struct mem *mem = mem_alloc_new_space();
	struct mem_image *img = mem_snapshot(mem);
	(void)state;
	mem_tell_host_memory(mem, &scarce);
	assert_true(mem_reserve(mem, 2, 5));
	allocations_left = 0;
	assert_true(mem_alloc_try_store_across_pages(mem));
	assert_true(scarce.dipped && !scarce.refused && stop);
	/* the space has its own copy of the page now */
	assert_true(mem_poke(mem, AT + 2 * PAGE_BYTES, &(uint8_t){ 1 }, 1));
	assert_false(mem_reserve(mem, 2, 5));
	assert_false(mem_poke(mem, AT + 3 * PAGE_BYTES, &(uint8_t){ 1 }, 1));
	assert_true(scarce.refused);
	allocations_left = ENOUGH;
	assert_true(mem_reserve(mem, 2, 5));
	assert_true(mem_poke(mem, AT + 3 * PAGE_BYTES, &(uint8_t){ 1 }, 1));
	mem_free(mem);
	mem_image_free(img);
}

TEST(creation_fails_cleanly)
{
	for (allocations_left = 0; allocations_left < 2;) {
		unsigned had = allocations_left;
		assert_null(mem_new());
		allocations_left = had + 1;
	}
	struct mem *mem = mem_alloc_new_space();
	allocations_left = 0;
	assert_null(mem_snapshot(mem));
	mem_free(mem);
}

/* The height of a tree; checks the height, count and ends of each node, and that its sides differ
 * by one at most. */
static unsigned check_regions_tree(const struct region *n, uint64_t first, uint64_t last)
{
	if (!n)
		return 0;
	const struct region *low = n->side[0], *high = n->side[1];
	const unsigned a = check_regions_tree(low, n->first, low ? n->r.start : 0),
		       b = check_regions_tree(high, high ? n->r.end : 0, n->last);
	assert_true(a <= b + 1 && b <= a + 1);
	assert_int_equal(n->height, 1 + (a > b ? a : b));
	assert_int_equal(n->count, 1 + (low ? low->count : 0) + (high ? high->count : 0));
	assert_int_equal(n->first, low ? low->first : n->r.start);
	assert_int_equal(n->last, high ? high->last : n->r.end);
	assert_true(n->first >= first && n->last <= last);
	return n->height;
}

/* For any order of insertions and removals. */
TEST(regions_stay_balanced)
{
	allocations_left = ENOUGH;
	struct mem *mem = mem_new();
	uint64_t rng = 88172645463325252;
	for (unsigned i = 0; i < 3000; i++) {
		rng ^= rng << 13, rng ^= rng >> 7, rng ^= rng << 17;
		/* rising, falling, anywhere; some ranges go beyond the end */
		const uint64_t at = (i < 200 ? i : i < 400 ? 600 - i : rng >> 20 & 511) + 16,
			       n = 1 + (i < 400 ? 0 : rng >> 40 & 3);
		const unsigned prot = at % 3 == 0 ? PROT_R : at % 3 == 1 ? PROT_R | PROT_W : PROT_X;
		const bool ok = i < 400 || rng >> 50 & 3
		                        ? mem_map(mem, at * PAGE_BYTES, n * PAGE_BYTES, prot, "")
		                        : mem_unmap(mem, at * PAGE_BYTES, n * PAGE_BYTES);
		assert_true(ok);
		check_regions_tree(mem->space.regions, 0, MEM_TOP);
	}
	assert_true(mem->space.regions->count > 64);
	mem_free(mem);
}
