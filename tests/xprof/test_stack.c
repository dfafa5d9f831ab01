/* pushpf and poppf: bytes in the shadow of the stack, which go through the load/store queue and the
 * data cache, and decode that waits for a flag which is late. */
#include "tests/xprof/model.h"

#include <stdlib.h>

enum { X_RA = 1, X_LEFT = 20 };

static const char *const settings[] = {"",
                                       AMPLE,
                                       "lsq.size=1",
                                       "lsq.speculate=true bdt.min_block=1",
                                       "pipe.in_order=true pipe.issue_width=1",
                                       "l1d.size=256 l1d.latency=20 lsq.forward_latency=5",
                                       "pipe.decode_width=1 pipe.rob_size=3"};
enum { SETTINGS = sizeof settings / sizeof *settings };

static void stack_check_against_model(const struct guest *g)
{
	struct model *model = model_run(g);
	struct machine *f = boot(g, ""), *w = boot(g, "");
	machine_run_functional(f, 1000000, false);
	machine_run_functional(w, 1000000, true);
	model_agrees(model, f);
	model_agrees(model, w);
	machine_free(f);
	machine_free(w);
	for (unsigned i = 0; i < SETTINGS; i++) {
		struct log *l = run(g, settings[i]);
		model_agrees(model, l->m);
		model_agrees_trace(model, l);
		log_free(l);
	}
	model_free(model);
}

static unsigned stack_read_saved_flags(const struct machine *m, uint64_t sp)
{
	unsigned flags = 0;
	for (unsigned k = 0; k < 8; k++) {
		uint8_t byte;
		assert_true(machine_peek(m, bench_saved_flag_address(sp, k), &byte, 1));
		assert_true(byte <= 1);
		flags |= (unsigned)byte << k;
	}
	return flags;
}

/* A flag is a byte of sp's shadow; poppf reads the named flags alone. */
TEST(test_stack_flag_bytes)
{
	for (int wide = 0; wide < 2; wide++)
		for (unsigned k = small() && wide ? 7 : 0; k < 9; k += small() && !wide ? 4 : 1) {
			struct guest *g = guest_new();
			g->wide = wide;
			g->pflags = 0xa5;
			hint(g, k < 8 ? 32 + k : 48);
			put(g, rv_addi(5, 0, 0x5a));
			put(g, rv_csrw(CSR_PFLAGS, 5));
			put(g, rv_addi(X_SP, X_SP, -64));
			hint(g, 32 + (k + 1) % 8);
			put(g, rv_csrw(CSR_PFLAGS, 0));
			hint(g, 40 + (k + 1) % 8);
			put(g, rv_csrr(18, CSR_PFLAGS));
			put(g, rv_addi(X_SP, X_SP, 64 + 15)); /* within the same 16 bytes */
			hint(g, k < 8 ? 40 + k : 49);
			put(g, rv_csrr(19, CSR_PFLAGS));
			finish(g);
			struct machine *m = boot(g, "");
			run_to_end(m);
			const unsigned inner = 0x5a & 1u << (k + 1) % 8,
				       mask = k < 8 ? 1u << k : 0xff;
			assert_int_equal(stack_read_saved_flags(m, SP), 0xa5 & mask);
			assert_int_equal(stack_read_saved_flags(m, SP - 64), inner);
			assert_int_equal(machine_reg(m, 18), inner);
			assert_int_equal(machine_reg(m, 19), (inner & ~mask) | (0xa5 & mask));
			assert_int_equal(stat(m, "xprof.control"), 0); /* they are dispatched */
			machine_free(m);
			stack_check_against_model(g);
			free(g);
		}
}

