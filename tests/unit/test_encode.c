/* core/isa/encode.h against the decoder, row by row, and against words of the GNU assembler. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "core/hash.h"
#include "core/isa/encode.h"
#include "tests/encode.h"

static bool same(const struct inst *a, const struct inst *b)
{
	return a->op == b->op && a->len == b->len && a->klass == b->klass && a->rd == b->rd && a->rs1 == b->rs1 &&
	       a->rs2 == b->rs2 && a->rs3 == b->rs3 && a->rm == b->rm && a->imm == b->imm;
}

static void every_row_comes_back(void **state)
{
	(void)state;
	enum { TRIES = 2000 };
	uint64_t random = 1;
	for (unsigned op = 1; op < OP_COUNT; op++) {
		const struct encoding *row = &encodings[op];
		unsigned tried = 0;
		if ((row->match & 3) != 3)
			continue; /* has no 4-byte form */
		for (unsigned i = 0; i < TRIES; i++) {
			struct inst in, back;
			uint32_t raw = ((uint32_t)splitmix64(&random) & ~row->mask) | row->match, out = 0;
			inst_decode(raw, &in);
			if (in.op != op)
				continue; /* a special case of it, with a row of its own */
			tried++;
			if (!inst_encode(&in, &out))
				fail_msg("%s: 0x%x is not encoded", op_info[op].mnemonic, raw);
			inst_decode(out, &back);
			if (!same(&in, &back))
				fail_msg("%s: 0x%x comes back as 0x%x", op_info[op].mnemonic, raw, out);
			/* Bits that fences keep for the future are no operands. */
			if (op != OP_FENCE && op != OP_FENCE_I)
				assert_int_equal(out, raw);
		}
		assert_true(tried >= TRIES / 2);
	}
}

static void compressed_forms_come_back(void **state)
{
	(void)state;
	unsigned tried = 0;
	/* A step that is prime to everything meets each kind of form. */
	for (uint32_t raw = 0; raw < 0x10000; raw += 11) {
		struct inst in, back;
		uint32_t out = 0;
		inst_decode(raw, &in);
		if ((raw & 3) == 3 || in.op == OP_ILLEGAL)
			continue;
		tried++;
		assert_true(inst_encode(&in, &out));
		inst_decode(out, &back);
		assert_true(same(&in, &back));
	}
	assert_true(tried > 3000);
}

static void words_are_the_assemblers(void **state)
{
	(void)state;
	assert_int_equal(ENC(ADDI, .rd = 10, .rs1 = 11, .imm = -3), 0xffd58513);
	assert_int_equal(ENC(SRAI, .rd = 1, .rs1 = 2, .imm = 63), 0x43f15093);
	assert_int_equal(ENC(SRAIW, .rd = 1, .rs1 = 2, .imm = 31), 0x41f1509b);
	assert_int_equal(ENC(LUI, .rd = 31, .imm = (int32_t)0x80000000), 0x80000fb7);
	assert_int_equal(ENC(SD, .rs1 = 2, .rs2 = 8, .imm = -16), 0xfe813823);
	assert_int_equal(ENC(BLTU, .rs1 = 5, .rs2 = 6, .imm = -4096), 0x8062e063);
	assert_int_equal(ENC(JAL, .rd = 1, .imm = 1048574), 0x7ffff0ef);
	assert_int_equal(ENC(AMOADD_D, .rd = 5, .rs1 = 6, .rs2 = 7, .rm = 3), 0x067332af);
	assert_int_equal(ENC(LR_W, .rd = 5, .rs1 = 6, .rm = 2), 0x140322af);
	assert_int_equal(ENC(CSRRS, .rd = 10, .imm = 0xc00), 0xc0002573);
	assert_int_equal(ENC(CSRRWI, .rm = 5, .imm = 2), 0x0022d073);
	assert_int_equal(ENC(FMADD_D, .rd = 1, .rs1 = 2, .rs2 = 3, .rs3 = 4, .rm = 7), 0x223170c3);
	assert_int_equal(ENC(FMADD_D, .rd = REG_F0 + 1, .rs1 = REG_F0 + 2, .rs2 = REG_F0 + 3, .rs3 = REG_F0 + 4, .rm = 7),
	                 0x223170c3);
	assert_int_equal(ENC(FSD, .rs1 = 2, .rs2 = REG_F0 + 9, .imm = 8), 0x00913427);
	assert_int_equal(ENC(FCVT_W_D, .rd = 10, .rs1 = REG_F0 + 10, .rm = 1), 0xc2051553);
	assert_int_equal(ENC(ECALL), 0x00000073);
	assert_int_equal(ENC(FENCE, .imm = 0x33), 0x0330000f);
	assert_int_equal(ENC_C(JAL, .imm = -2048), 0xb001);
	assert_int_equal(ENC_C(BNE, .rs1 = 15, .imm = 254), 0xeffd);
	assert_int_equal(ENC_C(ADDI, .rd = 2, .rs1 = 2, .imm = -496), 0x7141);
	assert_int_equal(ENC_C(LD, .rd = 1, .rs1 = 2, .imm = 504), 0x70fe);
	assert_int_equal(ENC_C(JALR, .rs1 = 1), 0x8082);
}

static void refuse(struct inst in)
{
	uint32_t raw = 0x5eed;
	if (inst_encode(&in, &raw))
		fail_msg("%s is encoded as 0x%x", op_info[in.op].mnemonic, raw);
	assert_int_equal(raw, 0x5eed);
}

static void what_has_no_encoding_is_refused(void **state)
{
	(void)state;
#define REFUSE(operation, length, ...) refuse((struct inst){.op = OP_##operation, .len = length, __VA_ARGS__})
	REFUSE(ADDI, 4, .rd = 1, .imm = 2048);
	REFUSE(ADDI, 4, .rd = 1, .imm = -2049);
	REFUSE(ADDI, 4, .rd = REG_F0, .imm = 1);
	REFUSE(ADDI, 4, .rd = 1, .rs2 = 1);
	REFUSE(SLLI, 4, .rd = 1, .imm = 64);
	REFUSE(SLLIW, 4, .rd = 1, .imm = 32);
	REFUSE(LUI, 4, .rd = 1, .imm = 4095);
	REFUSE(BEQ, 4, .imm = 4096);
	REFUSE(BEQ, 4, .imm = 3);
	REFUSE(JAL, 4, .imm = 1 << 20);
	REFUSE(FADD_D, 4, .rd = 1, .rm = 8);
	REFUSE(CSRRW, 4, .imm = 4096);
	REFUSE(SLTI, 4, .rd = 0, .rs1 = 0, .imm = 4); /* pblen */
	REFUSE(XHINT, 4, .imm = 9);
	REFUSE(ILLEGAL, 4);
	REFUSE(ADDI, 2, .rd = 1, .rs1 = 1, .imm = 32);
	REFUSE(ADDI, 2, .rd = 1, .rs1 = 3, .imm = 1);
	REFUSE(LD, 2, .rd = 1, .rs1 = 3);
	REFUSE(BEQ, 2, .rs1 = 7);
	REFUSE(MUL, 2, .rd = 1, .rs1 = 1, .rs2 = 1);
	refuse((struct inst){.op = OP_COUNT, .len = 4});
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_row_comes_back),
		cmocka_unit_test(compressed_forms_come_back),
		cmocka_unit_test(words_are_the_assemblers),
		cmocka_unit_test(what_has_no_encoding_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
