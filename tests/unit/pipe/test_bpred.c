#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/isa/regs.h"
#include "core/pipe/frontend/bpred.h"

struct rig {
	struct config cfg;
	struct stats stats;
	struct arena arena;
	struct bpred b;
};

static void rig_open(struct rig *r, const char *const assignments[])
{
	struct err err = {""};
	memset(r, 0, sizeof *r);
	config_default(&r->cfg);
	for (; *assignments; assignments++) {
		if (!config_set_assignment(&r->cfg, *assignments, &err))
			fail_msg("%s", err.msg);
	}
	if (!config_check(&r->cfg, &err))
		fail_msg("%s", err.msg);
	bpred_place(&r->b, &r->cfg, &r->arena);
	r->arena = (struct arena){.base = aligned_alloc(64, (r->arena.used + 63) & ~(size_t)63)};
	assert_non_null(r->arena.base);
	bpred_place(&r->b, &r->cfg, &r->arena);
	memset(r->arena.base, 0xab, r->arena.used);
	bpred_reset(&r->b);
}

static void rig_close(struct rig *r)
{
	free(r->arena.base);
}

#define OPTIONS(...) ((const char *const[]){__VA_ARGS__, NULL})

static const struct inst branch = {.op = OP_BEQ, .rd = REG_SINK, .len = 4};
static const struct inst jump = {.op = OP_JAL, .rd = REG_SINK, .len = 4};
static const struct inst call = {.op = OP_JAL, .rd = 1, .len = 4};
static const struct inst short_call = {.op = OP_JALR, .rd = 1, .rs1 = 10, .len = 2};
static const struct inst ret = {.op = OP_JALR, .rd = REG_SINK, .rs1 = 1, .len = 2};
/* pops, then pushes */
static const struct inst swap = {.op = OP_JALR, .rd = 1, .rs1 = 5, .len = 4};

/* Predicts and learns one branch; true if the direction was right. */
static bool right(struct rig *r, uint64_t pc, bool taken)
{
	struct bpred_mark mark;
	(void)bpred_lookup(&r->b, pc, &branch, &mark, &r->stats);
	bpred_learn(&r->b, pc, &branch, taken, pc + 64, &mark);
	return !(mark.flags & BPM_TAKEN) != taken;
}

/* Right predictions among n branches whose directions repeat `pattern`, a text of T and N. */
static unsigned right_in_pattern(struct rig *r, uint64_t pc, const char *pattern, unsigned n)
{
	unsigned hits = 0;
	for (unsigned i = 0; i < n; i++)
		hits += right(r, pc, pattern[i % strlen(pattern)] == 'T');
	return hits;
}

/* ---- bpred.update=fetch: histories hold guesses, which are put right ---- */
static void history_shifts_at_fetch(void **state)
{
	(void)state;
	struct rig r;
	rig_open(&r, OPTIONS("bpred.kind=gshare", "bpred.update=fetch", "bpred.history=8"));
	struct bpred_mark first, second, third;
	r.b.history[0] = 0x55;
	(void)bpred_lookup(&r.b, 0x1000, &branch, &first, &r.stats);
	const unsigned guess = (first.flags & BPM_TAKEN) != 0;
	assert_int_equal(r.b.history[0], (0x55 << 1 | guess) & 0xff);
	(void)bpred_lookup(&r.b, 0x2000, &branch, &second, &r.stats);
	(void)bpred_lookup(&r.b, 0x3000, &branch, &third, &r.stats);
	/* The first one was wrong: the others go, it gets its outcome. */
	bpred_undo(&r.b, &third);
	bpred_undo(&r.b, &second);
	bpred_resolve(&r.b, !guess, &first);
	assert_int_equal(r.b.history[0], (0x55 << 1 | !guess) & 0xff);
	/* At commit counters learn, by the index of the prediction; the history has it already. */
	const uint8_t before = r.b.l2[first.l2];
	bpred_learn(&r.b, 0x1000, &branch, !guess, 0x1040, &first);
	assert_int_equal(r.b.history[0], (0x55 << 1 | !guess) & 0xff);
	assert_int_not_equal(r.b.l2[first.l2], before);
	/* It goes itself. */
	bpred_undo(&r.b, &first);
	assert_int_equal(r.b.history[0], 0x55);
	rig_close(&r);
}

