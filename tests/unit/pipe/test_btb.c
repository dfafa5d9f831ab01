/* Targets and returns: BTB, return stack, state restored by squashes, warming. */
#include "core/defs/kinds.h"
#include "core/pipe/frontend/bpred_warm.h"
#include "tests/unit/pipe/bpred_fixture.h"

static const struct inst call = {.op = OP_JAL, .rd = 1, .len = 4};
static const struct inst short_call = {.op = OP_JALR, .rd = 1, .rs1 = 10, .len = 2};

/* pops, then pushes */
static const struct inst swap = {.op = OP_JALR, .rd = 1, .rs1 = 5, .len = 4};

static void a_jump_at(struct rig *r, uint64_t pc)
{
	struct bpred_mark mark;
	(void)bpred_lookup(&r->b, pc, &jump, &mark, NULL);
	bpred_learn(&r->b, pc, &jump, true, pc + 0x100, &mark);
}

/* Number of right targets in the last of three rounds over jumps at `n` places `stride` bytes
 * apart. */
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

TEST(btb_capacity_and_lru)
{
	struct rig r;
	bpred_fixture_open_rig(&r, OPTIONS("btb.sets=8", "btb.ways=2"));
	assert_int_equal(targets_kept(&r, 16, 2), 16);
	bpred_fixture_close_rig(&r);
	bpred_fixture_open_rig(&r, OPTIONS("btb.sets=8", "btb.ways=2"));
	/* three in each set, in turn: LRU keeps none */
	assert_int_equal(targets_kept(&r, 24, 2), 0);
	bpred_fixture_close_rig(&r);
	bpred_fixture_open_rig(&r, OPTIONS("btb.sets=8", "btb.ways=3"));
	assert_int_equal(targets_kept(&r, 24, 2), 24);
	bpred_fixture_close_rig(&r);
	bpred_fixture_open_rig(&r, OPTIONS("btb.sets=8", "btb.ways=2"));
	assert_int_equal(targets_kept(&r, 3, 16), 0); /* all in one set */
	/* A look-up makes an entry the most recent. */
	struct bpred_mark mark;
	a_jump_at(&r, 0x100);
	a_jump_at(&r, 0x200);
	assert_int_equal(bpred_lookup(&r.b, 0x100, &jump, &mark, NULL), 0x200);
	a_jump_at(&r, 0x300);
	assert_int_equal(bpred_lookup(&r.b, 0x100, &jump, &mark, NULL), 0x200);
	assert_int_equal(bpred_lookup(&r.b, 0x200, &jump, &mark, NULL), 0x204);
	bpred_fixture_close_rig(&r);
}

TEST(returns_come_back_in_order)
{
	struct rig r;
	struct bpred_mark mark;
	bpred_fixture_open_rig(&r, OPTIONS("ras.size=3"));
	/* Five calls into a stack of three: the innermost three are remembered. */
	for (unsigned i = 0; i < 5; i++)
		(void)bpred_lookup(&r.b, 0x1000 + i * 16, i & 1 ? &short_call : &call, &mark, NULL);
	assert_int_equal(bpred_lookup(&r.b, 0x5000, &ret, &mark, &r.stats), 0x1044);
	assert_true(mark.flags & BPM_FROM_RAS);
	assert_int_equal(bpred_lookup(&r.b, 0x5000, &ret, &mark, &r.stats), 0x1032);
	assert_int_equal(bpred_lookup(&r.b, 0x5000, &ret, &mark, &r.stats), 0x1024);
	assert_int_equal(r.stats.btb_lookups, 0);
	bpred_learn(&r.b, 0x5000, &ret, true, 0x1024, &mark);
	/* Empty: the target buffer is used, which has learnt nothing from returns predicted by the
	 * stack. */
	assert_int_equal(bpred_lookup(&r.b, 0x5000, &ret, &mark, &r.stats), 0x5002);
	assert_false(mark.flags & (BPM_FROM_RAS | BPM_RAS));
	assert_int_equal(r.stats.btb_lookups, 1);
	bpred_learn(&r.b, 0x5000, &ret, true, 0x1012, &mark);
	assert_int_equal(bpred_lookup(&r.b, 0x5000, &ret, &mark, &r.stats), 0x1012);
	/* Two coroutines call each other. */
	(void)bpred_lookup(&r.b, 0x2000, &call, &mark, NULL);
	assert_int_equal(bpred_lookup(&r.b, 0x3000, &swap, &mark, NULL), 0x2004);
	assert_int_equal(bpred_lookup(&r.b, 0x2010, &swap, &mark, NULL), 0x3004);
	assert_int_equal(r.b.st->ras_count, 1);
	bpred_fixture_close_rig(&r);
}

/* Histories and return stack, which a squash restores. */
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

