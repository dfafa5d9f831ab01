/* Random walks through time. Each move's target is checked against its definition, by a reference
 * that stepped a machine forwards only; the states there are compared with those of a machine that
 * did not travel. The walks pass changes by hand at random places, and an attachment that
 * counts. */
#include "tests/reverse/rig.h"

#include <stdlib.h>

#include "core/isa/csr.h"
#include "tests/reverse/plugins.h"
#include "tests/reverse/tally.h"

enum { MOVES = 12, WALKS_PER_SESSION = 10, LANDINGS_MAX = 1 << 16, CHANGES_MAX = 64 };

struct landing {
	uint64_t cycle, hash, tally;
};

/* Changes by hand and their cycles, in order; two may share a cycle. */
struct changes {
	struct {
		uint64_t cycle, word;
		struct change change;
	} at[CHANGES_MAX];
	unsigned count;
	bool flags; /* profile flags among them */
};

struct walker {
	struct rig *g;
	struct tally *tally;
	unsigned changes; /* made in each session */
	const struct reference *ref;
	uint64_t random;
	struct landing *seen; /* [LANDINGS_MAX] */
	size_t count;
};

/* First cycle > from with at least `insts` committed; the end if none. */
static uint64_t forward_to(const struct reference *ref, uint64_t from, uint64_t insts)
{
	uint64_t c = from;
	while (c < ref->end && ref->insts[c] < insts)
		c++;
	return c;
}

/* Latest cycle < from with a commit, and at most `insts` committed in all; the beginning if none.
 */
static uint64_t back_to(const struct reference *ref, uint64_t from, uint64_t insts)
{
	for (uint64_t c = from; c-- > 1;)
		if (ref->insts[c] > ref->insts[c - 1] && ref->insts[c] <= insts)
			return c;
	return 0;
}

static uint64_t fetched_in(const struct reference *ref, uint64_t seq)
{
	uint64_t c = 0;
	while (c < ref->end && ref->next_seq[c] <= seq)
		c++;
	return c;
}

static uint64_t last_hit(const struct reference *ref, uint64_t before)
{
	for (uint64_t c = before; c-- > 1;)
		if (ref->hit[c])
			return c;
	return 0;
}

static uint64_t next_hit(const struct reference *ref, uint64_t after)
{
	for (uint64_t c = after + 1; c <= ref->end; c++)
		if (ref->hit[c])
			return c;
	return ref->end;
}

static uint64_t walks_min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Makes a motion; returns the cycle in which it must end. */
static uint64_t walks_move_at_random(struct walker *w)
{
	const struct reference *ref = w->ref;
	uint64_t now = rig_cycle(w->g), insts = ref->insts[now], n, seq;
	struct err err;
	/* Far or near. */
	uint64_t reach = random_below(&w->random, 4) ? 50 : ref->end / 3;
	switch (random_below(&w->random, 8)) {
	case 0:
		rig_cycles(w->g, n = random_below(&w->random, reach));
		return walks_min(now + n, ref->end);
	case 1:
		rig_back_cycles(w->g, n = random_below(&w->random, reach));
		return now > n ? now - n : 0;
	case 2:
		rig_insts(w->g, n = 1 + random_below(&w->random, reach));
		return forward_to(ref, now, insts + n);
	case 3:
		rig_back_insts(w->g, n = 1 + random_below(&w->random, reach));
		return now && insts >= n ? back_to(ref, now, insts - n) : 0;
	case 4:
		rig_goto(w->g, n = random_below(&w->random, ref->end + ref->end / 20));
		return walks_min(n, ref->end);
	case 5:
		seq = 1 + random_below(&w->random, ref->next_seq[ref->end] + 20);
		if (!run_goto_seq(w->g->r, seq, &rig_info, &err))
			fail_msg("%s", err.msg);
		return fetched_in(ref, seq);
	case 6:
		rig_back_continue(w->g);
		return last_hit(ref, now);
	default:
		rig_continue(w->g);
		return next_hit(ref, now);
	}
}

