/* The functional loop: a tap gets the same instructions as in single steps. */
#include "tests/unit/isa/functional_fixture.h"

/* ---- taps ---- */
struct listener {
	struct world w;
	struct functional_tap tap;
	uint64_t told, digest, stops;
	uint64_t stop_every; /* instructions reported; 0: never */
	bool stopped;
	uint64_t pcs[8], results[8]; /* the first */
};

static void functional_taps_mix_digest(uint64_t *digest, uint64_t v)
{
	*digest = (*digest ^ v) * UINT64_C(0x9e3779b97f4a7c15);
	*digest ^= *digest >> 29;
}

/* The guest's flags are none of the listener's own. */
static void divide_inexactly(void)
{
	volatile double three = 3;
	volatile double third = 1 / three;
	(void)third;
}

static bool functional_taps_on_inst(void *ctx, uint64_t pc, const struct inst *in,
                                    const struct exec *done)
{
	struct listener *l = ctx;
	divide_inexactly();
	const uint64_t result = in->rd == REG_SINK ? 0 : l->w.h.r[in->rd];
	const uint64_t seen[] = {pc,         in->raw,    in->len,       done->next_pc,
	                         done->addr, done->size, done->taken,   done->stored,
	                         result,     l->w.h.pc,  l->w.h.pflags, l->w.h.fcsr};
	/* the tap is not called after it has stopped the loop */
	assert_false(l->stopped);
	for (size_t i = 0; i < sizeof seen / sizeof *seen; i++)
		functional_taps_mix_digest(&l->digest, seen[i]);
	if (l->told < 8) {
		l->pcs[l->told] = pc;
		l->results[l->told] = result;
	}
	l->told++;
	l->stopped = l->stop_every && l->told % l->stop_every == 0;
	return l->stopped;
}

static void listener_init(struct listener *l, struct op_set ops)
{
	*l = (struct listener){.tap = {.ops = ops, .inst = functional_taps_on_inst, .ctx = l}};
	world_init(&l->w);
}

typedef enum trap tapped_run(struct hart *h, struct mem *mem, uint64_t max,
                             const struct functional_env *e, const volatile bool *stop,
                             uint64_t *fault_addr, const struct functional_tap *tap);

/* max instructions at most, continuing after stops; where it stopped is part of the digest. */
static enum trap run_told(struct listener *l, uint64_t max, tapped_run *one)
{
	const uint64_t end = l->w.h.instret + max;
	enum trap trap = TRAP_NONE;
	while (trap == TRAP_NONE && l->w.h.instret < end) {
		l->stopped = false;
		trap = one(&l->w.h, l->w.mem, end - l->w.h.instret, &env, NULL, &l->w.fault,
		           &l->tap);
		l->stops += l->stopped;
		assert_true(l->stopped || trap != TRAP_NONE || l->w.h.instret == end);
		functional_taps_mix_digest(&l->digest, l->stopped);
		functional_taps_mix_digest(&l->digest, l->w.h.instret);
		functional_taps_mix_digest(&l->digest, l->w.h.pc);
	}
	l->stopped = false;
	return trap;
}

/* Garbage, with prefixes and profile control in it. */
static void profile_garbage(struct listener *l, uint64_t seed)
{
	uint64_t random = seed ^ 0x55;
	mem_free(l->w.mem);
	functional_fixture_fill_garbage(&l->w, seed);
	l->w.h.xprof = seed % 4 != 0;
	l->w.h.pflags = 0x0f;
	for (unsigned i = 0; i < 400; i++) {
		const unsigned s = functional_fixture_next_random(&random) % 8
		                           ? 8 + functional_fixture_next_random(&random) % 8
		                           : 8 + functional_fixture_next_random(&random) % 43;
		const uint16_t hint = (uint16_t)(0x0002 | (s & 31) << 2 | (s >> 5) << 12);
		functional_fixture_write_code(
			&l->w, CODE + 2 * (functional_fixture_next_random(&random) % PAGE_BYTES),
			&hint, 2);
	}
}

static void run_garbage_told(struct listener *l, uint64_t insts, tapped_run *one)
{
	for (unsigned traps = 0; l->w.h.instret < insts && traps < 200; traps++) {
		const enum trap trap = run_told(l, insts - l->w.h.instret, one);
		functional_taps_mix_digest(&l->digest, trap);
		functional_taps_mix_digest(&l->digest, trap == TRAP_NONE ? 0 : l->w.fault);
		l->w.h.pc = CODE + (l->w.h.pc * 4 + 6 * traps) % (2 * PAGE_BYTES - 2);
	}
}

/* A set of operations: all, none, or random ones. */
static struct op_set some_ops(uint64_t seed)
{
	struct op_set ops = { .bits = { 0 } };
	if (seed % 3 == 0)
		return functional_fixture_all_ops();
	for (unsigned i = 0; i < 4 && seed % 16 != 1; i++)
		ops.bits[i] = functional_fixture_next_random(&seed) &
		              (seed % 5 ? UINT64_MAX : functional_fixture_next_random(&seed));
	return ops;
}

