/* Guest memory: access, regions, snapshots and digests, property by property. */
#include "tests/unit/mem/mem_fixture.h"

static uint64_t mem_expect_load(struct mem *mem, uint64_t addr, unsigned n)
{
	uint64_t v = 0;
	assert_true(mem_load(mem, addr, n, &v));
	return v;
}

/* ---- access ---- */

TEST(loads_and_stores_cross_pages)
{
	struct mem *mem = mem_fixture_new_mapped(AT, 2, RW);
	uint64_t edge = AT + PAGE_BYTES;
	for (unsigned n = 1; n <= 8; n *= 2) {
		for (uint64_t a = edge - 9; a <= edge + 1; a++) {
			uint64_t v = UINT64_C(0x8877665544332211) ^ a;
			assert_true(mem_store(mem, a, 8, ~UINT64_C(0)));
			assert_true(mem_store(mem, a, n, v));
			uint64_t keep = n == 8 ? 0 : ~UINT64_C(0) << (8 * n);
			assert_int_equal(mem_expect_load(mem, a, n), v & ~keep);
			assert_int_equal(mem_expect_load(mem, a, 8), (v & ~keep) | keep);
		}
	}
	mem_free(mem);
}

TEST(faults_change_nothing)
{
	struct mem *mem = mem_fixture_new_mapped(AT, 1, RW);
	uint64_t end = AT + PAGE_BYTES, v = 42;
	assert_true(mem_store(mem, end - 8, 8, 7));
	assert_false(mem_store(mem, end - 4, 8, ~UINT64_C(0)));
	assert_false(mem_load(mem, end - 4, 8, &v));
	assert_int_equal(v, 42);
	assert_int_equal(mem_expect_load(mem, end - 8, 8), 7);
	const uint64_t bad[] = {0,
	                        AT - 1,
	                        end,
	                        MEM_TOP,
	                        MEM_TOP + AT,
	                        UINT64_C(1) << 63 | AT,
	                        ~UINT64_C(0),
	                        ~UINT64_C(0) - 7};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		assert_false(mem_load(mem, bad[i], 2, &v));
		assert_false(mem_store(mem, bad[i], 2, 1));
		assert_false(mem_peek(mem, bad[i], &v, 8));
		assert_false(mem_poke(mem, bad[i], &v, 8));
		assert_false(mem_read(mem, bad[i], &v, 8));
		assert_false(mem_write(mem, bad[i], &v, 8));
		assert_null(mem_fetch(mem, bad[i] & ~UINT64_C(1)));
	}
	char buf[2 * PAGE_BYTES] = "x";
	assert_false(mem_write(mem, AT, buf, sizeof buf));
	assert_int_equal(mem_expect_load(mem, AT, 1), 0);
	assert_false(mem_read(mem, AT, buf, sizeof buf));
	assert_int_equal(buf[0], 'x');
	assert_false(mem_read(mem, AT, buf, SIZE_MAX));
	mem_free(mem);
}

TEST(each_access_needs_its_permission)
{
	uint64_t v;
	for (unsigned prot = 0; prot < 8; prot++) {
		struct mem *mem = mem_fixture_new_mapped(AT, 2, prot);
		for (int again = 0; again < 2; again++) {
			assert_int_equal(mem_store(mem, AT, 8, 1), prot & PROT_W ? 1 : 0);
			assert_int_equal(mem_load(mem, AT, 8, &v), prot & PROT_R ? 1 : 0);
			assert_int_equal(mem_fetch(mem, AT) != NULL, prot & PROT_X ? 1 : 0);
			assert_int_equal(mem_store(mem, AT + PAGE_BYTES - 2, 4, 1),
			                 prot & PROT_W ? 1 : 0);
			assert_int_equal(mem_load(mem, AT + PAGE_BYTES - 2, 4, &v),
			                 prot & PROT_R ? 1 : 0);
			assert_int_equal(mem_write(mem, AT, &v, 8), prot & PROT_W ? 1 : 0);
			assert_int_equal(mem_read(mem, AT, &v, 8), prot & PROT_R ? 1 : 0);
			assert_true(mem_poke(mem, AT, &v, 8));
			assert_true(mem_peek(mem, AT, &v, 8));
		}
		assert_int_equal(mem_prot_at(mem, AT + 5), prot);
		mem_free(mem);
	}
}