static void walks_walk_and_record(struct walker *w)
{
	for (int i = 0; i < MOVES; i++) {
		uint64_t must = walks_move_at_random(w);
		assert_int_equal(rig_cycle(w->g), must);
	}
	assert_true(w->count < LANDINGS_MAX);
	w->seen[w->count++] =
		(struct landing){rig_cycle(w->g), rig_hash(w->g), tally_hash(w->tally)};
}

static int walks_compare_by_cycle(const void *a, const void *b)
{
	const struct landing *x = a, *y = b;
	return x->cycle < y->cycle ? -1 : x->cycle > y->cycle;
}

/* ---- changes ---- */
/* Changes registers, words of the stack below its end, and pc, which keeps its value: that empties
 * the pipeline. A change's inputs are fixed when it is first made. */
static void choose_changes(struct changes *ch, unsigned count, uint64_t last)
{
	uint64_t random = 0x1234567 + count, cycle = 0;
	for (ch->count = 0; ch->count < count; ch->count++) {
		uint64_t kind = random_below(&random, 4), word = random_below(&random, UINT64_MAX);
		if (random_below(&random, 5))
			cycle += random_below(&random, 2 * last / count);
		struct change c = {.kind = JOURNAL_REG,
		                   .a = kind ? 28 + word % 4 : REG_F0 + word % 32,
		                   .b = word};
		if (kind == 2)
			c = (struct change){.kind = JOURNAL_PC};
		if (kind == 3)
			c = (struct change){.kind = JOURNAL_MEMORY, .n = 1 + word % 8};
		if (kind == 3 && ch->flags && word & 1)
			c = (struct change){
				.kind = JOURNAL_CSR, .a = CSR_PFLAGS, .b = word >> 8 & 0xff};
		ch->at[ch->count].cycle = cycle;
		ch->at[ch->count].word = word;
		ch->at[ch->count].change = c;
		ch->at[ch->count].change.bytes = &ch->at[ch->count].word;
	}
}

/* Makes those of the present cycle. */
static void make_changes(struct changes *ch, const struct rig *g)
{
	struct err err;
	const struct machine *m = g->s->machine;
	for (unsigned i = 0; i < ch->count; i++) {
		struct change *c = &ch->at[i].change;
		if (ch->at[i].cycle != machine_cycle(m))
			continue;
		if (c->kind == JOURNAL_PC && !c->a)
			c->a = machine_pc(m);
		if (c->kind == JOURNAL_MEMORY && !c->a)
			c->a = machine_reg(m, REG_SP) - 8 - ch->at[i].word % 1024;
		if (!run_change(g->r, c, &err))
			fail_msg("%s", err.msg);
	}
}

/* A session with a tally, at the end of a run in which all changes were made. */
static void walks_begin_session(struct walker *w, const struct subject *how, struct changes *ch)
{
	w->g = rig_open(how);
	w->tally = tally_new(w->g->s->machine);
	for (unsigned i = 0; i < ch->count; i++) {
		if (i && ch->at[i].cycle == ch->at[i - 1].cycle)
			continue;
		rig_goto(w->g, ch->at[i].cycle);
		assert_int_equal(rig_cycle(w->g), ch->at[i].cycle);
		make_changes(ch, w->g);
	}
}

static void walks_end_session(struct walker *w)
{
	if (!w->g)
		return;
	struct run_history h;
	run_history(w->g->r, &h);
	assert_int_equal(h.changes, w->changes);
	rig_close(w->g);
	tally_free(w->tally);
	w->g = NULL;
}

/* A machine that goes forwards once, through all the cycles where walks ended. */
static void check_landings(const struct subject *how, const struct changes *ch, struct walker *w)
{
	struct subject plain = *how;
	struct err err;
	plain.history.history = false;
	struct rig *g = rig_open(&plain);
	struct machine *m = g->s->machine;
	struct tally *t = tally_new(m);
	qsort(w->seen, w->count, sizeof *w->seen, walks_compare_by_cycle);
	for (size_t i = 0, c = 0; i < w->count; i++) {
		for (; c < ch->count && ch->at[c].cycle <= w->seen[i].cycle; c++) {
			machine_run(m, ch->at[c].cycle, UINT64_MAX);
			if (!machine_change(m, &ch->at[c].change, &err))
				fail_msg("%s", err.msg);
		}
		machine_run(m, w->seen[i].cycle, UINT64_MAX);
		assert_int_equal(rig_cycle(g), w->seen[i].cycle);
		assert_int_equal(rig_hash(g), w->seen[i].hash);
		assert_int_equal(tally_hash(t), w->seen[i].tally);
	}
	rig_close(g);
	tally_free(t);
}