/* A branch that does what the one 12 before did is beyond tables of that many patterns, and easy
 * for one weight. */
static void perceptrons_learn_far_back(void **state)
{
	(void)state;
	struct rig r;
	uint32_t coins = 1, bits = 0;
	unsigned hits = 0;
	rig_open(&r, OPTIONS("bpred.kind=perceptron", "bpred.update=commit", "bpred.history=24"));
	for (unsigned i = 0; i < 4000; i++) {
		coins = coins * 1664525 + 1013904223;
		const bool follower = i % 2, taken = follower ? bits >> 10 & 1 : coins >> 31;
		const bool hit = right(&r, follower ? 0x1000 : 0x2000, taken);
		hits += follower && i >= 2000 && hit;
		bits = bits << 1 | taken;
	}
	assert_true(hits > 990); /* of 1,000 */
	/* Every weight stays what 8 bits hold. */
	(void)right_in_pattern(&r, 0x1000, "T", 1000);
	assert_true(bpred_perceptron_sum(&r.b, 0x1000 >> 1 & r.b.perceptron_mask, 0xffffff) <=
	            25 * 127);
	assert_int_equal(bpred_perceptron_threshold(&r.b), 60); /* 1.93 * 24 + 14 */
	rig_close(&r);
}

static void perceptrons_cannot_be_taken_back(void **state)
{
	(void)state;
	struct config cfg;
	struct err err = {""};
	config_default(&cfg);
	assert_true(config_set_assignment(&cfg, "bpred.kind=perceptron", &err));
	assert_false(config_check(&cfg, &err));
	assert_non_null(strstr(err.msg, "commit or fetch would be right"));
	assert_true(config_set_assignment(&cfg, "bpred.update=fetch", &err));
	assert_true(config_check(&cfg, &err));
}

static void bimodal_counters_saturate(void **state)
{
	(void)state;
	struct rig r;
	rig_open(&r, OPTIONS("bpred.kind=bimodal", "bpred.bimodal_size=16"));
	uint64_t pc = 0x1000;
	(void)right_in_pattern(&r, pc, "T", 10);
	assert_int_equal(r.b.bimodal[(pc >> 1) & 15], 3);
	/* One exception does not change its mind, two do. */
	assert_false(right(&r, pc, false));
	assert_false(right(&r, pc, false));
	assert_true(right(&r, pc, false));
	(void)right_in_pattern(&r, pc, "N", 10);
	assert_int_equal(r.b.bimodal[(pc >> 1) & 15], 0);
	/* A loop of ten: one miss per round. */
	(void)right_in_pattern(&r, pc, "TTTTTTTTTN", 100);
	assert_int_equal(right_in_pattern(&r, pc, "TTTTTTTTTN", 1000), 900);
	/* Sixteen counters: 32 bytes on is the same one, 2 bytes on is not. */
	(void)right_in_pattern(&r, pc, "T", 10);
	assert_true(bpred_peek_direction(&r.b, pc + 32));
	(void)right_in_pattern(&r, pc + 2, "N", 10);
	assert_true(bpred_peek_direction(&r.b, pc));
	rig_close(&r);
}

static void histories_learn_what_bimodal_cannot(void **state)
{
	(void)state;
	static const char *const kinds[] = {"bpred.kind=twolevel", "bpred.kind=gshare",
	                                    "bpred.kind=combined"};
	static const char *const updates[] = {"bpred.update=dispatch", "bpred.update=commit"};
	struct rig r;
	rig_open(&r, OPTIONS("bpred.kind=bimodal"));
	assert_true(right_in_pattern(&r, 0x1000, "TN", 1000) <= 500);
	rig_close(&r);
	for (int k = 0; k < 3; k++) {
		for (int u = 0; u < 2; u++) {
			rig_open(&r, OPTIONS(kinds[k], updates[u]));
			(void)right_in_pattern(&r, 0x1000, "TN", 100);
			assert_int_equal(right_in_pattern(&r, 0x1000, "TN", 1000), 1000);
			/* Eight bits of history see through a loop of eight. */
			(void)right_in_pattern(&r, 0x1000, "TTTTTTTN", 200);
			assert_int_equal(right_in_pattern(&r, 0x1000, "TTTTTTTN", 1000), 1000);
			rig_close(&r);
		}
	}
	/* Not of a longer one: the history before the exit looks like the history inside. */
	rig_open(&r, OPTIONS("bpred.kind=twolevel", "bpred.history=8"));
	(void)right_in_pattern(&r, 0x1000, "TTTTTTTTTTTN", 600);
	assert_int_equal(right_in_pattern(&r, 0x1000, "TTTTTTTTTTTN", 1200), 1100);
	rig_close(&r);
	rig_open(&r, OPTIONS("bpred.kind=twolevel", "bpred.history=12", "bpred.l2_size=4096"));
	(void)right_in_pattern(&r, 0x1000, "TTTTTTTTTTTN", 600);
	assert_int_equal(right_in_pattern(&r, 0x1000, "TTTTTTTTTTTN", 1200), 1200);
	rig_close(&r);
}

