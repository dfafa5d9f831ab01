/* The block descriptor table (Vaswani IV.A): how entries are made, grow and are unlocked, what
 * fetch skips by them, and what happens when that was wrong. */
#include <stdlib.h>
#include <string.h>

#include "tests/xprof/bdt_rounds.h"

/* Made at the leader, locked; grows with each instruction; unlocked when the leader comes again;
 * only then fetch reads it. */
TEST(the_life_of_an_entry)
{
	enum { N = 5, ROUNDS = 9 };
	uint64_t leader;
	struct guest *g = bdt_around(bdt_adds, N, 0, ROUNDS, &leader);
	struct log *l = log_new(boot(g, "pipe.decode_width=1"));
	bdt_run_until(l, EV_FETCH, leader, 1);
	assert_null(bdt_entry_of(l, leader));
	for (unsigned i = 0; i < N; i++) {
		bdt_run_until(l, EV_DROP, leader + 6 * i, 1);
		const struct bdt_entry *e = bdt_entry_of(l, leader);
		assert_non_null(e);
		assert_int_equal(e->follow, leader + 6 * (i + 1));
		assert_int_equal(e->count, i + 1);
		assert_int_equal(e->locked, 1);
		assert_int_equal(e->on, 0);
	}
	/* The second time it is still locked when it is fetched. */
	bdt_run_until(l, EV_FETCH, leader, 2);
	assert_int_equal(bdt_entry_of(l, leader)->locked, 1);
	bdt_run_until(l, EV_DROP, leader, 2);
	assert_int_equal(bdt_entry_of(l, leader)->locked, 0);
	assert_int_equal(bdt_entry_of(l, leader)->follow, leader + 6 * N);
	bdt_run_until(l, EV_DROP, leader + 6, 2);
	run_to_end(l->m);
	/* From the third round on the block is skipped; its leader is still queued and dropped. */
	assert_int_equal(count(l, EV_FETCH, leader), ROUNDS);
	assert_int_equal(count(l, EV_DROP, leader), ROUNDS);
	assert_int_equal(count(l, EV_SKIP, leader), ROUNDS - 2);
	for (unsigned i = 1; i < N; i++)
		assert_int_equal(count(l, EV_FETCH, leader + 6 * i), 2);
	assert_int_equal(nth(l, EV_SKIP, leader, 0)->skip.follow, leader + 6 * N);
	assert_int_equal(stat(l->m, "xprof.skips"), ROUNDS - 2);
	assert_int_equal(stat(l->m, "xprof.skipped_insts"), (ROUNDS - 2) * (N - 1));
	assert_int_equal(stat(l->m, "xprof.fetched"), ROUNDS + 2 * (N - 1));
	assert_int_equal(stat(l->m, "xprof.dropped"), ROUNDS + 2 * (N - 1));
	assert_int_equal(stat(l->m, "xprof.flag_mispredicts"), 0);
	assert_int_equal(bdt_entries(l), 1);
	as_the_model_says(g, l);
	log_free(l);
	free(g);
}

/* While the flag is on no entry is made. */
TEST(none_while_the_flag_is_on)
{
	uint64_t leader;
	struct guest *g = bdt_around(bdt_adds, 5, 0xff, 8, &leader);
	struct log *l = run(g, "");
	assert_int_equal(bdt_entries(l), 0);
	assert_int_equal(stat(l->m, "xprof.skips"), 0);
	log_free(l);
	free(g);
}

/* off off off ON ON off off: the third is skipped; so is the fourth, wrongly; then the prediction
 * follows, a round late. */
TEST(the_prediction_follows_the_flag)
{
	static const unsigned skipped[] = {0, 0, 1, 1, 0, 0, 1}, on[] = {0, 0, 0, 1, 1, 0, 0};
	uint64_t leader;
	struct guest *g = bdt_around(bdt_adds, 5, 0x18, 7, &leader);
	struct log *l = log_new(boot(g, ""));
	for (unsigned i = 0; i < 7; i++) {
		bdt_run_until(l, EV_FETCH, leader, i + 1);
		assert_int_equal(count(l, EV_SKIP, leader), skipped[i] + (i > 2) + (i > 3));
		while (count(l, EV_DROP, leader) + count(l, EV_DISPATCH, leader) <= i)
			assert_true(machine_step(l->m));
		assert_int_equal(bdt_entry_of(l, leader)->on, on[i]);
	}
	run_to_end(l->m);
	assert_int_equal(count(l, EV_SKIP, leader), 3);
	assert_int_equal(stat(l->m, "xprof.flag_mispredicts"), 1);
	assert_int_equal(machine_reg(l->m, 16), 2 * 5);
	assert_int_equal(machine_reg(l->m, 15), 7);
	as_the_model_says(g, l);
	log_free(l);
	free(g);
}

/* Found at decode, and the rest of the block is fetched in the next cycle. The instructions after
 * it were fetched, and are void. */