TEST(protection_takes_effect_at_once)
{
	uint64_t v;
	struct mem *mem = mem_fixture_new_mapped(AT, 3, RWX);
	assert_true(mem_store(mem, AT + PAGE_BYTES, 8, 9));
	assert_non_null(mem_fetch(mem, AT + PAGE_BYTES));
	assert_true(mem_protect(mem, AT + PAGE_BYTES, PAGE_BYTES, PROT_R));
	assert_int_equal(mem_expect_load(mem, AT + PAGE_BYTES, 8), 9);
	assert_false(mem_store(mem, AT + PAGE_BYTES, 8, 1));
	assert_null(mem_fetch(mem, AT + PAGE_BYTES));
	assert_true(mem_protect(mem, AT + PAGE_BYTES, PAGE_BYTES, 0));
	assert_false(mem_load(mem, AT + PAGE_BYTES, 8, &v));
	assert_true(mem_protect(mem, AT, 3 * PAGE_BYTES, RW));
	assert_int_equal(mem_expect_load(mem, AT + PAGE_BYTES, 8), 9);
	assert_int_equal(mem_region_count(mem), 1);
	assert_false(mem_protect(mem, AT, 4 * PAGE_BYTES, PROT_R));
	assert_int_equal(mem_prot_at(mem, AT), RW);
	assert_true(mem_unmap(mem, AT, PAGE_BYTES));
	assert_false(mem_load(mem, AT, 1, &v));
	assert_true(mem_map(mem, AT + PAGE_BYTES, PAGE_BYTES, RW, "new"));
	assert_int_equal(mem_expect_load(mem, AT + PAGE_BYTES, 8), 0);
	mem_free(mem);
}

/* Accesses both pages in turn: each replaces the other's entry in the fast table. */
static void mem_alternate(struct mem *mem, const uint64_t *page)
{
	for (unsigned i = 0; i < 8; i++) {
		assert_true(mem_store(mem, page[i % 2] + 16, 8, i));
		assert_int_equal(mem_expect_load(mem, page[i % 2] + 16, 8), i);
	}
}

TEST(pages_that_share_an_entry_change_at_once)
{
	enum { EARLIER = 6 }; /* what mem_alternate() stores last in the first page */
	struct mem *mem = mem_new();
	const uint64_t page[] = {AT, AT + MEM_FAST * PAGE_BYTES};
	const uint32_t add[] = {ADDI_A0_1, ADDI_A0_2};
	uint64_t v;
	for (unsigned i = 0; i < 2; i++)
		assert_true(mem_map(mem, page[i], PAGE_BYTES, RWX, "test"));
	/* the first load finds zeros that no page holds */
	assert_int_equal(mem_expect_load(mem, page[0], 8) | mem_expect_load(mem, page[1], 8), 0);
	mem_alternate(mem, page);
	const uint64_t hash = mem_hash(mem);
	struct mem_image *img = mem_snapshot(mem);
	for (v = 98; v < 100; v++) {
		/* the snapshot's page is copied, by a block and by a store */
		assert_true(v == 98 ? mem_write(mem, page[0] + 16, &v, 8)
		                    : mem_store(mem, page[0] + 16, 8, v));
		assert_int_equal(mem_expect_load(mem, page[1] + 16, 8), EARLIER + 1);
		assert_int_equal(mem_expect_load(mem, page[0] + 16, 8), v);
	}
	assert_int_not_equal(mem_hash(mem), hash);
	mem_restore(mem, img);
	assert_int_equal(mem_expect_load(mem, page[0] + 16, 8), EARLIER);
	assert_int_equal(mem_hash(mem), hash);
	mem_image_free(img);
	mem_alternate(mem, page);
	for (unsigned i = 0; i < 2; i++) {
		assert_true(mem_store(mem, page[0], 4, add[i]));
		assert_int_equal(mem_fetch(mem, page[0])->imm, 1 + i);
		assert_int_equal(mem_expect_load(mem, page[1] + 16, 8), EARLIER + 1);
	}
	mem_alternate(mem, page);
	mem_guard(mem, page[0] + 16);
	assert_int_equal(mem_expect_load(mem, page[1] + 16, 8), EARLIER + 1);
	assert_false(mem_store(mem, page[0] + 16, 8, 1));
	mem_guard(mem, 0);
	mem_alternate(mem, page);
	assert_true(mem_protect(mem, page[0], PAGE_BYTES, PROT_R));
	assert_int_equal(mem_expect_load(mem, page[1] + 16, 8), EARLIER + 1);
	assert_false(mem_store(mem, page[0] + 16, 8, 1));
	assert_true(mem_unmap(mem, page[0], PAGE_BYTES));
	assert_false(mem_load(mem, page[0] + 16, 8, &v));
	mem_free(mem);
}