struct place {
	const char *symbol;
	int heard;
	struct changes *changes;
};

static void walks_on_event(void *ctx, const struct machine *m, const struct event *ev)
{
	struct place *p = ctx;
	(void)m;
	(void)ev;
	p->heard = 2;
}

static bool commits_there(void *ctx, const struct rig *g)
{
	struct place *p = ctx;
	uint64_t pc = rig_symbol(g, p->symbol);
	const struct event_filter f = {.mask = EV_BIT(COMMIT), .pc_lo = pc, .pc_hi = pc + 1};
	if (!p->heard)
		assert_true(machine_listen(g->s->machine, &f, walks_on_event, p) > 0);
	bool hit = p->heard == 2;
	p->heard = 1;
	make_changes(p->changes, g);
	return hit;
}

/* With so many changes by hand, in the first `last` cycles or not many more. */
static void walks_with(const struct subject *how, const char *symbol, unsigned count,
                       unsigned changes, uint64_t last, bool flags)
{
	struct changes ch = {.flags = flags};
	struct place p = {.symbol = symbol, .changes = &ch};
	struct walker w = {.random = 88172645463325252u + count, .changes = changes,
	                   .seen = calloc(LANDINGS_MAX, sizeof(struct landing))};
	choose_changes(&ch, changes, last);
	struct reference *ref = reference_new(how, UINT64_MAX, commits_there, &p);
	assert_non_null(w.seen);
	w.ref = ref;
	if (rig_small())
		count = count / 50 + 1;
	struct subject each = *how;
	for (unsigned i = 0; i < count; i++) {
		if (i % WALKS_PER_SESSION == 0) {
			walks_end_session(&w);
			/* From dense to very sparse snapshots, and with a budget that is always
			 * used up. */
			static const uint64_t spacings[] = {0, 300, 1000, 5000, 20000};
			each.history.first_spacing = spacings[i / WALKS_PER_SESSION % 5];
			each.history.budget_bytes = i / WALKS_PER_SESSION % 3 == 2 ? 1 << 20 : 0;
			walks_begin_session(&w, &each, &ch);
			rig_break(w.g, symbol, STAGE_COMMIT);
		}
		walks_walk_and_record(&w);
	}
	walks_end_session(&w);
	check_landings(how, &ch, &w);
	reference_free(ref);
	free(w.seen);
}

static void walks_run_walks(const struct subject *how, const char *symbol, unsigned count,
                            unsigned changes, uint64_t last)
{
	walks_with(how, symbol, count, changes, last, false);
}

TEST(default_machine)
{
	rig_go_data();
	walks_run_walks(&guest, "tick", 400, 40, 20000);
}

TEST(small_speculating_machine)
{
	struct subject how = guest;
	how.settings = "pipe.rob_size=12 lsq.size=5 pipe.fetch_queue=4 lsq.speculate=1 "
	               "lsq.replay_size=1 lsq.replay_synonym=256 "
		       "l1d.size=1K l2.size=8K bpred.update=commit pipe.issue_queue=6";
	rig_go_data();
	/* never commits: every continue goes to an end */
	walks_run_walks(&how, "wrong_path", 250, 60, 20000);
}

TEST(one_wide_in_order)
{
	struct subject how = guest;
	how.settings = "pipe.fetch_width=1 pipe.decode_width=1 pipe.issue_width=1 "
	               "pipe.commit_width=1 pipe.in_order=1 "
		       "pipe.memory_stage=1 l2.size=64K";
	rig_go_data();
	walks_run_walks(&how, "tick", 250, 12, 30000);
}

