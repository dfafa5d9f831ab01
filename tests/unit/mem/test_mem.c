/* Guest memory: single properties first, then long random runs against a plain array. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "core/mem/mem.h"

enum { RW = PROT_R | PROT_W, RX = PROT_R | PROT_X, RWX = RW | PROT_X };
enum { ADDI_A0_1 = 0x00150513, ADDI_A0_2 = 0x00250513, C_NOP = 0x0001 };

static const uint64_t AT = 0x10000;

static struct mem *mapped(uint64_t start, uint64_t pages, unsigned prot)
{
	struct mem *mem = mem_new();
	assert_non_null(mem);
	assert_true(mem_map(mem, start, pages * PAGE_BYTES, prot, "test"));
	return mem;
}

static uint64_t load(struct mem *mem, uint64_t addr, unsigned n)
{
	uint64_t v = 0;
	assert_true(mem_load(mem, addr, n, &v));
	return v;
}

static void poke32(struct mem *mem, uint64_t addr, uint32_t v)
{
	assert_true(mem_poke(mem, addr, &v, sizeof v));
}

/* ---- access ---- */

static void loads_and_stores_cross_pages(void **state)
{
	(void)state;
	struct mem *mem = mapped(AT, 2, RW);
	uint64_t edge = AT + PAGE_BYTES;
	for (unsigned n = 1; n <= 8; n *= 2) {
		for (uint64_t a = edge - 9; a <= edge + 1; a++) {
			uint64_t v = UINT64_C(0x8877665544332211) ^ a;
			assert_true(mem_store(mem, a, 8, ~UINT64_C(0)));
			assert_true(mem_store(mem, a, n, v));
			uint64_t keep = n == 8 ? 0 : ~UINT64_C(0) << (8 * n);
			assert_int_equal(load(mem, a, n), v & ~keep);
			assert_int_equal(load(mem, a, 8), (v & ~keep) | keep);
		}
	}
	mem_free(mem);
}

static void faults_change_nothing(void **state)
{
	(void)state;
	struct mem *mem = mapped(AT, 1, RW);
	uint64_t end = AT + PAGE_BYTES, v = 42;
	assert_true(mem_store(mem, end - 8, 8, 7));
	assert_false(mem_store(mem, end - 4, 8, ~UINT64_C(0)));
	assert_false(mem_load(mem, end - 4, 8, &v));
	assert_int_equal(v, 42);
	assert_int_equal(load(mem, end - 8, 8), 7);
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
	assert_int_equal(load(mem, AT, 1), 0);
	assert_false(mem_read(mem, AT, buf, sizeof buf));
	assert_int_equal(buf[0], 'x');
	assert_false(mem_read(mem, AT, buf, SIZE_MAX));
	mem_free(mem);
}