TEST(strings_end_or_fail)
{
	struct mem *mem = mem_fixture_new_mapped(AT, 2, RW);
	uint64_t a = AT + PAGE_BYTES - 3;
	char buf[16];
	assert_true(mem_write(mem, a, "harmony", 8));
	assert_true(mem_read_string(mem, a, buf, sizeof buf));
	assert_string_equal(buf, "harmony");
	assert_true(mem_read_string(mem, a, buf, 8));
	assert_false(mem_read_string(mem, a, buf, 7));
	assert_false(mem_read_string(mem, a, buf, 0));
	assert_true(mem_write(mem, AT + 2 * PAGE_BYTES - 4, "tail", 4));
	assert_false(mem_read_string(mem, AT + 2 * PAGE_BYTES - 4, buf, sizeof buf));
	mem_free(mem);
}

/* ---- regions ---- */

TEST(absurd_ranges_are_refused)
{
	struct mem *mem = mem_fixture_new_mapped(AT, 4, RW);
	uint64_t before = mem_hash(mem);
	assert_true(mem_store(mem, AT, 1, 0));
	const uint64_t bad[][2] = {{AT, 0},
	                           {AT + 1, PAGE_BYTES},
	                           {AT, 100},
	                           {MEM_END, PAGE_BYTES},
	                           {AT, MEM_END},
	                           {MEM_END - PAGE_BYTES, 2 * PAGE_BYTES},
	                           {UINT64_C(0) - PAGE_BYTES, 2 * PAGE_BYTES},
	                           {AT, UINT64_C(0) - PAGE_BYTES}};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		assert_false(mem_map(mem, bad[i][0], bad[i][1], RW, "bad"));
		assert_false(mem_unmap(mem, bad[i][0], bad[i][1]));
		assert_false(mem_protect(mem, bad[i][0], bad[i][1], PROT_R));
		assert_false(mem_move(mem, bad[i][0], AT + 64 * PAGE_BYTES, bad[i][1]));
		assert_false(mem_move(mem, AT, bad[i][0], bad[i][1]));
	}
	assert_false(mem_move(mem, AT, AT + PAGE_BYTES, 2 * PAGE_BYTES));
	assert_false(mem_move(mem, AT, AT + 64 * PAGE_BYTES, 5 * PAGE_BYTES));
	assert_int_equal(mem_hash(mem), before);
	assert_int_equal(mem_find_free(mem, 0, MEM_TOP), 0);
	assert_int_equal(mem_find_free(mem, MEM_TOP + 1, MEM_TOP), 0);
	assert_int_equal(mem_find_free(mem, UINT64_MAX, MEM_TOP), 0);
	assert_false(mem_is_mapped(mem, AT, UINT64_MAX));
	assert_true(mem_is_mapped(mem, AT, 4 * PAGE_BYTES));
	assert_false(mem_is_mapped(mem, AT, 4 * PAGE_BYTES + 1));
	mem_free(mem);
}

TEST(thousands_of_regions_split_and_merge)
{
	enum { N = 5000 };
	struct mem *mem = mem_fixture_new_mapped(AT, 2 * N + 1, RW);
	uint64_t whole = mem_hash(mem);
	for (uint64_t i = 0; i < N; i++)
		assert_true(mem_protect(mem, AT + (2 * i + 1) * PAGE_BYTES, PAGE_BYTES, PROT_R));
	assert_int_equal(mem_region_count(mem), 2 * N + 1);
	struct mem_region r = {0};
	for (size_t i = 0; mem_next_region(mem, r.end, &r); i++) {
		assert_int_equal(r.start, AT + i * PAGE_BYTES);
		assert_int_equal(r.prot, i % 2 ? PROT_R : RW);
	}
	assert_int_equal(r.end, AT + (2 * N + 1) * PAGE_BYTES);
	struct mem_image *img = mem_snapshot(mem);
	uint64_t split = mem_hash(mem);
	for (uint64_t i = N; i-- > 0;)
		assert_true(mem_protect(mem, AT + (2 * i + 1) * PAGE_BYTES, PAGE_BYTES, RW));
	assert_int_equal(mem_region_count(mem), 1);
	assert_int_equal(mem_hash(mem), whole);
	mem_restore(mem, img);
	assert_int_equal(mem_region_count(mem), 2 * N + 1);
	assert_int_equal(mem_hash(mem), split);
	mem_image_free(img);
	assert_true(mem_unmap(mem, 0, MEM_END));
	assert_int_equal(mem_region_count(mem), 0);
	mem_free(mem);
}

