/* Random walks over a script of hooks that patches code, writes memory and registers and counts.
 * After each move the machine and the script's counts equal those of a machine that only runs
 * forwards, with the same manual changes in the same cycles, and whose hooks act on every call. */
#include "tests/reverse/rig.h"

#include <stdlib.h>

#include "tests/reverse/script.h"

enum { MOVES = 3, WALKS_PER_SESSION = 100, LANDINGS_MAX = 1024, CHANGES_MAX = 64 };

struct landing {
	uint64_t cycle, hash, counts;
	size_t changes; /* by hand, made before */
};

struct by_hand {
	uint64_t cycle, value;
};

struct walker {
	const struct subject *how;
	struct rig *g;
	struct script *s;
	uint64_t random, end; /* the end as last seen */
	struct landing seen[LANDINGS_MAX];
	size_t count;
	struct by_hand changed[CHANGES_MAX]; /* facts about them */
	size_t changes;
	uint64_t checked, stopped, made;
};

static struct change hand_made(const struct by_hand *b, const struct script *s)
{
	if (b->value % 3)
		return (struct change){.kind = JOURNAL_REG, .a = 31 - b->value % 2, .b = b->value};
	return (struct change){.kind = JOURNAL_MEMORY,
	                       .a = s->table + b->value % 1024 * 8,
	                       .bytes = &b->value,
	                       .n = 8};
}

static int hook_walks_compare_by_cycle(const void *a, const void *b)
{
	const struct landing *x = a, *y = b;
	if (x->cycle != y->cycle)
		return x->cycle < y->cycle ? -1 : 1;
	return x->changes < y->changes ? -1 : x->changes > y->changes;
}

/* Compares everything observed, and clears it. */
static void hook_walks_check_landings(struct walker *w)
{
	struct subject plain = *w->how;
	struct err err;
	plain.history.history = false;
	struct rig *g = rig_open(&plain);
	struct machine *m = g->s->machine;
	struct script *s = script_new(g, true);
	qsort(w->seen, w->count, sizeof *w->seen, hook_walks_compare_by_cycle);
	size_t made = 0;
	for (size_t i = 0; i < w->count; i++) {
		const struct landing *l = &w->seen[i];
		for (; made < l->changes; made++) {
			const struct change c = hand_made(&w->changed[made], s);
			while (rig_cycle(g) < w->changed[made].cycle)
				machine_run(m, w->changed[made].cycle, UINT64_MAX);
			if (!machine_change(m, &c, &err))
				fail_msg("%s", err.msg);
		}
		while (rig_cycle(g) < l->cycle) /* on_stop() ends it on the way */
			machine_run(m, l->cycle, UINT64_MAX);
		if (script_hash(s) != l->counts || rig_hash(g) != l->hash)
			fail_msg("cycle %lu of %zu landings, %zu changes by hand: %s", l->cycle,
			         w->count, l->changes,
			         rig_hash(g) != l->hash ? "the machine differs"
			                                : "the counts differ");
	}
	w->checked += w->count;
	w->count = 0;
	rig_close(g);
	free(s);
}

static size_t changes_up_to(const struct walker *w, uint64_t cycle)
{
	size_t n = 0;
	while (n < w->changes && w->changed[n].cycle <= cycle)
		n++;
	return n;
}

static void hook_walks_record_landing(struct walker *w)
{
	uint64_t now = rig_cycle(w->g);
	if (w->count == LANDINGS_MAX)
		hook_walks_check_landings(w);
	if (machine_status(w->g->s->machine) != MACHINE_RUNNING)
		w->end = now;
	w->seen[w->count++] =
		(struct landing){now, rig_hash(w->g), script_hash(w->s), changes_up_to(w, now)};
}

static void change_by_hand(struct walker *w)
{
	struct err err;
	uint64_t now = rig_cycle(w->g);
	hook_walks_check_landings(w);
	w->changes = changes_up_to(w, now);
	if (w->changes == CHANGES_MAX)
		return;
	w->changed[w->changes] = (struct by_hand){now, random_below(&w->random, UINT64_MAX)};
	const struct change c = hand_made(&w->changed[w->changes++], w->s);
	if (!run_change(w->g->r, &c, &err))
		fail_msg("%s", err.msg);
	w->made++;
}

