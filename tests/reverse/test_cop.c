/* The working co-processor in the past: motions from any direction, and checkpoints, restore
 * records in flight, an engine between two microinstructions, and its firmware; listeners change
 * nothing. */
#include "tests/reverse/rig.h"
#include "core/prof/cop/cop.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/prof/common/prof.h"
#include "core/prof/cop/micro_asm.h"
#include "ui/checkpoint/checkpoint.h"

static const struct subject subject = {
	.program = "build/tests/reverse/guest",
	.firmware = "build/tests/firmware/cop.elf",
	.stdin_fd = -1,
	.settings = "cop.enable=1 cop.access=2 cop.cam=64 cop.data=64 cop.filter=64 "
                    "cop.microcode=64 cop.divider=2 cop.buffer=24 cop.transport=12",
	.history = {.history = true}};

static const char program[] = ".fields load: pc, result, addr\n.fields store: rs2, addr\n.fields "
                              "branch: pc, target\n.const k0 = 1\n.const k1 = 40\n.const k2 = 0\n"
			      ".on load: l\n.on store: s\n.on branch: b\n"
			      "l: add v0, v0, k0 | match x0, pc | if miss goto n\n inc.8 b0[x0].0 "
                              "| cmp v0, k1 | if lt done likely\n mov v0, k2\n interrupt\n"
			      "n: free x0 | if miss goto d\n write cam[x0], pc | done\n"
			      "d: invalidate cam\n done\n"
			      "s: rand v1, rs2 | done\nb: sadd.32 v2, v2, k0\n done\n";

static const struct prof *cop_test_devices(const struct rig *g)
{
	return machine_pipe(g->s->machine)->prof;
}

/* The program's beginning, after firmware. */
static uint64_t cop_test_first_program_cycle(void)
{
	struct subject how = subject;
	how.history.history = false;
	struct rig *g = rig_open(&how);
	while (!machine_stats(g->s->machine)->insts)
		assert_true(machine_step(g->s->machine));
	const uint64_t at = rig_cycle(g);
	rig_close(g);
	return at;
}

/* The change that loads the program; its data lives until the next call. */
static struct change cop_test_load_change(const struct rig *g)
{
	static struct device_write *writes;
	struct micro_image image = {0};
	struct err err;
	size_t n;
	free(writes);
	if (!micro_assemble(program, strlen(program), "text", NULL, 0, &image, &err))
		fail_msg("%s", err.msg);
	writes = cop_load(machine_config(g->s->machine), &image, &n, &err);
	assert_non_null(writes);
	micro_image_free(&image);
	return (struct change){
		.kind = JOURNAL_DEVICE, .a = DEVICE_COP, .bytes = writes, .n = n * sizeof *writes};
}

/* With history, stopped at the program's loading. */
static struct rig *cop_test_open_loaded(uint64_t at)
{
	struct err err;
	struct rig *g = rig_open(&subject);
	rig_goto(g, at);
	const struct change c = cop_test_load_change(g);
	if (!run_change(g->r, &c, &err))
		fail_msg("%s", err.msg);
	return g;
}

/* Without history, going forwards only. */
static struct rig *cop_test_open_straight(uint64_t at)
{
	struct subject how = subject;
	struct err err;
	how.history.history = false;
	struct rig *g = rig_open(&how);
	machine_run(g->s->machine, at, UINT64_MAX);
	const struct change c = cop_test_load_change(g);
	assert_true(machine_change(g->s->machine, &c, &err));
	return g;
}

struct landing {
	uint64_t cycle, hash;
};

static int cop_test_compare_by_cycle(const void *a, const void *b)
{
	const struct landing *x = a, *y = b;
	return (x->cycle > y->cycle) - (x->cycle < y->cycle);
}

static void cop_test_move_at_random(struct rig *g, uint64_t from, uint64_t end, uint64_t *random)
{
	switch (random_below(random, 4)) {
	case 0:
		rig_goto(g, from + random_below(random, end + 1 - from));
		break;
	case 1:
		rig_back_cycles(g, random_below(random, 300));
		break;
	case 2:
		rig_insts(g, 1 + random_below(random, 300));
		break;
	default:
		rig_back_insts(g, 1 + random_below(random, 300));
	}
}

