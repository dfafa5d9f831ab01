/* Profile mis-fetch and its repair, and the three ways to predict profile branches (Vaswani III.B.1
 * and 2). */
#include "tests/reverse/plugins.h"
#include "tests/xprof/model.h"

#include <stdlib.h>

enum { X_N = 8, X_PATTERN = 7, X_ONE = 6 };

enum kind { JUMP, TAKEN, UNTAKEN, INDIRECT, PLAIN, CALL, KINDS };

/* Rounds of a profile instruction at *at; bit i of the pattern is its flag in round i. The
 * increment of x15 after it is skipped by all kinds but PLAIN while the flag is on. */
static struct guest *predict_make_pattern_guest(enum kind kind, uint64_t bits, unsigned n,
                                                uint64_t *at)
{
	struct guest *g = guest_new();
	g->x[X_PATTERN] = bits;
	g->x[X_N] = n;
	g->x[X_ONE] = 1;
	const uint64_t top = bench_next_pc(g);
	put(g, rv_andi(5, X_PATTERN, 1));
	put(g, rv_srli(X_PATTERN, X_PATTERN, 1));
	put(g, rv_csrw(CSR_PFLAGS, 5));
	nops(g, 4);
	g->x[12] = bench_next_pc(g) + 6 + 4;
	*at = bench_next_pc(g);
	const uint32_t insts[KINDS] = {rv_jal(0, 8),   rv_beq(0, 0, 8),    rv_bne(0, 0, 8),
	                               rv_jalr(0, 12), rv_addi(16, 16, 1), rv_jal(1, 8)};
	prof(g, 0, insts[kind]);
	put(g, rv_addi(15, 15, 1));
	nops(g, 2);
	put(g, rv_addi(X_N, X_N, -1));
	put(g, rv_bne(X_N, 0, (int32_t)(top - bench_next_pc(g))));
	finish(g);
	return g;
}

struct counts {
	int64_t misfetches;  /* dropped, and fetch had followed it */
	unsigned corrected;  /* direct target found at decode */
	unsigned mispredicted;
	int64_t fell_through;
};

static struct counts predict_observe_counts(const struct guest *g, const char *options, uint64_t at)
{
	struct log *l = run(g, options);
	struct model *model = model_run(g);
	model_agrees(model, l->m);
	model_agrees_trace(model, l);
	model_free(model);
	struct counts c = {stat(l->m, "xprof.misfetches"), count(l, EV_MISFETCH, at), 0,
	                   (int64_t)machine_reg(l->m, 15)};
	for (size_t i = 0; i < l->count; i++)
		c.mispredicted += l->event[i].id == EV_RESOLVE && l->event[i].pc == at &&
		                  l->event[i].resolve.mispredicted;
	log_free(l);
	return c;
}

#define IGNORED "xprof.bpred=ignored-update bpred.kind=bimodal bdt.sets=0 "
#define FLAG "xprof.bpred=flag bpred.kind=bimodal bdt.sets=0 "
#define BIT "xprof.bpred=prediction-bit bpred.kind=bimodal bdt.sets=0 "

/* A flag that is switched right before it is needed: fetch's bit is right, decode's not yet; and so
 * is a plug-in with the bit. */
TEST(a_plugin_is_shown_the_bit)
{
	const struct plugins plugins = {.at[PLUGIN_FLAGS] = &plugin_flag_bits};
	struct guest *g = guest_new();
	g->x[X_N] = 50;
	const uint64_t top = bench_next_pc(g);
	for (unsigned i = 0; i < 2; i++) {
		if (i)
			bench_emit_resetpf(g, 0);
		else
			bench_emit_setpf(g, 0);
		prof(g, 0, rv_jal(0, 8));
		put(g, rv_addi(15, 15, 1));
		nops(g, 3);
	}
	put(g, rv_addi(X_N, X_N, -1));
	put(g, rv_bne(X_N, 0, (int32_t)(top - bench_next_pc(g))));
	finish(g);
	struct machine *bits = boot(g, BIT), *m = boot_with(g, BIT, &plugins);
	run_to_end(bits);
	run_to_end(m);
	assert_int_equal(machine_reg(m, 15), 50);
	assert_int_equal(stat(m, "xprof.misfetches"), 0);
	assert_int_equal(machine_cycle(m), machine_cycle(bits));
	assert_memory_equal(machine_stats(m), machine_stats(bits), sizeof(struct stats));
	machine_free(m);
	machine_free(bits);
	free(g);
}

