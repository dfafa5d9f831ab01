/* Changes by hand are a part of the past: motions from any direction repeat each in its cycle and
 * order, and a change costs no more than its bytes. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/prof/common/prof.h"
#include "core/prof/sampler/sampler.h"
#include "core/run/timeline.h"
#include "tests/by_hand.h"
#include "tests/reverse/change_list.h"
#include "tests/reverse/rig.h"

TEST(each_kind_comes_again)
{
	struct list l = {.n = 0};
	struct rig *g = rig_open(&guest);
	uint64_t start = rig_hash(g);
	change_along(g, &l);
	uint64_t c0 = l.step[0].cycle, c1 = l.step[1].cycle, end = rig_cycle(g), hash = rig_hash(g);
	assert_int_equal(rig_peek(g, "counter"), 1055);
	assert_int_equal(rig_peek(g, "checksum") % 1000, ('T' + 105 + 105) % 1000);
	assert_int_equal(hash, straight(&guest, &l, end));
	assert_int_equal(rig_history(g).changes, 5);

	/* Cycles before and after each change, reached from both sides. */
	const uint64_t places[] = {c1,     c1 - 1, c0, c0 - 1, 0,      c0 + 1,
	                           c1 + 1, c1,     c0, end,    c1 - 1, end};
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		assert_int_equal(rig_goto(g, places[i]), STOPPED_DONE);
		assert_int_equal(rig_cycle(g), places[i]);
		expect_straight(g, &l);
	}
	while (rig_cycle(g) > c1)
		rig_back_cycles(g, 1);
	assert_int_equal(machine_reg(g->s->machine, REG_T6), 222);
	assert_int_equal(machine_pc(g->s->machine), rig_symbol(g, "after_patch"));
	expect_straight(g, &l);
	rig_back_cycles(g, 1);
	assert_int_not_equal(machine_reg(g->s->machine, REG_T6), 222);
	expect_straight(g, &l);
	struct run_history h = rig_history(g);
	assert_int_equal(h.changes, 5);
	assert_int_equal(h.changes_before, 1);
	assert_int_equal(rig_back_continue(g), STOPPED_BEGIN);
	assert_int_equal(rig_hash(g), start);
	assert_int_equal(rig_run_to(g, "before_longjmp"), end);
	assert_int_equal(rig_hash(g), hash);
	assert_int_equal(rig_history(g).changes_before, 5);
	assert_int_equal(rig_continue(g), STOPPED_EXIT);
	rig_close(g);
}

/* Nothing but the machine: no run control takes part. */
TEST(a_bare_machine_repeats_them)
{
	struct err err;
	struct subject plain = guest;
	plain.history.history = false;
	struct rig *g = rig_open(&plain);
	struct machine *m = g->s->machine;
	uint64_t word = 7;
	struct snapshot *begin = machine_snapshot(m);
	assert_true(machine_set_reg(m, REG_T6, 5, &err)); /* in cycle 0, too */
	machine_run(m, 3000, UINT64_MAX);
	struct snapshot *before = machine_snapshot(m);
	assert_true(machine_poke(m, rig_symbol(g, "table"), &word, sizeof word, &err));
	struct snapshot *behind = machine_snapshot(m);
	uint64_t changed = rig_hash(g);
	machine_run(m, 5000, UINT64_MAX);
	assert_true(machine_set_reg(m, REG_T6, 6, &err));
	uint64_t last = rig_hash(g);
	machine_run(m, 6000, UINT64_MAX);
	uint64_t end = rig_hash(g);

	machine_restore(m, before); /* a cycle has one state */
	assert_int_equal(rig_hash(g), changed);
	machine_restore(m, behind);
	assert_int_equal(rig_hash(g), changed);
	const struct snapshot *const from[] = {begin, before, behind};
	for (size_t i = 0; i < 3; i++) {
		machine_restore(m, from[i]);
		machine_run(m, 6000, UINT64_MAX);
		assert_int_equal(rig_hash(g), end);
		machine_restore(m, from[i]);
		machine_run(m, 5000, UINT64_MAX); /* ends where something was changed */
		assert_int_equal(rig_hash(g), last);
		machine_run(m, UINT64_MAX, machine_insts(m) + 1);
		machine_run(m, 6000, UINT64_MAX);
		assert_int_equal(rig_hash(g), end);
		machine_restore(m, from[i]);
		while (machine_cycle(m) < 6000)
			assert_true(machine_step(m));
		assert_int_equal(rig_hash(g), end);
	}
	snapshot_free(begin);
	snapshot_free(before);
	snapshot_free(behind);
	rig_close(g);
}

/* Registers of a device, several in one change: selection stops and continues, and held tuples are
 * sent. */
