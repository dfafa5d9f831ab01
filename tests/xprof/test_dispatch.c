/* Selective dispatch (Vaswani III.B.1): with its flag off a profile instruction costs only fetch
 * and decode bandwidth; with its flag on, as much as other instructions. Control instructions cost
 * decode bandwidth. */
#include "tests/xprof/model.h"

#include <stdlib.h>

enum { ROUNDS = 24, X_N = 8 };

typedef void body_fn(struct guest *g, int arg);

/* Cycles of ROUNDS rounds of the body: caches are warm and predictors have learnt, start and end
 * cancel. */
static int64_t dispatch_measure_rounds(body_fn *body, int arg, uint64_t flags, const char *options)
{
	int64_t cycles[2];
	for (int i = 0; i < 2; i++) {
		struct guest *g = guest_new();
		g->x[X_N] = (uint64_t)(ROUNDS * (i + 1));
		g->pflags = flags;
		body(g, arg);
		put(g, rv_addi(X_N, X_N, -1));
		put(g, rv_bne(X_N, 0, -(int32_t)g->size));
		finish(g);
		cycles[i] = cycles_of(g, options);
		free(g);
	}
	return cycles[1] - cycles[0];
}

static void dispatch_emit_plain(struct guest *g, int n)
{
	for (int i = 0; i < n; i++)
		put(g, rv_addi(15, 0, 1));
}

static void dispatch_emit_profile(struct guest *g, int n)
{
	for (int i = 0; i < n; i++)
		prof(g, 0, rv_addi(15, 0, 1));
}

static void dispatch_emit_control(struct guest *g, int n)
{
	for (int i = 0; i < n; i++)
		hint(g, (i & 1 ? 17u : 25u) + (unsigned)i / 2 % 7);
}

static void dispatch_emit_pblen(struct guest *g, int n)
{
	for (int i = 0; i < n; i++)
		pblen(g, 8);
}

/* One a cycle through decode, dropped or not; a prefix takes no place of its own. */
TEST(decode_bandwidth)
{
	for (int width = 1; width <= 4; width *= 2) {
		char options[512];
		snprintf(options, sizeof options, AMPLE "bdt.sets=0 pipe.decode_width=%d", width);
		const int64_t each = ROUNDS * 32 / width;
		assert_int_equal(dispatch_measure_rounds(dispatch_emit_plain, 30, 0, options),
		                 each);
		assert_int_equal(dispatch_measure_rounds(dispatch_emit_profile, 30, 1, options),
		                 each);
		assert_int_equal(dispatch_measure_rounds(dispatch_emit_profile, 30, 0, options),
		                 each);
		assert_int_equal(dispatch_measure_rounds(dispatch_emit_control, 30, 0, options),
		                 each);
		assert_int_equal(dispatch_measure_rounds(dispatch_emit_pblen, 30, 0, options),
		                 each);
	}
}

TEST(fetch_bandwidth)
{
	/* A line of 64 bytes each cycle would do: the width decides. */
	static const char options[] = AMPLE "bdt.sets=0 pipe.fetch_width=2";
	const int64_t each = ROUNDS * 32 / 2;
	assert_int_equal(dispatch_measure_rounds(dispatch_emit_plain, 30, 0, options), each);
	assert_int_equal(dispatch_measure_rounds(dispatch_emit_profile, 30, 1, options), each);
	assert_int_equal(dispatch_measure_rounds(dispatch_emit_profile, 30, 0, options), each);
	assert_int_equal(dispatch_measure_rounds(dispatch_emit_control, 30, 0, options), each);
}

/* Dropped instructions need no commit, no issue and no window. */
TEST(and_nothing_else)
{
	static const char *const scarce[] = {"pipe.commit_width=1", "pipe.issue_width=1",
	                                     "fu.int=1", "pipe.rob_size=2", "pipe.issue_queue=1"};
	for (size_t i = 0; i < sizeof scarce / sizeof *scarce; i++) {
		char options[512];
		snprintf(options, sizeof options, AMPLE "bdt.sets=0 %s", scarce[i]);
		const int64_t without = dispatch_measure_rounds(dispatch_emit_plain, 0, 0, options),
			      as_many =
				      dispatch_measure_rounds(dispatch_emit_plain, 16, 0, options);
		assert_true(as_many >= without + 7 * ROUNDS);
		assert_int_equal(dispatch_measure_rounds(dispatch_emit_profile, 16, 0, options),
		                 without);
		assert_int_equal(dispatch_measure_rounds(dispatch_emit_control, 16, 0, options),
		                 without);
		assert_int_equal(dispatch_measure_rounds(dispatch_emit_pblen, 16, 0, options),
		                 without);
		assert_int_equal(dispatch_measure_rounds(dispatch_emit_profile, 16, 1, options),
		                 as_many);
	}
}

