/* The functional loop against single steps: equal states after any budget, and modified code is
 * decoded again. */
#include "tests/unit/isa/functional_fixture.h"

static int functional_setup_world(void **state)
{
	static struct world w;
	world_init(&w);
	*state = &w;
	return 0;
}

static int functional_teardown_world(void **state)
{
	mem_free(((struct world *)*state)->mem);
	return 0;
}

static enum trap functional_run_world(struct world *w, uint64_t max)
{
	return functional_run(&w->h, w->mem, max, &env, NULL, &w->fault);
}

TEST_WITH(stops_at_a_system_call, functional_setup_world, functional_teardown_world)
{
	struct world *w = *state;
	functional_fixture_write_loop(w);
	assert_int_equal(functional_run_world(w, 1 << 30), TRAP_ECALL);
	assert_int_equal(w->h.pc, CODE + 28);
	assert_int_equal(w->h.r[A1], UINT64_C(50000) * 50001 / 2);
	assert_int_equal(w->h.instret, LOOP_INSTS);
	assert_int_equal(w->h.cycle, LOOP_INSTS);
	assert_int_equal(w->h.time, LOOP_INSTS / TIME_DIV);
	/* The pc stays at the call, which the caller serves. */
	assert_int_equal(functional_run_world(w, 1), TRAP_ECALL);
	assert_int_equal(w->h.instret, LOOP_INSTS);
}

TEST(any_budget_is_kept_exactly)
{
	static const uint64_t budgets[] = {0,    1,    2,     3,      2047,  2048,
	                                   2049, 5000, 99999, 100000, 123457};
	for (size_t i = 0; i < sizeof(budgets) / sizeof(*budgets); i++) {
		struct world fast, slow;
		world_init(&fast);
		world_init(&slow);
		functional_fixture_write_loop(&fast);
		functional_fixture_write_loop(&slow);
		assert_int_equal(functional_run_world(&fast, budgets[i]), TRAP_NONE);
		for (uint64_t k = 0; k < budgets[i]; k++) {
			struct exec done;
			assert_int_equal(
				isa_exec(&slow.h, slow.mem, mem_fetch(slow.mem, slow.h.pc), &done),
				TRAP_NONE);
		}
		assert_int_equal(fast.h.instret, budgets[i]);
		assert_int_equal(fast.h.pc, slow.h.pc);
		assert_memory_equal(fast.h.r, slow.h.r, sizeof(fast.h.r[0]) * REG_SINK);
		assert_int_equal(mem_hash(fast.mem), mem_hash(slow.mem));
		mem_free(fast.mem);
		mem_free(slow.mem);
	}
}

TEST_WITH(counters_are_current_when_read, functional_setup_world, functional_teardown_world)
{
	struct world *w = *state;
	static const uint32_t code[] = {
		0x00000013, 0x00000013, 0x00000013, /* nop */
		0xc0202573, /* rdinstret a0 */
		0xc00025f3, /* rdcycle a1 */
		0xc0102673, /* rdtime a2 */
		0x00000073,
	};
	functional_fixture_write_code(w, CODE, code, sizeof(code));
	w->h.cycle = 100;
	assert_int_equal(functional_run_world(w, 1 << 20), TRAP_ECALL);
	assert_int_equal(w->h.r[A0], 3);
	assert_int_equal(w->h.r[A1], 104);
	assert_int_equal(w->h.r[A2], 10);
}

TEST_WITH(code_that_rewrites_itself, functional_setup_world, functional_teardown_world)
{
	struct world *w = *state;
	/* The loop's addi is replaced by one that adds 100 while the loop runs, from within its own
	 * page. */
	static const uint32_t code[] = {
		0x00001637, /* lui a2,1: rounds, 4096 */
		0x00158593, /* addi a1,a1,1 */
		0x00e6a023, /* sw a4,0(a3): over the addi */
		0xfff60613, /* addi a2,a2,-1 */
		0xfe061ae3, /* bnez a2,.-12 */
		0x00000073,
	};
	functional_fixture_write_code(w, CODE, code, sizeof(code));
	w->h.r[13] = CODE + 4;
	w->h.r[14] = 0x06458593; /* addi a1,a1,100 */
	assert_int_equal(functional_run_world(w, 1 << 20), TRAP_ECALL);
	assert_int_equal(w->h.r[A1], 1 + 100 * 4095);
}