static void each_access_needs_its_permission(void **state)
{
	(void)state;
	uint64_t v;
	for (unsigned prot = 0; prot < 8; prot++) {
		struct mem *mem = mapped(AT, 2, prot);
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

static void protection_takes_effect_at_once(void **state)
{
	(void)state;
	uint64_t v;
	struct mem *mem = mapped(AT, 3, RWX);
	assert_true(mem_store(mem, AT + PAGE_BYTES, 8, 9));
	assert_non_null(mem_fetch(mem, AT + PAGE_BYTES));
	assert_true(mem_protect(mem, AT + PAGE_BYTES, PAGE_BYTES, PROT_R));
	assert_int_equal(load(mem, AT + PAGE_BYTES, 8), 9);
	assert_false(mem_store(mem, AT + PAGE_BYTES, 8, 1));
	assert_null(mem_fetch(mem, AT + PAGE_BYTES));
	assert_true(mem_protect(mem, AT + PAGE_BYTES, PAGE_BYTES, 0));
	assert_false(mem_load(mem, AT + PAGE_BYTES, 8, &v));
	assert_true(mem_protect(mem, AT, 3 * PAGE_BYTES, RW));
	assert_int_equal(load(mem, AT + PAGE_BYTES, 8), 9);
	size_t count;
	mem_regions(mem, &count);
	assert_int_equal(count, 1);
	assert_false(mem_protect(mem, AT, 4 * PAGE_BYTES, PROT_R));
	assert_int_equal(mem_prot_at(mem, AT), RW);
	assert_true(mem_unmap(mem, AT, PAGE_BYTES));
	assert_false(mem_load(mem, AT, 1, &v));
	assert_true(mem_map(mem, AT + PAGE_BYTES, PAGE_BYTES, RW, "new"));
	assert_int_equal(load(mem, AT + PAGE_BYTES, 8), 0);
	mem_free(mem);
}

static void strings_end_or_fail(void **state)
{
	(void)state;
	struct mem *mem = mapped(AT, 2, RW);
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

static void absurd_ranges_are_refused(void **state)
{
	(void)state;
	struct mem *mem = mapped(AT, 4, RW);
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
	assert_false(mem_is_mapped(mem, AT, UINT64_MAX));
	assert_true(mem_is_mapped(mem, AT, 4 * PAGE_BYTES));
	assert_false(mem_is_mapped(mem, AT, 4 * PAGE_BYTES + 1));
	mem_free(mem);
}

static void thousands_of_regions_split_and_merge(void **state)
{
	(void)state;
	enum { N = 5000 };
	struct mem *mem = mapped(AT, 2 * N + 1, RW);
	size_t count;
	uint64_t whole = mem_hash(mem);
	for (uint64_t i = 0; i < N; i++)
		assert_true(mem_protect(mem, AT + (2 * i + 1) * PAGE_BYTES, PAGE_BYTES, PROT_R));
	const struct mem_region *r = mem_regions(mem, &count);
	assert_int_equal(count, 2 * N + 1);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(r[i].start, AT + i * PAGE_BYTES);
		assert_int_equal(r[i].prot, i % 2 ? PROT_R : RW);
	}
	struct mem_image *img = mem_snapshot(mem);
	uint64_t split = mem_hash(mem);
	for (uint64_t i = N; i-- > 0;)
		assert_true(mem_protect(mem, AT + (2 * i + 1) * PAGE_BYTES, PAGE_BYTES, RW));
	mem_regions(mem, &count);
	assert_int_equal(count, 1);
	assert_int_equal(mem_hash(mem), whole);
	mem_restore(mem, img);
	mem_regions(mem, &count);
	assert_int_equal(count, 2 * N + 1);
	assert_int_equal(mem_hash(mem), split);
	mem_image_free(img);
	assert_true(mem_unmap(mem, 0, MEM_END));
	mem_regions(mem, &count);
	assert_int_equal(count, 0);
	mem_free(mem);
}

static void the_region_table_has_an_end(void **state)
{
	(void)state;
	struct mem *mem = mem_new();
	uint64_t at = AT;
	while (mem_map(mem, at, PAGE_BYTES, PROT_R, "island"))
		at += 2 * PAGE_BYTES;
	size_t count, full;
	mem_regions(mem, &full);
	assert_true(full >= 4096);
	assert_false(mem_is_mapped(mem, at, 1));
	assert_true(mem_protect(mem, AT, PAGE_BYTES, RW));
	assert_true(mem_unmap(mem, AT, PAGE_BYTES));
	assert_true(mem_map(mem, at, PAGE_BYTES, PROT_R, "island"));
	mem_regions(mem, &count);
	assert_int_equal(count, full);
	mem_free(mem);
}

/* Loads, stores, fetches and blocks that touch a page of M-mode, also by the last byte. */
static bool reaches(struct mem *mem, uint64_t at)
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

static void only_machine_mode_reaches_its_pages(void **state)
{
	(void)state;
	struct mem *mem = mem_new();
	uint32_t jal = 0x0000006f;
	uint64_t v;
	assert_true(mem_map(mem, MEM_TOP - PAGE_BYTES, PAGE_BYTES, RWX, "guest"));
	assert_true(mem_map(mem, MEM_TOP, 2 * PAGE_BYTES, RWX | PROT_M, "firmware"));
	for (int i = 0; i < 3; i++) {
		assert_true(mem_poke(mem, MEM_TOP - 2, &jal, 4) &&
		            mem_poke(mem, MEM_TOP + 8, &jal, 4));
		assert_false(reaches(mem, MEM_TOP));
		assert_false(reaches(mem, MEM_TOP + PAGE_BYTES));
		assert_true(mem_load(mem, MEM_TOP - 8, 8, &v));
		mem_set_machine_mode(mem, true);
		assert_true(reaches(mem, MEM_TOP));
		assert_true(reaches(mem, MEM_TOP + PAGE_BYTES));
		mem_set_machine_mode(mem, false);
	}
	mem_free(mem);
}

static void huge_mappings_cost_nothing(void **state)
{
	(void)state;
	struct mem *mem = mem_new();
	assert_true(mem_map(mem, 0, MEM_TOP, RWX, "all"));
	assert_int_equal(load(mem, MEM_TOP - 8, 8), 0);
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
	assert_int_equal(load(mem, 0, 8), 5);
	mem_restore(mem, img);
	assert_int_equal(load(mem, MEM_TOP - 8, 8), 5);
	uint32_t half = ADDI_A0_1 & 0xffff;
	assert_true(mem_poke(mem, MEM_TOP - 2, &half, 2));
	assert_null(mem_fetch(mem, MEM_TOP - 2));
	mem_image_free(img);
	mem_free(mem);
}

/* ---- snapshots ---- */

static void images_keep_what_was(void **state)
{
	(void)state;
	enum { N = 20 };
	struct mem *mem = mapped(AT, 4, RW);
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
		assert_int_equal(load(mem, AT, 8), i);
		assert_int_equal(load(mem, AT + (i % 4) * PAGE_BYTES + 8, 8), i * 3);
		assert_true(mem_store(mem, AT, 8, ~UINT64_C(0)));
	}
	mem_free(mem);
	for (unsigned i = 0; i < N; i++)
		mem_image_free(img[i]);
}

#define FAR_AT (MEM_TOP / 2)

static void held_bytes_are_what_freeing_gives(void **state)
{
	(void)state;
	struct mem *mem = mapped(AT, 100, RW);
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
	/* What leaves the present is history's: pages unmapped, and a region table of before. */
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

static void digests_see_every_write(void **state)
{
	(void)state;
	struct mem *mem = mapped(AT, 300, RW);
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
	/* The same bytes elsewhere, and in another order, are another space. */
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

/* ---- decoded code ---- */

static void stores_drop_only_what_they_cover(void **state)
{
	(void)state;
	struct mem *mem = mapped(AT, 1, RWX);
	for (unsigned i = 0; i < 4; i++)
		poke32(mem, AT + 4 * i, ADDI_A0_1);
	const struct inst *in[4];
	for (unsigned i = 0; i < 4; i++) {
		in[i] = mem_fetch(mem, AT + 4 * i);
		assert_int_equal(in[i]->imm, 1);
	}
	assert_true(mem_store(mem, AT + 7, 1, 0x00));
	assert_int_equal(in[0]->len, 4);
	assert_int_equal(in[1]->len, 0);
	assert_int_equal(in[2]->len, 4);
	assert_int_equal(mem_fetch(mem, AT + 4)->imm, 1);
	assert_true(mem_store(mem, AT + 4, 4, ADDI_A0_2));
	assert_int_equal(mem_fetch(mem, AT + 4)->imm, 2);
	assert_int_equal(mem_fetch(mem, AT + 8)->imm, 1);
	poke32(mem, AT + 8, ADDI_A0_2);
	assert_int_equal(mem_fetch(mem, AT + 8)->imm, 2);
	assert_null(mem_fetch(mem, AT + 1));
	mem_free(mem);
}

static void hot_stores_beside_code_become_fast_and_stay_right(void **state)
{
	(void)state;
	struct mem *mem = mapped(AT, 1, RWX);
	poke32(mem, AT, ADDI_A0_1);
	for (unsigned i = 0; i < 20000; i++) {
		uint32_t code = i & 1 ? ADDI_A0_1 : ADDI_A0_2;
		assert_true(mem_store(mem, AT + 64, 8, i));
		if (i % 100 == 0) {
			assert_true(mem_store(mem, AT, 4, code));
			assert_int_equal(mem_fetch(mem, AT)->raw, code);
		}
		if (i % 3000 == 2999) {
			/* Fetch, then overwrite by what may be a fast store. */
			assert_non_null(mem_fetch(mem, AT));
			assert_true(mem_store(mem, AT, 4, C_NOP));
			assert_int_equal(mem_fetch(mem, AT)->len, 2);
		}
	}
	mem_free(mem);
}

static void thrown_away_records_serve_one_page_only(void **state)
{
	(void)state;
	struct mem *mem = mapped(AT, 2, RWX);
	poke32(mem, AT, ADDI_A0_1);
	poke32(mem, AT + PAGE_BYTES, ADDI_A0_2);
	assert_int_equal(mem_fetch(mem, AT)->imm, 1);
	for (unsigned i = 0; i < 5000; i++)
		assert_true(mem_store(mem, AT + 64, 8, i));
	assert_int_equal(mem_fetch(mem, AT + PAGE_BYTES)->imm, 2);
	assert_int_equal(mem_fetch(mem, AT)->imm, 1);
	assert_int_equal(mem_fetch(mem, AT + PAGE_BYTES)->imm, 2);
	mem_free(mem);
}

static void walking_records_ends_at_the_page(void **state)
{
	(void)state;
	struct mem *mem = mapped(AT, 2, RWX);
	for (unsigned i = 0; i < PAGE_BYTES; i += 4)
		poke32(mem, AT + i, ADDI_A0_1);
	const struct inst *in = mem_fetch(mem, AT + PAGE_BYTES - 4);
	assert_int_equal(in->len, 4);
	assert_int_equal(in[2].len, 0);
	poke32(mem, AT + PAGE_BYTES - 2, ADDI_A0_1);
	in = mem_fetch(mem, AT + PAGE_BYTES - 2);
	assert_int_equal(in->len, 4);
	assert_int_equal(in[2].len, 0);
	mem_free(mem);
}

static void straddling_code_follows_both_pages(void **state)
{
	(void)state;
	struct mem *mem = mapped(AT, 2, RWX);
	uint64_t next = AT + PAGE_BYTES, pc = next - 2;
	poke32(mem, pc, ADDI_A0_1);
	assert_int_equal(mem_fetch(mem, pc)->imm, 1);
	assert_int_equal(mem_fetch(mem, pc)->imm, 1);
	assert_true(mem_store(mem, next, 2, ADDI_A0_2 >> 16));
	assert_int_equal(mem_fetch(mem, pc)->imm, 2);
	struct mem_image *img = mem_snapshot(mem);
	assert_int_equal(mem_fetch(mem, pc)->imm, 2);
	assert_true(mem_store(mem, pc, 4, ADDI_A0_1));
	assert_int_equal(mem_fetch(mem, pc)->imm, 1);
	mem_restore(mem, img);
	assert_int_equal(mem_fetch(mem, pc)->imm, 2);
	assert_true(mem_store(mem, pc, 2, C_NOP));
	assert_int_equal(mem_fetch(mem, pc)->len, 2);
	assert_true(mem_store(mem, pc, 2, ADDI_A0_1 & 0xffff));
	assert_int_equal(mem_fetch(mem, pc)->imm, 2);
	assert_true(mem_protect(mem, next, PAGE_BYTES, RW));
	assert_null(mem_fetch(mem, pc));
	assert_true(mem_protect(mem, next, PAGE_BYTES, RWX));
	assert_int_equal(mem_fetch(mem, pc)->imm, 2);
	/* Code thrown away must take the straddling record along. */
	for (unsigned i = 0; i < 5000; i++)
		assert_true(mem_store(mem, next + 64, 8, i));
	assert_true(mem_store(mem, next, 2, ADDI_A0_1 >> 16));
	assert_int_equal(mem_fetch(mem, pc)->imm, 1);
	assert_true(mem_unmap(mem, next, PAGE_BYTES));
	assert_null(mem_fetch(mem, pc));
	mem_image_free(img);
	mem_free(mem);
}

static void restoring_keeps_decoded_code(void **state)
{
	(void)state;
	struct mem *mem = mapped(AT, 3, RWX);
	poke32(mem, AT, ADDI_A0_1);
	poke32(mem, AT + PAGE_BYTES, ADDI_A0_1);
	const struct inst *a = mem_fetch(mem, AT), *b = mem_fetch(mem, AT + PAGE_BYTES);
	struct mem_image *img = mem_snapshot(mem);
	assert_true(mem_store(mem, AT + 2 * PAGE_BYTES, 8, 1));
	assert_true(mem_store(mem, AT + PAGE_BYTES, 4, ADDI_A0_2));
	/* Who walks the records must see the store, though a snapshot shared the page. */
	assert_int_equal(b->len, 0);
	assert_int_equal(mem_fetch(mem, AT + PAGE_BYTES)->imm, 2);
	mem_restore(mem, img);
	assert_ptr_equal(mem_fetch(mem, AT), a);
	assert_int_equal(a->len, 4);
	assert_int_equal(mem_fetch(mem, AT + PAGE_BYTES)->imm, 1);
	mem_image_free(img);
	mem_free(mem);
}

/* ---- random runs against a model ---- */

enum { WINDOWS = 3, WINDOW_PAGES = 24, PAGES = WINDOWS * WINDOW_PAGES, IMAGES = 6 };

/* Around a leaf's edge, around an edge of every level, and below the top. They share fast table
 * entries. */
static const uint64_t window_start[WINDOWS] = {
	(2 * MEM_FAST - WINDOW_PAGES / 2) * PAGE_BYTES,
	((UINT64_C(1) << 21) - WINDOW_PAGES / 2) * PAGE_BYTES,
	MEM_TOP - WINDOW_PAGES * PAGE_BYTES,
};
static const char *const names[] = { "a", "b", "a name that is longer than a region's" };

struct model_page {
	bool mapped;
	unsigned prot, name;
	uint8_t bytes[PAGE_BYTES];
};

struct model {
	struct model_page page[PAGES];
};

struct world {
	struct mem *mem;
	struct model now, then[IMAGES];
	struct mem_image *img[IMAGES];
	uint64_t hash[IMAGES], rng;
};

static uint64_t rnd(struct world *w, uint64_t below)
{
	w->rng ^= w->rng << 13;
	w->rng ^= w->rng >> 7;
	w->rng ^= w->rng << 17;
	return (w->rng >> 11) % below;
}

static uint64_t page_addr(unsigned i)
{
	return window_start[i / WINDOW_PAGES] + (uint64_t)(i % WINDOW_PAGES) * PAGE_BYTES;
}

/* The model's page at addr, or NULL outside the windows. */
static struct model_page *model_page(struct model *m, uint64_t addr)
{
	for (unsigned i = 0; i < WINDOWS; i++)
		if (addr - window_start[i] < WINDOW_PAGES * PAGE_BYTES)
			return &m->page[i * WINDOW_PAGES + (addr - window_start[i]) / PAGE_BYTES];
	return NULL;
}

static bool model_may(struct model *m, uint64_t addr, size_t n, unsigned prot)
{
	for (uint64_t a = addr; a < addr + n; a = (a | (PAGE_BYTES - 1)) + 1) {
		const struct model_page *p = model_page(m, a);
		if (!p || !p->mapped || (p->prot & prot) != prot)
			return false;
	}
	return true;
}

static void model_copy(struct model *m, uint64_t addr, uint8_t *buf, size_t n, bool in)
{
	for (size_t i = 0; i < n; i++) {
		uint8_t *b = &model_page(m, addr + i)->bytes[(addr + i) % PAGE_BYTES];
		if (in)
			*b = buf[i];
		else
			buf[i] = *b;
	}
}

/* An address in a window, often near a page's edge, at times just outside. */
static uint64_t some_addr(struct world *w)
{
	uint64_t addr = page_addr((unsigned)rnd(w, PAGES));
	if (rnd(w, 2))
		addr = page_addr((unsigned)rnd(w, 2) * WINDOW_PAGES + WINDOW_PAGES / 2);
	if (rnd(w, 3))
		return addr + rnd(w, PAGE_BYTES);
	return addr + rnd(w, 24) - 12;
}

/* A page-aligned range inside one window. */
static uint64_t some_range(struct world *w, unsigned *first, unsigned *count)
{
	unsigned at = (unsigned)rnd(w, WINDOW_PAGES);
	unsigned most = WINDOW_PAGES - at;
	*first = (unsigned)rnd(w, WINDOWS) * WINDOW_PAGES + at;
	*count = 1 + (unsigned)rnd(w, rnd(w, 8) ? (most < 4 ? most : 4) : most);
	return page_addr(*first);
}

static void check_fetch(struct world *w, uint64_t pc)
{
	pc &= ~UINT64_C(1);
	uint8_t bytes[4] = { 0 };
	uint32_t raw;
	struct inst want = { 0 };
	bool ok = model_may(&w->now, pc, 2, PROT_X);
	if (ok) {
		model_copy(&w->now, pc, bytes, 2, false);
		if ((bytes[0] & 3) == 3) {
			ok = model_may(&w->now, pc, 4, PROT_X);
			if (ok)
				model_copy(&w->now, pc, bytes, 4, false);
		}
	}
	const struct inst *in = mem_fetch(w->mem, pc);
	assert_int_equal(in != NULL, ok);
	if (!ok)
		return;
	memcpy(&raw, bytes, sizeof raw);
	inst_decode(raw, &want);
	assert_memory_equal(in, &want, sizeof want);
}

static void check_regions(struct world *w)
{
	size_t count, at = 0;
	const struct mem_region *r = mem_regions(w->mem, &count);
	for (unsigned i = 0; i < PAGES; i++) {
		const struct model_page *p = &w->now.page[i];
		if (!p->mapped)
			continue;
		unsigned end = i + 1;
		while (end % WINDOW_PAGES && w->now.page[end].mapped &&
		       w->now.page[end].prot == p->prot && w->now.page[end].name == p->name)
			end++;
		assert_true(at < count);
		assert_int_equal(r[at].start, page_addr(i));
		assert_int_equal(r[at].end, page_addr(end - 1) + PAGE_BYTES);
		assert_int_equal(r[at].prot, p->prot);
		assert_memory_equal(r[at].name, names[p->name], strnlen(names[p->name], 23));
		at++;
		i = end - 1;
	}
	assert_int_equal(at, count);
}

/* A space made from the model afresh has the same digest, whatever way this one came about. */
static void check_everything(struct world *w)
{
	struct mem *fresh = mem_new();
	uint8_t bytes[PAGE_BYTES];
	for (unsigned i = PAGES; i-- > 0;) {
		const struct model_page *p = &w->now.page[i];
		assert_int_equal(mem_peek(w->mem, page_addr(i), bytes, sizeof bytes), p->mapped);
		if (!p->mapped)
			continue;
		assert_memory_equal(bytes, p->bytes, PAGE_BYTES);
		assert_true(mem_map(fresh, page_addr(i), PAGE_BYTES, p->prot, names[p->name]));
		if (rnd(w, 2) || memcmp(bytes, (uint8_t[PAGE_BYTES]){ 0 }, PAGE_BYTES) != 0)
			assert_true(mem_poke(fresh, page_addr(i), bytes, sizeof bytes));
	}
	assert_int_equal(mem_hash(fresh), mem_hash(w->mem));
	mem_free(fresh);
	check_regions(w);
}

static void do_access(struct world *w)
{
	uint64_t addr = some_addr(w), v = rnd(w, UINT64_MAX), got = 1;
	unsigned n = 1u << rnd(w, 4);
	if (!rnd(w, 4))
		v = rnd(w, 2) ? ADDI_A0_1 : 0;
	if (rnd(w, 2)) {
		bool ok = model_may(&w->now, addr, n, PROT_W);
		assert_int_equal(mem_store(w->mem, addr, n, v), ok);
		if (ok)
			model_copy(&w->now, addr, (uint8_t *)&v, n, true);
	} else {
		bool ok = model_may(&w->now, addr, n, PROT_R);
		uint64_t want = ok ? 0 : 1;
		assert_int_equal(mem_load(w->mem, addr, n, &got), ok);
		if (ok)
			model_copy(&w->now, addr, (uint8_t *)&want, n, false);
		assert_int_equal(got, want);
	}
	check_fetch(w, rnd(w, 2) ? addr : addr - 2);
}

static void do_block(struct world *w)
{
	uint64_t addr = some_addr(w);
	size_t n = rnd(w, rnd(w, 3) ? 40 : 3 * PAGE_BYTES);
	uint8_t *a = malloc(n + 1), *b = malloc(n + 1);
	unsigned how = (unsigned)rnd(w, 4);
	bool write = how & 1;
	unsigned prot = how & 2 ? 0 : write ? PROT_W : PROT_R;
	for (size_t i = 0; i < n; i++)
		a[i] = b[i] = (uint8_t)rnd(w, 4);
	bool ok = model_may(&w->now, addr, n, prot);
	if (ok)
		model_copy(&w->now, addr, b, n, write);
	if (write)
		assert_int_equal(
			prot ? mem_write(w->mem, addr, a, n) : mem_poke(w->mem, addr, a, n), ok);
	else
		assert_int_equal(prot ? mem_read(w->mem, addr, a, n) : mem_peek(w->mem, addr, a, n),
		                 ok);
	assert_memory_equal(a, b, n);
	free(a);
	free(b);
}

static void do_mapping(struct world *w)
{
	unsigned first, count, to, unused;
	uint64_t start = some_range(w, &first, &count), target = some_range(w, &to, &unused);
	uint64_t length = (uint64_t)count * PAGE_BYTES;
	unsigned prot = rnd(w, 3) ? RWX : (unsigned)rnd(w, 8), name = (unsigned)rnd(w, 3);
	struct model_page *p = &w->now.page[first], *q = &w->now.page[to];
	bool all = mem_is_mapped(w->mem, start, length);
	assert_int_equal(all, model_may(&w->now, start, length, 0));
	switch (rnd(w, 5)) {
	case 0:
	case 1:
		assert_true(mem_map(w->mem, start, length, prot, names[name]));
		for (unsigned i = 0; i < count; i++)
			p[i] = (struct model_page){ .mapped = true, .prot = prot, .name = name };
		break;
	case 2:
		assert_true(mem_unmap(w->mem, start, length));
		memset(p, 0, count * sizeof *p);
		break;
	case 3:
		assert_int_equal(mem_protect(w->mem, start, length, prot), all);
		for (unsigned i = 0; all && i < count; i++)
			p[i].prot = prot;
		break;
	default:
		all = all && to % WINDOW_PAGES + count <= WINDOW_PAGES &&
		      (to + count <= first || first + count <= to);
		if (to % WINDOW_PAGES + count > WINDOW_PAGES)
			break;
		assert_int_equal(mem_move(w->mem, start, target, length), all);
		if (all) {
			memcpy(q, p, count * sizeof *p);
			memset(p, 0, count * sizeof *p);
		}
	}
}

static void do_snapshot(struct world *w)
{
	unsigned i = (unsigned)rnd(w, IMAGES);
	if (w->img[i] && rnd(w, 3)) {
		mem_restore(w->mem, w->img[i]);
		w->now = w->then[i];
		assert_int_equal(mem_hash(w->mem), w->hash[i]);
		return;
	}
	mem_image_free(w->img[i]);
	w->then[i] = w->now;
	w->hash[i] = rnd(w, 2) ? mem_hash(w->mem) : 0;
	w->img[i] = mem_snapshot(w->mem);
	if (!w->hash[i])
		w->hash[i] = mem_hash(w->mem);
}

static void check_find_free(struct world *w)
{
	uint64_t length = (1 + rnd(w, 30)) * PAGE_BYTES, below = some_addr(w);
	uint64_t at = (below < MEM_TOP ? below : MEM_TOP) / PAGE_BYTES * PAGE_BYTES;
	unsigned run = 0;
	while (at >= 65536 + PAGE_BYTES && run < length / PAGE_BYTES) {
		at -= PAGE_BYTES;
		run = model_may(&w->now, at, 1, 0) ? 0 : run + 1;
	}
	uint64_t want = run == length / PAGE_BYTES ? at : 0;
	assert_int_equal(mem_find_free(w->mem, length - rnd(w, PAGE_BYTES), below), want);
}

static void random_runs_agree_with_a_model(void **state)
{
	(void)state;
	struct world *w = calloc(1, sizeof *w);
	for (uint64_t seed = 1; seed <= 8; seed++) {
		print_message("# seed %u\n", (unsigned)seed);
		memset(w, 0, sizeof *w);
		w->rng = seed * UINT64_C(0x9e3779b97f4a7c15);
		w->mem = mem_new();
		for (unsigned step = 0; step < 12000; step++) {
			unsigned what = (unsigned)rnd(w, 1000);
			if (what < 850)
				do_access(w);
			else if (what < 920)
				do_block(w);
			else if (what < 960)
				do_mapping(w);
			else if (what < 980)
				do_snapshot(w);
			else if (what < 990)
				check_find_free(w);
			else
				check_everything(w);
		}
		/* In any order: images first, or the space first. */
		if (seed & 1)
			mem_free(w->mem);
		for (unsigned i = 0; i < IMAGES; i++)
			mem_image_free(w->img[i]);
		if (!(seed & 1))
			mem_free(w->mem);
	}
	free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loads_and_stores_cross_pages),
		cmocka_unit_test(faults_change_nothing),
		cmocka_unit_test(each_access_needs_its_permission),
		cmocka_unit_test(protection_takes_effect_at_once),
		cmocka_unit_test(strings_end_or_fail),
		cmocka_unit_test(absurd_ranges_are_refused),
		cmocka_unit_test(thousands_of_regions_split_and_merge),
		cmocka_unit_test(the_region_table_has_an_end),
		cmocka_unit_test(huge_mappings_cost_nothing),
		cmocka_unit_test(only_machine_mode_reaches_its_pages),
		cmocka_unit_test(images_keep_what_was),
		cmocka_unit_test(held_bytes_are_what_freeing_gives),
		cmocka_unit_test(digests_see_every_write),
		cmocka_unit_test(stores_drop_only_what_they_cover),
		cmocka_unit_test(hot_stores_beside_code_become_fast_and_stay_right),
		cmocka_unit_test(thrown_away_records_serve_one_page_only),
		cmocka_unit_test(walking_records_ends_at_the_page),
		cmocka_unit_test(straddling_code_follows_both_pages),
		cmocka_unit_test(restoring_keeps_decoded_code),
		cmocka_unit_test(random_runs_agree_with_a_model),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
