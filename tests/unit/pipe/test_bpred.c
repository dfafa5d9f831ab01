/* Direction predictors: history, counters, perceptrons, choosers. */
#include "core/machine/params.h"
#include "tests/unit/pipe/bpred_fixture.h"

/* ---- bpred.update=fetch: histories hold predictions, which are corrected ---- */
TEST(history_shifts_at_fetch)
{
	struct rig r;
	bpred_fixture_open_rig(
		&r, OPTIONS("bpred.kind=gshare", "bpred.update=fetch", "bpred.history=8"));
	struct bpred_mark first, second, third;
	r.b.history[0] = 0x55;
	(void)bpred_lookup(&r.b, 0x1000, &branch, &first, &r.stats);
	const unsigned guess = (first.flags & BPM_TAKEN) != 0;
	assert_int_equal(r.b.history[0], (0x55 << 1 | guess) & 0xff);
	(void)bpred_lookup(&r.b, 0x2000, &branch, &second, &r.stats);
	(void)bpred_lookup(&r.b, 0x3000, &branch, &third, &r.stats);
	/* The first prediction was wrong: the younger ones are undone, and the first learns its
	 * outcome. */
	bpred_undo(&r.b, &third);
	bpred_undo(&r.b, &second);
	bpred_resolve(&r.b, !guess, &first);
	assert_int_equal(r.b.history[0], (0x55 << 1 | !guess) & 0xff);
	/* Counters learn at commit, by the prediction's index; the history already has the
	 * outcome. */
	const uint8_t before = r.b.l2[first.l2];
	bpred_learn(&r.b, 0x1000, &branch, !guess, 0x1040, &first);
	assert_int_equal(r.b.history[0], (0x55 << 1 | !guess) & 0xff);
	assert_int_not_equal(r.b.l2[first.l2], before);
	/* It goes itself. */
	bpred_undo(&r.b, &first);
	assert_int_equal(r.b.history[0], 0x55);
	bpred_fixture_close_rig(&r);
}

/* A branch equal to the outcome 12 branches before needs a table of 2^12 patterns, but only one
 * weight of a perceptron. */
TEST(perceptrons_learn_far_back)
{
	struct rig r;
	uint32_t coins = 1, bits = 0;
	unsigned hits = 0;
	bpred_fixture_open_rig(
		&r, OPTIONS("bpred.kind=perceptron", "bpred.update=commit", "bpred.history=24"));
	for (unsigned i = 0; i < 4000; i++) {
		coins = coins * 1664525 + 1013904223;
		const bool follower = i % 2, taken = follower ? bits >> 10 & 1 : coins >> 31;
		const bool hit =
			bpred_fixture_predict_and_learn(&r, follower ? 0x1000 : 0x2000, taken);
		hits += follower && i >= 2000 && hit;
		bits = bits << 1 | taken;
	}
	assert_true(hits > 990); /* of 1,000 */
	/* Every weight stays within 8 bits. */
	(void)right_in_pattern(&r, 0x1000, "T", 1000);
	struct bpred_mark mark;
	struct predictor_part sum;
	r.b.history[0] = 0xffffff;
	bpred_predict(&r.b, 0x1000, &branch, true, &mark);
	assert_int_equal(r.b.by->parts(&r.b, &mark, &sum), 1);
	assert_in_range(sum.value, 1, 25 * 127);
	assert_int_equal(r.b.by->row.value(&r.b), 60); /* 1.93 * 24 + 14 */
	bpred_fixture_close_rig(&r);
}

TEST(perceptrons_cannot_be_taken_back)
{
	struct config cfg;
	struct err err = {""};
	config_default(&cfg);
	assert_true(config_set_assignment(&cfg, "bpred.kind=perceptron", &err));
	assert_false(config_check(&cfg, &err));
	assert_non_null(strstr(err.msg, "expected commit or fetch"));
	assert_true(config_set_assignment(&cfg, "bpred.update=fetch", &err));
	assert_true(config_check(&cfg, &err));
}

TEST(bimodal_counters_saturate)
{
	struct rig r;
	bpred_fixture_open_rig(&r, OPTIONS("bpred.kind=bimodal", "bpred.bimodal_size=16"));
	uint64_t pc = 0x1000;
	(void)right_in_pattern(&r, pc, "T", 10);
	assert_int_equal(r.b.bimodal[(pc >> 1) & 15], 3);
	/* One exception does not change the prediction, two do. */
	assert_false(bpred_fixture_predict_and_learn(&r, pc, false));
	assert_false(bpred_fixture_predict_and_learn(&r, pc, false));
	assert_true(bpred_fixture_predict_and_learn(&r, pc, false));
	(void)right_in_pattern(&r, pc, "N", 10);
	assert_int_equal(r.b.bimodal[(pc >> 1) & 15], 0);
	/* A loop of ten: one miss per round. */
	(void)right_in_pattern(&r, pc, "TTTTTTTTTN", 100);
	assert_int_equal(right_in_pattern(&r, pc, "TTTTTTTTTN", 1000), 900);
	/* Sixteen counters: a branch 32 bytes on uses the same one, a branch 2 bytes on another. */
	(void)right_in_pattern(&r, pc, "T", 10);
	assert_true(would_take(&r.b, pc + 32));
	(void)right_in_pattern(&r, pc + 2, "N", 10);
	assert_true(would_take(&r.b, pc));
	bpred_fixture_close_rig(&r);
}

