/* The value sampler in the past: the handler's state, and that of the program after it, are equal
 * after any motions; stop points find interpreted instructions; also with checkpoints and with
 * changes by hand in the middle of the handler. */
#include "tests/reverse/rig.h"

#include <stdio.h>
#include <string.h>

#include "core/prof/common/prof.h"
#include "core/prof/values/vsample.h"
#include "ui/checkpoint/checkpoint.h"

#define SAMPLED                                                                                    \
	"vsample.enable=1 vsample.every=2 vsample.length=9 vsample.skip=2 "                        \
	"vsample.interval_min=20 vsample.interval_max=90 vsample.interrupt_cycles=20 "             \
	"vsample.start_cycles=9 vsample.inst_cycles=5 vsample.tuple_cycles=3 vsample.queue=20 "    \
	"vsample.service=30 l1d.size=512 l1d.line=16 mem.latency=200 l2.size=8192 "
#define REPLAYED "lsq.speculate=1 lsq.replay_size=1 lsq.replay_synonym=64 "

enum { HANDLER_PHASES = VSAMPLE_RECORD + 1 }; /* the rest is an upcall's */

static const struct subject subject = {.program = "build/tests/reverse/guest",
                                       .stdin_fd = -1,
                                       .settings = SAMPLED,
                                       .history = {.history = true}};

/* Everything at once: profile flags, the stream sampler, the co-processor, the oracle, firmware
 * that comes each 257 instructions. */
static const struct subject crowded = {
	.program = "build/tests/reverse/profiled",
	.firmware = "build/tests/reverse/firmware.elf",
	.stdin_fd = -1,
	.history = {.history = true},
	.settings = SAMPLED REPLAYED
	"sampler.enable=1 sampler.compressor=H(P(5),16),A(4) sampler.threshold=3 cop.enable=1 "
        "oracle.enable=1 oracle.values=all",
};
static const struct subject by_upcall = {
	.program = "build/tests/reverse/guest",
	.stdin_fd = -1,
	.settings =
		SAMPLED "vsample.method=upcall vsample.upcall_cycles=15 vsample.return_cycles=9",
	.history = {.history = true}};
static const struct subject by_bounce = {
	.program = "build/tests/reverse/guest",
	.stdin_fd = -1,
	.settings = SAMPLED REPLAYED
	"vsample.method=bounce vsample.bounce_cycles=20 vsample.bounce_step=4 vsample.every=1",
	.history = {.history = true}};

static const struct prof *vsample_test_devices(const struct rig *g)
{
	return machine_pipe(g->s->machine)->prof;
}

static const struct vsample_state *vsample_test_state(const struct rig *g)
{
	return vsample_test_devices(g)->vsample->st;
}

static uint64_t seen[VSAMPLE_PHASES];

static uint64_t machine_and_phase(const struct rig *g)
{
	assert_null(prof_check(vsample_test_devices(g)));
	seen[vsample_test_state(g)->phase]++;
	return rig_hash(g);
}

TEST(vsample_past_is_as_it_was)
{
	const unsigned places = rig_small() ? 60 : 250;
	rig_assert_past(&subject, places, machine_and_phase);
	assert_in_range(seen[VSAMPLE_AWAY], 1, 2 * places * 4 / 5); /* each is looked at twice */
	/* Whether places lie in the short phases is chance; back_and_forth_over_an_interpretation
	 * walks through all of them. */
	assert_true(seen[VSAMPLE_INST] || rig_small());
}

TEST(the_past_is_as_it_was_beside_everything_else)
{
	memset(seen, 0, sizeof seen);
	rig_assert_past(&crowded, rig_small() ? 30 : 150, machine_and_phase);
	/* of few places, all may lie outside interpretations */
	assert_true((seen[VSAMPLE_INST] || rig_small()) && seen[VSAMPLE_AWAY]);
}

/* The other methods: an upcall's frame on the program's stack, and the cycles between two
 * interrupts, are where they were. */
static uint64_t armed;

static uint64_t machine_and_method(const struct rig *g)
{
	armed += vsample_test_state(g)->armed && vsample_test_state(g)->phase == VSAMPLE_AWAY;
	return machine_and_phase(g);
}