/* Through queue and cache: the level that serves a load, and a value forwarded from a store. */
TEST(through_queue_and_cache)
{
	struct guest *g = guest_new();
	g->pflags = 1;
	const uint64_t push = bench_next_pc(g);
	bench_emit_pushpf(g, 0);
	bench_emit_resetpf(g, 0);
	const uint64_t pop = bench_next_pc(g);
	bench_emit_poppf(g, 0);
	const uint64_t use = prof(g, 0, rv_addi(15, 0, 1));
	nops(g, 40);
	const uint64_t push2 = bench_next_pc(g);
	bench_emit_pushpf(g, 0);
	for (int i = 0; i < 300; i++)
		nops(g, 1);
	const uint64_t pop2 = bench_next_pc(g);
	bench_emit_poppf(g, 0);
	finish(g);
	struct log *l = run(g, "");
	assert_int_equal(nth(l, EV_MEM, pop, 0)->mem.addr, bench_saved_flag_address(SP, 0));
	assert_int_equal(nth(l, EV_MEM, pop, 0)->mem.level, LEVEL_FORWARD);
	assert_int_equal(nth(l, EV_STORE, push, 0)->store.addr, bench_saved_flag_address(SP, 0));
	assert_int_equal(nth(l, EV_STORE, push, 0)->store.bytes, 1);
	assert_int_equal(nth(l, EV_STORE, push2, 0)->store.addr, bench_saved_flag_address(SP, 0));
	assert_int_equal(nth(l, EV_MEM, pop2, 0)->mem.level, LEVEL_L1);
	assert_int_equal(stat(l->m, "l1d.accesses"), 3);
	assert_int_equal(machine_reg(l->m, 15), 1);
	/* The flag is there when the load is, not before. */
	assert_true(cycle_of(l, EV_DISPATCH, use, 0) >= cycle_of(l, EV_WRITEBACK, pop, 0));
	assert_int_equal(machine_insts(l->m), 4 + 1 + 340 + 3);
	log_free(l);
	/* Each takes a place of the queue. */
	struct guest *full = guest_new();
	for (int i = 0; i < 6; i++)
		bench_emit_pushpf(full, 0);
	finish(full);
	struct log *one = run(full, "lsq.size=1");
	for (unsigned i = 1; i < 6; i++)
		assert_true(cycle_of(one, EV_DISPATCH, TEXT + 2 * i, 0) >=
		            cycle_of(one, EV_COMMIT, TEXT + 2 * (i - 1), 0));
	assert_true(stat(one->m, "dispatch.stall_lsq") > 5);
	log_free(one);
	free(full);
	free(g);
}

/* A poppf whose line comes from memory. A reader of its flag waits at decode; others continue, and
 * a writer ends the wait. */
TEST(late_poppf)
{
	enum { READS, OTHER, ORDINARY, WRITES, POPS, PUSHES, PUSHES_OTHER, CASES };
	for (int what = 0; what < CASES; what++) {
		struct guest *g = guest_new();
		g->pflags = 1;
		g->x[X_SP] = DATA + 512; /* whose byte no cache has */
		put(g, rv_jal(0, 64));
		go_to(g, 64);
		nops(g, 60); /* later code has been fetched by then */
		const uint64_t pop = bench_next_pc(g);
		bench_emit_poppf(g, 0);
		if (what == OTHER)
			bench_emit_setpf(g, 1);
		if (what == WRITES)
			bench_emit_setpf(g, 0);
		const uint64_t next = bench_next_pc(g);
		if (what == READS || what == WRITES || what == OTHER)
			prof(g, what == OTHER, rv_addi(15, 0, 1));
		else if (what == ORDINARY)
			put(g, rv_addi(15, 0, 1));
		else
			hint(g, what == POPS ? 40 : what == PUSHES ? 32 : 33);
		const uint64_t behind = bench_next_pc(g);
		put(g, rv_addi(16, 0, 1));
		finish(g);
		struct machine *m = boot(g, "l1i.prefetch=next-line");
		struct log *l = log_new(m);
		run_to_end(m);
		const bool waits = what == READS || what == POPS || what == PUSHES;
		const bool dropped = what == READS; /* the saved flag is off */
		const uint64_t arrived = cycle_of(l, EV_WRITEBACK, pop, 0),
			       started = cycle_of(l, EV_DISPATCH, pop, 0);
		assert_true(nth(l, EV_MEM, pop, 0)->mem.latency > 80);
		const uint64_t decoded = cycle_of(l, dropped ? EV_DROP : EV_DISPATCH, next, 0);
		if (waits)
			assert_int_equal(decoded, arrived);
		else
			assert_true(decoded < started + 20);
		assert_true(waits == (cycle_of(l, EV_DISPATCH, behind, 0) >= arrived));
		/* Each stalled cycle is counted. */
		assert_true(waits ? stat(m, "xprof.poppf_stalls") > 80
		                  : stat(m, "xprof.poppf_stalls") == 0);
		assert_int_equal(machine_reg(m, 15),
		                 what == ORDINARY || what == OTHER || what == WRITES);
		assert_int_equal(flags_committed(m), what == OTHER ? 2 : what == WRITES);
		log_free(l);
		free(g);
	}
}