/* The cost of a change after a snapshot does not depend on how much is mapped. */
TEST(snapshots_share_regions)
{
	enum { N = 20000, TRIED = 300, MOST = 16 << 10 };
	struct mem *mem = mem_new();
	for (uint64_t i = 0; i < N; i++)
		assert_true(mem_map(mem, AT + 2 * i * PAGE_BYTES, PAGE_BYTES, RW, "island"));
	for (uint64_t i = 0; i < TRIED; i++) {
		struct mem_image *img = mem_snapshot(mem);
		const uint64_t before = mem_taken_bytes(mem), hash = mem_hash(mem),
			       at = AT + 2 * (i * 7919 % N) * PAGE_BYTES;
		assert_non_null(img);
		assert_true(i % 3 ? mem_protect(mem, at, PAGE_BYTES, i % 3 == 1 ? PROT_R : PROT_X)
		                  : mem_unmap(mem, at, PAGE_BYTES));
		assert_true(mem_taken_bytes(mem) - before < MOST);
		assert_true(mem_hash(mem) != hash);
		if (i % 2) {
			mem_restore(mem, img);
			assert_int_equal(mem_hash(mem), hash);
		}
		mem_image_free(img);
	}
	assert_true(mem_held_bytes(mem) == 0);
	mem_free(mem);
}

TEST(the_region_table_has_an_end)
{
	struct mem *mem = mem_new();
	uint64_t at = AT;
	while (mem_map(mem, at, PAGE_BYTES, PROT_R, "island"))
		at += 2 * PAGE_BYTES;
	const size_t full = mem_region_count(mem);
	assert_int_equal(full, 65536);
	assert_false(mem_is_mapped(mem, at, 1));
	assert_true(mem_protect(mem, AT, PAGE_BYTES, RW));
	assert_true(mem_unmap(mem, AT, PAGE_BYTES));
	assert_true(mem_map(mem, at, PAGE_BYTES, PROT_R, "island"));
	assert_int_equal(mem_region_count(mem), full);
	mem_free(mem);
}

/* Loads, stores, fetches and blocks that touch a page of M-mode, also by the last byte. */
static bool mem_page_is_accessible(struct mem *mem, uint64_t at)
{
	uint64_t v;
	char c[8];
	bool all = mem_load(mem, at, 8, &v) && mem_load(mem, at - 4, 8, &v) &&
	           mem_store(mem, at, 8, 1) && mem_store(mem, at - 4, 8, 1) &&
	           mem_fetch(mem, at + 8) && mem_fetch(mem, at - 2) &&
	           mem_read(mem, at - 1, c, 8) && mem_write(mem, at - 1, c, 8);
	bool any = mem_load(mem, at, 8, &v) || mem_load(mem, at - 4, 8, &v) ||
	           mem_store(mem, at, 8, 1) || mem_store(mem, at - 4, 8, 1) ||
	           mem_fetch(mem, at + 8) || mem_fetch(mem, at - 2) ||
	           mem_read(mem, at - 1, c, 8) || mem_write(mem, at - 1, c, 8) ||
	           mem_read_string(mem, at, c, 8);
	assert_true(all == any);
	return all;
}

