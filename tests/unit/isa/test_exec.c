/* Executing single instructions: results of extreme operands, records for undo, and state that a
 * trap leaves unchanged. */
#include <stdint.h>
#include <string.h>

#include "core/isa/encode.h"
#include "core/isa/exec.h"
#include "core/isa/fp.h"
#include "core/isa/op.h"
#include "core/mem/mem.h"
#include "tests/cases.h"

enum { CODE = 0x10000, DATA = 0x20000, READ_ONLY = 0x22000, UNMAPPED = 0x30000 };
enum { A0 = 10, A1 = 11, A2 = 12, FA0 = 42, FA1 = 43, FA2 = 44 };

struct world {
	struct mem *mem;
	struct hart h;
	struct exec done;
};

static int exec_setup_world(void **state)
{
	static struct world w;
	w = (struct world){ .mem = mem_new(), .h = { .pc = CODE, .reserved = RESERVED_NONE } };
	*state = &w;
	if (!w.mem || !mem_map(w.mem, DATA, 2 * PAGE_BYTES, PROT_R | PROT_W, "data") ||
	    !mem_map(w.mem, READ_ONLY, PAGE_BYTES, PROT_R, "ro"))
		return -1;
	return 0;
}

static int exec_teardown_world(void **state)
{
	mem_free(((struct world *)*state)->mem);
	return 0;
}

/* Operand fields for the registers used here: rd, rs1, rs2. */
#define REGS(rd, rs1, rs2)                                                                         \
	((uint32_t)((rd)&31) << 7 | (uint32_t)((rs1)&31) << 15 | (uint32_t)((rs2)&31) << 20)
#define IMM12(v) ((uint32_t)(v) << 20)

static uint32_t match_of(enum op op)
{
	return encodings[op].match;
}

static enum trap exec_run_raw_inst(struct world *w, uint32_t raw)
{
	struct inst in;
	inst_decode(raw, &in);
	return isa_exec(&w->h, w->mem, &in, &w->done);
}

static uint64_t exec_eval_binary_op(struct world *w, enum op op, uint64_t a, uint64_t b)
{
	w->h.r[A1] = a;
	w->h.r[A2] = b;
	assert_int_equal(exec_run_raw_inst(w, match_of(op) | REGS(A0, A1, A2)), TRAP_NONE);
	return w->h.r[A0];
}

#define MIN64 (UINT64_C(1) << 63)
#define MINUS(n) (-(uint64_t)(n))

TEST(integer_corners)
{
	struct world *w = *state;
	static const struct {
		enum op op;
		uint64_t a, b, result;
	} cases[] = {
		{ OP_DIV, MIN64, MINUS(1), MIN64 },
		{ OP_REM, MIN64, MINUS(1), 0 },
		{ OP_DIV, 7, 0, MINUS(1) },
		{ OP_REM, 7, 0, 7 },
		{ OP_DIV, MINUS(7), 2, MINUS(3) },
		{ OP_REM, MINUS(7), 2, MINUS(1) },
		{ OP_DIVU, MINUS(1), 2, MIN64 - 1 },
		{ OP_DIVU, 5, 0, MINUS(1) },
		{ OP_REMU, 5, 0, 5 },
		{ OP_DIVW, 0x80000000, 0xffffffff, MINUS(0x80000000) },
		{ OP_REMW, 0x80000000, 0xffffffff, 0 },
		{ OP_DIVW, 1, UINT64_C(0x100000000), MINUS(1) },
		{ OP_REMW, 0x80000001, 0, MINUS(0x7fffffff) },
		{ OP_DIVUW, 0xffffffff, 1, MINUS(1) },
		{ OP_REMUW, 0xffffffff, 0, MINUS(1) },
		{ OP_REMUW, 0xffffffff, 16, 15 },
		{ OP_MULH, MIN64, MIN64, UINT64_C(1) << 62 },
		{ OP_MULHU, MINUS(1), MINUS(1), MINUS(2) },
		{ OP_MULHSU, MINUS(1), MINUS(1), MINUS(1) },
		{ OP_MULHSU, 2, MINUS(1), 1 },
		{ OP_MULW, 0x10000, 0x8000, MINUS(0x80000000) },
		{ OP_SLL, 1, 64 + 63, MIN64 },
		{ OP_SRA, MIN64, 63, MINUS(1) },
		{ OP_SRLW, 0x80000000, 32, MINUS(0x80000000) },
		{ OP_SRLW, 0x80000000, 1, 0x40000000 },
		{ OP_SRAW, 0x80000000, 31, MINUS(1) },
		{ OP_ADDW, 0x7fffffff, 1, MINUS(0x80000000) },
		{ OP_SUBW, 0, UINT64_C(0x100000001), MINUS(1) },
		{ OP_ROL, MIN64 | 3, 68, 0x38 },
		{ OP_ROR, 0x13, 68, UINT64_C(3) << 60 | 1 },
		{ OP_ROLW, 0x80000001, 33, 3 },
		{ OP_RORW, 3, 33, MINUS(0x7fffffff) },
		{ OP_SLT, MINUS(1), 0, 1 },
		{ OP_SLTU, MINUS(1), 0, 0 },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		print_message("%s\n", op_info[cases[i].op].mnemonic);
		assert_int_equal(exec_eval_binary_op(w, cases[i].op, cases[i].a, cases[i].b),
		                 cases[i].result);
	}
}

