/* Attachments are right in the past: compared with one beside a machine that only
 * goes forwards. */
#include "tests/by_hand.h"
#include "tests/reverse/rig.h"

#include <stdlib.h>

#include "tests/reverse/tally.h"

static void attachment_test_set_reg(struct rig *g, uint64_t value)
{
	struct err err;
	assert_true(
		run_change(g->r, &(struct change){.kind = JOURNAL_REG, .a = 31, .b = value}, &err));
}

/* The hash in one cycle of a tally attached in another; register 31 is set in the cycles of
 * `changed`. */
static uint64_t attachment_test_straight_hash(uint64_t attach, const uint64_t *changed, size_t n,
                                              uint64_t cycle)
{
	struct subject plain = guest;
	struct err err;
	plain.history.history = false;
	struct rig *g = rig_open(&plain);
	struct machine *m = g->s->machine;
	struct tally *t = NULL;
	for (size_t i = 0; i <= n; i++) {
		uint64_t next = i < n && changed[i] <= cycle ? changed[i] : cycle;
		if (!t && attach <= next) {
			machine_run(m, attach, UINT64_MAX);
			t = tally_new(m);
		}
		machine_run(m, next, UINT64_MAX);
		if (i < n && changed[i] <= cycle)
			assert_true(machine_set_reg(m, 31, i, &err));
	}
	assert_non_null(t);
	assert_int_equal(machine_cycle(m), cycle);
	uint64_t hash = machine_attachment_hash(m, t->id);
	assert_int_equal(hash, tally_hash(t));
	rig_close(g);
	tally_free(t);
	return hash;
}

TEST(counts_are_right_in_the_past)
{
	struct rig *g = rig_open(&guest);
	struct machine *m = g->s->machine;
	struct tally *t = tally_new(m);
	assert_int_equal(rig_continue(g), STOPPED_EXIT);
	uint64_t end = rig_cycle(g), seed = 1;
	assert_int_equal(tally_commits(t), machine_insts(m));
	for (unsigned i = 0; i < 40; i++) {
		rig_goto(g, random_below(&seed, end + 1));
		assert_int_equal(tally_commits(t), machine_insts(m));
		if (i % 8 == 0)
			assert_int_equal(tally_hash(t),
			                 attachment_test_straight_hash(0, NULL, 0, rig_cycle(g)));
		rig_back_insts(g, random_below(&seed, 300));
		assert_int_equal(tally_commits(t), machine_insts(m));
	}
	rig_close(g);
	assert_true(t->saved > 0);
	assert_int_equal(t->saved, t->freed);
	tally_free(t);
}

/* A tally attached in the middle of the run counts from there, in motions from any direction. */
TEST(it_begins_where_it_was_attached)
{
	struct rig *g = rig_open(&guest);
	struct machine *m = g->s->machine;
	rig_goto(g, 5000);
	uint64_t insts = machine_insts(m);
	struct tally *t = tally_new(m);
	assert_true(machine_attachment_awake(m, t->id));
	static const uint64_t places[] = {9000, 3000, 5001, 4999, 5000, 9000, 0, 6000};
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		rig_goto(g, places[i]);
		assert_int_equal(machine_attachment_awake(m, t->id), places[i] >= 5000);
		assert_int_equal(tally_commits(t),
		                 machine_insts(m) < insts ? 0 : machine_insts(m) - insts);
		if (places[i] >= 5000)
			assert_int_equal(tally_hash(t),
			                 attachment_test_straight_hash(5000, NULL, 0, places[i]));
	}
	rig_close(g);
	tally_free(t);
}

/* Attached in the past: later snapshots have no state of it. */
TEST(it_counts_a_recorded_future)
{
	struct subject how = guest;
	how.history.first_spacing = 1000;
	struct rig *g = rig_open(&how);
	struct machine *m = g->s->machine;
	struct run_history before, h;
	rig_goto(g, 20000);
	rig_goto(g, 7300);
	run_history(g->r, &before);
	assert_true(before.snapshots > 10);
	uint64_t insts = machine_insts(m);
	struct tally *t = tally_new(m);
	rig_goto(g, 20000);
	run_history(g->r, &h);
	assert_int_equal(h.newest_cycle, 20000);
	assert_int_equal(tally_commits(t), machine_insts(m) - insts);
	assert_int_equal(tally_hash(t), attachment_test_straight_hash(7300, NULL, 0, 20000));
	rig_goto(g, 12345);
	assert_int_equal(tally_hash(t), attachment_test_straight_hash(7300, NULL, 0, 12345));
	rig_close(g);
	tally_free(t);
}

