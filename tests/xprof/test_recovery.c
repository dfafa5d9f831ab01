/* Flags come back on any squash: misprediction, memory order, interrupt, `set`. And what serialises
 * holds decode. */
#include "tests/by_hand.h"
#include "tests/xprof/model.h"

#include <stdlib.h>

#include "core/machine/change.h"

enum { ROUNDS = 40, X_N = 8, X_RANDOM = 20 };

/* A shift register that repeats after 2^16 - 1 steps: its lowest bit to rd. */
static void random_bit(struct guest *g, unsigned rd)
{
	put(g, rv_srli(21, X_RANDOM, 2));
	put(g, rv_srli(22, X_RANDOM, 3));
	put(g, rv_xor(21, 21, 22));
	put(g, rv_srli(22, X_RANDOM, 5));
	put(g, rv_xor(21, 21, 22));
	put(g, rv_xor(21, 21, X_RANDOM));
	put(g, rv_andi(21, 21, 1));
	put(g, rv_srli(X_RANDOM, X_RANDOM, 1));
	put(g, rv_slli(21, 21, 15));
	put(g, rv_add(X_RANDOM, X_RANDOM, 21));
	put(g, rv_andi(rd, X_RANDOM, 1));
}

static uint32_t recovery_encode_branch_if_x5(int32_t offset)
{
	return rv_bne(5, 0, offset);
}

/* Rounds in which an unpredictable branch goes past changes of flags and of their saved copies, or
 * makes them. */
static struct guest *recovery_make_guest(void)
{
	struct guest *g = guest_new();
	g->x[X_N] = ROUNDS;
	g->x[X_RANDOM] = 0xace1;
	g->x[6] = 1;
	const uint64_t top = bench_next_pc(g);
	random_bit(g, 5);
	/* The branch resolves late, so that the wrong path gets far. */
	put(g, rv_divu(5, 5, 6));
	const uint64_t over = bench_next_pc(g);
	put(g, 0);
	bench_emit_setpf(g, 0);
	bench_emit_resetpf(g, 1);
	bench_emit_pushpf(g, 0);
	prof(g, 0, rv_addi(15, 15, 1));
	prof(g, 1, rv_addi(11, 11, 1));
	bench_emit_resetpf(g, 0);
	bench_emit_setpf(g, 1);
	bench_emit_poppf(g, 0);
	land(g, over, recovery_encode_branch_if_x5);
	prof(g, 0, rv_addi(12, 12, 1));
	prof(g, 1, rv_addi(13, 13, 1));
	random_bit(g, 5);
	const uint64_t other = bench_next_pc(g);
	put(g, 0);
	bench_emit_resetpf(g, 0);
	land(g, other, recovery_encode_branch_if_x5);
	prof(g, 0, rv_addi(14, 14, 1));
	put(g, rv_addi(X_N, X_N, -1));
	put(g, rv_bne(X_N, 0, (int32_t)(top - bench_next_pc(g))));
	finish(g);
	return g;
}

static const char *const settings[] = {"",
                                       "lsq.speculate=true",
                                       "bpred.kind=taken",
                                       "bpred.kind=nottaken bdt.min_block=1",
                                       "pipe.rob_size=8 lsq.size=2",
                                       "pipe.decode_width=1 pipe.fetch_width=1",
                                       "bdt.sets=0 xprof.bpred=flag",
                                       "xprof.bpred=ignored-update bpred.update=commit",
                                       "l1i.line=8 l1d.latency=9 bdt.min_block=1"};
enum { SETTINGS = sizeof settings / sizeof *settings };

static void recovery_check_against_model(const struct guest *g)
{
	struct model *model = model_run(g);
	for (unsigned i = 0; i < SETTINGS; i++) {
		struct log *l = run(g, settings[i]);
		model_agrees(model, l->m);
		model_agrees_trace(model, l);
		log_free(l);
	}
	model_free(model);
}

TEST(wrong_paths)
{
	struct guest *g = recovery_make_guest();
	recovery_check_against_model(g);
	struct log *l = run(g, "");
	assert_true(stat(l->m, "squash.events") > 10);
	log_free(l);
	free(g);
}

/* On a path that was never taken: flags, leader and prediction bits are as if nothing had been
 * there. */