/* Results are sign-extended words, whatever the operands' upper halves. */
TEST(words_come_from_lower_halves)
{
	static const enum op by_register[] = {OP_ADDW, OP_SUBW, OP_SLLW,  OP_SRLW, OP_SRAW,
	                                      OP_MULW, OP_DIVW, OP_DIVUW, OP_REMW, OP_REMUW};
	static const enum op by_immediate[] = {OP_ADDIW, OP_SLLIW, OP_SRLIW, OP_SRAIW};
	static const uint64_t upper[] = {UINT64_C(1) << 32, MINUS(1) << 32,
	                                 UINT64_C(0x5a5a5a5a) << 32};
	const uint64_t a = 0x87654321, b = 5;
	struct world *w = *state;
	for (size_t i = 0; i < sizeof upper / sizeof *upper; i++) {
		for (size_t n = 0; n < sizeof by_register / sizeof *by_register; n++) {
			const uint64_t plain = exec_eval_binary_op(w, by_register[n], a, b);
			assert_int_equal(plain, (uint64_t)(int32_t)plain);
			assert_int_equal(exec_eval_binary_op(w, by_register[n], a | upper[i], b),
			                 plain);
			assert_int_equal(exec_eval_binary_op(w, by_register[n], a, b | upper[i]),
			                 plain);
		}
		for (size_t n = 0; n < sizeof by_immediate / sizeof *by_immediate; n++) {
			const uint32_t raw = match_of(by_immediate[n]) | REGS(A0, A1, 0) | IMM12(5);
			w->h.r[A1] = a;
			exec_run_raw_inst(w, raw);
			const uint64_t plain = w->h.r[A0];
			assert_int_equal(plain, (uint64_t)(int32_t)plain);
			w->h.r[A1] = a | upper[i];
			exec_run_raw_inst(w, raw);
			assert_int_equal(w->h.r[A0], plain);
		}
	}
}

TEST(x0_stays_zero)
{
	struct world *w = *state;
	w->h.r[A1] = 5;
	assert_int_equal(exec_run_raw_inst(w, match_of(OP_ADDI) | REGS(0, A1, 0)), TRAP_NONE);
	assert_int_equal(w->h.r[0], 0);
	assert_int_equal(w->h.pc, CODE + 4);
	assert_int_equal(w->done.next_pc, CODE + 4);
}

TEST(jumps_link_and_land)
{
	struct world *w = *state;
	w->h.r[A0] = 0x4001;
	/* jalr a0,2(a0): target and link through the same register; bit 0 is cleared. */
	assert_int_equal(exec_run_raw_inst(w, match_of(OP_JALR) | REGS(A0, A0, 0) | IMM12(2)),
	                 TRAP_NONE);
	assert_int_equal(w->h.pc, 0x4002);
	assert_int_equal(w->h.r[A0], CODE + 4);
	w->h.pc = CODE;
	assert_int_equal(exec_run_raw_inst(w, 0x9502), TRAP_NONE); /* c.jalr a0 */
	assert_int_equal(w->h.r[1], CODE + 2);
	assert_int_equal(w->h.pc, CODE + 4);
	assert_false(w->done.taken);
	w->h.pc = CODE;
	assert_int_equal(exec_run_raw_inst(w, 0xd001), TRAP_NONE); /* c.beqz s0,.-256 */
	assert_true(w->done.taken);
	assert_int_equal(w->h.pc, CODE - 256);
	w->h.r[8] = 1;
	w->h.pc = CODE;
	assert_int_equal(exec_run_raw_inst(w, 0xd001), TRAP_NONE);
	assert_false(w->done.taken);
	assert_int_equal(w->h.pc, CODE + 2);
}

