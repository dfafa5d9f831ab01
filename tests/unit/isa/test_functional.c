/* The functional loop against single steps: same state after any budget, it notices code that
 * changes, and who wants to know of instructions is told the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/isa/functional.h"
#include "core/mem/mem.h"
#include "tests/diff/fp/operands.h"
#include "tests/encode.h"

static const struct functional_env env = {.time_div = 10};
enum { CODE = 0x10000, DATA = 0x20000, TIME_DIV = 10 };
enum { A0 = 10, A1 = 11, A2 = 12 };

struct world {
	struct mem *mem;
	struct hart h;
	uint64_t fault;
};

static void world_init(struct world *w)
{
	*w = (struct world){ .mem = mem_new(), .h = { .pc = CODE, .reserved = RESERVED_NONE } };
	assert_non_null(w->mem);
	assert_true(mem_map(w->mem, CODE, 2 * PAGE_BYTES, PROT_R | PROT_W | PROT_X, "code"));
	assert_true(mem_map(w->mem, DATA, PAGE_BYTES, PROT_R | PROT_W, "data"));
}

static int setup(void **state)
{
	static struct world w;
	world_init(&w);
	*state = &w;
	return 0;
}

static int teardown(void **state)
{
	mem_free(((struct world *)*state)->mem);
	return 0;
}

static void put(struct world *w, uint64_t addr, const void *code, size_t n)
{
	assert_true(mem_poke(w->mem, addr, code, n));
}

static enum trap run(struct world *w, uint64_t max)
{
	return functional_run(&w->h, w->mem, max, &env, NULL, &w->fault);
}

/* a0 = 50000; do { a1 += a0; store and reload it; } while (--a0); ecall. 5 instructions a round. */
static const uint32_t loop[] = {
	0x0000c537, /* lui a0,12 */
	0x3505051b, /* addiw a0,a0,848: 50000 */
	0x00a585b3, /* add a1,a1,a0 */
	0x00b63023, /* sd a1,0(a2) */
	0x00063583, /* ld a1,0(a2) */
	0xfff50513, /* addi a0,a0,-1 */
	0xfe0518e3, /* bnez a0,.-16 */
	0x00000073, /* ecall */
};

enum { LOOP_INSTS = 2 + 5 * 50000 };

static void put_loop(struct world *w)
{
	put(w, CODE, loop, sizeof(loop));
	w->h.r[A2] = DATA;
}

static void stops_at_a_system_call(void **state)
{
	struct world *w = *state;
	put_loop(w);
	assert_int_equal(run(w, 1 << 30), TRAP_ECALL);
	assert_int_equal(w->h.pc, CODE + 28);
	assert_int_equal(w->h.r[A1], UINT64_C(50000) * 50001 / 2);
	assert_int_equal(w->h.instret, LOOP_INSTS);
	assert_int_equal(w->h.cycle, LOOP_INSTS);
	assert_int_equal(w->h.time, LOOP_INSTS / TIME_DIV);
	/* Still there: the call is the caller's to serve. */
	assert_int_equal(run(w, 1), TRAP_ECALL);
	assert_int_equal(w->h.instret, LOOP_INSTS);
}