/* A change squashes instructions; an attachment attached at that time observes the squash at each
 * replay of the change. */
TEST(changes_are_heard_again)
{
	static const uint64_t changed[] = {4000, 4000, 6000};
	struct rig *g = rig_open(&guest);
	struct machine *m = g->s->machine;
	rig_goto(g, 4000);
	attachment_test_set_reg(g, 0);
	/* after the first change of this cycle, before the second */
	struct tally *late = tally_new(m);
	rig_cycles(g, 0);
	assert_int_equal(tally_left(late), 0);
	attachment_test_set_reg(g, 1);
	uint64_t now = tally_left(late);
	rig_goto(g, 6000);
	uint64_t before = tally_left(late);
	attachment_test_set_reg(g, 2);
	assert_true(tally_left(late) > before);
	uint64_t left = tally_left(late);
	rig_goto(g, 8000);
	uint64_t end = tally_hash(late);
	static const uint64_t places[] = {4000, 6000, 3999, 4000, 0, 6000, 5999, 8000};
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		rig_goto(g, places[i]);
		assert_int_equal(rig_cycle(g), places[i]);
		if (places[i] <= 4000)
			assert_int_equal(tally_left(late), places[i] == 4000 ? now : 0);
		if (places[i] == 6000)
			assert_int_equal(tally_left(late), left);
		if (places[i] == 8000)
			assert_int_equal(tally_hash(late), end);
	}
	/* An attachment from the beginning, beside it. */
	rig_goto(g, 0);
	struct tally *early = tally_new(m);
	rig_goto(g, 8000);
	assert_int_equal(tally_hash(late), end);
	assert_int_equal(tally_hash(early), attachment_test_straight_hash(0, changed, 3, 8000));
	assert_int_not_equal(early->id, late->id);
	rig_close(g);
	tally_free(early);
	tally_free(late);
}

TEST(who_leaves_is_left_alone)
{
	struct rig *g = rig_open(&guest);
	struct machine *m = g->s->machine;
	struct tally *a = tally_new(m), *b = tally_new(m);
	rig_goto(g, 3000);
	assert_int_equal(tally_hash(a), tally_hash(b));
	uint64_t hash = tally_hash(a);
	machine_detach(m, a->id);
	assert_int_equal(machine_attachment_hash(m, a->id), 0);
	rig_goto(g, 1000);
	assert_int_equal(tally_hash(a), hash);
	assert_int_equal(tally_commits(b), machine_insts(m));
	machine_detach(m, b->id);
	assert_int_equal(machine_pipe(m)->events.mask, 0);
	rig_close(g);
	assert_int_equal(a->saved, a->freed);
	tally_free(a);
	tally_free(b);
}

/* Observing changes nothing, and data that can't be kept are not kept in part. */
TEST(the_machine_knows_nothing_of_it)
{
	struct rig *with = rig_open(&guest), *without = rig_open(&guest);
	struct machine *m = with->s->machine;
	struct tally *a = tally_new(m), *b = tally_new(m);
	rig_goto(with, 9000);
	rig_goto(without, 9000);
	assert_int_equal(rig_hash(with), rig_hash(without));
	b->fails = true;
	unsigned saved = a->saved;
	assert_null(machine_snapshot(m));
	assert_int_equal(a->saved - saved, 1);
	struct err err = {""};
	assert_false(run_back_cycles(with->r, 1, &rig_info, &err));
	b->fails = false;
	assert_int_equal(rig_back_cycles(with, 1), STOPPED_DONE);
	rig_close(with);
	assert_int_equal(a->saved, a->freed);
	rig_close(without);
	tally_free(a);
	tally_free(b);
}

TEST_GROUP(rig_enter, rig_leave)