TEST(a_store_says_what_it_replaced)
{
	struct world *w = *state;
	uint64_t before = 0x1122334455667788, after;
	uint64_t at = DATA + PAGE_BYTES - 2; /* across two pages */
	assert_true(mem_poke(w->mem, at, &before, 8));
	w->h.r[A1] = at;
	w->h.r[A2] = 0xaabbccddeeff0011;
	assert_int_equal(exec_run_raw_inst(w, match_of(OP_SW) | REGS(0, A1, A2)), TRAP_NONE);
	assert_true(w->done.stored);
	assert_int_equal(w->done.addr, at);
	assert_int_equal(w->done.size, 4);
	assert_int_equal(w->done.store_old, 0x55667788);
	assert_int_equal(w->done.store_new, 0xeeff0011);
	assert_true(mem_peek(w->mem, at, &after, 8));
	assert_int_equal(after, 0x11223344eeff0011);
	assert_int_equal(exec_run_raw_inst(w, match_of(OP_LH) | REGS(A0, A1, 0) | IMM12(2)),
	                 TRAP_NONE);
	assert_int_equal(w->h.r[A0], MINUS(0x1101));
	assert_false(w->done.stored);
	assert_int_equal(w->done.size, 2);
}

TEST(test_exec_atomics)
{
	struct world *w = *state;
	uint64_t value = 0xffffffff80000000;
	assert_true(mem_poke(w->mem, DATA, &value, 8));
	w->h.r[A1] = DATA;
	w->h.r[A2] = 1;
	assert_int_equal(exec_run_raw_inst(w, match_of(OP_AMOMAX_W) | REGS(A0, A1, A2)), TRAP_NONE);
	assert_int_equal(w->h.r[A0], MINUS(0x80000000));
	assert_int_equal(w->done.store_new, 1);
	assert_int_equal(w->done.store_old, 0x80000000);
	w->h.r[A2] = 5;
	assert_int_equal(exec_run_raw_inst(w, match_of(OP_AMOMINU_D) | REGS(A0, A1, A2)),
	                 TRAP_NONE);
	assert_int_equal(w->h.r[A0], 0xffffffff00000001);
	assert_int_equal(w->done.store_new, 5);
	w->h.r[A1] = DATA + 2;
	assert_int_equal(exec_run_raw_inst(w, match_of(OP_AMOADD_W) | REGS(A0, A1, A2)),
	                 TRAP_STORE_ALIGN);
	assert_int_equal(w->done.addr, DATA + 2);
}

/* Misaligned atomics trap, with and without a reservation, within a page and across two. */
TEST(atomics_want_natural_alignment)
{
	struct world *w = *state;
	static const struct {
		uint16_t op;
		uint8_t size;
		enum trap trap;
	} all[] = {
		{OP_LR_W, 4, TRAP_LOAD_ALIGN},       {OP_LR_D, 8, TRAP_LOAD_ALIGN},
		{OP_SC_W, 4, TRAP_STORE_ALIGN},      {OP_SC_D, 8, TRAP_STORE_ALIGN},
		{OP_AMOADD_W, 4, TRAP_STORE_ALIGN},  {OP_AMOSWAP_D, 8, TRAP_STORE_ALIGN},
		{OP_AMOMAXU_W, 4, TRAP_STORE_ALIGN}, {OP_AMOMIN_D, 8, TRAP_STORE_ALIGN},
	};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		for (uint64_t off = 1; off < all[i].size; off++) {
			struct hart before;
			w->h.r[A1] = w->h.reserved = DATA + off;
			before = w->h;
			unsigned rs2 = all[i].trap == TRAP_LOAD_ALIGN ? 0 : A2;
			assert_int_equal(
				exec_run_raw_inst(w, match_of(all[i].op) | REGS(A0, A1, rs2)),
				all[i].trap);
			assert_int_equal(w->done.addr, DATA + off);
			assert_memory_equal(&w->h, &before, sizeof before);
		}
	}
}