TEST(stalls_are_counted_exactly)
{
	for (int latency = 2; latency <= 12; latency += 5) {
		struct guest *g = guest_new();
		g->pflags = 1;
		bench_emit_pushpf(g, 0);
		nops(g, 100);
		const uint64_t pop = bench_next_pc(g);
		bench_emit_poppf(g, 0);
		const uint64_t use = prof(g, 0, rv_addi(15, 0, 1));
		finish(g);
		char options[64];
		snprintf(options, sizeof options, "l1d.latency=%d pipe.decode_width=1", latency);
		struct log *l = run(g, options);
		/* The reader tries in vain once in each cycle but the last. */
		assert_int_equal(cycle_of(l, EV_DISPATCH, use, 0),
		                 cycle_of(l, EV_WRITEBACK, pop, 0));
		assert_int_equal(stat(l->m, "xprof.poppf_stalls"),
		                 cycle_of(l, EV_DISPATCH, use, 0) -
		                         cycle_of(l, EV_DISPATCH, pop, 0) - 1);
		assert_int_equal(nth(l, EV_MEM, pop, 0)->mem.latency, latency);
		log_free(l);
		free(g);
	}
}

/* A function that saves the flag, has its own by level, calls itself and gives the flag back.
 * Counts in x16 before the call, in x18 after it; x15: the caller's. */
static struct guest *stack_make_recursion_guest(unsigned depth)
{
	enum { FUNCTION = 24 };
	struct guest *g = guest_new();
	g->x[X_LEFT] = depth;
	g->pflags = 1;
	put(g, rv_jal(X_RA, FUNCTION));
	prof(g, 0, rv_addi(15, 15, 1));
	finish(g);
	go_to(g, FUNCTION);
	put(g, rv_addi(X_SP, X_SP, -16));
	put(g, rv_sd(X_RA, 0, X_SP));
	bench_emit_pushpf(g, 0);
	put(g, rv_andi(5, X_LEFT, 1));
	put(g, rv_beq(5, 0, 8));
	bench_emit_setpf(g, 0); /* in odd levels */
	put16(g, ENC_C(JAL, .imm = 4));
	bench_emit_resetpf(g, 0); /* in even ones */
	prof(g, 0, rv_addi(16, 16, 1));
	put(g, rv_addi(X_LEFT, X_LEFT, -1));
	put(g, rv_beq(X_LEFT, 0, 8));
	put(g, rv_jal(X_RA, (int32_t)(TEXT + FUNCTION - bench_next_pc(g))));
	prof(g, 0, rv_addi(18, 18, 1)); /* its own again */
	bench_emit_poppf(g, 0);
	put(g, rv_ld(X_RA, 0, X_SP));
	put(g, rv_addi(X_SP, X_SP, 16));
	put(g, rv_jalr(0, X_RA));
	return g;
}

TEST(nested_calls)
{
	for (unsigned depth = 1; depth <= 40; depth += 13) {
		struct guest *g = stack_make_recursion_guest(depth);
		struct model *model = model_run(g);
		const struct hart *h = machine_hart(model->m);
		assert_int_equal(h->r[15], 1);
		assert_int_equal(h->r[16], (depth + 1) / 2);
		assert_int_equal(h->r[18], (depth + 1) / 2);
		assert_int_equal(h->pflags, 1);
		model_free(model);
		stack_check_against_model(g);
		free(g);
	}
}

/* sp jumps, as with longjmp and coroutines: flags saved at another sp are kept, and cost nothing.
 */
TEST(any_order)
{
	for (unsigned on = 0; on < 16; on++) {
		static const int32_t to[][4] = {{0, 1, 2, 3}, {3, 2, 1, 0}, {1, 3, 0, 2}};
		struct guest *g = guest_new();
		g->x[19] = SP - 4096;
		for (int32_t i = 0; i < 4; i++) {
			put(g, rv_addi(X_SP, 19, 16 * i));
			hint(g, (on >> i & 1 ? 24 : 16) + 0);
			bench_emit_pushpf(g, 0);
		}
		nops(g, 40);
		for (unsigned round = 0; round < 3; round++)
			for (unsigned i = 0; i < 4; i++) {
				put(g, rv_addi(X_SP, 19, 16 * to[round][i]));
				bench_emit_poppf(g, 0);
				prof(g, 0, rv_addi(20, 20, 1 << to[round][i]));
			}
		finish(g);
		struct log *l = run(g, "");
		assert_int_equal(machine_reg(l->m, 20), 3 * on);
		log_free(l);
		stack_check_against_model(g);
		free(g);
	}
}

/* Without shadow memory nothing is saved, and flags come back off, without a trap but counted. A
 * program may map the shadow itself, with its permissions. */
