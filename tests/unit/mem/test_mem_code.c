/* Decoded code that guest memory keeps beside its bytes: a store drops only the records that it
 * overlaps; restoring keeps records. */
#include "tests/unit/mem/mem_fixture.h"

static void mem_code_poke_inst(struct mem *mem, uint64_t addr, uint32_t v)
{
	assert_true(mem_poke(mem, addr, &v, sizeof v));
}

/* ---- decoded code ---- */

TEST(stores_drop_only_what_they_cover)
{
	struct mem *mem = mem_fixture_new_mapped(AT, 1, RWX);
	for (unsigned i = 0; i < 4; i++)
		mem_code_poke_inst(mem, AT + 4 * i, ADDI_A0_1);
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
	mem_code_poke_inst(mem, AT + 8, ADDI_A0_2);
	assert_int_equal(mem_fetch(mem, AT + 8)->imm, 2);
	assert_null(mem_fetch(mem, AT + 1));
	mem_free(mem);
}

TEST(hot_stores_beside_code_become_fast_and_stay_right)
{
	struct mem *mem = mem_fixture_new_mapped(AT, 1, RWX);
	mem_code_poke_inst(mem, AT, ADDI_A0_1);
	for (unsigned i = 0; i < 20000; i++) {
		uint32_t code = i & 1 ? ADDI_A0_1 : ADDI_A0_2;
		assert_true(mem_store(mem, AT + 64, 8, i));
		if (i % 100 == 0) {
			assert_true(mem_store(mem, AT, 4, code));
			assert_int_equal(mem_fetch(mem, AT)->raw, code);
		}
		if (i % 3000 == 2999) {
			/* Fetch, then overwrite with a store that may be a fast one. */
			assert_non_null(mem_fetch(mem, AT));
			assert_true(mem_store(mem, AT, 4, C_NOP));
			assert_int_equal(mem_fetch(mem, AT)->len, 2);
		}
	}
	mem_free(mem);
}

TEST(thrown_away_records_serve_one_page_only)
{
	struct mem *mem = mem_fixture_new_mapped(AT, 2, RWX);
	mem_code_poke_inst(mem, AT, ADDI_A0_1);
	mem_code_poke_inst(mem, AT + PAGE_BYTES, ADDI_A0_2);
	assert_int_equal(mem_fetch(mem, AT)->imm, 1);
	for (unsigned i = 0; i < 5000; i++)
		assert_true(mem_store(mem, AT + 64, 8, i));
	assert_int_equal(mem_fetch(mem, AT + PAGE_BYTES)->imm, 2);
	assert_int_equal(mem_fetch(mem, AT)->imm, 1);
	assert_int_equal(mem_fetch(mem, AT + PAGE_BYTES)->imm, 2);
	mem_free(mem);
}

TEST(walking_records_ends_at_the_page)
{
	struct mem *mem = mem_fixture_new_mapped(AT, 2, RWX);
	for (unsigned i = 0; i < PAGE_BYTES; i += 4)
		mem_code_poke_inst(mem, AT + i, ADDI_A0_1);
	const struct inst *in = mem_fetch(mem, AT + PAGE_BYTES - 4);
	assert_int_equal(in->len, 4);
	assert_int_equal(in[2].len, 0);
	mem_code_poke_inst(mem, AT + PAGE_BYTES - 2, ADDI_A0_1);
	in = mem_fetch(mem, AT + PAGE_BYTES - 2);
	assert_int_equal(in->len, 4);
	assert_int_equal(in[2].len, 0);
	mem_free(mem);
}

TEST(straddling_code_follows_both_pages)
{
	struct mem *mem = mem_fixture_new_mapped(AT, 2, RWX);
	uint64_t next = AT + PAGE_BYTES, pc = next - 2;
	mem_code_poke_inst(mem, pc, ADDI_A0_1);
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
	/* Dropping a page's code must drop the straddling record. */
	for (unsigned i = 0; i < 5000; i++)
		assert_true(mem_store(mem, next + 64, 8, i));
	assert_true(mem_store(mem, next, 2, ADDI_A0_1 >> 16));
	assert_int_equal(mem_fetch(mem, pc)->imm, 1);
	assert_true(mem_unmap(mem, next, PAGE_BYTES));
	assert_null(mem_fetch(mem, pc));
	mem_image_free(img);
	mem_free(mem);
}

TEST(restoring_keeps_decoded_code)
{
	struct mem *mem = mem_fixture_new_mapped(AT, 3, RWX);
	mem_code_poke_inst(mem, AT, ADDI_A0_1);
	mem_code_poke_inst(mem, AT + PAGE_BYTES, ADDI_A0_1);
	const struct inst *a = mem_fetch(mem, AT), *b = mem_fetch(mem, AT + PAGE_BYTES);
	struct mem_image *img = mem_snapshot(mem);
	assert_true(mem_store(mem, AT + 2 * PAGE_BYTES, 8, 1));
	assert_true(mem_store(mem, AT + PAGE_BYTES, 4, ADDI_A0_2));
	/* A walk of the records must see the store, though a snapshot shared the page. */
	assert_int_equal(b->len, 0);
	assert_int_equal(mem_fetch(mem, AT + PAGE_BYTES)->imm, 2);
	mem_restore(mem, img);
	assert_ptr_equal(mem_fetch(mem, AT), a);
	assert_int_equal(a->len, 4);
	assert_int_equal(mem_fetch(mem, AT + PAGE_BYTES)->imm, 1);
	mem_image_free(img);
	mem_free(mem);
}