static void global_history_correlates_branches(void **state)
{
	(void)state;
	static const char *const kinds[] = {"bpred.kind=twolevel", "bpred.kind=gshare",
	                                    "bpred.kind=bimodal"};
	for (int k = 0; k < 3; k++) {
		struct rig r;
		rig_open(&r, OPTIONS(kinds[k], "bpred.history=4", "bpred.l2_size=65536"));
		unsigned hits = 0;
		srand(2);
		for (int i = 0; i < 2000; i++) {
			bool first = rand() & 1;
			(void)right(&r, 0x1000, first);
			hits += right(&r, 0x1100, !first) && i >= 1000;
		}
		assert_true(k < 2 ? hits == 1000 : hits < 700);
		rig_close(&r);
	}
	/* A history per branch knows nothing of the other. */
	struct rig r;
	rig_open(&r, OPTIONS("bpred.kind=twolevel", "bpred.l1_size=64", "bpred.history=4"));
	for (int i = 0; i < 200; i++) {
		(void)right(&r, 0x1000, true);
		(void)right(&r, 0x1004, i & 1);
	}
	assert_int_equal(r.b.history[0x1000 >> 1 & 63], 15);
	assert_int_equal(r.b.history[0x1004 >> 1 & 63], 5);
	rig_close(&r);
}

static void the_chooser_takes_the_better_side(void **state)
{
	(void)state;
	struct rig r;
	struct bpred_mark mark;
	rig_open(&r, OPTIONS("bpred.kind=combined", "bpred.meta_size=16"));
	/* Alternation at one place: the two-level side. */
	(void)right_in_pattern(&r, 0x1000, "TN", 200);
	(void)bpred_lookup(&r.b, 0x1000, &branch, &mark, NULL);
	assert_true(mark.flags & BPM_USED_L2);
	assert_int_equal(r.b.meta[0x1000 >> 1 & 15], 3);
	rig_close(&r);
	/* A biased branch among noise, with a second level too small to tell histories apart:
	 * bimodal. */
	rig_open(&r, OPTIONS("bpred.kind=combined", "bpred.l2_size=4"));
	unsigned hits = 0;
	srand(4);
	for (int i = 0; i < 3000; i++) {
		for (int k = 0; k < 3; k++)
			(void)right(&r, 0x2010, rand() % 4 == 0);
		hits += right(&r, 0x1000, true) && i >= 1000;
	}
	(void)bpred_lookup(&r.b, 0x1000, &branch, &mark, NULL);
	assert_false(mark.flags & BPM_USED_L2);
	assert_true(hits > 1980);
	rig_close(&r);
	/* It learns only where the sides differ. */
	rig_open(&r, OPTIONS("bpred.kind=combined"));
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
	rig_close(&r);
}

static void static_kinds_and_targets(void **state)
{
	(void)state;
	struct rig r;
	struct bpred_mark mark;
	rig_open(&r, OPTIONS("bpred.kind=nottaken"));
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
	rig_close(&r);

	rig_open(&r, OPTIONS("bpred.kind=taken"));
	assert_int_equal(bpred_lookup(&r.b, 0x1000, &branch, &mark, &r.stats), 0x1004);
	assert_true(mark.flags & BPM_TAKEN);
	bpred_learn(&r.b, 0x1000, &branch, true, 0x2000, &mark);
	assert_int_equal(bpred_lookup(&r.b, 0x1000, &branch, &mark, &r.stats), 0x2000);
	/* What is not taken leaves no target. */
	bpred_learn(&r.b, 0x1008, &branch, false, 0x2000, &mark);
	assert_int_equal(bpred_lookup(&r.b, 0x1008, &branch, &mark, &r.stats), 0x100c);
	rig_close(&r);

	rig_open(&r, OPTIONS("bpred.kind=nottaken", "btb.sets=0", "ras.size=0"));
	for (int i = 0; i < 2; i++) {
		assert_int_equal(bpred_lookup(&r.b, 0x1010, &jump, &mark, &r.stats), 0x1014);
		bpred_learn(&r.b, 0x1010, &jump, true, 0x3000, &mark);
		assert_int_equal(bpred_lookup(&r.b, 0x1020, &ret, &mark, &r.stats), 0x1022);
		bpred_learn(&r.b, 0x1020, &ret, true, 0x3000, &mark);
	}
	assert_int_equal(r.stats.btb_lookups, 0);
	rig_close(&r);
}