static void any_budget_is_kept_exactly(void **state)
{
	(void)state;
	static const uint64_t budgets[] = {0,    1,    2,     3,      2047,  2048,
	                                   2049, 5000, 99999, 100000, 123457};
	for (size_t i = 0; i < sizeof(budgets) / sizeof(*budgets); i++) {
		struct world fast, slow;
		world_init(&fast);
		world_init(&slow);
		put_loop(&fast);
		put_loop(&slow);
		assert_int_equal(run(&fast, budgets[i]), TRAP_NONE);
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

static void counters_are_current_when_read(void **state)
{
	struct world *w = *state;
	static const uint32_t code[] = {
		0x00000013, 0x00000013, 0x00000013, /* nop */
		0xc0202573, /* rdinstret a0 */
		0xc00025f3, /* rdcycle a1 */
		0xc0102673, /* rdtime a2 */
		0x00000073,
	};
	put(w, CODE, code, sizeof(code));
	w->h.cycle = 100;
	assert_int_equal(run(w, 1 << 20), TRAP_ECALL);
	assert_int_equal(w->h.r[A0], 3);
	assert_int_equal(w->h.r[A1], 104);
	assert_int_equal(w->h.r[A2], 10);
}

static void code_that_rewrites_itself(void **state)
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
	put(w, CODE, code, sizeof(code));
	w->h.r[13] = CODE + 4;
	w->h.r[14] = 0x06458593; /* addi a1,a1,100 */
	assert_int_equal(run(w, 1 << 20), TRAP_ECALL);
	assert_int_equal(w->h.r[A1], 1 + 100 * 4095);
}

static void code_across_a_page_end(void **state)
{
	struct world *w = *state;
	/* A 4-byte instruction with a half on either page, run into from the front and, by the
	 * loop, jumped over. */
	static const uint16_t code[] = {
		0x0585,         /* c.addi a1,1 */
		0x8593, 0x0645, /* addi a1,a1,100: straddles */
		0x167d,         /* c.addi a2,-1 */
		0xfe65,         /* c.bnez a2,.-8 */
		0x0073, 0x0000,
	};
	put(w, CODE + PAGE_BYTES - 4, code, sizeof(code));
	w->h.pc = CODE + PAGE_BYTES - 4;
	w->h.r[A2] = 3000;
	assert_int_equal(run(w, 1 << 20), TRAP_ECALL);
	assert_int_equal(w->h.r[A1], 3000 * 101);
	assert_int_equal(w->h.instret, 4 * 3000);
	/* And off the end of what is mapped. */
	static const uint16_t nop = 0x0001;
	put(w, CODE + 2 * PAGE_BYTES - 2, &nop, 2);
	w->h.pc = CODE + 2 * PAGE_BYTES - 2;
	assert_int_equal(run(w, 1 << 20), TRAP_FETCH_FAULT);
	assert_int_equal(w->fault, CODE + 2 * PAGE_BYTES);
	assert_int_equal(w->h.pc, CODE + 2 * PAGE_BYTES);
}

static void faults_stay_at_the_instruction(void **state)
{
	struct world *w = *state;
	static const uint32_t code[] = { 0x00000013, 0x00063503, 0x00a63023, 0x00000000 };
	put(w, CODE, code, sizeof(code));
	w->h.r[A2] = 0x1234;
	assert_int_equal(run(w, 1 << 20), TRAP_LOAD_FAULT);
	assert_int_equal(w->h.pc, CODE + 4);
	assert_int_equal(w->fault, 0x1234);
	assert_int_equal(w->h.instret, 1);
	w->h.pc = CODE + 8;
	assert_int_equal(run(w, 1 << 20), TRAP_STORE_FAULT);
	assert_int_equal(w->h.pc, CODE + 8);
	w->h.pc = CODE + 12;
	assert_int_equal(run(w, 1 << 20), TRAP_ILLEGAL);
	static const uint32_t lr = 0x1006252f; /* lr.w a0, (a2) */
	put(w, CODE + 16, &lr, sizeof lr);
	w->h.r[A2] = DATA + 2;
	w->h.pc = CODE + 16;
	assert_int_equal(run(w, 1 << 20), TRAP_LOAD_ALIGN);
	assert_int_equal(w->fault, DATA + 2);
	w->h.pc = DATA;
	assert_int_equal(run(w, 1 << 20), TRAP_FETCH_FAULT);
	w->h.pc = CODE + 1;
	assert_int_equal(run(w, 1 << 20), TRAP_FETCH_ALIGN);
	assert_int_equal(w->fault, CODE + 1);
}

static void a_raised_flag_stops_the_run(void **state)
{
	struct world *w = *state;
	bool stop = true;
	put_loop(w);
	assert_int_equal(functional_run(&w->h, w->mem, 1 << 20, &env, &stop, &w->fault), TRAP_NONE);
	assert_true(w->h.instret < 1 << 20);
	assert_int_equal(w->h.pc, CODE);
}

struct tally {
	uint64_t insts, branches, taken, stores, last_pc;
};

static bool count(void *ctx, uint64_t pc, const struct inst *in, const struct exec *done)
{
	struct tally *t = ctx;
	t->insts++;
	t->branches += (inst_flags(in) & OPF_BRANCH) != 0;
	t->taken += done->taken;
	t->stores += done->stored;
	t->last_pc = pc;
	return false;
}

static struct op_set everything(void)
{
	struct op_set all;
	memset(&all, 0xff, sizeof all);
	return all;
}

static void warming_sees_every_instruction(void **state)
{
	struct world *w = *state;
	struct tally t = { 0 };
	const struct functional_tap tap = { .ops = everything(), .inst = count, .ctx = &t };
	put_loop(w);
	assert_int_equal(functional_run_steps(&w->h, w->mem, 1 << 20, &env, NULL, &w->fault, &tap),
	                 TRAP_ECALL);
	assert_int_equal(t.insts, LOOP_INSTS);
	assert_int_equal(t.branches, 50000);
	assert_int_equal(t.taken, 49999);
	assert_int_equal(t.stores, 50000);
	assert_int_equal(t.last_pc, CODE + 24);
	assert_int_equal(w->h.instret, LOOP_INSTS);
}

static uint64_t next_random(uint64_t *state)
{
	*state += 0x9e3779b97f4a7c15;
	uint64_t z = (*state ^ *state >> 30) * 0xbf58476d1ce4e5b9;
	return (z ^ z >> 27) * 0x94d049bb133111eb;
}

/* Random words, registers that often point into code or data: wild jumps, faults, code overwriting
 * itself. */
static void garbage(struct world *w, uint64_t seed)
{
	uint64_t random = seed;
	world_init(w);
	for (unsigned at = 0; at < 2 * PAGE_BYTES; at += 4) {
		uint32_t raw;
		do
			raw = (uint32_t)(next_random(&random) >> 16);
		while ((raw & 3) != 3 && next_random(&random) % 2 == 0);
		put(w, CODE + at, &raw, 4);
	}
	for (unsigned reg = 1; reg < REG_SINK; reg++) {
		static const uint64_t bases[] = {
			0, CODE, DATA, CODE + PAGE_BYTES, DATA + PAGE_BYTES / 2, UINT64_MAX};
		uint64_t v = next_random(&random);
		w->h.r[reg] = v % 8 < 6 ? bases[v % 8] + (v >> 16) % 64 : v;
	}
}

/* Runs by `one_run`, past traps, until `insts` are done; a digest of all that happened on the way.
 */
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
		enum trap trap = run(w, 1);
		if (trap != TRAP_NONE)
			return trap;
	}
	return TRAP_NONE;
}