/* A move of known end reports it. */
static void hook_walks_move_at_random(struct walker *w)
{
	struct rig *g = w->g;
	uint64_t now = rig_cycle(g),
		 n = random_below(&w->random, random_below(&w->random, 10) ? 100 : w->end + 50);
	enum stop_reason why;
	switch (random_below(&w->random, 8)) {
	case 0:
	case 1:
		why = rig_cycles(g, n);
		assert_true(why == STOPPED_ASKED || why == STOPPED_EXIT || rig_cycle(g) == now + n);
		w->stopped += why == STOPPED_ASKED;
		break;
	case 2:
		rig_insts(g, 1 + n);
		break;
	case 3:
		rig_back_cycles(g, n);
		assert_int_equal(rig_cycle(g), now > n ? now - n : 0);
		break;
	case 4:
		rig_back_insts(g, 1 + n);
		break;
	case 5:
		n = random_below(&w->random, w->end + 50);
		why = rig_goto(g, n);
		assert_true(why == STOPPED_ASKED || why == STOPPED_EXIT || rig_cycle(g) == n);
		break;
	case 6:
		rig_continue(g);
		break;
	default:
		rig_back_continue(g);
		break;
	}
	if (!random_below(&w->random, 80))
		change_by_hand(w);
	hook_walks_record_landing(w);
}

static void hook_walks_begin_session(struct walker *w, unsigned session)
{
	static const uint64_t spacings[] = {0, 100, 400, 1500};
	struct subject how = *w->how;
	how.history = (struct run_options){.history = true, .first_spacing = spacings[session % 4]};
	w->g = rig_open(&how);
	w->s = script_new(w->g, false);
	w->changes = 0;
	w->end = 1500;
	rig_break(w->g, session % 5 ? "hot" : "done", STAGE_COMMIT);
}

static void hook_walks_end_session(struct walker *w)
{
	hook_walks_check_landings(w);
	assert_true(w->s->called > 2 * w->s->worked); /* or no event came again */
	rig_close(w->g);
	free(w->s);
}

static void hook_walks_run_walks(const struct subject *how, unsigned count)
{
	struct walker *w = calloc(1, sizeof *w);
	assert_non_null(w);
	w->how = how;
	w->random = 88172645463325252u + count;
	if (rig_small())
		count = count / 25 + 1;
	for (unsigned i = 0; i < count; i++) {
		if (i % WALKS_PER_SESSION == 0)
			hook_walks_begin_session(w, i / WALKS_PER_SESSION);
		for (unsigned k = 0; k < MOVES; k++)
			hook_walks_move_at_random(w);
		if (i % WALKS_PER_SESSION == WALKS_PER_SESSION - 1 || i + 1 == count)
			hook_walks_end_session(w);
	}
	assert_true(w->checked >= count * MOVES);
	assert_true(rig_small() || (w->stopped > 20 && w->made > 20));
	free(w);
}

TEST(default_window)
{
	const struct subject how = {.program = "build/tests/reverse/hooked",
	                            .settings = "l1d.size=1K l2.size=8K",
	                            .stdin_fd = -1};
	hook_walks_run_walks(&how, 6000);
}

TEST(small_speculating_window)
{
	const struct subject how = {
		.program = "build/tests/reverse/hooked",
		.stdin_fd = -1,
		.settings = "l1d.size=1K l2.size=8K pipe.rob_size=12 lsq.size=5 lsq.speculate=1 "
			    "bpred.update=commit pipe.issue_queue=6"};
	hook_walks_run_walks(&how, 3000);
}

/* With firmware's instructions beside the program's. */
TEST(hook_walks_with_firmware)
{
	const struct subject how = {.program = "build/tests/reverse/hooked",
	                            .firmware = "build/tests/reverse/firmware.elf",
	                            .settings = "l1d.size=1K l2.size=8K",
	                            .stdin_fd = -1};
	hook_walks_run_walks(&how, 1000);
}

TEST_GROUP(rig_enter, rig_leave)