/* Neither registers nor queues nor caches see what is dropped, and it is not counted among the
 * program's instructions. */
TEST(leaves_no_trace)
{
	for (int on = 0; on < 2; on++) {
		struct guest *g = guest_new();
		g->pflags = (uint64_t)on << 5;
		const uint64_t first = bench_next_pc(g);
		prof(g, 5, rv_ld(15, 0, X_DATA));
		prof(g, 5, rv_addi(16, 15, 1));
		prof(g, 5, rv_sd(16, 0, X_DATA));
		prof(g, 5, rv_mul(18, 16, 16));
		prof(g, 5, rv_jal(19, 4));
		prof(g, 5, rv_fadd(1, 1, 1));
		prof(g, 5, rv_amoadd(20, 16, X_DATA));
		const uint64_t end = bench_next_pc(g);
		finish(g);
		struct log *l = run(g, "bdt.sets=0");
		for (uint64_t pc = first; pc < end; pc += 6) {
			assert_int_equal(count(l, EV_DROP, pc), !on);
			assert_int_equal(count(l, EV_DECODE, pc), on);
			assert_int_equal(count(l, EV_DISPATCH, pc), on);
			assert_int_equal(count(l, EV_ISSUE, pc), on);
			assert_int_equal(count(l, EV_COMMIT, pc), on);
			assert_int_equal(count(l, EV_LEAVE, pc), 1);
			assert_int_equal(nth(l, EV_LEAVE, pc, 0)->leave.dropped, !on);
			assert_int_equal(nth(l, EV_LEAVE, pc, 0)->leave.retired, on);
			if (!on)
				assert_int_equal(nth(l, EV_DROP, pc, 0)->drop.type, 5);
		}
		assert_int_equal(stat(l->m, "xprof.fetched"), 7);
		assert_int_equal(stat(l->m, "xprof.dropped"), on ? 0 : 7);
		assert_int_equal(stat(l->m, "xprof.dispatched"), on ? 7 : 0);
		assert_int_equal(stat(l->m, "l1d.accesses"), on ? 4 : 0);
		assert_int_equal(stat(l->m, "dtlb.accesses"), on ? 4 : 0);
		assert_int_equal(machine_insts(l->m), 3 + (on ? 7 : 0));
		assert_int_equal(peek(l->m, DATA), on ? 2 : 0);
		assert_int_equal(machine_reg(l->m, 20), on);
		log_free(l);
		free(g);
	}
}

/* Control acts at decode and goes no further. */
TEST(control_is_not_dispatched)
{
	struct guest *g = guest_new();
	uint64_t at[4];
	at[0] = bench_next_pc(g), bench_emit_setpf(g, 2);
	at[1] = bench_next_pc(g), bench_emit_resetpf(g, 2);
	at[2] = bench_next_pc(g), pblen(g, 4);
	at[3] = bench_next_pc(g), hint(g, 50);
	finish(g);
	struct log *l = run(g, "");
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(count(l, EV_CONTROL, at[i]), 1);
		assert_int_equal(count(l, EV_DISPATCH, at[i]), 0);
		assert_int_equal(count(l, EV_COMMIT, at[i]), 0);
		assert_int_equal(count(l, EV_LEAVE, at[i]), 1);
	}
	assert_int_equal(stat(l->m, "xprof.control"), 4);
	assert_int_equal(stat(l->m, "dispatch.insts"), 3);
	assert_int_equal(machine_insts(l->m), 3);
	log_free(l);
	free(g);
}

static int64_t of_type(const struct machine *m, const char *what, unsigned type)
{
	char name[32];
	snprintf(name, sizeof name, "xprof.%s_%u", what, type);
	return stat(m, name);
}

/* Eight flags, each its own: all patterns, set in both forms, with the types interleaved; of type k
 * there are k + 1. */