TEST(a_reservation_holds_once)
{
	struct world *w = *state;
	w->h.r[A1] = DATA;
	w->h.r[A2] = 7;
	assert_int_equal(exec_run_raw_inst(w, match_of(OP_SC_D) | REGS(A0, A1, A2)), TRAP_NONE);
	assert_int_equal(w->h.r[A0], 1);
	assert_false(w->done.stored);
	assert_int_equal(exec_run_raw_inst(w, match_of(OP_LR_D) | REGS(A0, A1, 0)), TRAP_NONE);
	assert_int_equal(exec_run_raw_inst(w, match_of(OP_SC_D) | REGS(A0, A1, A2)), TRAP_NONE);
	assert_int_equal(w->h.r[A0], 0);
	assert_true(w->done.stored);
	assert_int_equal(exec_run_raw_inst(w, match_of(OP_SC_D) | REGS(A0, A1, A2)), TRAP_NONE);
	assert_int_equal(w->h.r[A0], 1);
	/* Another address: fails, and clears. */
	assert_int_equal(exec_run_raw_inst(w, match_of(OP_LR_W) | REGS(A0, A1, 0)), TRAP_NONE);
	w->h.r[A1] = DATA + 8;
	assert_int_equal(exec_run_raw_inst(w, match_of(OP_SC_W) | REGS(A0, A1, A2)), TRAP_NONE);
	assert_int_equal(w->h.r[A0], 1);
	assert_int_equal(w->h.reserved, RESERVED_NONE);
}

static void expect_trap(struct world *w, uint32_t raw, enum trap trap, uint64_t addr)
{
	struct hart before = w->h;
	print_message("%08x\n", raw);
	assert_int_equal(exec_run_raw_inst(w, raw), trap);
	assert_memory_equal(&w->h, &before, sizeof(before));
	assert_int_equal(w->done.next_pc, w->h.pc);
	assert_int_equal(w->done.addr, addr);
	assert_false(w->done.stored);
}

TEST(a_trap_changes_nothing)
{
	struct world *w = *state;
	w->h.r[A1] = UNMAPPED;
	w->h.r[A2] = READ_ONLY;
	w->h.fcsr = 5 << 5;
	w->h.reserved = READ_ONLY;
	expect_trap(w, 0, TRAP_ILLEGAL, 0);
	expect_trap(w, match_of(OP_LW) | REGS(A0, A1, 0) | IMM12(4), TRAP_LOAD_FAULT, UNMAPPED + 4);
	expect_trap(w, match_of(OP_SW) | REGS(0, A1, A2), TRAP_STORE_FAULT, UNMAPPED);
	expect_trap(w, match_of(OP_SD) | REGS(0, A2, A1), TRAP_STORE_FAULT, READ_ONLY);
	expect_trap(w, match_of(OP_AMOSWAP_D) | REGS(A0, A2, A1), TRAP_STORE_FAULT, READ_ONLY);
	expect_trap(w, match_of(OP_SC_D) | REGS(A0, A2, A1), TRAP_STORE_FAULT, READ_ONLY);
	expect_trap(w, match_of(OP_LR_D) | REGS(A0, A1, 0), TRAP_LOAD_FAULT, UNMAPPED);
	expect_trap(w, match_of(OP_FLD) | REGS(A0, A1, 0), TRAP_LOAD_FAULT, UNMAPPED);
	expect_trap(w, match_of(OP_ECALL), TRAP_ECALL, 0);
	expect_trap(w, 0x9002, TRAP_EBREAK, 0);
	expect_trap(w, match_of(OP_FADD_D) | 5u << 12, TRAP_ILLEGAL, 0);
	expect_trap(w, match_of(OP_FADD_S) | 6u << 12, TRAP_ILLEGAL, 0);
	expect_trap(w, match_of(OP_FADD_D) | 7u << 12, TRAP_ILLEGAL, 0); /* dynamic, and frm is 5 */
	expect_trap(w, match_of(OP_CSRRW) | REGS(0, 0, 0) | IMM12(0xc00), TRAP_ILLEGAL, 0);
	expect_trap(w, match_of(OP_CSRRS) | REGS(A0, A1, 0) | IMM12(0xc02), TRAP_ILLEGAL, 0);
	expect_trap(w, match_of(OP_CSRRS) | REGS(A0, 0, 0) | IMM12(0x300), TRAP_ILLEGAL, 0);
}