TEST(histories_learn_what_bimodal_cannot)
{
	static const char *const kinds[] = {"bpred.kind=twolevel", "bpred.kind=gshare",
	                                    "bpred.kind=combined"};
	static const char *const updates[] = {"bpred.update=dispatch", "bpred.update=commit"};
	struct rig r;
	bpred_fixture_open_rig(&r, OPTIONS("bpred.kind=bimodal"));
	assert_true(right_in_pattern(&r, 0x1000, "TN", 1000) <= 500);
	bpred_fixture_close_rig(&r);
	for (int k = 0; k < 3; k++) {
		for (int u = 0; u < 2; u++) {
			bpred_fixture_open_rig(&r, OPTIONS(kinds[k], updates[u]));
			(void)right_in_pattern(&r, 0x1000, "TN", 100);
			assert_int_equal(right_in_pattern(&r, 0x1000, "TN", 1000), 1000);
			/* Eight bits of history see through a loop of eight. */
			(void)right_in_pattern(&r, 0x1000, "TTTTTTTN", 200);
			assert_int_equal(right_in_pattern(&r, 0x1000, "TTTTTTTN", 1000), 1000);
			bpred_fixture_close_rig(&r);
		}
	}
	/* A longer loop's exit is not predicted: the history before it equals the history
	 * inside. */
	bpred_fixture_open_rig(&r, OPTIONS("bpred.kind=twolevel", "bpred.history=8"));
	(void)right_in_pattern(&r, 0x1000, "TTTTTTTTTTTN", 600);
	assert_int_equal(right_in_pattern(&r, 0x1000, "TTTTTTTTTTTN", 1200), 1100);
	bpred_fixture_close_rig(&r);
	bpred_fixture_open_rig(
		&r, OPTIONS("bpred.kind=twolevel", "bpred.history=12", "bpred.l2_size=4096"));
	(void)right_in_pattern(&r, 0x1000, "TTTTTTTTTTTN", 600);
	assert_int_equal(right_in_pattern(&r, 0x1000, "TTTTTTTTTTTN", 1200), 1200);
	bpred_fixture_close_rig(&r);
}

TEST(global_history_correlates_branches)
{
	static const char *const kinds[] = {"bpred.kind=twolevel", "bpred.kind=gshare",
	                                    "bpred.kind=bimodal"};
	for (int k = 0; k < 3; k++) {
		struct rig r;
		bpred_fixture_open_rig(&r,
		                       OPTIONS(kinds[k], "bpred.history=4", "bpred.l2_size=65536"));
		unsigned hits = 0;
		srand(2);
		for (int i = 0; i < 2000; i++) {
			bool first = rand() & 1;
			(void)bpred_fixture_predict_and_learn(&r, 0x1000, first);
			hits += bpred_fixture_predict_and_learn(&r, 0x1100, !first) && i >= 1000;
		}
		assert_true(k < 2 ? hits == 1000 : hits < 700);
		bpred_fixture_close_rig(&r);
	}
	/* Branches with a history each are independent of each other. */
	struct rig r;
	bpred_fixture_open_rig(
		&r, OPTIONS("bpred.kind=twolevel", "bpred.l1_size=64", "bpred.history=4"));
	for (int i = 0; i < 200; i++) {
		(void)bpred_fixture_predict_and_learn(&r, 0x1000, true);
		(void)bpred_fixture_predict_and_learn(&r, 0x1004, i & 1);
	}
	assert_int_equal(r.b.history[0x1000 >> 1 & 63], 15);
	assert_int_equal(r.b.history[0x1004 >> 1 & 63], 5);
	bpred_fixture_close_rig(&r);
}