/* The event needs all three conditions: a control instruction, predicted taken, dropped. */
TEST(three_conditions)
{
	/* In the last of these rounds alone it is dropped. */
	static const struct {
		enum kind kind;
		uint64_t bits;
		int64_t misfetches;
	} rows[] = {
		{JUMP, 0x7f, 1}, {TAKEN, 0x7f, 1}, {INDIRECT, 0x7f, 1}, {CALL, 0x7f, 1},
		{UNTAKEN, 0x7f, 0}, /* predicted not taken */
		{PLAIN, 0x7f, 0},   /* no control instruction */
		{JUMP, 0xff, 0},    {TAKEN, 0xff, 0},  {INDIRECT, 0xff, 0}, /* not dropped */
		/* never taken: nothing is known of them */
		{JUMP, 0x00, 0}, {TAKEN, 0x00, 0}, {INDIRECT, 0x00, 0}, {CALL, 0x00, 0},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		uint64_t at;
		struct guest *g = predict_make_pattern_guest(rows[i].kind, rows[i].bits, 8, &at);
		assert_int_equal(predict_observe_counts(g, IGNORED, at).misfetches,
		                 rows[i].misfetches);
		free(g);
	}
}

/* The queue is emptied at decode, and the instruction after it is fetched in the next cycle. */
TEST(test_predict_misfetch_repair)
{
	uint64_t at;
	struct guest *g = predict_make_pattern_guest(JUMP, 1, 2, &at);
	struct log *l = run(g, IGNORED);
	const uint64_t decoded = cycle_of(l, EV_DROP, at, 0), target = at + 2 + 8;
	assert_int_equal(stat(l->m, "xprof.misfetches"), 1);
	assert_int_equal(nth(l, EV_FETCH, at, 1)->fetch.predicted, target);
	unsigned behind = 0, wrong = 0;
	for (size_t i = 0; i < l->count; i++) {
		const struct event *ev = &l->event[i];
		behind += ev->id == EV_FETCH && ev->pc == at + 6 && ev->cycle == decoded + 1;
		if (ev->id == EV_LEAVE && ev->pc == target && ev->cycle == decoded) {
			wrong++;
			assert_int_equal(ev->leave.retired + ev->leave.entered + ev->leave.dropped,
			                 0);
		}
	}
	assert_int_equal(behind, 1);
	assert_true(wrong >= 1);
	/* Nothing is fetched between. */
	for (size_t i = 0; i < l->count; i++)
		assert_false(l->event[i].id == EV_FETCH && l->event[i].cycle == decoded);
	log_free(l);
	free(g);
}

/* The same instruction in a function that is called again and again, each time after a setpf or
 * resetpf that stands just before the call, or so long before that decode has seen it when the
 * function is fetched. Bit i of `bits`: call i of n. */