TEST(eight_types)
{
	for (int wide = 0; wide < 2; wide++)
		for (unsigned pattern = 0; pattern < 256; pattern += small()   ? 23
		                                                     : large() ? 1
		                                                               : 5) {
			struct guest *g = guest_new();
			g->wide = wide;
			g->pflags = ~pattern & 0xff;
			for (unsigned k = 0; k < 8; k++) {
				const unsigned type = (k * 3 + pattern) % 8;
				hint(g, (pattern >> type & 1 ? 24 : 16) + type);
			}
			for (unsigned i = 0; i < 8; i++)
				for (unsigned k = 0; k < 8; k++) {
					const unsigned type = (k * 5 + i) % 8;
					if (type >= i)
						prof(g, type, rv_addi(20 + type, 20 + type, 1));
				}
			put(g, rv_csrr(5, CSR_PFLAGS));
			finish(g);
			struct log *l = run(g, "");
			for (unsigned k = 0; k < 8; k++) {
				const unsigned n = k + 1, on = pattern >> k & 1;
				assert_int_equal(machine_reg(l->m, 20 + k), on ? n : 0);
				assert_int_equal(of_type(l->m, "fetched", k), n);
				assert_int_equal(of_type(l->m, "dropped", k), on ? 0 : n);
				assert_int_equal(of_type(l->m, "dispatched", k), on ? n : 0);
			}
			assert_int_equal(machine_reg(l->m, 5), pattern);
			assert_int_equal(flags_committed(l->m), pattern);
			log_free(l);
			free(g);
		}
}

/* A store to nowhere: a fault at the store while its flag is on, nothing while it is off. */
TEST(a_store_that_would_fault)
{
	for (int wide = 0; wide < 2; wide++)
		for (int on = 0; on < 2; on++) {
			struct guest *g = guest_new();
			g->wide = wide;
			put(g, rv_addi(15, 0, 1));
			hint(g, on ? 24 : 16);
			prof(g, 0, rv_addi(16, 0, 1));
			const uint64_t at = prof(g, 0, rv_sd(15, 8, 0));
			prof(g, 0, rv_addi(18, 0, 1));
			finish(g);
			struct model *model = model_run(g);
			struct log *l = run(g, "");
			struct machine *f = boot(g, "");
			machine_run_functional(f, 1000, false);
			model_agrees(model, l->m);
			model_agrees(model, f);
			assert_int_equal(machine_status(f), on ? MACHINE_FAULTED : MACHINE_EXITED);
			if (on) {
				assert_int_equal(machine_fault(l->m)->trap, TRAP_STORE_FAULT);
				assert_int_equal(machine_fault(l->m)->pc, at + (wide ? 4 : 2));
				assert_int_equal(machine_fault(l->m)->addr, 8);
				assert_int_equal(machine_reg(l->m, 16), 1);
				assert_int_equal(machine_reg(l->m, 18), 0);
			}
			machine_free(f);
			log_free(l);
			model_free(model);
			free(g);
		}
}

/* Any instruction may be a profile instruction, also serialising and faulting ones. */
TEST(any_instruction)
{
	static const char *const settings[] = {"", AMPLE, "pipe.decode_width=1 pipe.rob_size=4",
	                                       "l1i.line=8"};
	for (int on = 0; on < 2; on++)
		for (unsigned i = 0; i < 4; i++) {
			struct guest *g = guest_new();
			g->pflags = (uint64_t)on;
			g->x[7] = 0x81;
			prof(g, 0, rv_csrr(15, CSR_PFLAGS));
			prof(g, 0, rv_csrw(CSR_PFLAGS, 7)); /* its own flag among others */
			prof(g, 0, rv_fence_i());
			prof(g, 7, rv_addi(16, 16, 1));
			prof(g, 0, rv_jal(18, 8));
			put(g, rv_addi(19, 19, 1)); /* jumped over, or not */
			prof(g, 0, rv_beq(0, 0, 8));
			put(g, rv_addi(20, 20, 1));
			prof(g, 0, rv_fdiv(1, 1, 2));
			prof(g, 0, ENC_C(ADDI, .rd = 21, .rs1 = 21, .imm = 3));
			finish(g);
			struct model *model = model_run(g);
			struct log *l = run(g, settings[i]);
			model_agrees(model, l->m);
			model_agrees_trace(model, l);
			assert_int_equal(machine_reg(l->m, 16), on);
			assert_int_equal(machine_reg(l->m, 20), !on);
			log_free(l);
			model_free(model);
			free(g);
		}
}

/* The exit itself: dropped, the program goes on. */
TEST(a_system_call)
{
	for (int on = 0; on < 2; on++)
		for (int functional = 0; functional < 2; functional++) {
			struct guest *g = guest_new();
			g->pflags = (uint64_t)on;
			put(g, rv_addi(17, 0, 93));
			put(g, rv_addi(10, 0, 3));
			prof(g, 0, rv_ecall());
			put(g, rv_addi(10, 0, 4));
			put(g, rv_ecall());
			struct machine *m = boot(g, "");
			if (functional)
				machine_run_functional(m, 1000, false);
			else
				run_to_end(m);
			assert_int_equal(machine_exit_status(m), on ? 3 : 4);
			machine_free(m);
			free(g);
		}
}