static void a_jump_at(struct rig *r, uint64_t pc)
{
	struct bpred_mark mark;
	(void)bpred_lookup(&r->b, pc, &jump, &mark, NULL);
	bpred_learn(&r->b, pc, &jump, true, pc + 0x100, &mark);
}

/* Jumps among `n` places `stride` bytes apart, in turn, whose targets were predicted in the last of
 * three rounds. */
static unsigned targets_kept(struct rig *r, unsigned n, uint64_t stride)
{
	unsigned hits = 0;
	for (int round = 0; round < 3; round++) {
		hits = 0;
		for (unsigned i = 0; i < n; i++) {
			struct bpred_mark mark;
			uint64_t pc = 0x10000 + i * stride;
			hits += bpred_lookup(&r->b, pc, &jump, &mark, NULL) == pc + 0x100;
			bpred_learn(&r->b, pc, &jump, true, pc + 0x100, &mark);
		}
	}
	return hits;
}

static void btb_capacity_and_lru(void **state)
{
	(void)state;
	struct rig r;
	rig_open(&r, OPTIONS("btb.sets=8", "btb.ways=2"));
	assert_int_equal(targets_kept(&r, 16, 2), 16);
	rig_close(&r);
	rig_open(&r, OPTIONS("btb.sets=8", "btb.ways=2"));
	/* three in each set, in turn: LRU keeps none */
	assert_int_equal(targets_kept(&r, 24, 2), 0);
	rig_close(&r);
	rig_open(&r, OPTIONS("btb.sets=8", "btb.ways=3"));
	assert_int_equal(targets_kept(&r, 24, 2), 24);
	rig_close(&r);
	rig_open(&r, OPTIONS("btb.sets=8", "btb.ways=2"));
	assert_int_equal(targets_kept(&r, 3, 16), 0); /* all in one set */
	/* A look-up makes an entry the most recent. */
	struct bpred_mark mark;
	a_jump_at(&r, 0x100);
	a_jump_at(&r, 0x200);
	assert_int_equal(bpred_lookup(&r.b, 0x100, &jump, &mark, NULL), 0x200);
	a_jump_at(&r, 0x300);
	assert_int_equal(bpred_lookup(&r.b, 0x100, &jump, &mark, NULL), 0x200);
	assert_int_equal(bpred_lookup(&r.b, 0x200, &jump, &mark, NULL), 0x204);
	rig_close(&r);
}

static void returns_come_back_in_order(void **state)
{
	(void)state;
	struct rig r;
	struct bpred_mark mark;
	rig_open(&r, OPTIONS("ras.size=3"));
	/* Five calls into a stack of three: the innermost three are remembered. */
	for (unsigned i = 0; i < 5; i++)
		(void)bpred_lookup(&r.b, 0x1000 + i * 16, i & 1 ? &short_call : &call, &mark, NULL);
	assert_int_equal(bpred_lookup(&r.b, 0x5000, &ret, &mark, &r.stats), 0x1044);
	assert_true(mark.flags & BPM_FROM_RAS);
	assert_int_equal(bpred_lookup(&r.b, 0x5000, &ret, &mark, &r.stats), 0x1032);
	assert_int_equal(bpred_lookup(&r.b, 0x5000, &ret, &mark, &r.stats), 0x1024);
	assert_int_equal(r.stats.btb_lookups, 0);
	bpred_learn(&r.b, 0x5000, &ret, true, 0x1024, &mark);
	/* Empty: the target buffer is asked, which has learnt nothing from returns predicted by the
	 * stack. */
	assert_int_equal(bpred_lookup(&r.b, 0x5000, &ret, &mark, &r.stats), 0x5002);
	assert_false(mark.flags & (BPM_FROM_RAS | BPM_RAS));
	assert_int_equal(r.stats.btb_lookups, 1);
	bpred_learn(&r.b, 0x5000, &ret, true, 0x1012, &mark);
	assert_int_equal(bpred_lookup(&r.b, 0x5000, &ret, &mark, &r.stats), 0x1012);
	/* Two coroutines change places. */
	(void)bpred_lookup(&r.b, 0x2000, &call, &mark, NULL);
	assert_int_equal(bpred_lookup(&r.b, 0x3000, &swap, &mark, NULL), 0x2004);
	assert_int_equal(bpred_lookup(&r.b, 0x2010, &swap, &mark, NULL), 0x3004);
	assert_int_equal(r.b.st->ras_count, 1);
	rig_close(&r);
}