static struct guest *predict_make_calls_guest(enum kind kind, uint64_t bits, unsigned n,
                                              bool long_before, unsigned outer, uint64_t *at)
{
	enum { FUNCTION = 4 };
	struct guest *g = guest_new();
	g->x[X_N] = outer;
	g->x[12] = TEXT + FUNCTION + 6 + 4;
	put(g, rv_jal(0, 64));
	*at = bench_next_pc(g);
	prof(g, 0, kind == TAKEN ? rv_beq(0, 0, 8) : rv_jal(0, 8));
	put(g, rv_addi(15, 15, 1));
	nops(g, 1);
	put(g, rv_jalr(0, 1));
	go_to(g, 64);
	const uint64_t top = bench_next_pc(g);
	for (unsigned i = 0; i < n; i++) {
		hint(g, (bits >> i & 1 ? 24 : 16) + 0);
		nops(g, long_before ? 60 : 0);
		put(g, rv_jal(1, (int32_t)(*at - bench_next_pc(g))));
	}
	put(g, rv_addi(X_N, X_N, -1));
	put(g, rv_beq(X_N, 0, 8));
	put(g, rv_jal(0, (int32_t)(top - bench_next_pc(g))));
	finish(g);
	return g;
}

/* The cost of a round of n calls when all is warm. */
static struct counts predict_measure_warm_round(enum kind kind, uint64_t bits, unsigned n,
                                                bool long_before, const char *strategy)
{
	struct counts c[2];
	for (unsigned i = 0; i < 2; i++) {
		uint64_t at;
		char options[256];
		struct guest *g = predict_make_calls_guest(kind, bits, n, long_before, 3 + i, &at);
		/* The cache takes its time: what writes the flag is not decoded yet when the
		 * function is fetched. */
		snprintf(options, sizeof options, "%s l1i.latency=4", strategy);
		c[i] = predict_observe_counts(g, options, at);
		free(g);
	}
	return (struct counts){c[1].misfetches - c[0].misfetches, c[1].corrected - c[0].corrected,
	                       c[1].mispredicted - c[0].mispredicted,
	                       c[1].fell_through - c[0].fell_through};
}

static void predict_expect_counts(struct counts c, struct counts want)
{
	assert_int_equal(c.misfetches, want.misfetches);
	assert_int_equal(c.corrected, want.corrected);
	assert_int_equal(c.mispredicted, want.mispredicted);
	assert_int_equal(c.fell_through, want.fell_through);
}