static void garbage_ends_the_same_either_way(void **state)
{
	(void)state;
	uint64_t insts = 0;
	for (uint64_t seed = 0; seed < 300; seed++) {
		struct world fast, slow;
		garbage(&fast, seed);
		garbage(&slow, seed);
		assert_int_equal(run_garbage(&fast, 20000, run),
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

/* An instruction that computes with floating point, most often rounding as fcsr says. */
static uint32_t fp_inst(uint64_t *random)
{
	for (;;) {
		const uint64_t v = next_random(random);
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
		put(w, CODE + 4 * i, &(uint32_t){ fp_inst(&random) }, 4);
	put(w, CODE + 4 * count, &(uint32_t){ 0x00000073 }, 4);
	for (unsigned reg = 1; reg < REG_SINK; reg++) {
		const unsigned width = reg < REG_F0 ? 0 : reg % 2 ? 64 : 32;
		w->h.r[reg] = fp_operand(width, &random) |
		              (width == 32 ? UINT64_C(0xffffffff00000000) : 0);
	}
	w->h.fcsr = next_random(&random) % 4 ? 0 : next_random(&random) % 5 << 5;
}

/* Flags gather from one instruction to the next, whichever way each of them goes. */
static void floating_point_ends_the_same_either_way(void **state)
{
	(void)state;
	uint64_t flags_seen = 0, rounded = 0;
	for (uint64_t seed = 0; seed < 5000; seed++) {
		struct world fast, slow;
		fp_world(&fast, seed);
		fp_world(&slow, seed);
		assert_int_equal(run(&fast, 10000), TRAP_ECALL);
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

/* ---- taps ---- */
struct listener {
	struct world w;
	struct functional_tap tap;
	uint64_t told, digest, stops;
	uint64_t stop_every; /* instructions told of; 0: never */
	bool stopped;
	uint64_t pcs[8], results[8]; /* the first */
};

static void mix(uint64_t *digest, uint64_t v)
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

static bool listen(void *ctx, uint64_t pc, const struct inst *in, const struct exec *done)
{
	struct listener *l = ctx;
	divide_inexactly();
	const uint64_t result = in->rd == REG_SINK ? 0 : l->w.h.r[in->rd];
	const uint64_t seen[] = {pc,         in->raw,    in->len,       done->next_pc,
	                         done->addr, done->size, done->taken,   done->stored,
	                         result,     l->w.h.pc,  l->w.h.pflags, l->w.h.fcsr};
	/* it is told of nothing behind the place where it wants to stop */
	assert_false(l->stopped);
	for (size_t i = 0; i < sizeof seen / sizeof *seen; i++)
		mix(&l->digest, seen[i]);
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
	*l = (struct listener){ .tap = { .ops = ops, .inst = listen, .ctx = l } };
	world_init(&l->w);
}

typedef enum trap tapped_run(struct hart *h, struct mem *mem, uint64_t max,
                             const struct functional_env *e, const volatile bool *stop,
                             uint64_t *fault_addr, const struct functional_tap *tap);

/* max instructions at most, going on behind stops; where it stopped is part of the digest. */
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
		mix(&l->digest, l->stopped);
		mix(&l->digest, l->w.h.instret);
		mix(&l->digest, l->w.h.pc);
	}
	l->stopped = false;
	return trap;
}

/* Garbage, with prefixes and profile control in it. */
static void profile_garbage(struct listener *l, uint64_t seed)
{
	uint64_t random = seed ^ 0x55;
	mem_free(l->w.mem);
	garbage(&l->w, seed);
	l->w.h.xprof = seed % 4 != 0;
	l->w.h.pflags = 0x0f;
	for (unsigned i = 0; i < 400; i++) {
		const unsigned s = next_random(&random) % 8 ? 8 + next_random(&random) % 8
		                                            : 8 + next_random(&random) % 43;
		const uint16_t hint = (uint16_t)(0x0002 | (s & 31) << 2 | (s >> 5) << 12);
		put(&l->w, CODE + 2 * (next_random(&random) % PAGE_BYTES), &hint, 2);
	}
}

static void run_garbage_told(struct listener *l, uint64_t insts, tapped_run *one)
{
	for (unsigned traps = 0; l->w.h.instret < insts && traps < 200; traps++) {
		const enum trap trap = run_told(l, insts - l->w.h.instret, one);
		mix(&l->digest, trap);
		mix(&l->digest, trap == TRAP_NONE ? 0 : l->w.fault);
		l->w.h.pc = CODE + (l->w.h.pc * 4 + 6 * traps) % (2 * PAGE_BYTES - 2);
	}
}

/* Which operations: all, none, or any of them. */
static struct op_set some_ops(uint64_t seed)
{
	struct op_set ops = { .bits = { 0 } };
	if (seed % 3 == 0)
		return everything();
	for (unsigned i = 0; i < 4 && seed % 16 != 1; i++)
		ops.bits[i] = next_random(&seed) & (seed % 5 ? UINT64_MAX : next_random(&seed));
	return ops;
}

static void the_same_is_told_either_way(void **state)
{
	(void)state;
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

/* Of the loop, in both ways: what falls through, loads, stores, taken and not. */
static void only_what_is_wanted_is_told(void **state)
{
	(void)state;
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
		put_loop(&l.w);
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
static void a_stop_is_right_behind_the_instruction(void **state)
{
	(void)state;
	struct op_set ops = { .bits = { 0 } };
	struct listener l;
	op_set_add(&ops, OP_LD);
	listener_init(&l, ops);
	put_loop(&l.w);
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

/* pi.0; ld: told with the prefix's address if its flag is on, not at all if it is off, and with its
 * own when jumped to. */
static void a_fused_instruction_lies_at_its_prefix(void **state)
{
	(void)state;
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
		put(&l.w, CODE, &nop, 2);
		put(&l.w, CODE + 2, &pi, 2);
		put(&l.w, CODE + 4, &ld, 4);
		put(&l.w, CODE + 8, &after, 4);
		put(&l.w, CODE + 12, &back, 4); /* to the ld or its prefix */
		run_told(&l, 4000, functional_run_tapped);
		assert_int_equal(l.told > 1000, flag || !to_prefix);
		assert_true(l.told == 0 || l.pcs[0] == (flag ? CODE + 2 : CODE + 4));
		assert_true(l.told == 0 || l.pcs[7] == (to_prefix ? CODE + 2 : CODE + 4));
		assert_int_equal(l.w.h.r[A1], to_prefix && !flag ? 4000 / 2 : 4000 / 3);
		mem_free(l.w.mem);
	}
}

/* Into a page that code lies in: by the slow path, which may drop the record. */
static void stores_beside_the_code_are_told(void **state)
{
	(void)state;
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
	put(&l.w, CODE, code, sizeof code);
	l.w.h.r[13] = CODE + 8; /* over itself */
	l.w.h.r[14] = code[2];
	assert_int_equal(run_told(&l, 1 << 20, functional_run_tapped), TRAP_ECALL);
	assert_int_equal(l.told, 4096);
	assert_int_equal(l.pcs[7], CODE + 8);
	mem_free(l.w.mem);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		TEST(stops_at_a_system_call),
		TEST(counters_are_current_when_read),
		TEST(code_that_rewrites_itself),
		TEST(code_across_a_page_end),
		TEST(faults_stay_at_the_instruction),
		TEST(a_raised_flag_stops_the_run),
		TEST(warming_sees_every_instruction),
		cmocka_unit_test(any_budget_is_kept_exactly),
		cmocka_unit_test(garbage_ends_the_same_either_way),
		cmocka_unit_test(floating_point_ends_the_same_either_way),
		cmocka_unit_test(the_same_is_told_either_way),
		cmocka_unit_test(only_what_is_wanted_is_told),
		cmocka_unit_test(a_stop_is_right_behind_the_instruction),
		cmocka_unit_test(a_fused_instruction_lies_at_its_prefix),
		cmocka_unit_test(stores_beside_the_code_are_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