TEST(only_machine_mode_reaches_its_pages)
{
	enum { CODE = 0x10000 };
	(void)state;
	struct mem *mem = mem_new();
	uint32_t jal = 0x0000006f;
	uint64_t v;
	assert_true(mem_map(mem, MEM_TOP - PAGE_BYTES, PAGE_BYTES, RWX, "guest"));
	assert_true(mem_map(mem, MEM_TOP, 2 * PAGE_BYTES, RWX | PROT_M, "firmware"));
	assert_true(mem_map(mem, CODE, 2 * PAGE_BYTES, PROT_R | PROT_X, "code"));
	assert_true(mem_map(mem, CODE + 2 * PAGE_BYTES, PAGE_BYTES, PROT_R, "constants"));
	for (int i = 0; i < 3; i++) {
		assert_true(mem_poke(mem, MEM_TOP - 2, &jal, 4) &&
		            mem_poke(mem, MEM_TOP + 8, &jal, 4));
		assert_false(mem_page_is_accessible(mem, MEM_TOP));
		assert_false(mem_page_is_accessible(mem, MEM_TOP + PAGE_BYTES));
		assert_true(mem_load(mem, MEM_TOP - 8, 8, &v));
		assert_false(mem_store(mem, CODE + 8, 4, jal));
		assert_false(mem_store(mem, CODE + PAGE_BYTES - 2, 4, jal));
		mem_set_machine_mode(mem, true);
		assert_true(mem_page_is_accessible(mem, MEM_TOP));
		assert_true(mem_page_is_accessible(mem, MEM_TOP + PAGE_BYTES));
		/* and pages that a program may only execute are written, over two pages, too */
		assert_true(mem_store(mem, CODE + 8, 4, jal));
		assert_true(mem_store(mem, CODE + PAGE_BYTES - 2, 4, jal));
		/* but neither to read-only pages nor to unmapped ones */
		assert_false(mem_store(mem, CODE + 2 * PAGE_BYTES, 4, jal));
		assert_false(mem_store(mem, CODE + 3 * PAGE_BYTES, 4, jal));
		mem_set_machine_mode(mem, false);
	}
	mem_free(mem);
}

TEST(huge_mappings_cost_nothing)
{
	struct mem *mem = mem_new();
	assert_int_equal(mem_find_free(mem, PAGE_BYTES, 16 * PAGE_BYTES), 0);
	assert_true(mem_map(mem, 0, MEM_TOP, RWX, "all"));
	assert_int_equal(mem_find_free(mem, PAGE_BYTES, MEM_TOP), 0);
	assert_int_equal(mem_expect_load(mem, MEM_TOP - 8, 8), 0);
	assert_int_equal(mem_bytes(mem), 0);
	assert_int_equal(mem_next_touched(mem, 0), MEM_END);
	assert_int_equal(mem_fetch(mem, MEM_TOP - 2)->op, OP_ILLEGAL);
	assert_true(mem_store(mem, MEM_TOP - 8, 8, 5));
	assert_true(mem_store(mem, 0, 8, 5));
	assert_true(mem_bytes(mem) > 2 * PAGE_BYTES && mem_bytes(mem) < 64 * PAGE_BYTES);
	assert_int_equal(mem_next_touched(mem, 1), 0);
	assert_int_equal(mem_next_touched(mem, PAGE_BYTES), MEM_TOP - PAGE_BYTES);
	assert_int_equal(mem_next_touched(mem, ~UINT64_C(0)), MEM_END);
	struct mem_image *img = mem_snapshot(mem);
	assert_true(mem_unmap(mem, PAGE_BYTES, MEM_TOP - PAGE_BYTES));
	assert_int_equal(mem_next_touched(mem, PAGE_BYTES), MEM_END);
	assert_int_equal(mem_expect_load(mem, 0, 8), 5);
	mem_restore(mem, img);
	assert_int_equal(mem_expect_load(mem, MEM_TOP - 8, 8), 5);
	uint32_t half = ADDI_A0_1 & 0xffff;
	assert_true(mem_poke(mem, MEM_TOP - 2, &half, 2));
	assert_null(mem_fetch(mem, MEM_TOP - 2));
	mem_image_free(img);
	mem_free(mem);
}

/* ---- snapshots ---- */

TEST(images_keep_what_was)
{
	enum { N = 20 };
	struct mem *mem = mem_fixture_new_mapped(AT, 4, RW);
	struct mem_image *img[N];
	uint64_t hash[N];
	for (unsigned i = 0; i < N; i++) {
		assert_true(mem_store(mem, AT, 8, i));
		assert_true(mem_store(mem, AT + (i % 4) * PAGE_BYTES + 8, 8, i * 3));
		hash[i] = mem_hash(mem);
		img[i] = mem_snapshot(mem);
		for (unsigned k = 0; k < i; k++)
			assert_int_not_equal(hash[k], hash[i]);
	}
	for (unsigned k = 0; k < 3 * N; k++) {
		unsigned i = k * 7 % N;
		mem_restore(mem, img[i]);
		assert_int_equal(mem_hash(mem), hash[i]);
		assert_int_equal(mem_expect_load(mem, AT, 8), i);
		assert_int_equal(mem_expect_load(mem, AT + (i % 4) * PAGE_BYTES + 8, 8), i * 3);
		assert_true(mem_store(mem, AT, 8, ~UINT64_C(0)));
	}
	mem_free(mem);
	for (unsigned i = 0; i < N; i++)
		mem_image_free(img[i]);
}