TEST(registers_of_devices_come_again)
{
	enum { CONTROL = 0x00, THRESHOLD = 0x10, DRAIN = 0x38, STREAM = 0x100 };
	const struct device_write off[] = {{CONTROL, 0}, {THRESHOLD, 9}},
				  on[] = {{STREAM + 8, 1 << INST_STORE}, {CONTROL, 1}},
				  drain[] = {{DRAIN, 0}};
	const struct change made[] = {
		{.kind = JOURNAL_DEVICE, .a = DEVICE_SAMPLER, .bytes = off, .n = sizeof off},
		{.kind = JOURNAL_DEVICE, .a = DEVICE_SAMPLER, .bytes = on, .n = sizeof on},
		{.kind = JOURNAL_DEVICE, .a = DEVICE_SAMPLER, .bytes = drain, .n = sizeof drain}};
	const uint64_t at[] = {2000, 4000, 6000};
	struct subject how = guest;
	struct err err;
	how.settings =
		"sampler.enable=1 sampler.select=value,address sampler.compressor=H(C(P(4)),64)";
	struct rig *g = rig_open(&how);
	const struct stats *s = machine_stats(g->s->machine);
	uint64_t hash[3][2], selected[3], messages = 0;
	for (unsigned i = 0; i < 3; i++) {
		rig_goto(g, at[i]);
		selected[i] = s->sampler_selected;
		messages = s->sampler_messages;
		if (!run_change(g->r, &made[i], &err))
			fail_msg("%s", err.msg);
		hash[i][0] = rig_hash(g);
		rig_cycles(g, 700);
		hash[i][1] = rig_hash(g);
	}
	assert_int_equal(selected[0], selected[1]);
	assert_true(selected[0] > 10 && selected[2] > selected[1]);
	assert_true(s->sampler_messages > messages + 10);
	assert_int_equal(machine_pipe(g->s->machine)->prof->sampler->st->threshold, 9);
	for (unsigned i = 0; i < 12; i++) {
		const unsigned k = i * 2 % 3;
		rig_goto(g, i & 1 ? at[k] : at[k] + 700);
		assert_int_equal(rig_hash(g), hash[k][!(i & 1)]);
	}
	how.history.history = false;
	struct rig *h = rig_open(&how);
	for (unsigned i = 0; i < 3; i++) {
		machine_run(h->s->machine, at[i], UINT64_MAX);
		assert_true(machine_change(h->s->machine, &made[i], &err));
		assert_int_equal(rig_hash(h), hash[i][0]);
	}
	rig_close(g);

	const struct device_write past = {0x1000, 0}, between = {4, 0};
	const struct change bad[] = {
		{.kind = JOURNAL_DEVICE, .a = DEVICE_COUNT, .bytes = off, .n = sizeof off},
		{.kind = JOURNAL_DEVICE, .a = DEVICE_ORACLE, .bytes = off, .n = sizeof off},
		{.kind = JOURNAL_DEVICE, .a = DEVICE_FIRMWARE, .bytes = off, .n = sizeof off},
		{.kind = JOURNAL_DEVICE, .a = DEVICE_SAMPLER},
		{.kind = JOURNAL_DEVICE, .a = DEVICE_SAMPLER, .bytes = off, .n = sizeof *off / 2},
		{.kind = JOURNAL_DEVICE, .a = DEVICE_SAMPLER, .bytes = &past, .n = sizeof past},
		{.kind = JOURNAL_DEVICE,
	         .a = DEVICE_SAMPLER,
	         .bytes = &between,
	         .n = sizeof between},
	};
	const uint64_t entries = machine_journal(h->s->machine)->entries;
	for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
		err = (struct err){""};
		assert_false(machine_change(h->s->machine, &bad[i], &err));
		assert_string_not_equal(err.msg, "");
		assert_int_equal(rig_hash(h), hash[2][0]);
	}
	assert_int_equal(machine_journal(h->s->machine)->entries, entries);
	rig_close(h);
}

TEST(fast_forward_repeats_them)
{
	struct err err;
	struct subject plain = guest;
	plain.history.history = false;
	for (int warm = 0; warm < 2; warm++) {
		struct rig *g = rig_open(&plain);
		struct machine *m = g->s->machine;
		uint64_t word = 99;
		struct snapshot *begin = machine_snapshot(m);
		assert_int_equal(machine_run_functional(m, 100, warm), 100);
		assert_true(machine_set_reg(m, REG_T6, 5, &err));
		assert_true(machine_poke(m, rig_symbol(g, "counter"), &word, sizeof word, &err));
		assert_int_equal(machine_run_functional(m, 400, warm), 400);
		assert_true(machine_set_reg(m, REG_T6, 6, &err));
		uint64_t middle = rig_hash(g);
		machine_run(m, 2000, UINT64_MAX);
		assert_true(machine_set_reg(m, REG_T6, 7, &err));
		uint64_t end = rig_hash(g);
		machine_restore(m, begin);
		assert_int_equal(machine_run_functional(m, 500, warm), 500);
		assert_int_equal(rig_hash(g), middle);
		machine_run(m, 2000, UINT64_MAX);
		assert_int_equal(rig_hash(g), end);
		snapshot_free(begin);
		rig_close(g);
	}
}