/* Histories and return stack: what a squash has to bring back. */
struct speculative {
	uint32_t history[8];
	uint64_t ras[5];
	uint32_t top, count;
};

static struct speculative speculative_state(const struct rig *r)
{
	struct speculative s = {.top = r->b.st->ras_top, .count = r->b.st->ras_count};
	memcpy(s.history, r->b.history, sizeof s.history);
	memcpy(s.ras, r->b.ras, r->b.ras_size * sizeof *s.ras);
	return s;
}

static void squashes_bring_back_what_was(void **state)
{
	(void)state;
	static const char *const kinds[] = {"bpred.kind=combined", "bpred.kind=gshare",
	                                    "bpred.kind=twolevel", "bpred.kind=bimodal"};
	static const char *const depths[] = {"ras.size=0", "ras.size=1", "ras.size=2",
	                                     "ras.size=5"};
	enum { FLIGHT = 40 };
	for (int k = 0; k < 16; k++) {
		struct rig r;
		struct bpred_mark marks[FLIGHT];
		struct speculative before[FLIGHT], after;
		rig_open(&r, OPTIONS(kinds[k / 4], depths[k % 4], "bpred.l1_size=8"));
		srand(9);
		for (int round = 0; round < 500; round++) {
			int n = rand() % FLIGHT, back = n ? rand() % n : 0;
			for (int i = 0; i < n; i++) {
				static const struct inst *const kind[] = {&branch, &branch, &call,
				                                          &ret,    &swap,   &jump};
				const struct inst *in = kind[rand() % 6];
				uint64_t pc = 0x1000 + (uint64_t)(rand() % 64) * 2;
				before[i] = speculative_state(&r);
				(void)bpred_lookup(&r.b, pc, in, &marks[i], &r.stats);
				/* What is still in the fetch queue has learnt nothing yet. */
				if (i < n - 4)
					bpred_learn(&r.b, pc, in, in != &branch || rand() % 2,
					            pc + 64, &marks[i]);
			}
			for (int i = n - 1; i >= back; i--) {
				bpred_undo(&r.b, &marks[i]);
				after = speculative_state(&r);
				assert_memory_equal(&after, &before[i], sizeof after);
			}
		}
		rig_close(&r);
	}
}

static void learning_at_commit_needs_no_undo(void **state)
{
	(void)state;
	struct rig r;
	struct bpred_mark mark;
	rig_open(&r, OPTIONS("bpred.kind=gshare", "bpred.update=commit"));
	(void)bpred_lookup(&r.b, 0x1000, &branch, &mark, NULL);
	assert_int_equal(r.b.history[0], 0);
	bpred_learn(&r.b, 0x1000, &branch, true, 0x2000, &mark);
	assert_int_equal(r.b.history[0], 1);
	bpred_undo(&r.b, &mark);
	assert_int_equal(r.b.history[0], 1);
	rig_close(&r);
}

/* What was looked up in one cycle, and is still to learn. */
struct group {
	struct {
		uint64_t pc, target;
		const struct inst *in;
		bool taken;
		struct bpred_mark mark;
	} late[16];
	unsigned count;
	uint64_t first; /* instruction */
};

static void group_learns(struct rig *r, struct group *g)
{
	for (unsigned i = 0; i < g->count; i++)
		bpred_learn(&r->b, g->late[i].pc, g->late[i].in, g->late[i].taken,
		            g->late[i].target, &g->late[i].mark);
	g->count = 0;
}