/* On and off by turns, four times each. Each strategy's errors follow from the age of its data. */
TEST(strategies_by_turns)
{
	static const struct {
		const char *options;
		enum kind kind;
		bool long_before;
		struct counts want;
	} rows[] = {
		/* As last time: followed when it is dropped, its target is forgotten, and is found
	           at decode again. */
		{IGNORED, JUMP, false, {4, 4, 0, 4}},
		{IGNORED, JUMP, true, {4, 4, 0, 4}},
		/* It sees the flag of the call before: followed when it is dropped, and passed when
	           it is on. */
		{FLAG, JUMP, false, {4, 4, 0, 4}},
		{FLAG, TAKEN, false, {4, 0, 4, 4}},
		{FLAG, JUMP, true, {0, 0, 0, 4}},
		{FLAG, TAKEN, true, {0, 0, 0, 4}},
		/* Fetch has seen what writes the flag, however near it stands. */
		{BIT, JUMP, false, {0, 0, 0, 4}},
		{BIT, TAKEN, false, {0, 0, 0, 4}},
		{BIT, JUMP, true, {0, 0, 0, 4}},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		predict_expect_counts(predict_measure_warm_round(rows[i].kind, 0x55, 8,
		                                                 rows[i].long_before,
		                                                 rows[i].options),
		                      rows[i].want);
}

/* Four rounds on, four off. A two-bit counter trained with dropped branches as not taken is wrong
 * for two of them, and then for the first two with the flag on; a counter without this training is
 * correct. */
TEST(strategies_in_runs)
{
	predict_expect_counts(predict_measure_warm_round(TAKEN, 0xf, 8, true, IGNORED),
	                      (struct counts){2, 0, 2, 4});
	predict_expect_counts(predict_measure_warm_round(TAKEN, 0xf, 8, true, FLAG),
	                      (struct counts){0, 0, 0, 4});
	predict_expect_counts(predict_measure_warm_round(TAKEN, 0xf, 8, true, BIT),
	                      (struct counts){0, 0, 0, 4});
	/* Near, the flag is wrong where it changes. */
	predict_expect_counts(predict_measure_warm_round(TAKEN, 0xf, 8, false, FLAG),
	                      (struct counts){1, 0, 1, 4});
	predict_expect_counts(predict_measure_warm_round(TAKEN, 0xf, 8, false, BIT),
	                      (struct counts){0, 0, 0, 4});
}

/* A call that fetch had followed has pushed its return address: that is taken back, and the
 * caller's return is right. */
TEST(the_return_stack_is_repaired)
{
	enum { CALLER = 64, CALLEE = 128 };
	struct guest *g = guest_new();
	g->x[X_PATTERN] = 0x55;
	g->x[X_N] = 8;
	const uint64_t top = bench_next_pc(g);
	put(g, rv_andi(5, X_PATTERN, 1));
	put(g, rv_srli(X_PATTERN, X_PATTERN, 1));
	put(g, rv_csrw(CSR_PFLAGS, 5));
	put(g, rv_jal(1, (int32_t)(TEXT + CALLER - bench_next_pc(g))));
	put(g, rv_addi(X_N, X_N, -1));
	put(g, rv_bne(X_N, 0, (int32_t)(top - bench_next_pc(g))));
	finish(g);
	go_to(g, CALLER);
	put(g, rv_addi(18, 1, 0));
	const uint64_t call =
		prof(g, 0, 0x000000ef | rv_jal(1, (int32_t)(TEXT + CALLEE - bench_next_pc(g) - 2)));
	put(g, rv_addi(1, 18, 0));
	nops(g, 8);
	const uint64_t back = bench_next_pc(g);
	put(g, rv_jalr(0, 1));
	go_to(g, CALLEE);
	put(g, rv_addi(15, 15, 1));
	put(g, rv_jalr(0, 1));
	static const char *const strategies[] = {IGNORED, FLAG, BIT};
	for (unsigned k = 0; k < 3; k++) {
		struct log *l = run(g, strategies[k]);
		assert_int_equal(machine_reg(l->m, 15), 4);
		assert_int_equal(count(l, EV_DROP, call), 4);
		assert_int_equal(stat(l->m, "xprof.misfetches"), 4);
		/* Also where decode finds the target of a call that is on, which fetch pushed. */
		for (unsigned i = 0; i < 8; i++)
			assert_int_equal(nth(l, EV_RESOLVE, back, i)->resolve.mispredicted, 0);
		log_free(l);
	}
	free(g);
}

/* A call that is never on costs what a jump that is never on costs, and leaves the return stack
 * alone. */
TEST(calls_that_are_off_cost_no_more_than_jumps)
{
	uint64_t at, cycles[2];
	for (int call = 0; call < 2; call++) {
		struct guest *g = predict_make_pattern_guest(call ? CALL : JUMP, 0, 2000, &at);
		struct log *l = run(g, IGNORED);
		assert_int_equal(count(l, EV_DROP, at), 2000);
		assert_int_equal(stat(l->m, "xprof.misfetches"), 0);
		cycles[call] = machine_cycle(l->m);
		log_free(l);
		free(g);
	}
	assert_int_equal(cycles[0], cycles[1]);
}

/* ---- prediction bits ---- */
static unsigned predict_prediction_bits(const struct log *l)
{
	return machine_pipe(l->m)->xprof.st->bits;
}

/* Fetch has passed an unknown jump, or taken a wrong path, and seen flag instructions that never
 * execute: at its restart it takes decode's bits again. */
TEST(bits_are_repaired)
{
	for (int squash = 0; squash < 2; squash++)
		for (int set = 0; set < 2; set++) {
			struct guest *g = guest_new();
			g->pflags = set ? 0xf0 : 0xf1;
			g->x[X_ONE] = 1;
			put(g, squash ? rv_divu(5, X_ONE, X_ONE) : rv_nop());
			const uint64_t jump = bench_next_pc(g);
			put(g, squash ? rv_bne(5, 0, 8) : rv_jal(0, 8));
			const uint64_t wrong = bench_next_pc(g);
			hint(g, set ? 24 : 16);
			hint(g, 24 + 3);
			nops(g, 4);
			finish(g);
			struct log *l = log_new(boot(g, "bpred.kind=nottaken"));
			const enum event_id repaired = squash ? EV_SQUASH : EV_MISFETCH;
			while (!count(l, EV_FETCH, wrong))
				assert_true(machine_step(l->m));
			assert_int_equal(predict_prediction_bits(l), (g->pflags ^ 1) | 8);
			while (!count(l, repaired, jump))
				assert_true(machine_step(l->m));
			assert_int_equal(predict_prediction_bits(l), g->pflags);
			run_to_end(l->m);
			assert_int_equal(flags_committed(l->m), g->pflags);
			log_free(l);
			free(g);
		}
}

/* A poppf's flags are at fetch as soon as at decode; unless fetch has seen a younger
 * setpf. */
TEST(bits_behind_a_poppf)
{
	for (int younger = 0; younger < 2; younger++)
		for (unsigned was = 0; was < 2; was++) {
			struct guest *g = guest_new();
			g->pflags = was;
			bench_emit_pushpf(g, 0);
			hint(g, was ? 16 : 24);
			nops(g, 60);
			const uint64_t pop = bench_next_pc(g);
			bench_emit_poppf(g, 0);
			const uint64_t hinted = bench_next_pc(g);
			if (younger)
				hint(g, was ? 16 : 24);
			prof(g, 0, rv_jal(0, 4));
			nops(g, 60);
			finish(g);
			struct log *l = log_new(boot(g, "l1d.latency=30 bdt.sets=0"));
			while (!count(l, EV_FETCH, hinted))
				assert_true(machine_step(l->m));
			assert_int_equal(predict_prediction_bits(l), !was);
			while (!count(l, EV_WRITEBACK, pop))
				assert_true(machine_step(l->m));
			while (machine_step(l->m) && count(l, EV_FETCH, bench_next_pc(g) - 4) == 0)
				assert_true(predict_prediction_bits(l) == (younger ? !was : was));
			log_free(l);
			free(g);
		}
}

/* Branches dropped on a wrong path teach the branch predictor nothing. */
TEST(wrong_paths_teach_nothing)
{
	for (int wrong = 0; wrong < 2; wrong++) {
		struct guest *g = guest_new();
		g->x[X_ONE] = 1;
		g->x[X_N] = 6;
		g->x[14] = 8;
		/* Six rounds on the right path, with the flag on: it is taken. */
		const uint64_t top = bench_next_pc(g);
		put(g, rv_csrw(CSR_PFLAGS, X_ONE));
		put(g, rv_jal(1, 128));
		put(g, rv_addi(X_N, X_N, -1));
		put(g, rv_bne(X_N, 0, (int32_t)(top - bench_next_pc(g))));
		/* Eight rounds in which only a wrong path calls it, with the flag off. */
		put(g, rv_csrw(CSR_PFLAGS, 0));
		const uint64_t again = bench_next_pc(g);
		put(g, rv_divu(5, X_ONE, X_ONE));
		put(g, rv_bne(5, 0, 8)); /* taken, and predicted not to be */
		put(g, wrong ? rv_jal(1, (int32_t)(top + 4 + 128 - bench_next_pc(g))) : rv_nop());
		put(g, rv_addi(14, 14, -1));
		put(g, rv_bne(14, 0, (int32_t)(again - bench_next_pc(g))));
		/* And on again. */
		put(g, rv_csrw(CSR_PFLAGS, X_ONE));
		put(g, rv_jal(1, (int32_t)(top + 4 + 128 - bench_next_pc(g))));
		finish(g);
		go_to(g, 4 + 128);
		nops(g, 4);
		const uint64_t at = prof(g, 0, rv_jal(0, 8));
		put(g, rv_addi(15, 15, 1));
		put(g, rv_jalr(0, 1));
		struct log *l = run(g, "xprof.bpred=ignored-update bpred.kind=nottaken bdt.sets=0");
		assert_true(wrong == (count(l, EV_DROP, at) > 4));
		/* Found at decode once, for good. */
		assert_int_equal(count(l, EV_MISFETCH, at), 1);
		assert_int_equal(machine_reg(l->m, 15), 0);
		log_free(l);
		free(g);
	}
}

/* Fetch finds the warmed-up entry of a profile branch, with or without prefix. */
TEST(warm_up_teaches)
{
	for (int warmed = 0; warmed < 2; warmed++) {
		uint64_t at;
		struct guest *g = predict_make_pattern_guest(JUMP, 0xffff, 16, &at);
		struct machine *m = boot(g, "");
		machine_run_functional(m, 8 * 10, warmed);
		struct log *l = log_new(m);
		run_to_end(m);
		assert_int_equal(machine_reg(m, 15), 0);
		assert_true(count(l, EV_FETCH, at) > 4);
		assert_int_equal(count(l, EV_MISFETCH, at), !warmed);
		log_free(l);
		free(g);
	}
}

/* ---- a plug-in's history ---- */
/* How often predict() was shown a history for a branch, and updates with one that was shown less
 * often. */
enum { HISTORIES = 1 << 12 };
struct shown {
	uint64_t at;                 /* the branch */
	int history[HISTORIES];      /* shown, less updates */
	uint64_t learnt, taken, other; /* updates */
	uint64_t empty;                /* of them, with a history of branches not taken alone */
};

static bool predict_note_history(void *ctx, const struct plugin_state *s,
                                 const struct plugin_branch *b, bool *taken, struct err *err)
{
	struct shown *shown = ctx;
	(void)s;
	(void)err;
	if (b->pc == shown->at)
		shown->history[b->bits % HISTORIES]++;
	*taken = true;
	return true;
}

static bool predict_check_history(void *ctx, struct plugin_state *s, const struct plugin_branch *b,
                                  struct err *err)
{
	struct shown *shown = ctx;
	(void)s;
	(void)err;
	if (b->pc != shown->at)
		return true;
	shown->learnt++;
	shown->taken += b->taken;
	shown->empty += !b->bits;
	shown->other += --shown->history[b->bits % HISTORIES] < 0;
	return true;
}

/* A branch trains with the history passed to the plug-in; also a branch that fetch took for a
 * dropped profile instruction, and decode had predicted. */
TEST(plugin_learns_with_its_history)
{
	static const char *const strategies[] = {"bdt.sets=0 l1i.latency=4",
	                                         "bdt.sets=0 l1i.latency=4 xprof.bpred=flag"};
	for (unsigned i = 0; i < 2; i++) {
		struct shown shown = {0};
		uint64_t at;
		const struct plugin p = {.name = "notes",
		                         .ctx = &shown,
		                         .predict = predict_note_history,
		                         .update = predict_check_history};
		const struct plugins plugins = {.at[PLUGIN_PREDICTOR] = &p};
		struct guest *g = predict_make_calls_guest(TAKEN, 0xb5, 8, false, 20, &at);
		shown.at = at + 2; /* its prefix is short */
		struct machine *m = boot_with(g, strategies[i], &plugins);
		machine_run(m, UINT64_MAX, UINT64_MAX);
		assert_int_equal(machine_status(m), MACHINE_EXITED);
		assert_true(shown.taken >= 20 && shown.learnt >= shown.taken);
		assert_int_equal(shown.other, 0);
		/* The first taken branch is the last one without a taken branch before. */
		assert_int_equal(shown.empty, 1);
		machine_free(m);
		free(g);
	}
}