TEST(flag_misprediction)
{
	uint64_t leader;
	struct guest *g = bdt_around(bdt_adds, 5, 1 << 3, 5, &leader);
	struct log *l = run(g, "");
	const uint64_t follow = leader + 30, decoded = cycle_of(l, EV_DISPATCH, leader, 0);
	assert_int_equal(stat(l->m, "xprof.flag_mispredicts"), 1);
	assert_int_equal(nth(l, EV_FETCH, leader, 3)->fetch.predicted, follow);
	assert_int_equal(cycle_of(l, EV_FETCH, leader + 6, 2), decoded + 1);
	bool void_one = false;
	for (size_t i = 0; i < l->count; i++)
		void_one |= l->event[i].id == EV_LEAVE && l->event[i].pc == follow &&
		            l->event[i].cycle == decoded && !l->event[i].leave.retired;
	assert_true(void_one);
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(count(l, EV_COMMIT, leader + 6 * i), 1);
	as_the_model_says(g, l);
	log_free(l);
	free(g);
}

/* setpf right before the leader: fetch decides before decode. */
static uint64_t flipped_before(struct guest *g, int arg)
{
	(void)arg;
	put(g, rv_beq(5, 0, 6));
	bench_emit_setpf(g, 0);
	return bdt_adds(g, 5);
}

TEST(a_flag_flipped_between_fetch_and_decode)
{
	/* The flag is on after the loop's CSR write in rounds 5 and 9; the table does not
	 * follow. */
	for (unsigned round = 3; round < 10; round++) {
		uint64_t leader;
		struct guest *g = bdt_around(flipped_before, 0, 0, 10, &leader);
		/* Flags stay off but for setpf: the pattern only steers the branch. */
		struct guest copy = *g;
		const uint32_t off = rv_csrw(CSR_PFLAGS, 0);
		memcpy(copy.text + 8, &off, 4);
		copy.x[X_PATTERN] = UINT64_C(1) << round;
		struct log *l = run(&copy, "bpred.kind=taken");
		assert_true(stat(l->m, "xprof.flag_mispredicts") >= 1);
		assert_int_equal(machine_reg(l->m, 16), 5);
		assert_int_equal(machine_reg(l->m, 15), 10);
		as_the_model_says(&copy, l);
		log_free(l);
		free(g);
	}
}

/* Shorter blocks are not skipped. */
TEST(minimum_length)
{
	for (int n = 1; n <= 8; n++)
		for (int least = small() ? n : 1; least <= 8; least += small() ? 4 : 1) {
			uint64_t leader;
			char options[64];
			struct guest *g = bdt_around(bdt_adds, n, 0, 8, &leader);
			snprintf(options, sizeof options, "bdt.min_block=%d", least);
			struct log *l = run(g, options);
			assert_int_equal(stat(l->m, "xprof.skips"), n >= least ? 6 : 0);
			assert_int_equal(stat(l->m, "xprof.skipped_insts"),
			                 n >= least ? 6 * (n - 1) : 0);
			as_the_model_says(g, l);
			log_free(l);
			free(g);
		}
	/* By default 4. */
	for (int n = 3; n <= 4; n++) {
		uint64_t leader;
		struct guest *g = bdt_around(bdt_adds, n, 0, 8, &leader);
		struct log *l = run(g, "");
		assert_int_equal(stat(l->m, "xprof.skips") > 0, n == 4);
		log_free(l);
		free(g);
	}
}

/* The rest of the fetch group is lost, and so many cycles more. */
TEST(discontinuous_fetch)
{
	for (int penalty = 0; penalty < 5; penalty += 2) {
		uint64_t leader;
		char options[64];
		struct guest *g = bdt_around(bdt_adds, 5, 0, 6, &leader);
		snprintf(options, sizeof options, "bdt.skip_penalty=%d l1i.line=256 l2.line=256",
		         penalty);
		struct log *l = run(g, options);
		for (unsigned i = 2; i < 6; i++)
			assert_int_equal(cycle_of(l, EV_FETCH, leader + 30, i) -
			                         cycle_of(l, EV_FETCH, leader, i),
			                 1 + penalty);
		log_free(l);
		free(g);
	}
}

/* Unfetched instructions read no line: 40 instructions lie in several. */
TEST(fewer_lines_are_read)
{
	uint64_t leader;
	struct guest *g = bdt_around(bdt_adds, 40, 0, 50, &leader);
	struct log *with = run(g, ""), *without = run(g, "bdt.sets=0");
	assert_true(stat(with->m, "l1i.accesses") + 48 * (40 * 6 / 32 - 2) <=
	            stat(without->m, "l1i.accesses"));
	assert_true(machine_cycle(with->m) < machine_cycle(without->m));
	assert_int_equal(stat(without->m, "xprof.skips"), 0);
	as_the_model_says(g, with);
	as_the_model_says(g, without);
	log_free(with);
	log_free(without);
	free(g);
}