TEST(the_past_of_the_other_methods)
{
	const unsigned places = rig_small() ? 40 : 120;
	memset(seen, 0, sizeof seen);
	rig_assert_past(&by_upcall, places, machine_and_method);
	assert_int_equal(armed, 0);
	assert_true(rig_small() ||
	            ((seen[VSAMPLE_UPCALL] || seen[VSAMPLE_RETURN]) && seen[VSAMPLE_INST]));
	rig_assert_past(&by_bounce, places, machine_and_method);
	assert_true(armed > 0 || rig_small());
}

/* Cycle by cycle backwards over a whole interrupt with its interpretation, and forwards again. */
TEST(back_and_forth_over_an_interpretation)
{
	enum { CYCLES = 1200 };
	static uint64_t hash[CYCLES];
	struct rig *g = rig_open(&subject);
	uint64_t phases = 0;
	rig_goto(g, 20000);
	const uint64_t from = rig_cycle(g);
	for (unsigned i = 0; i < CYCLES; i++) {
		hash[i] = rig_hash(g);
		phases |= UINT64_C(1) << vsample_test_state(g)->phase;
		rig_cycles(g, 1);
	}
	assert_int_equal(phases, (1 << HANDLER_PHASES) - 1);
	for (unsigned i = CYCLES; i-- > 0;) {
		rig_back_cycles(g, 1);
		assert_int_equal(rig_cycle(g), from + i);
		assert_int_equal(rig_hash(g), hash[i]);
	}
	for (unsigned i = 0; i < CYCLES; i += 7) {
		rig_goto(g, from + i);
		assert_int_equal(rig_hash(g), hash[i]);
	}
	rig_close(g);
}

/* ---- interpreted instructions are found ---- */
static void vsample_test_on_interpreted_leave(void *ctx, const struct machine *m,
                                              const struct event *ev)
{
	struct {
		uint64_t seq, cycle, insts;
	} *last = ctx;
	if (!ev->leave.retired || ev->leave.entered)
		return;
	last->seq = ev->seq;
	last->cycle = ev->cycle;
	last->insts = machine_insts(m);
}

/* By number, and by counting instructions, to the cycle in which it commits. */
TEST(they_have_numbers)
{
	struct rig *g = rig_open(&subject);
	struct {
		uint64_t seq, cycle, insts;
	} last = {0};
	struct err err;
	const struct event_filter f = {.mask = EV_BIT(LEAVE)};
	assert_true(machine_listen(g->s->machine, &f, vsample_test_on_interpreted_leave, &last) >
	            0);
	for (unsigned i = 0; i < 20; i++) {
		rig_cycles(g, 3000 + 77 * i);
		const uint64_t seq = last.seq, cycle = last.cycle, insts = last.insts,
			       now = rig_cycle(g);
		assert_true(seq && cycle < now);
		assert_true(run_goto_seq(g->r, seq, &rig_info, &err));
		assert_int_equal(rig_cycle(g), cycle + 1);
		assert_int_equal(machine_insts(g->s->machine), insts);
		rig_back_cycles(g, 1);
		assert_int_equal(machine_insts(g->s->machine), insts - 1);
		rig_insts(g, 1);
		assert_int_equal(rig_cycle(g), cycle + 1);
		rig_back_insts(g, 1);
		assert_int_equal(machine_insts(g->s->machine), insts - 1);
		rig_goto(g, now);
	}
	rig_close(g);
}

static unsigned stops_in(const char *settings, bool watch, bool backwards)
{
	struct subject how = subject;
	unsigned n = 0;
	how.settings = settings;
	struct rig *g = rig_open(&how);
	rig_break(g, "tick", STAGE_COMMIT);
	if (watch) {
		struct stop_point sp = {.kind = STOP_POINT_MEMORY,
		                        .addr = rig_symbol(g, "counter"),
		                        .size = 8,
		                        .enabled = true};
		assert_true(run_add_stop(g->r, &sp) > 0);
	}
	while (rig_continue(g) == STOPPED_BREAK)
		n++;
	if (backwards) {
		unsigned back = 0;
		while (rig_back_continue(g) == STOPPED_BREAK)
			back++;
		assert_int_equal(back, n);
	}
	rig_close(g);
	return n;
}