/* Prefetchers and replacement policies, then plug-ins in all places, including the predictor. */
TEST(filled_caches)
{
	struct subject how = guest;
	how.settings = "lsq.speculate=1 l1i.size=1K l1d.size=1K l1d.ways=4 l2.size=8K "
	               "l1i.prefetch=next-line l1d.prefetch=stride "
		       "l1d.prefetch_degree=2 l2.prefetch=next-line l1i.replacement=fifo "
	               "l1d.replacement=tree-plru l2.replacement=random";
	rig_go_data();
	walks_run_walks(&how, "tick", 150, 20, 20000);
}

TEST(plug_ins)
{
	struct subject how = guest;
	how.settings = "lsq.speculate=1 l1i.size=1K l1d.size=1K l1d.ways=4 l2.size=8K";
	how.plugins = &plugins_all;
	rig_go_data();
	walks_run_walks(&how, "tick", 150, 20, 20000);
}

TEST(a_program_with_a_c_library)
{
	struct subject how = guest;
	how.program = "build/demos/selfmod";
	rig_go_top();
	walks_run_walks(&how, "main", 100, 30, 9000);
}

TEST(code_on_the_stack)
{
	struct subject how = guest;
	how.program = "build/tests/diff/os/stack";
	how.arguments = "patch";
	rig_go_top();
	walks_run_walks(&how, "patched", 50, 20, 4000);
}

/* Interrupts every few hundred instructions, and what firmware keeps of them. */
TEST(walks_with_interrupts)
{
	struct subject how = guest;
	how.firmware = "build/tests/reverse/firmware.elf";
	how.settings = "lsq.speculate=1";
	rig_go_data();
	walks_run_walks(&how, "tick", 150, 20, 20000);
}

TEST(interrupts_on_a_program_with_a_c_library)
{
	struct subject how = guest;
	how.program = "build/demos/selfmod";
	how.firmware = "build/tests/reverse/firmware.elf";
	how.settings = "pipe.rob_size=128";
	rig_go_top();
	walks_run_walks(&how, "firmware_trap", 100, 20, 9000);
}

/* Fetch executes what is in its queue, and puts memory back. */
TEST(perfect_prediction)
{
	struct subject how = guest;
	how.settings = "bpred.kind=perfect lsq.speculate=1 pipe.fetch_queue=64";
	rig_go_data();
	walks_run_walks(&how, "tick", 200, 40, 20000);
}

/* Across flag changes, patches, squashes, skips, mis-fetches and flags that are set by hand. */
TEST(profile_instructions)
{
	static const char *const settings[] = {
		"", "xprof.bpred=ignored-update lsq.speculate=1 bdt.min_block=1 l1d.latency=9",
		"xprof.bpred=flag pipe.decode_width=1 pipe.rob_size=12 bdt.sets=1 l1i.line=8"};
	static const char *const happened[] = {
		"xprof.dropped",          "xprof.dispatched",   "xprof.control", "xprof.skips",
		"xprof.flag_mispredicts", "xprof.poppf_stalls", "squash.events"};
	struct subject how = guest;
	how.program = "build/tests/reverse/profiled";
	rig_go_top();
	for (unsigned i = 0; i < 3; i++) {
		struct err err;
		how.settings = settings[i];
		walks_with(&how, "tick", 40, 30, 10000, true);
		struct rig *g = rig_open(&how);
		assert_int_equal(rig_continue(g), STOPPED_EXIT);
		for (size_t k = 0; k < sizeof happened / sizeof *happened; k++)
			assert_true(stat_value(machine_stats(g->s->machine),
			                       stat_find(happened[k], &err)) > 0);
		if (i == 1)
			assert_true(stat_value(machine_stats(g->s->machine),
			                       stat_find("xprof.misfetches", &err)) > 0);
		rig_close(g);
	}
}

TEST(interrupted_profile_instructions)
{
	struct subject how = guest;
	how.program = "build/tests/reverse/profiled";
	how.firmware = "build/tests/reverse/firmware.elf";
	how.settings = "bdt.min_block=1 lsq.speculate=1";
	rig_go_top();
	walks_with(&how, "firmware_trap", 40, 30, 10000, true);
}

TEST_GROUP(rig_enter, rig_leave)