TEST(cop_past_is_as_it_was)
{
	const unsigned walks = rig_small() ? 40 : 200;
	struct landing *seen = calloc(walks, sizeof *seen);
	uint64_t random = 88172645463325252u, at = cop_test_first_program_cycle();
	struct rig *g = cop_test_open_loaded(at);
	unsigned on_the_way = 0, halted = 0, busy = 0;
	assert_int_equal(rig_continue(g), STOPPED_EXIT);
	const uint64_t end = rig_cycle(g);
	const struct stats *s = machine_stats(g->s->machine);
	assert_true(s->cop_interrupts > 10 && s->cop_samples > 500 && s->cop_dropped > 0 &&
	            s->cop_lost > 0 && s->cop_faults == 0);
	for (unsigned i = 0; i < walks; i++) {
		for (unsigned k = 0; k < 3; k++)
			cop_test_move_at_random(g, at, end, &random);
		if (rig_cycle(g) < at)
			rig_goto(g, at);
		const struct cop *c = cop_of(cop_test_devices(g));
		on_the_way += c->st->way_count > 0;
		halted += c->micro.st->halted;
		busy += c->micro.st->execute.kind != MICRO_SLOT_EMPTY;
		seen[i] = (struct landing){rig_cycle(g), rig_hash(g)};
		assert_null(prof_check(cop_test_devices(g)));
	}
	rig_close(g);
	assert_true(on_the_way > walks / 10 && halted > walks / 20 && busy > walks / 10);
	qsort(seen, walks, sizeof *seen, cop_test_compare_by_cycle);
	g = cop_test_open_straight(at);
	for (unsigned i = 0; i < walks; i++) {
		machine_run(g->s->machine, seen[i].cycle, UINT64_MAX);
		assert_int_equal(rig_cycle(g), seen[i].cycle);
		assert_int_equal(rig_hash(g), seen[i].hash);
	}
	rig_close(g);
	free(seen);
}

TEST(cop_checkpoints_hold_it)
{
	struct err err = {""};
	const uint64_t at = cop_test_first_program_cycle();
	struct rig *g = cop_test_open_loaded(at), *h = rig_open(&subject);
	for (unsigned i = 0; i < 5; i++) {
		const uint64_t cycle = at + 300 + 431 * i;
		rig_goto(g, cycle);
		while (!cop_of(cop_test_devices(g))->st->way_count ||
		       cop_of(cop_test_devices(g))->micro.st->halted == (i & 1))
			rig_cycles(g, 1);
		if (!checkpoint_save(g->s, "cop.checkpoint", &err))
			fail_msg("%s", err.msg);
		struct machine *m = checkpoint_load(h->s, "cop.checkpoint", &err);
		if (!m)
			fail_msg("%s", err.msg);
		session_adopt(h->s, m);
		assert_int_equal(rig_hash(h), rig_hash(g));
		rig_cycles(g, 500);
		machine_run(h->s->machine, rig_cycle(g), UINT64_MAX);
		assert_int_equal(rig_hash(h), rig_hash(g));
	}
	remove("cop.checkpoint");
	rig_close(g);
	rig_close(h);
}

static void cop_test_count_event(void *ctx, const struct machine *m, const struct event *ev)
{
	uint64_t *events = ctx;
	(void)m;
	events[ev->id]++;
}

TEST(watched_or_not)
{
	const struct event_filter all = {.mask = (UINT64_C(1) << EV_COUNT) - 1};
	const uint64_t at = cop_test_first_program_cycle();
	uint64_t events[EV_COUNT] = {0};
	struct rig *plain = cop_test_open_straight(at), *g = cop_test_open_straight(at);
	assert_true(machine_listen(g->s->machine, &all, cop_test_count_event, events) > 0);
	for (uint64_t c = at; machine_status(plain->s->machine) == MACHINE_RUNNING; c += 100) {
		machine_run(plain->s->machine, c, UINT64_MAX);
		machine_run(g->s->machine, c, UINT64_MAX);
		assert_int_equal(rig_hash(g), rig_hash(plain));
	}
	const struct stats *s = machine_stats(g->s->machine);
	assert_int_equal(events[EV_SAMPLE], s->cop_records);
	assert_int_equal(events[EV_RECORD], s->cop_samples + s->cop_skipped + s->cop_lost +
	                                            cop_of(cop_test_devices(g))->st->count);
	assert_int_equal(events[EV_MICRO], s->cop_micro + s->cop_skipped);
	assert_int_equal(events[EV_COP_INTERRUPT], s->cop_interrupts);
	assert_true(s->cop_interrupts > 10);
	rig_close(plain);
	rig_close(g);
}

TEST_GROUP(rig_enter, rig_leave)
