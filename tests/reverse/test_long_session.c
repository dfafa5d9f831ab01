/* A long session: after any motions, history keeps its density, and reports its contents exactly.
 */
#include "tests/reverse/rig.h"

#include <string.h>

#include "core/machine/change.h"
#include "tests/reverse/tally.h"

/* Writes to all of 6 MB; its snapshots exceed their budget. */
static struct subject long_session_writer_subject(void)
{
	struct subject how = guest;
	how.program = "build/tests/bench/large";
	how.arguments = "6";
	how.history.first_spacing = 10000;
	how.history.budget_bytes = 36 << 20;
	return how;
}

enum { TOP = 2000000 };

TEST(a_long_session_keeps_its_snapshots)
{
	struct subject how = long_session_writer_subject();
	rig_go_top();
	struct rig *g = rig_open(&how);
	rig_goto(g, TOP);
	const size_t most = how.history.budget_bytes + mem_bytes(machine_mem_const(g->s->machine));
	const unsigned first = rig_history(g).snapshots;
	assert_true(first > 25 && rig_history(g).spent);
	/* While the guest is small, most of a snapshot is other state, which is not charged. */
	rig_goto(g, 0);
	rig_goto(g, 3000);
	assert_true(rig_history(g).snapshots + 2 >= first);
	uint64_t random = 11, before = rig_history(g).cycles_reexecuted,
		 rounds = rig_small() ? 200 : 3000;
	for (uint64_t i = 0; i < rounds; i++) {
		rig_goto(g, random_below(&random, TOP));
		rig_back_cycles(g, 1 + random_below(&random, 3));
		rig_back_insts(g, 1);
		if (i % 100)
			continue;
		struct run_history h = rig_history(g);
		assert_int_equal(h.bytes, run_recount(g->r));
		assert_true(h.bytes <= most);
		assert_true(h.snapshots >= first * 3 / 4);
	}
	/* With uniform gaps each round would execute half a gap again; steps back and thinned
	 * snapshots add to it. */
	uint64_t each = (rig_history(g).cycles_reexecuted - before) / rounds;
	assert_true(each < TOP / first * 3);
	rig_close(g);
}

/* Far from the present, gaps end at what takes 40 ms to execute again: 0.7 million cycles of this
 * program. */
TEST(old_gaps_are_short)
{
	struct subject how = long_session_writer_subject();
	how.history.first_spacing = 0;
	how.history.budget_bytes = 0;
	if (rig_small())
		skip();
	rig_go_top();
	struct rig *g = rig_open(&how);
	rig_goto(g, 20000000);
	struct run_history h = rig_history(g);
	assert_false(h.spent);
	for (unsigned i = 1; i < h.snapshots; i++)
		assert_true(run_snapshot_cycle(g->r, i) - run_snapshot_cycle(g->r, i - 1) <
		            1100000);
	assert_true(h.snapshots < 80);
	rig_close(g);
}

/* A program that writes at random all over much memory gets snapshots farther apart, with a
 * message. */
TEST(much_writing_is_told)
{
	struct subject how = long_session_writer_subject();
	how.history.first_spacing = 0;
	rig_go_top();
	struct rig *g = rig_open(&how);
	rig_goto(g, 1000000);
	assert_false(rig_history(g).pressed);
	rig_close(g);
	how.arguments = "12 12";
	g = rig_open(&how);
	rig_goto(g, 4000000);
	struct run_history h = rig_history(g);
	assert_true(h.pressed && h.spacing > 200000 && h.cost_share < 0.1);
	rig_close(g);
}

/* After any action, history's figures equal a recount of its contents. */
static void check_claim(const struct rig *g)
{
	assert_int_equal(rig_history(g).bytes, run_recount(g->r));
}

static void change_something(struct rig *g, uint64_t value)
{
	struct err err;
	struct change c = {.kind = JOURNAL_REG, .a = 31, .b = value};
	assert_true(run_change(g->r, &c, &err));
}

TEST(claims_are_exact)
{
	struct subject how = long_session_writer_subject();
	how.settings = "oracle.enable=true oracle.blocks=true oracle.memory=1048576";
	how.history.first_spacing = 3000;
	how.history.budget_bytes = 8 << 20;
	rig_go_top();
	struct rig *g = rig_open(&how);
	struct tally *t = tally_new(g->s->machine);
	uint64_t random = 4, top = 100000;
	rig_goto(g, top);
	check_claim(g);
	for (unsigned i = 0; i < (rig_small() ? 60 : 600); i++) {
		switch (random_below(&random, 5)) {
		case 0:
			rig_back_insts(g, random_below(&random, 3000));
			break;
		case 1:
			rig_cycles(g, random_below(&random, 30000));
			break;
		case 2:
			if (random_below(&random, 8) == 0)
				change_something(g, i);
			break;
		default:
			rig_goto(g, random_below(&random, rig_history(g).newest_cycle));
		}
		check_claim(g);
		if (rig_history(g).newest_cycle < top / 2)
			rig_goto(g, top);
	}
	rig_close(g);
	tally_free(t);
}

TEST_GROUP(rig_enter, rig_leave)