/* As often as without a sampler, though nearly everything is interpreted. */
TEST(stop_points_find_them)
{
	static const char most[] =
		"pipe.commit_width=1 vsample.enable=1 vsample.every=1 vsample.length=100 "
	        "vsample.interval_min=1 vsample.interval_max=3 "
		"vsample.interrupt_cycles=2 vsample.start_cycles=0 vsample.inst_cycles=1 "
	        "vsample.tuple_cycles=1";
	for (unsigned watch = 0; watch < 2; watch++) {
		const unsigned right = stops_in("pipe.commit_width=1", watch, false);
		assert_true(right > 3);
		assert_int_equal(stops_in(SAMPLED "pipe.commit_width=1", watch, false), right);
		assert_int_equal(stops_in(most, watch, !watch), right);
	}
}

/* ---- by hand ---- */
TEST(changes_in_the_middle_are_repeated)
{
	struct rig *g = rig_open(&subject);
	struct err err;
	for (unsigned i = 0; i < 8; i++) {
		const uint64_t value = 0x1234 + i;
		rig_cycles(g, 2000 + 131 * i);
		while (vsample_test_state(g)->phase != (i & 1 ? VSAMPLE_INST : VSAMPLE_RECORD))
			rig_cycles(g, 1);
		const uint64_t here = rig_cycle(g);
		/* t6 and the word below the stack: the program does not use them. */
		const struct change c[2] = {
			{.kind = JOURNAL_REG, .a = 31, .b = machine_reg(g->s->machine, 31)},
			{.kind = JOURNAL_MEMORY,
		         .a = machine_reg(g->s->machine, REG_SP) - 4096,
		         .bytes = &value,
		         .n = sizeof value},
		};
		assert_true(run_change(g->r, &c[0], &err) && run_change(g->r, &c[1], &err));
		const uint64_t then = rig_hash(g);
		rig_cycles(g, 900);
		const uint64_t later = rig_hash(g), there = rig_cycle(g);
		rig_goto(g, here - 700);
		rig_goto(g, here);
		assert_int_equal(rig_hash(g), then);
		rig_goto(g, there);
		assert_int_equal(rig_hash(g), later);
	}
	assert_int_equal(rig_continue(g), STOPPED_EXIT);
	rig_close(g);
}

static bool vsample_test_is_in_phase(const struct rig *g, const struct subject *how, unsigned i)
{
	/* it has none: between the two interrupts instead */
	if (how == &by_bounce && i == VSAMPLE_INST)
		return vsample_test_state(g)->armed && vsample_test_state(g)->phase == VSAMPLE_AWAY;
	return vsample_test_state(g)->phase == i || (how == &by_bounce && i == VSAMPLE_LOAD);
}

static void assert_checkpoints_hold(const struct subject *how, unsigned phases)
{
	struct err err = {""};
	struct rig *g = rig_open(how), *h = rig_open(how);
	for (unsigned i = 1; i < phases; i++) {
		rig_cycles(g, 3000 + 431 * i);
		while (!vsample_test_is_in_phase(g, how, i))
			rig_cycles(g, 1);
		if (!checkpoint_save(g->s, "vsample.checkpoint", &err))
			fail_msg("%s", err.msg);
		struct machine *m = checkpoint_load(h->s, "vsample.checkpoint", &err);
		if (!m)
			fail_msg("%s", err.msg);
		session_adopt(h->s, m);
		assert_int_equal(rig_hash(h), rig_hash(g));
		rig_cycles(g, 1500);
		machine_run(h->s->machine, rig_cycle(g), UINT64_MAX);
		assert_int_equal(rig_hash(h), rig_hash(g));
	}
	remove("vsample.checkpoint");
	rig_close(g);
	rig_close(h);
}

TEST(vsample_checkpoints_hold_it)
{
	assert_checkpoints_hold(&subject, HANDLER_PHASES);
	assert_checkpoints_hold(&by_upcall, VSAMPLE_PHASES);
	assert_checkpoints_hold(&by_bounce, HANDLER_PHASES);
}

TEST_GROUP(rig_enter, rig_leave)