TEST(test_stack_unmapped_shadow)
{
	static const struct {
		uint64_t sp, base;
		bool reached;
	} cases[] = {
		{SP, SHADOW_BASE, false}, /* in a machine without a shadow */
		{SP, SHADOW_BASE, true},
		{SP + 15, SHADOW_BASE, true},
		{SP + 16, SHADOW_BASE, false},
		{DATA, SHADOW_BASE, true},
		{DATA - 16, SHADOW_BASE, false},
		{0, SHADOW_BASE, false},
		{~UINT64_C(0), SHADOW_BASE, false},
		{MEM_TOP, SHADOW_BASE, false},
		{UINT64_C(1) << 63, SHADOW_BASE, false},
		{0x1000, DATA, true},
		{0x1000, 0, false},
		{0x1000, TEXT + 8192, true},
		{SP, FIRMWARE_BASE, false},
		{0, SHADOW_BASE + DATA / 2, true},
		{0, SHADOW_BASE + SHADOW_BYTES, false},
		{0x1000, ~UINT64_C(7), false},
		{2 * TEXT + 16, SHADOW_BASE, false},
		{TEXT, SHADOW_BASE, true},
	};
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
		for (int all = 0; all < 2; all++) {
			const bool no_shadow = i == 0;
			struct guest *g = guest_new();
			g->x[X_SP] = cases[i].sp;
			g->x[7] = cases[i].base;
			g->pflags = 0x83;
			put(g, rv_csrw(CSR_PFBASE, 7));
			put(g, rv_csrr(21, CSR_PFBASE));
			hint(g, all ? 48 : 39);
			put(g, rv_csrw(CSR_PFLAGS, 0));
			hint(g, all ? 49 : 47);
			put(g, rv_csrr(18, CSR_PFLAGS));
			put(g, rv_csrw(CSR_PFBASE, 0));
			finish(g);
			struct machine *m = boot(g, "");
			if (no_shadow)
				assert_true(mem_unmap(machine_mem(m), SHADOW_BASE, SHADOW_BYTES));
			run_to_end(m);
			assert_int_equal(machine_status(m), MACHINE_EXITED);
			assert_int_equal(machine_reg(m, 21), cases[i].base);
			assert_int_equal(machine_reg(m, 18), !cases[i].reached ? 0
			                                     : all             ? 0x83
			                                                       : 0x80);
			assert_int_equal(stat(m, "xprof.unreached"), cases[i].reached ? 0 : 2);
			machine_free(m);
			if (!no_shadow)
				stack_check_against_model(g);
			free(g);
		}
}

/* The program can neither read nor write its shadow; accesses to the shadow take time: a page of
 * the TLB, lines of the caches. */
TEST(out_of_reach)
{
	for (int stores = 0; stores < 2; stores++) {
		struct guest *g = guest_new();
		g->x[7] = bench_saved_flag_address(SP, 0);
		bench_emit_pushpf(g, 0);
		put(g, stores ? rv_sd(5, 0, 7) : rv_ld(5, 0, 7));
		finish(g);
		struct machine *m = boot(g, "");
		run_to_end(m);
		assert_int_equal(machine_fault(m)->trap,
		                 stores ? TRAP_STORE_FAULT : TRAP_LOAD_FAULT);
		machine_free(m);
		stack_check_against_model(g);
		free(g);
	}
	struct guest *g = guest_new();
	bench_emit_pushpf(g, 0);
	finish(g);
	struct log *l = run(g, "");
	assert_int_equal(stat(l->m, "dtlb.misses"), 1);
	log_free(l);
	free(g);
}

/* On a wrong path they push and pop, and what was saved comes back. */
TEST(on_wrong_paths)
{
	for (int pops = 0; pops < 2; pops++) {
		struct guest *g = guest_new();
		g->x[6] = 1;
		g->pflags = 2;
		bench_emit_pushpf(g, 1);
		bench_emit_pushpf(g, 0);
		put(g, rv_divu(5, 6, 6));
		put(g, rv_bne(5, 0, 16));
		const uint64_t wrong = bench_next_pc(g);
		bench_emit_setpf(g, 0);
		hint(g, pops ? 41 : 32);
		put(g, rv_addi(X_SP, X_SP, -32));
		hint(g, pops ? 40 : 33);
		hint(g, 17);
		bench_emit_poppf(g, 1);
		put(g, rv_csrr(18, CSR_PFLAGS));
		finish(g);
		struct log *l = run(g, "bpred.kind=nottaken");
		assert_int_equal(count(l, EV_CONTROL, wrong), 1);
		assert_int_equal(count(l, EV_COMMIT, wrong), 0);
		assert_int_equal(machine_reg(l->m, 18), 2);
		assert_int_equal(stack_read_saved_flags(l->m, SP), 2);
		assert_int_equal(stack_read_saved_flags(l->m, SP - 32), 0);
		log_free(l);
		stack_check_against_model(g);
		free(g);
	}
}