#define FAR_AT (MEM_TOP / 2)

TEST(held_bytes_are_what_freeing_gives)
{
	struct mem *mem = mem_fixture_new_mapped(AT, 100, RW);
	for (unsigned i = 0; i < 100; i++)
		assert_true(mem_store(mem, AT + i * PAGE_BYTES, 8, i + 1));
	assert_int_equal(mem_held_bytes(mem), 0);
	struct mem_image *a = mem_snapshot(mem), *b = mem_snapshot(mem);
	size_t bare = mem_held_bytes(mem), all = mem_bytes(mem);
	assert_true(bare > 0 && bare < 256);
	for (unsigned i = 0; i < 10; i++)
		assert_true(mem_store(mem, AT + i * PAGE_BYTES, 8, 0));
	size_t held = mem_held_bytes(mem);
	assert_true(held > 10 * PAGE_BYTES && held < 14 * PAGE_BYTES);
	assert_int_equal(mem_bytes(mem), all);
	mem_image_free(b);
	assert_int_equal(mem_held_bytes(mem), held - bare / 2);
	/* Parts that leave the present belong to history: unmapped pages, and a former region
	 * table. */
	assert_true(mem_unmap(mem, AT, 50 * PAGE_BYTES));
	size_t more = mem_held_bytes(mem) - held;
	assert_true(more > 40 * PAGE_BYTES && more < 45 * PAGE_BYTES);
	assert_true(mem_map(mem, AT, 50 * PAGE_BYTES, RW, "again"));
	assert_true(mem_map(mem, FAR_AT, 50 * PAGE_BYTES, RW, "far"));
	assert_true(mem_move(mem, AT + 50 * PAGE_BYTES, FAR_AT, 50 * PAGE_BYTES));
	b = mem_snapshot(mem);
	mem_restore(mem, a);
	assert_int_equal(mem_bytes(mem), all);
	mem_image_free(b);
	assert_int_equal(mem_held_bytes(mem), bare / 2);
	mem_image_free(a);
	assert_int_equal(mem_held_bytes(mem), 0);
	assert_true(mem_unmap(mem, 0, MEM_END));
	assert_true(mem_bytes(mem) < PAGE_BYTES); /* a node */
	mem_free(mem);
}

/* ---- digests ---- */

TEST(digests_see_every_write)
{
	struct mem *mem = mem_fixture_new_mapped(AT, 300, RW);
	uint64_t empty = mem_hash(mem), v = 0;
	assert_true(mem_store(mem, AT, 8, 0));
	assert_int_equal(mem_hash(mem), empty);
	assert_true(mem_store(mem, AT, 1, 1));
	uint64_t one = mem_hash(mem);
	assert_int_not_equal(one, empty);
	assert_true(mem_store(mem, AT, 1, 2));
	assert_int_not_equal(mem_hash(mem), one);
	assert_true(mem_store(mem, AT, 1, 1));
	assert_int_equal(mem_hash(mem), one);
	assert_true(mem_write(mem, AT, &v, 8));
	assert_int_equal(mem_hash(mem), empty);
	/* The same bytes at other addresses, or in another order, have another hash. */
	assert_true(mem_store(mem, AT + 256 * PAGE_BYTES, 1, 1));
	uint64_t elsewhere = mem_hash(mem);
	assert_int_not_equal(elsewhere, one);
	assert_true(mem_move(mem, AT + 256 * PAGE_BYTES, AT + 400 * PAGE_BYTES, PAGE_BYTES));
	assert_true(mem_map(mem, AT + 256 * PAGE_BYTES, PAGE_BYTES, RW, "test"));
	assert_true(mem_unmap(mem, AT + 400 * PAGE_BYTES, PAGE_BYTES));
	assert_int_equal(mem_hash(mem), empty);
	for (unsigned i = 0; i < PAGE_BYTES; i++) {
		assert_true(mem_store(mem, AT + i, 1, 0x80));
		assert_int_not_equal(mem_hash(mem), empty);
		assert_true(mem_store(mem, AT + i, 1, 0));
	}
	assert_int_equal(mem_hash(mem), empty);
	assert_true(mem_protect(mem, AT, PAGE_BYTES, PROT_R));
	assert_int_not_equal(mem_hash(mem), empty);
	mem_free(mem);
}