TEST(squashes_bring_back_what_was)
{
	static const char *const kinds[] = {"bpred.kind=combined", "bpred.kind=gshare",
	                                    "bpred.kind=twolevel", "bpred.kind=bimodal"};
	static const char *const depths[] = {"ras.size=0", "ras.size=1", "ras.size=2",
	                                     "ras.size=5"};
	enum { FLIGHT = 40 };
	for (int k = 0; k < 16; k++) {
		struct rig r;
		struct bpred_mark marks[FLIGHT];
		struct speculative before[FLIGHT], after;
		bpred_fixture_open_rig(&r, OPTIONS(kinds[k / 4], depths[k % 4], "bpred.l1_size=8"));
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
				/* Instructions in the fetch queue have taught nothing yet. */
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
		bpred_fixture_close_rig(&r);
	}
}

TEST(learning_at_commit_needs_no_undo)
{
	struct rig r;
	struct bpred_mark mark;
	bpred_fixture_open_rig(&r, OPTIONS("bpred.kind=gshare", "bpred.update=commit"));
	(void)bpred_lookup(&r.b, 0x1000, &branch, &mark, NULL);
	assert_int_equal(r.b.history[0], 0);
	bpred_learn(&r.b, 0x1000, &branch, true, 0x2000, &mark);
	assert_int_equal(r.b.history[0], 1);
	bpred_undo(&r.b, &mark);
	assert_int_equal(r.b.history[0], 1);
	bpred_fixture_close_rig(&r);
}

/* Branches looked up in one cycle, before any has been learnt. */
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

/* Predictors that predict by themselves. */
static const char *const kinds[] = {
#define KIND(id, name, choice, ...) choice,
#define APART(...)
	BPRED_ROWS(KIND, APART)};

static void warm_as(const char *kind, const char *update, uint64_t width)
{
	struct rig timed, warm;
	struct group g = {.count = 0};
	struct bpred_warm w;
	char kind_text[40], update_text[40];
	snprintf(kind_text, sizeof kind_text, "bpred.kind=%s", kind);
	snprintf(update_text, sizeof update_text, "bpred.update=%s", update);
	bpred_fixture_open_rig(&timed,
	                       OPTIONS("ras.size=3", "bpred.l1_size=4", kind_text, update_text));
	bpred_fixture_open_rig(&warm,
	                       OPTIONS("ras.size=3", "bpred.l1_size=4", kind_text, update_text));
	bpred_warm_begin(&w, &warm.b, width);
	srand(6);
	uint64_t insts = 0;
	for (int i = 0; i < 5000; i++) {
		static const struct inst *const insts_of[] = {&branch, &branch, &branch, &call,
		                                              &ret,    &swap,   &jump};
		const struct inst *in = insts_of[rand() % 7];
		uint64_t pc = 0x1000 + (uint64_t)(rand() % 512) * 2,
			 target = pc + (uint64_t)(rand() % 3) * 32 + 8;
		bool taken = in != &branch || rand() % 4 == 0;
		insts += (uint64_t)(rand() % 3);
		if (insts - g.first >= width) {
			group_learns(&timed, &g);
			g.first = insts - (insts - g.first) % width;
		}
		/* a jump's look-up comes before its own group trains the buffer */
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
		(in == &branch ? bpred_warm_branch : bpred_warm_jump)(&warm.b)(&w, pc, in, taken,
		                                                               target, insts);
		insts++;
	}
	group_learns(&timed, &g);
	bpred_warm_settle(&w);
	assert_memory_equal(timed.arena.base, warm.arena.base, timed.arena.used);
	bpred_fixture_close_rig(&timed);
	bpred_fixture_close_rig(&warm);
}

TEST(warming_up_learns_the_same)
{
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
		for (uint64_t width = 1; width <= 4; width += 3) {
			warm_as(kinds[k], "commit", width);
			warm_as(kinds[k], "fetch", width);
		}
}

/* A view predicts what fetch would, whatever the predictor, and changes nothing. */
TEST(views_predict_as_fetch_does)
{
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
		struct rig r;
		bool taken[2] = {false, false};
		char kind[40];
		snprintf(kind, sizeof kind, "bpred.kind=%s", kinds[k]);
		bpred_fixture_open_rig(&r, OPTIONS(kind, "bpred.update=commit"));
		uint8_t *before = malloc(r.arena.used);
		srand(5);
		for (int i = 0; i < 500; i++) {
			struct bpred_mark seen, mark;
			struct inst in = branch;
			const uint64_t pc = 0x1000 + (uint64_t)(rand() % 16) * 2;
			in.imm = rand() % 64 - 32;
			memcpy(before, r.arena.base, r.arena.used);
			bpred_predict(&r.b, pc, &in, true, &seen);
			assert_memory_equal(before, r.arena.base, r.arena.used);
			(void)bpred_lookup(&r.b, pc, &in, &mark, NULL);
			assert_int_equal(seen.flags & BPM_TAKEN, mark.flags & BPM_TAKEN);
			taken[(mark.flags & BPM_TAKEN) != 0] = true;
			bpred_learn(&r.b, pc, &in, rand() % 4 != 0, pc + 64, &mark);
		}
		/* Only two predictors always predict the same. */
		assert_true((taken[0] && taken[1]) || r.cfg.bpred_kind == BPRED_TAKEN ||
		            r.cfg.bpred_kind == BPRED_NOTTAKEN);
		free(before);
		bpred_fixture_close_rig(&r);
	}
}