TEST(wrong_path_control_is_taken_back)
{
	for (int set = 0; set < 2; set++) {
		struct guest *g = guest_new();
		g->pflags = set ? 0 : 1;
		g->x[6] = 1;
		put(g, rv_divu(5, 6, 6));
		const uint64_t over = bench_next_pc(g);
		put(g, 0);
		hint(g, set ? 24 : 16); /* setpf 0 or resetpf 0, where it never goes */
		const uint64_t wrong = prof(g, 0, rv_addi(15, 15, 1));
		nops(g, 8);
		land(g, over, recovery_encode_branch_if_x5);
		const uint64_t right = prof(g, 0, rv_addi(11, 11, 1));
		nops(g, 3);
		finish(g);
		struct log *l = run(g, "bpred.kind=nottaken");
		/* Decode went there, and acted. */
		assert_int_equal(count(l, set ? EV_DISPATCH : EV_DROP, wrong), 1);
		assert_int_equal(count(l, EV_COMMIT, wrong), 0);
		assert_int_equal(machine_reg(l->m, 15), 0);
		assert_int_equal(machine_reg(l->m, 11), !set);
		/* After the branch as well; the last time counts. */
		const unsigned times = count(l, EV_DROP, right) + count(l, EV_DISPATCH, right);
		assert_int_equal(count(l, set ? EV_DROP : EV_COMMIT, right), 1);
		assert_true(times >= 1 && times <= 2);
		assert_int_equal(flags_committed(l->m), g->pflags);
		log_free(l);
		free(g);
	}
}

/* A load that passed an older store to the same bytes is fetched again. Control instructions
 * between the instruction before it and the load have acted and are not fetched again. */
TEST(memory_order)
{
	for (int set = 0; set < 2; set++) {
		struct guest *g = guest_new();
		g->pflags = set ? 0 : 1;
		g->x[6] = 1;
		g->x[7] = 77;
		put(g, rv_divu(12, X_DATA, 6));
		put(g, rv_sd(7, 0, 12));
		hint(g, set ? 24 : 16);
		const uint64_t load = bench_next_pc(g);
		put(g, rv_ld(15, 0, X_DATA));
		prof(g, 0, rv_addi(11, 11, 1));
		put(g, rv_addi(13, 13, 1));
		finish(g);
		struct log *l = run(g, "lsq.speculate=true");
		assert_int_equal(stat(l->m, "lsq.order_violations"), 1);
		assert_int_equal(count(l, EV_DISPATCH, load), 2);
		assert_int_equal(machine_reg(l->m, 15), 77);
		assert_int_equal(machine_reg(l->m, 11), set);
		assert_int_equal(flags_committed(l->m), set);
		log_free(l);
		free(g);
	}
}

/* A poppf that passed an older store to the very byte that it takes, in memory of the program's
 * own. */
TEST(memory_order_of_poppf)
{
	struct guest *g = guest_new();
	g->x[6] = 1;
	g->x[7] = 1;
	g->x[14] = DATA + 256;
	g->x[13] = DATA + 256 - SP / 2;
	put(g, rv_csrw(CSR_PFBASE, 13));
	bench_emit_pushpf(g, 0);
	nops(g, 40);
	put(g, rv_divu(12, 14, 6));
	put(g, rv_sd(7, 0, 12));
	bench_emit_poppf(g, 0);
	prof(g, 0, rv_addi(15, 15, 1));
	put(g, rv_addi(11, 11, 1));
	prof(g, 1, rv_addi(12, 12, 1));
	finish(g);
	struct log *l = run(g, "lsq.speculate=true");
	assert_int_equal(stat(l->m, "lsq.order_violations"), 1);
	assert_int_equal(machine_reg(l->m, 15), 1);
	log_free(l);
	recovery_check_against_model(g);
	free(g);
}

/* Emptying the pipeline in any cycle changes neither results nor flags nor their saved copies. */
static void set_everywhere(const struct guest *g, const char *options, unsigned setting)
{
	struct model *model = model_run(g);
	const int64_t end = cycles_of(g, options);
	assert_true(end > 20);
	for (int64_t c = setting; c < end - 1; c += bench_cycle_stride(setting)) {
		struct err err;
		struct machine *m = boot(g, options);
		machine_run(m, (uint64_t)c, UINT64_MAX);
		assert_true(machine_set_reg(m, 31, 0, &err));
		run_to_end(m);
		model_agrees(model, m);
		machine_free(m);
	}
	model_free(model);
}

TEST(set_in_every_cycle)
{
	struct guest *g = recovery_make_guest();
	g->x[X_N] = 5;
	for (unsigned i = 0; i < SETTINGS; i++)
		set_everywhere(g, settings[i], i);
	free(g);
}

/* Flags set by a debugger apply to all uncommitted instructions, even if decode has used other
 * flags. */