TEST(the_chooser_takes_the_better_side)
{
	struct rig r;
	struct bpred_mark mark;
	bpred_fixture_open_rig(&r, OPTIONS("bpred.kind=combined", "bpred.meta_size=16"));
	/* Alternation at one place: the two-level side. */
	(void)right_in_pattern(&r, 0x1000, "TN", 200);
	(void)bpred_lookup(&r.b, 0x1000, &branch, &mark, NULL);
	assert_true(mark.flags & BPM_USED_L2);
	assert_int_equal(r.b.meta[0x1000 >> 1 & 15], 3);
	bpred_fixture_close_rig(&r);
	/* A biased branch among noise, with a second level too small to distinguish histories:
	 * bimodal. */
	bpred_fixture_open_rig(&r, OPTIONS("bpred.kind=combined", "bpred.l2_size=4"));
	unsigned hits = 0;
	srand(4);
	for (int i = 0; i < 3000; i++) {
		for (int k = 0; k < 3; k++)
			(void)bpred_fixture_predict_and_learn(&r, 0x2010, rand() % 4 == 0);
		hits += bpred_fixture_predict_and_learn(&r, 0x1000, true) && i >= 1000;
	}
	(void)bpred_lookup(&r.b, 0x1000, &branch, &mark, NULL);
	assert_false(mark.flags & BPM_USED_L2);
	assert_true(hits > 1980);
	bpred_fixture_close_rig(&r);
	/* The chooser learns only where its sides differ. */
	bpred_fixture_open_rig(&r, OPTIONS("bpred.kind=combined"));
	uint8_t before = r.b.meta[0x1000 >> 1 & r.b.meta_mask];
	mark = (struct bpred_mark){.meta = 0x1000 >> 1 & r.b.meta_mask,
	                           .flags = BPM_BIMODAL_TAKEN | BPM_L2_TAKEN};
	bpred_learn(&r.b, 0x1000, &branch, false, 0, &mark);
	assert_int_equal(r.b.meta[mark.meta], before);
	mark.flags = BPM_L2_TAKEN;
	bpred_learn(&r.b, 0x1000, &branch, true, 0x40, &mark);
	assert_int_equal(r.b.meta[mark.meta], before + 1);
	mark.flags = BPM_L2_TAKEN;
	bpred_learn(&r.b, 0x1000, &branch, false, 0, &mark);
	assert_int_equal(r.b.meta[mark.meta], before);
	bpred_fixture_close_rig(&r);
}

TEST(static_kinds_and_targets)
{
	struct rig r;
	struct bpred_mark mark;
	bpred_fixture_open_rig(&r, OPTIONS("bpred.kind=nottaken"));
	for (int i = 0; i < 3; i++) {
		assert_int_equal(bpred_lookup(&r.b, 0x1000, &branch, &mark, &r.stats), 0x1004);
		bpred_learn(&r.b, 0x1000, &branch, true, 0x2000, &mark);
	}
	assert_int_equal(r.stats.btb_lookups, 0);
	assert_int_equal(bpred_lookup(&r.b, 0x1010, &jump, &mark, &r.stats), 0x1014);
	bpred_learn(&r.b, 0x1010, &jump, true, 0x3000, &mark);
	assert_int_equal(bpred_lookup(&r.b, 0x1010, &jump, &mark, &r.stats), 0x3000);
	assert_true(mark.flags & BPM_BTB_HIT);
	assert_int_equal(r.stats.btb_lookups, 2);
	assert_int_equal(r.stats.btb_hits, 1);
	bpred_fixture_close_rig(&r);

	bpred_fixture_open_rig(&r, OPTIONS("bpred.kind=taken"));
	assert_int_equal(bpred_lookup(&r.b, 0x1000, &branch, &mark, &r.stats), 0x1004);
	assert_true(mark.flags & BPM_TAKEN);
	bpred_learn(&r.b, 0x1000, &branch, true, 0x2000, &mark);
	assert_int_equal(bpred_lookup(&r.b, 0x1000, &branch, &mark, &r.stats), 0x2000);
	/* A branch not taken leaves no target. */
	bpred_learn(&r.b, 0x1008, &branch, false, 0x2000, &mark);
	assert_int_equal(bpred_lookup(&r.b, 0x1008, &branch, &mark, &r.stats), 0x100c);
	bpred_fixture_close_rig(&r);

	bpred_fixture_open_rig(&r, OPTIONS("bpred.kind=nottaken", "btb.sets=0", "ras.size=0"));
	for (int i = 0; i < 2; i++) {
		assert_int_equal(bpred_lookup(&r.b, 0x1010, &jump, &mark, &r.stats), 0x1014);
		bpred_learn(&r.b, 0x1010, &jump, true, 0x3000, &mark);
		assert_int_equal(bpred_lookup(&r.b, 0x1020, &ret, &mark, &r.stats), 0x1022);
		bpred_learn(&r.b, 0x1020, &ret, true, 0x3000, &mark);
	}
	assert_int_equal(r.stats.btb_lookups, 0);
	bpred_fixture_close_rig(&r);
}