TEST(the_same_is_told_either_way)
{
	uint64_t told = 0, stops = 0;
	for (uint64_t seed = 0; seed < 400; seed++) {
		struct listener fast, slow;
		listener_init(&fast, some_ops(seed));
		listener_init(&slow, some_ops(seed));
		profile_garbage(&fast, seed);
		profile_garbage(&slow, seed);
		fast.stop_every = slow.stop_every = seed % 7 ? 0 : 1 + seed % 100;
		run_garbage_told(&fast, 20000, functional_run_tapped);
		run_garbage_told(&slow, 20000, functional_run_steps);
		assert_int_equal(fast.told, slow.told);
		assert_int_equal(fast.stops, slow.stops);
		assert_int_equal(fast.digest, slow.digest);
		assert_memory_equal(fast.w.h.r, slow.w.h.r, sizeof(fast.w.h.r[0]) * REG_SINK);
		assert_int_equal(fast.w.h.instret, slow.w.h.instret);
		assert_int_equal(fast.w.h.pflags, slow.w.h.pflags);
		assert_int_equal(mem_hash(fast.w.mem), mem_hash(slow.w.mem));
		told += fast.told;
		stops += fast.stops;
		mem_free(fast.w.mem);
		mem_free(slow.w.mem);
	}
	assert_true(told > 10000 && stops > 100);
}

/* A tap on one operation gets its instructions only, run in both ways: fall-throughs, loads,
 * stores, branches taken and not. */
TEST(only_what_is_wanted_is_told)
{
	static const struct { enum op op; uint64_t times;
	} cases[] = {
		{OP_LUI, 1},     {OP_ADD, 50000}, {OP_SD, 50000}, {OP_LD, 50000},
		{OP_BNE, 50000}, {OP_ECALL, 0},   {OP_SUB, 0},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct op_set ops = { .bits = { 0 } };
		struct listener l;
		op_set_add(&ops, cases[i].op);
		listener_init(&l, ops);
		functional_fixture_write_loop(&l.w);
		assert_int_equal(run_told(&l, 1 << 30, functional_run_tapped), TRAP_ECALL);
		assert_int_equal(l.told, cases[i].times);
		assert_int_equal(l.w.h.instret, LOOP_INSTS);
		if (cases[i].op == OP_LD)
			assert_true(l.pcs[1] == CODE + 16 && l.results[0] == 50000 &&
			            l.results[1] == 50000 + 49999);
		mem_free(l.w.mem);
	}
}

/* Stopping at the n-th load, and going on. */
TEST(a_stop_is_right_behind_the_instruction)
{
	struct op_set ops = { .bits = { 0 } };
	struct listener l;
	op_set_add(&ops, OP_LD);
	listener_init(&l, ops);
	functional_fixture_write_loop(&l.w);
	l.stop_every = 1000;
	for (uint64_t n = 1; n <= 50; n++) {
		l.stopped = false;
		assert_int_equal(functional_run_tapped(&l.w.h, l.w.mem, 1 << 30, &env, NULL,
		                                       &l.w.fault, &l.tap),
		                 TRAP_NONE);
		assert_int_equal(l.told, 1000 * n);
		assert_int_equal(l.w.h.instret, 2 + 5 * (1000 * n - 1) + 3);
		assert_int_equal(l.w.h.pc, CODE + 20);
		assert_int_equal(l.w.h.time, l.w.h.cycle / TIME_DIV);
	}
	mem_free(l.w.mem);
}

/* pi.0; ld: reported with the prefix's address if its flag is on, not at all if it is off, and with
 * its own when jumped to. */
TEST(a_fused_instruction_lies_at_its_prefix)
{
	enum { PI = 0x0022, NOP16 = 0x0001 };
	static const uint16_t nop = NOP16, pi = PI;
	for (unsigned i = 0; i < 4; i++) {
		const unsigned flag = i & 1, to_prefix = i & 2;
		struct op_set ops = { .bits = { 0 } };
		struct listener l;
		const uint32_t ld = enc_i(OP_LD, A0, A2, 8), back = enc_j(0, to_prefix ? -10 : -8),
			       after = enc_i(OP_ADDI, A1, A1, 1);
		op_set_add(&ops, OP_LD);
		listener_init(&l, ops);
		l.w.h.r[A2] = DATA;
		l.w.h.xprof = 1;
		l.w.h.pflags = flag;
		functional_fixture_write_code(&l.w, CODE, &nop, 2);
		functional_fixture_write_code(&l.w, CODE + 2, &pi, 2);
		functional_fixture_write_code(&l.w, CODE + 4, &ld, 4);
		functional_fixture_write_code(&l.w, CODE + 8, &after, 4);
		functional_fixture_write_code(&l.w, CODE + 12, &back,
		                              4); /* to the ld or its prefix */
		run_told(&l, 4000, functional_run_tapped);
		assert_int_equal(l.told > 1000, flag || !to_prefix);
		assert_true(l.told == 0 || l.pcs[0] == (flag ? CODE + 2 : CODE + 4));
		assert_true(l.told == 0 || l.pcs[7] == (to_prefix ? CODE + 2 : CODE + 4));
		assert_int_equal(l.w.h.r[A1], to_prefix && !flag ? 4000 / 2 : 4000 / 3);
		mem_free(l.w.mem);
	}
}

/* Stores into a page with code take the slow path, which may drop the record. */
TEST(stores_beside_the_code_are_told)
{
	struct op_set ops = { .bits = { 0 } };
	struct listener l;
	static const uint32_t code[] = {
		0x00001637, /* lui a2,1: rounds, 4096 */
		0x00158593, /* addi a1,a1,1 */
		0x00e6a023, /* sw a4,0(a3) */
		0xfff60613, /* addi a2,a2,-1 */
		0xfe061ae3, /* bnez a2,.-12 */
		0x00000073,
	};
	op_set_add(&ops, OP_SW);
	listener_init(&l, ops);
	functional_fixture_write_code(&l.w, CODE, code, sizeof code);
	l.w.h.r[13] = CODE + 8; /* over itself */
	l.w.h.r[14] = code[2];
	assert_int_equal(run_told(&l, 1 << 20, functional_run_tapped), TRAP_ECALL);
	assert_int_equal(l.told, 4096);
	assert_int_equal(l.pcs[7], CODE + 8);
	mem_free(l.w.mem);
}