TEST_WITH(code_across_a_page_end, functional_setup_world, functional_teardown_world)
{
	struct world *w = *state;
	/* A 4-byte instruction across two pages; the code before it falls into it, and the loop
	 * jumps over it. */
	static const uint16_t code[] = {
		0x0585,         /* c.addi a1,1 */
		0x8593, 0x0645, /* addi a1,a1,100: straddles */
		0x167d,         /* c.addi a2,-1 */
		0xfe65,         /* c.bnez a2,.-8 */
		0x0073, 0x0000,
	};
	functional_fixture_write_code(w, CODE + PAGE_BYTES - 4, code, sizeof(code));
	w->h.pc = CODE + PAGE_BYTES - 4;
	w->h.r[A2] = 3000;
	assert_int_equal(functional_run_world(w, 1 << 20), TRAP_ECALL);
	assert_int_equal(w->h.r[A1], 3000 * 101);
	assert_int_equal(w->h.instret, 4 * 3000);
	/* The same at the end of the mapped memory. */
	static const uint16_t nop = 0x0001;
	functional_fixture_write_code(w, CODE + 2 * PAGE_BYTES - 2, &nop, 2);
	w->h.pc = CODE + 2 * PAGE_BYTES - 2;
	assert_int_equal(functional_run_world(w, 1 << 20), TRAP_FETCH_FAULT);
	assert_int_equal(w->fault, CODE + 2 * PAGE_BYTES);
	assert_int_equal(w->h.pc, CODE + 2 * PAGE_BYTES);
}

TEST_WITH(faults_stay_at_the_instruction, functional_setup_world, functional_teardown_world)
{
	struct world *w = *state;
	static const uint32_t code[] = { 0x00000013, 0x00063503, 0x00a63023, 0x00000000 };
	functional_fixture_write_code(w, CODE, code, sizeof(code));
	w->h.r[A2] = 0x1234;
	assert_int_equal(functional_run_world(w, 1 << 20), TRAP_LOAD_FAULT);
	assert_int_equal(w->h.pc, CODE + 4);
	assert_int_equal(w->fault, 0x1234);
	assert_int_equal(w->h.instret, 1);
	w->h.pc = CODE + 8;
	assert_int_equal(functional_run_world(w, 1 << 20), TRAP_STORE_FAULT);
	assert_int_equal(w->h.pc, CODE + 8);
	w->h.pc = CODE + 12;
	assert_int_equal(functional_run_world(w, 1 << 20), TRAP_ILLEGAL);
	static const uint32_t lr = 0x1006252f; /* lr.w a0, (a2) */
	functional_fixture_write_code(w, CODE + 16, &lr, sizeof lr);
	w->h.r[A2] = DATA + 2;
	w->h.pc = CODE + 16;
	assert_int_equal(functional_run_world(w, 1 << 20), TRAP_LOAD_ALIGN);
	assert_int_equal(w->fault, DATA + 2);
	w->h.pc = DATA;
	assert_int_equal(functional_run_world(w, 1 << 20), TRAP_FETCH_FAULT);
	w->h.pc = CODE + 1;
	assert_int_equal(functional_run_world(w, 1 << 20), TRAP_FETCH_ALIGN);
	assert_int_equal(w->fault, CODE + 1);
}

TEST_WITH(a_raised_flag_stops_the_run, functional_setup_world, functional_teardown_world)
{
	struct world *w = *state;
	bool stop = true;
	functional_fixture_write_loop(w);
	assert_int_equal(functional_run(&w->h, w->mem, 1 << 20, &env, &stop, &w->fault), TRAP_NONE);
	assert_true(w->h.instret < 1 << 20);
	assert_int_equal(w->h.pc, CODE);
}

struct tally {
	uint64_t insts, branches, taken, stores, last_pc;
};

static bool functional_tally_inst(void *ctx, uint64_t pc, const struct inst *in,
                                  const struct exec *done)
{
	struct tally *t = ctx;
	t->insts++;
	t->branches += (inst_flags(in) & OPF_BRANCH) != 0;
	t->taken += done->taken;
	t->stores += done->stored;
	t->last_pc = pc;
	return false;
}

TEST_WITH(warming_sees_every_instruction, functional_setup_world, functional_teardown_world)
{
	struct world *w = *state;
	struct tally t = { 0 };
	const struct functional_tap tap = {
		.ops = functional_fixture_all_ops(), .inst = functional_tally_inst, .ctx = &t};
	functional_fixture_write_loop(w);
	assert_int_equal(functional_run_steps(&w->h, w->mem, 1 << 20, &env, NULL, &w->fault, &tap),
	                 TRAP_ECALL);
	assert_int_equal(t.insts, LOOP_INSTS);
	assert_int_equal(t.branches, 50000);
	assert_int_equal(t.taken, 49999);
	assert_int_equal(t.stores, 50000);
	assert_int_equal(t.last_pc, CODE + 24);
	assert_int_equal(w->h.instret, LOOP_INSTS);
}

/* Runs with `one_run`, past traps, until `insts` instructions are done; returns a digest of all
 * steps. */