TEST(system_registers)
{
	struct world *w = *state;
	w->h.cycle = 100;
	w->h.time = 10;
	w->h.instret = 90;
	w->h.fcsr = 0x7f;
	for (unsigned i = 0; i < 3; i++) {
		static const uint64_t expected[] = { 100, 10, 90 };
		assert_int_equal(exec_run_raw_inst(w, match_of(OP_CSRRS) | REGS(A0, 0, 0) |
		                                              IMM12(0xc00 + i)),
		                 TRAP_NONE);
		assert_int_equal(w->h.r[A0], expected[i]);
	}
	w->h.r[A0] = 0xffffffffffffff02;
	/* frm */
	assert_int_equal(exec_run_raw_inst(w, match_of(OP_CSRRW) | REGS(A0, A0, 0) | IMM12(2)),
	                 TRAP_NONE);
	assert_int_equal(w->h.r[A0], 3);
	assert_int_equal(w->h.fcsr, 0x5f);
	/* fflags */
	assert_int_equal(exec_run_raw_inst(w, match_of(OP_CSRRCI) | REGS(A0, 3, 0) | IMM12(1)),
	                 TRAP_NONE);
	assert_int_equal(w->h.r[A0], 0x1f);
	assert_int_equal(w->h.fcsr, 0x5c);
	w->h.r[A1] = 0xffffff80;
	/* fcsr */
	assert_int_equal(exec_run_raw_inst(w, match_of(OP_CSRRS) | REGS(0, A1, 0) | IMM12(3)),
	                 TRAP_NONE);
	assert_int_equal(w->h.fcsr, 0xdc);
}

TEST(floats_are_boxed)
{
	struct world *w = *state;
	const uint64_t one = 0xffffffff3f800000;
	w->h.r[FA1] = 0x3f800000; /* not boxed: a NaN */
	w->h.r[FA2] = one;
	assert_int_equal(exec_run_raw_inst(w, match_of(OP_FADD_S) | REGS(A0, A1, A2)), TRAP_NONE);
	assert_int_equal(w->h.r[FA0], fp_box(FP_NAN32));
	assert_int_equal(w->h.fcsr, 0);
	assert_int_equal(exec_run_raw_inst(w, match_of(OP_FSGNJN_S) | REGS(A0, A1, A2)), TRAP_NONE);
	assert_int_equal(w->h.r[FA0], fp_box(FP_NAN32 | UINT32_C(1) << 31));
	/* Moves and stores pass the low bits, boxed or not. */
	assert_int_equal(exec_run_raw_inst(w, match_of(OP_FMV_X_W) | REGS(A0, A1, 0)), TRAP_NONE);
	assert_int_equal(w->h.r[A0], 0x3f800000);
	w->h.r[A1] = DATA;
	assert_int_equal(exec_run_raw_inst(w, match_of(OP_FSW) | REGS(0, A1, A1)), TRAP_NONE);
	assert_int_equal(exec_run_raw_inst(w, match_of(OP_FLW) | REGS(A0, A1, 0)), TRAP_NONE);
	assert_int_equal(w->h.r[FA0], one);
	assert_int_equal(exec_run_raw_inst(w, match_of(OP_FADD_S) | REGS(A0, A2, A2)), TRAP_NONE);
	assert_int_equal(w->h.r[FA0], 0xffffffff40000000);
	w->h.r[A1] = 0x3f800001;
	w->h.r[FA1] = fp_box(0x3f800001);
	w->h.fcsr = FRM_RUP << 5;
	assert_int_equal(exec_run_raw_inst(w, match_of(OP_FMUL_S) | REGS(A0, A1, A1) | 7u << 12),
	                 TRAP_NONE);
	assert_int_equal(w->h.r[FA0], fp_box(0x3f800003));
	assert_int_equal(w->h.fcsr, FRM_RUP << 5 | FFLAG_NX);
}

TEST(hints_do_nothing)
{
	struct world *w = *state;
	struct hart before = w->h;
	static const uint32_t hints[] = { 0x0026, 0x0090a013, 0x04002013 };
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(exec_run_raw_inst(w, hints[i]), TRAP_NONE);
		assert_int_equal(w->h.pc, CODE + (i == 0 ? 2 : 4));
		w->h.pc = CODE;
		assert_memory_equal(&w->h, &before, sizeof(before));
	}
}

TEST(traps_have_signals_and_names)
{
	static const int signals[TRAP_COUNT] = {
		0, 4, 11, 7, 11, 11, 7, 7, 5, [TRAP_ECALL_M] = 4, [TRAP_NO_INTERRUPT] = 6};
	for (unsigned t = 0; t < TRAP_COUNT; t++) {
		assert_int_equal(trap_signal((enum trap)t), signals[t]);
		assert_true(strlen(trap_name((enum trap)t)) > 3);
		assert_int_equal(trap_of_data((enum trap)t),
		                 t >= TRAP_LOAD_FAULT && t < TRAP_EBREAK);
	}
}

TEST_EACH(exec_setup_world, exec_teardown_world)