static void warm_as(const char *kind, const char *update, uint64_t width)
{
	struct rig timed, warm;
	struct group g = {.count = 0};
	struct bpred_warm w = {.width = width};
	char kind_text[40], update_text[40];
	snprintf(kind_text, sizeof kind_text, "bpred.kind=%s", kind);
	snprintf(update_text, sizeof update_text, "bpred.update=%s", update);
	rig_open(&timed, OPTIONS("ras.size=3", "bpred.l1_size=4", kind_text, update_text));
	rig_open(&warm, OPTIONS("ras.size=3", "bpred.l1_size=4", kind_text, update_text));
	srand(6);
	uint64_t insts = 0;
	for (int i = 0; i < 5000; i++) {
		static const struct inst *const kinds[] = {&branch, &branch, &branch, &call,
		                                           &ret,    &swap,   &jump};
		const struct inst *in = kinds[rand() % 7];
		uint64_t pc = 0x1000 + (uint64_t)(rand() % 512) * 2,
			 target = pc + (uint64_t)(rand() % 3) * 32 + 8;
		bool taken = in != &branch || rand() % 4 == 0;
		insts += (uint64_t)(rand() % 3);
		if (insts - g.first >= width) {
			group_learns(&timed, &g);
			g.first = insts - (insts - g.first) % width;
		}
		/* a jump looks for its target when its own group has learnt nothing of it */
		if (in != &branch)
			group_learns(&timed, &g);
		struct bpred_mark *mark = &g.late[g.count].mark;
		(void)bpred_lookup(&timed.b, pc, in, mark, &timed.stats);
		if (in == &branch && !(mark->flags & BPM_TAKEN) == taken)
			bpred_resolve(&timed.b, taken, mark);
		g.late[g.count].pc = pc;
		g.late[g.count].target = target;
		g.late[g.count].in = in;
		g.late[g.count++].taken = taken;
		if (taken || (mark->flags & BPM_TAKEN)) {
			group_learns(&timed, &g);
			g.first = insts + 1;
		}
		bpred_warm(&warm.b, &w, pc, in, taken, target, insts);
		insts++;
	}
	group_learns(&timed, &g);
	bpred_warm_settle(&warm.b, &w);
	assert_memory_equal(timed.arena.base, warm.arena.base, timed.arena.used);
	rig_close(&timed);
	rig_close(&warm);
}

static void warming_up_learns_the_same(void **state)
{
	(void)state;
	static const char *const kinds[] = {"bimodal",  "twolevel", "gshare",
	                                    "combined", "taken",    "nottaken"};
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
		warm_as(kinds[k], "commit", 1);
		warm_as(kinds[k], "commit", 4);
	}
	/* histories that are told at once leave nothing to a group */
	warm_as("gshare", "fetch", 1);
	warm_as("perceptron", "fetch", 1);
}

static void peeking_changes_nothing(void **state)
{
	(void)state;
	struct rig r;
	rig_open(&r, OPTIONS("bpred.kind=combined"));
	(void)right_in_pattern(&r, 0x1000, "TTN", 50);
	uint8_t *before = malloc(r.arena.used);
	memcpy(before, r.arena.base, r.arena.used);
	bool said = bpred_peek_direction(&r.b, 0x1000);
	assert_memory_equal(before, r.arena.base, r.arena.used);
	struct bpred_mark mark;
	(void)bpred_lookup(&r.b, 0x1000, &branch, &mark, NULL);
	assert_int_equal(said, (mark.flags & BPM_TAKEN) != 0);
	free(before);
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(history_shifts_at_fetch),
		cmocka_unit_test(perceptrons_learn_far_back),
		cmocka_unit_test(perceptrons_cannot_be_taken_back),
		cmocka_unit_test(bimodal_counters_saturate),
		cmocka_unit_test(histories_learn_what_bimodal_cannot),
		cmocka_unit_test(global_history_correlates_branches),
		cmocka_unit_test(the_chooser_takes_the_better_side),
		cmocka_unit_test(static_kinds_and_targets),
		cmocka_unit_test(btb_capacity_and_lru),
		cmocka_unit_test(returns_come_back_in_order),
		cmocka_unit_test(squashes_bring_back_what_was),
		cmocka_unit_test(learning_at_commit_needs_no_undo),
		cmocka_unit_test(warming_up_learns_the_same),
		cmocka_unit_test(peeking_changes_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