TEST(they_cost_their_bytes)
{
	enum { CHANGES = 1000 };
	struct err err;
	struct rig *g = rig_open(&guest);
	rig_cycles(g, 500);
	struct run_history before = rig_history(g);
	size_t bytes = journal_bytes(machine_journal(g->s->machine));
	for (uint64_t i = 0; i < CHANGES; i++) {
		assert_true(run_change(
			g->r, &(struct change){.kind = JOURNAL_REG, .a = REG_T6, .b = i}, &err));
		rig_cycles(g, 2);
	}
	struct run_history h = rig_history(g);
	assert_int_equal(h.changes, CHANGES);
	assert_int_equal(h.snapshots, before.snapshots);
	/* Without the timeline, which has at most so many points from cycle 500 to 2,500. */
	assert_true(h.bytes <= before.bytes + 800 * sizeof(struct timeline_point));
	assert_true(journal_bytes(machine_journal(g->s->machine)) - bytes <= CHANGES * 64);
	uint64_t cycle = rig_cycle(g), hash = rig_hash(g);
	for (uint64_t i = 0; i < 20; i++) {
		rig_goto(g, 500 + i * 97);
		assert_int_equal(machine_reg(g->s->machine, REG_T6), i * 97 / 2);
		assert_int_equal(rig_history(g).changes_before, i * 97 / 2 + 1);
	}
	rig_goto(g, cycle);
	assert_int_equal(rig_hash(g), hash);
	rig_close(g);
}

/* A refused change leaves everything unchanged: the pipeline, the journal, the recorded future. */
TEST(a_failed_change_changes_nothing)
{
	uint8_t bytes[2 * PAGE_BYTES] = {0};
	struct rig *g = rig_open(&guest);
	uint64_t c = rig_run_to(g, "after_read");
	rig_continue(g);
	rig_goto(g, c + 7);
	uint64_t hash = rig_hash(g), newest = rig_history(g).newest_cycle,
		 entries = machine_journal(g->s->machine)->entries;
	assert_true(newest > c + 7);
	assert_true(machine_pipe(g->s->machine)->st->rob_count > 0);
	struct mem_region last = {0};
	while (mem_next_region(machine_mem(g->s->machine), last.end, &last))
		;
	const struct change bad[] = {
		{.kind = JOURNAL_REG, .a = 0, .b = 1},
		{.kind = JOURNAL_REG, .a = REG_SINK, .b = 1},
		{.kind = JOURNAL_PC, .a = rig_symbol(g, "after_two") + 1},
		{.kind = JOURNAL_PC, .a = rig_symbol(g, "table"), .b = PIPE_WIDTH_MAX + 1},
		{.kind = JOURNAL_MEMORY, .a = 16, .bytes = bytes, .n = 8},
		{.kind = JOURNAL_MEMORY, .a = rig_symbol(g, "table"), .bytes = bytes, .n = 0},
		/* begins in memory of the guest, ends outside */
		{.kind = JOURNAL_MEMORY,
	         .a = last.end - 8,
	         .bytes = bytes,
	         .n = sizeof bytes},
		/* there is none */
		{.kind = JOURNAL_DEVICE,
	         .a = DEVICE_SAMPLER,
	         .bytes = bytes,
	         .n = sizeof(struct device_write)},
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct err err = {""};
		assert_false(run_change(g->r, &bad[i], &err));
		assert_string_not_equal(err.msg, "");
		assert_int_equal(rig_hash(g), hash);
		assert_int_equal(machine_journal(g->s->machine)->entries, entries);
		assert_int_equal(rig_history(g).newest_cycle, newest);
	}
	rig_close(g);
}

/* A journal determines the past: a new machine that replays the journal reaches the same state. */
TEST(a_saved_journal_leads_there_again)
{
	int ends[2];
	struct err err;
	struct list l = {.n = 0};
	void *bytes;
	size_t n;
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], "typed\n", 6), 6);
	struct subject typed = guest;
	typed.arguments = "read input";
	typed.stdin_fd = ends[0];
	struct rig *g = rig_open(&typed);
	rig_run_to(g, "before_jump");
	change_along(g, &l);
	uint64_t end = rig_cycle(g), hash = rig_hash(g);
	journal_save(machine_journal(g->s->machine), NULL, NULL, &bytes, &n);
	rig_close(g);

	g = rig_open(&typed);
	if (!machine_load_journal(g->s->machine, bytes, n, &err))
		fail_msg("%s", err.msg);
	machine_run(g->s->machine, end, UINT64_MAX);
	assert_int_equal(rig_hash(g), hash);

	/* A place outside this program ends it with a message, not a loop. */
	rig_close(g);
	struct subject other = guest;
	g = rig_open(&other);
	assert_true(machine_load_journal(g->s->machine, bytes, n, &err));
	assert_int_equal(rig_continue(g), STOPPED_EXIT);
	assert_int_equal(rig_history(g).changes, 0);
	assert_int_equal(machine_exit_status(g->s->machine), 7);
	rig_close(g);
	free(bytes);
	close(ends[0]);
	close(ends[1]);
}

TEST_GROUP(rig_enter, rig_leave)