TEST(flags_set_in_every_cycle)
{
	enum { N = 30 };
	struct guest *g = guest_new();
	for (int i = 0; i < N; i++) {
		prof(g, 3, rv_addi(15, 15, 1));
		put(g, rv_addi(16, 16, 1));
	}
	finish(g);
	for (unsigned i = 0; i < SETTINGS; i++) {
		const int64_t end = cycles_of(g, settings[i]);
		for (int64_t c = i; c < end - 1; c += bench_cycle_stride(i)) {
			struct err err;
			struct machine *m = boot(g, settings[i]);
			const struct change change = {.kind = JOURNAL_CSR, .a = CSR_PFLAGS, .b = 8};
			machine_run(m, (uint64_t)c, UINT64_MAX);
			assert_int_equal(flags_committed(m), 0);
			/* Ten bytes each; the profile instruction stands first. */
			const uint64_t begun = (machine_pc(m) - TEXT + 9) / 10;
			assert_true(machine_change(m, &change, &err));
			assert_int_equal(flags_committed(m), 8);
			run_to_end(m);
			assert_int_equal(machine_reg(m, 15), begun < N ? N - begun : 0);
			assert_int_equal(machine_reg(m, 16), N);
			assert_int_equal(flags_committed(m), 8);
			machine_free(m);
		}
	}
	free(g);
}

TEST(test_recovery_interrupts)
{
	struct guest *g = recovery_make_guest();
	struct model *model = model_run(g);
	for (unsigned i = 0; i < SETTINGS; i++)
		for (unsigned period = 150; period < 350;
		     period += (unsigned)bench_cycle_stride(i) * 7) {
			struct log *l = log_new(boot_interrupted(g, settings[i], period));
			run_to_end(l->m);
			assert_true(peek(l->m, FIRMWARE_COUNT) > 2);
			model_agrees(model, l->m);
			model_agrees_trace(model, l);
			log_free(l);
		}
	model_free(model);
	free(g);
}

/* At the end of each cycle, the committed flags are those after the last instruction that
 * committed. */
TEST(committed_flags_in_every_cycle)
{
	struct guest *g = recovery_make_guest();
	struct model *model = model_run(g);
	for (unsigned i = 0; i < SETTINGS; i++) {
		struct machine *m = boot(g, settings[i]);
		while (machine_step(m)) {
			const uint64_t n = machine_insts(m);
			assert_true(n <= model->count + 1);
			assert_int_equal(
				flags_committed(m),
				n ? model->trace[n > model->count ? model->count - 1 : n - 1].flags
				  : g->pflags);
		}
		machine_free(m);
	}
	model_free(model);
	free(g);
}

/* Decode goes no further than an instruction that serialises: its drops after that would be decided
 * too early, and control instructions after fence.i, which fetches again, would have acted before
 * those in front of it. */
TEST(behind_what_serialises)
{
	static const uint64_t serial[] = {0, 1, 2, 3};
	for (size_t i = 0; i < sizeof serial / sizeof *serial; i++)
		for (int on = 0; on < 2; on++) {
			struct guest *g = guest_new();
			g->pflags = on ? 0 : 1;
			g->x[7] = (uint64_t)on;
			switch (i) {
			case 0:
				put(g, rv_csrw(CSR_PFLAGS, 7));
				break;
			case 1:
				put(g, rv_fence_i());
				break;
			case 2:
				put(g, rv_csrr(16, 0xc02)); /* instret */
				break;
			default: /* a system call: getpid */
				put(g, rv_addi(17, 0, 172));
				put(g, rv_ecall());
				break;
			}
			prof(g, 0, rv_addi(15, 15, 1));
			hint(g, on ? 16 : 24);
			prof(g, 0, rv_addi(11, 11, 1));
			hint(g, on ? 24 : 16);
			put(g, rv_csrr(12, CSR_PFLAGS));
			prof(g, 0, rv_addi(13, 13, 1));
			finish(g);
			struct machine *m = boot(g, "");
			run_to_end(m);
			const uint64_t first = i ? g->pflags : (uint64_t)on;
			assert_int_equal(machine_reg(m, 15), first);
			assert_int_equal(machine_reg(m, 11), !on);
			assert_int_equal(machine_reg(m, 12), on);
			assert_int_equal(machine_reg(m, 13), on);
			machine_free(m);
			if (i < 3)
				recovery_check_against_model(g);
			free(g);
		}
}

/* The same, emptying the pipeline in each cycle. */
TEST(set_behind_what_serialises)
{
	struct guest *g = guest_new();
	for (int i = 0; i < 3; i++) {
		put(g, rv_csrr(16, 0x001)); /* fflags */
		prof(g, 0, rv_addi(15, 15, 1));
		bench_emit_setpf(g, 0);
		prof(g, 0, rv_addi(11, 11, 1));
		bench_emit_resetpf(g, 0);
		put(g, rv_fence_i());
		prof(g, 0, rv_addi(12, 12, 1));
		bench_emit_setpf(g, 0);
		put(g, rv_csrw(CSR_PFLAGS, 0));
		prof(g, 0, rv_addi(13, 13, 1));
		bench_emit_resetpf(g, 0);
	}
	finish(g);
	set_everywhere(g, "", 0);
	set_everywhere(g, "pipe.decode_width=1", 1);
	free(g);
}