static uint64_t run_garbage(struct world *w, uint64_t insts,
                            enum trap one_run(struct world *w, uint64_t max))
{
	uint64_t digest = 0;
	for (unsigned traps = 0; w->h.instret < insts && traps < 200; traps++) {
		enum trap trap = one_run(w, insts - w->h.instret);
		uint64_t seen[] = { trap, trap == TRAP_NONE ? 0 : w->fault, w->h.pc, w->h.instret };
		for (size_t i = 0; i < sizeof(seen) / sizeof(*seen); i++)
			digest = (digest ^ seen[i]) * 0x100000001b3;
		w->h.pc = CODE + (w->h.pc * 4 + 6 * traps) % (2 * PAGE_BYTES - 2);
	}
	return digest;
}

static enum trap run_by_steps(struct world *w, uint64_t max)
{
	for (; max > 0; max--) {
		enum trap trap = functional_run_world(w, 1);
		if (trap != TRAP_NONE)
			return trap;
	}
	return TRAP_NONE;
}

TEST(garbage_ends_the_same_either_way)
{
	uint64_t insts = 0;
	for (uint64_t seed = 0; seed < 300; seed++) {
		struct world fast, slow;
		functional_fixture_fill_garbage(&fast, seed);
		functional_fixture_fill_garbage(&slow, seed);
		assert_int_equal(run_garbage(&fast, 20000, functional_run_world),
		                 run_garbage(&slow, 20000, run_by_steps));
		assert_memory_equal(fast.h.r, slow.h.r, sizeof(fast.h.r[0]) * REG_SINK);
		assert_int_equal(fast.h.fcsr, slow.h.fcsr);
		assert_int_equal(fast.h.reserved, slow.h.reserved);
		assert_int_equal(mem_hash(fast.mem), mem_hash(slow.mem));
		insts += fast.h.instret;
		mem_free(fast.mem);
		mem_free(slow.mem);
	}
	assert_true(insts > 10000);
}

/* An instruction that computes with floating point, most often rounding by fcsr. */
static uint32_t fp_inst(uint64_t *random)
{
	for (;;) {
		const uint64_t v = functional_fixture_next_random(random);
		const uint32_t opcode = v >> 61 ? 0x53 : 0x43 | (uint32_t)(v >> 57 & 3) << 2;
		const uint32_t raw =
			((uint32_t)v & ~UINT32_C(0x7f)) | opcode | (v >> 56 & 1 ? 0x7000 : 0);
		struct inst in;
		inst_decode(raw, &in);
		if (in.klass >= CLASS_FADD && in.klass <= CLASS_FSQRT &&
		    (in.rm <= FRM_RMM || in.rm == FRM_DYN))
			return raw;
	}
}

static void fp_world(struct world *w, uint64_t seed)
{
	uint64_t random = seed;
	const unsigned count = 2 + (unsigned)(seed % 8);
	world_init(w);
	for (unsigned i = 0; i < count; i++)
		functional_fixture_write_code(w, CODE + 4 * i, &(uint32_t){fp_inst(&random)}, 4);
	functional_fixture_write_code(w, CODE + 4 * count, &(uint32_t){0x00000073}, 4);
	for (unsigned reg = 1; reg < REG_SINK; reg++) {
		const unsigned width = reg < REG_F0 ? 0 : reg % 2 ? 64 : 32;
		w->h.r[reg] = fp_operand(width, &random) |
		              (width == 32 ? UINT64_C(0xffffffff00000000) : 0);
	}
	w->h.fcsr = functional_fixture_next_random(&random) % 4
	                    ? 0
	                    : functional_fixture_next_random(&random) % 5 << 5;
}

/* Flags accumulate over instructions, whether the loop or a single step executes them. */
TEST(floating_point_ends_the_same_either_way)
{
	uint64_t flags_seen = 0, rounded = 0;
	for (uint64_t seed = 0; seed < 5000; seed++) {
		struct world fast, slow;
		fp_world(&fast, seed);
		fp_world(&slow, seed);
		assert_int_equal(functional_run_world(&fast, 10000), TRAP_ECALL);
		assert_int_equal(run_by_steps(&slow, 10000), TRAP_ECALL);
		assert_memory_equal(fast.h.r, slow.h.r, sizeof(fast.h.r[0]) * REG_SINK);
		assert_int_equal(fast.h.fcsr, slow.h.fcsr);
		flags_seen |= slow.h.fcsr & 31;
		rounded += (slow.h.fcsr & 31) == FFLAG_NX;
		mem_free(fast.mem);
		mem_free(slow.mem);
	}
	assert_int_equal(flags_seen, 31);
	assert_true(rounded > 100);
}
