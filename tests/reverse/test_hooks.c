/* Changes that listeners and alarms request while a cycle is reported: they are made after the
 * cycle, in order, at the price of one squash; the journal repeats them without listeners, and a
 * new one cuts the recorded future. */
#include <string.h>

#include "core/machine/alarm.h"
#include "core/machine/change.h"
#include "core/prof/common/attachment.h"
#include "tests/by_hand.h"
#include "tests/reverse/hook_rig.h"
#include "tests/reverse/rig.h"

/* ---- in order, at once, and for its bytes ---- */
static void ask_for_several(struct hook *h)
{
	uint32_t word = 0x11223344;
	struct err err;
	hook_set_later(h->g, REG_T6, 1);
	hook_set_later(h->g, REG_T6, 2);
	hook_set_later(h->g, REG_T5, 3);
	assert_true(machine_change_later(h->g->s->machine,
	                                 &(struct change){.kind = JOURNAL_MEMORY,
	                                                  .a = rig_symbol(h->g, "counter"),
	                                                  .bytes = &word,
	                                                  .n = sizeof word},
	                                 &err));
	word = 0; /* it was copied */
	h->seen = machine_reg(h->g->s->machine, REG_T6);
}

static void hooks_test_read_register(struct hook *h)
{
	h->seen = machine_reg(h->g->s->machine, REG_T6);
}

TEST(one_squash_for_all)
{
	for (int alarm = 0; alarm < 2; alarm++) {
		struct rig *g = rig_open(&hooked);
		struct machine *m = g->s->machine;
		struct hook a = {.g = g, .at = 700, .act = ask_for_several},
			    b = {.g = g, .at = 700, .act = hooks_test_read_register};
		(alarm ? hook_wake_at : hook_listen_all)(&a);
		(alarm ? hook_wake_at : hook_listen_all)(&b);
		struct rig *other = rig_open(&hooked);
		struct machine *plain = other->s->machine;
		rig_cycles(g, 699);
		while (!a.acted) {
			assert_int_equal(machine_journal(m)->entries, 0);
			assert_true(machine_cycle(m) < 900);
			rig_cycles(g, 1);
		}
		machine_run(plain, machine_cycle(m), UINT64_MAX);
		assert_int_equal(machine_cycle(m), a.acted);
		assert_int_equal(b.acted, a.acted);
		/* listeners of this cycle don't see the change */
		assert_int_equal(b.seen, machine_reg(plain, REG_T6));
		assert_int_equal(a.seen, b.seen);
		assert_int_equal(machine_reg(m, REG_T6), 2);
		assert_int_equal(machine_reg(m, REG_T5), 3);
		assert_int_equal(rig_peek(g, "counter") & 0xffffffff, 0x11223344);
		assert_int_equal(machine_stats(m)->squashes, machine_stats(plain)->squashes + 1);
		const struct journal *j = machine_journal(m);
		assert_int_equal(j->entries, 4);
		assert_int_equal(j->st->pos, 4);
		assert_int_equal(journal_bytes(j), 4 * 64 + 8);
		/* The same changes by hand, in the same order. */
		struct err err;
		uint32_t word = 0x11223344;
		assert_true(
			machine_set_reg(plain, REG_T6, 1, &err) &&
			machine_set_reg(plain, REG_T6, 2, &err) &&
			machine_set_reg(plain, REG_T5, 3, &err) &&
			machine_poke(plain, rig_symbol(g, "counter"), &word, sizeof word, &err));
		assert_int_equal(machine_hash(plain), rig_hash(g));
		uint64_t now = rig_cycle(g), hash = rig_hash(g), times = a.told;
		rig_goto(g, 0);
		rig_goto(g, now);
		assert_int_equal(rig_hash(g), hash);
		assert_int_equal(a.told, times); /* no listener was called */
		rig_close(other);
		rig_close(g);
	}
}

/* ---- impossible requests fail at once ---- */
static void ask_for_nonsense(struct hook *h)
{
	struct machine *m = h->g->s->machine;
	uint8_t byte = 0;
	const struct {
		struct change c;
		const char *why;
	} bad[] = {
		{{.kind = JOURNAL_REG, .a = 0, .b = 1}, "x0"},
		{{.kind = JOURNAL_PC, .a = 3}, "0x3"},
		{{.kind = JOURNAL_CSR, .a = 0x7ff}, "control register"},
		{{.kind = JOURNAL_MEMORY, .a = 16, .bytes = &byte, .n = 1}, "0x10"},
		{{.kind = JOURNAL_ATTACHMENT, .a = 77, .bytes = &byte, .n = 1}, "0x4d"},
		{{.kind = JOURNAL_ATTACHMENT, .a = 77}, "no bytes"},
	};
	hook_set_later(h->g, REG_T6, 8);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct err err = {""};
		assert_false(machine_change_later(m, &bad[i].c, &err));
		if (!strstr(err.msg, bad[i].why))
			fail_msg("'%s' does not say '%s'", err.msg, bad[i].why);
	}
	struct err err = {""};
	assert_false(machine_set_reg(m, REG_T6, 1, &err)); /* not in the middle of it */
	assert_non_null(strstr(err.msg, "hooks are running for a cycle"));
	assert_false(run_change(h->g->r, &(struct change){.kind = JOURNAL_REG, .a = REG_T6}, &err));
	hook_set_later(h->g, REG_T5, 9);
}

static void refused_in_replay(void *ctx, const struct machine *m, const struct event *ev)
{
	struct hook *h = ctx;
	struct err err = {""};
	(void)m;
	(void)ev;
	assert_false(machine_change_later(h->g->s->machine,
	                                  &(struct change){.kind = JOURNAL_REG, .a = 5}, &err));
	assert_non_null(strstr(err.msg, "again"));
	h->told++;
}

TEST(hooks_nonsense_is_refused)
{
	struct rig *g = rig_open(&hooked);
	struct hook h = {.g = g, .at = 500, .act = ask_for_nonsense}, replayed = {.g = g};
	struct err err = {""};
	assert_false(machine_change_later(g->s->machine,
	                                  &(struct change){.kind = JOURNAL_REG, .a = 5}, &err));
	assert_non_null(strstr(err.msg, "no hook runs now"));
	hook_listen_all(&h);
	rig_cycles(g, 800);
	assert_true(h.acted > 0);
	assert_int_equal(machine_journal(g->s->machine)->entries, 2);
	rig_goto(g, h.acted);
	assert_int_equal(machine_reg(g->s->machine, REG_T6), 8);
	assert_int_equal(machine_reg(g->s->machine, REG_T5), 9);
	rig_goto(g, 800);
	uint64_t hash = rig_hash(g);
	const struct event_filter commits = {.mask = EV_BIT(COMMIT)};
	assert_true(run_replay(g->r, 100, 700, &commits, refused_in_replay, &replayed, &err));
	assert_true(replayed.told > 0);
	assert_int_equal(rig_hash(g), hash);
	rig_close(g);
}

/* ---- in the past ---- */
static void set_once(struct hook *h)
{
	hook_set_later(h->g, REG_T6, 0x5eed);
}

TEST(the_future_is_cut_on_the_way)
{
	for (int alarm = 0; alarm < 2; alarm++) {
		struct err err;
		struct rig *g = rig_open(&hooked), *plain = rig_open(&hooked);
		rig_goto(g, 600);
		assert_true(run_change(
			g->r, &(struct change){.kind = JOURNAL_REG, .a = REG_T5, .b = 1}, &err));
		rig_goto(g, 1100);
		assert_true(run_change(
			g->r, &(struct change){.kind = JOURNAL_REG, .a = REG_T5, .b = 2}, &err));
		rig_goto(g, 1200);
		uint64_t cuts = rig_history(g).cuts;
		rig_goto(g, 300);
		/* A listener added in the past: its change is a new one, though the way was
		 * recorded. */
		struct hook h = {.g = g, .at = 1000, .act = set_once};
		(alarm ? hook_wake_at : hook_listen_all)(&h);
		rig_cycles(g, 650);
		assert_int_equal(rig_history(g).newest_cycle, 1200);
		assert_int_equal(machine_journal(g->s->machine)->entries, 2);
		rig_cycles(g, 550);
		assert_true(h.acted >= 1000);
		assert_int_equal(rig_cycle(g), 1500); /* it went on */
		assert_int_equal(rig_history(g).newest_cycle, 1500);
		assert_int_equal(rig_history(g).cuts, cuts + 1);
		assert_int_equal(machine_journal(g->s->machine)->entries, 2);
		assert_int_equal(machine_reg(g->s->machine, REG_T5), 1);
		uint64_t hash = rig_hash(g);
		struct machine *m = plain->s->machine;
		machine_run(m, 600, UINT64_MAX);
		assert_true(machine_set_reg(m, REG_T5, 1, &err));
		machine_run(m, h.acted, UINT64_MAX);
		assert_true(machine_set_reg(m, REG_T6, 0x5eed, &err));
		machine_run(m, 1150, UINT64_MAX);
		uint64_t then = machine_hash(m);
		machine_run(m, 1500, UINT64_MAX);
		assert_int_equal(machine_hash(m), hash);
		rig_goto(g, 1150);
		assert_int_equal(rig_hash(g), then);
		rig_goto(g, 0);
		rig_goto(g, 1500);
		assert_int_equal(rig_hash(g), hash);
		rig_close(g);
		rig_close(plain);
	}
}

/* ---- called once ---- */
static void count_first(void *ctx, const struct machine *m, const struct event *ev)
{
	struct hook *h = ctx;
	(void)m;
	(void)ev;
	h->told++;
	if (run_first_time(h->g->r, &h->heard))
		h->acted++;
}

TEST(each_cycle_is_heard_once)
{
	struct err err;
	const struct event_filter f = {.mask = EV_BIT(COMMIT)};
	const struct change set = {.kind = JOURNAL_REG, .a = REG_T6, .b = 1};
	struct rig *g = rig_open(&hooked);
	struct machine *m = g->s->machine;
	struct hook h = {.g = g}, late = {.g = g};
	assert_true(machine_listen(m, &f, count_first, &h) > 0);
	rig_cycles(g, 800);
	assert_int_equal(h.acted, machine_insts(m)); /* of a cycle, all events */
	uint64_t insts[3] = {machine_insts(m)};
	rig_goto(g, 200);
	rig_cycles(g, 300);
	assert_int_equal(h.acted, insts[0]);
	assert_true(h.told > h.acted);
	/* A new listener has not had the recorded events, except those before it goes back. */
	uint64_t at = machine_insts(m);
	assert_true(machine_listen(m, &f, count_first, &late) > 0);
	rig_cycles(g, 100);
	assert_int_equal(late.acted, machine_insts(m) - at);
	rig_back_cycles(g, 300); /* 300 */
	uint64_t from = machine_insts(m), heard = late.acted;
	rig_cycles(g, 200);
	assert_int_equal(machine_insts(m), at);
	assert_int_equal(late.acted, heard + at - from);
	rig_cycles(g, 100);
	assert_int_equal(late.acted, heard + at - from);
	rig_cycles(g, 200);
	assert_int_equal(late.acted, insts[0] - from);
	assert_int_equal(h.acted, insts[0]);
	/* A cut: the recorded future has never been. */
	rig_goto(g, 500);
	insts[1] = machine_insts(m);
	assert_true(run_change(g->r, &set, &err));
	rig_cycles(g, 200);
	assert_int_equal(h.acted, insts[0] + machine_insts(m) - insts[1]);
	assert_int_equal(late.acted, insts[0] - from + machine_insts(m) - insts[1]);
	/* Two cuts, the deeper one first, before a hook is called that is called rarely. */
	uint64_t pc = rig_symbol(g, "site");
	struct hook rare = {.g = g};
	assert_true(machine_listen(m,
	                           &(struct event_filter){
					   .mask = EV_BIT(COMMIT), .pc_lo = pc, .pc_hi = pc + 1},
	                           count_first, &rare) > 0);
	rig_goto(g, 0);
	rig_cycles(g, 3000);
	assert_true(rare.acted > 10 && rare.acted == rare.told);
	rig_goto(g, 2000);
	rare.told = rare.acted = 0;
	assert_true(run_change(g->r, &set, &err));
	rig_cycles(g, 1);
	assert_true(run_change(g->r, &set, &err));
	assert_int_equal(rare.told, 0);
	rig_cycles(g, 1000);
	assert_true(rare.told > 5);
	assert_int_equal(rare.acted, rare.told);
	uint64_t before;
	assert_true(session_restart(g->s, &err));
	before = h.acted;
	rig_cycles(g, 300);
	assert_int_equal(h.acted, before + machine_insts(g->s->machine));
	rig_close(g);
}

/* More stretches than are kept apart. */
TEST(many_stretches)
{
	const struct event_filter f = {.mask = EV_BIT(COMMIT)};
	struct rig *g = rig_open(&hooked);
	rig_goto(g, 1400);
	uint64_t all = machine_insts(g->s->machine);
	struct hook h = {.g = g};
	assert_true(machine_listen(g->s->machine, &f, count_first, &h) > 0);
	for (uint64_t i = 1; i <= RUN_SPANS + 4; i++) { /* gaps of more and more cycles */
		rig_goto(g, 3 * i + i * (i + 1) / 2 * 10);
		rig_cycles(g, 3);
		assert_true(h.heard.spans <= RUN_SPANS);
	}
	uint64_t before = h.acted;
	rig_goto(g, 0);
	rig_cycles(g, 1400);
	assert_true(h.acted > before && h.acted <= all);
	assert_int_equal(h.heard.spans, 1);
	before = h.acted;
	rig_goto(g, 0);
	rig_cycles(g, 1400);
	assert_int_equal(h.acted, before);
	rig_close(g);
}

/* ---- stopping ---- */
static void hooks_test_request_stop(struct hook *h)
{
	machine_request_stop(h->g->s->machine);
}

TEST(a_stop_has_its_reason)
{
	for (int alarm = 0; alarm < 2; alarm++) {
		struct rig *g = rig_open(&hooked);
		struct hook h = {.g = g, .at = 400, .act = hooks_test_request_stop};
		(alarm ? hook_wake_at : hook_listen_all)(&h);
		assert_int_equal(rig_continue(g), STOPPED_ASKED);
		assert_int_equal(rig_cycle(g), h.acted);
		assert_int_equal(rig_continue(g), STOPPED_EXIT);
		rig_back_cycles(g, 5);
		h.acted = 0;
		h.at = rig_cycle(g) + 1;
		if (!alarm) {
			assert_int_equal(rig_cycles(g, 100), STOPPED_ASKED);
			/* A stop point of the same cycle goes first. */
			rig_goto(g, 0);
			h.acted = 0;
			h.at = rig_run_to(g, "site");
			rig_goto(g, 0);
			rig_break(g, "site", STAGE_COMMIT);
			h.acted = 0;
			assert_int_equal(rig_continue(g), STOPPED_BREAK);
		}
		h.acted = 0;
		assert_int_equal(rig_back_continue(g), STOPPED_BEGIN); /* without a listener */
		assert_int_equal(h.acted, 0);
		rig_close(g);
	}
}

TEST_GROUP(rig_enter, rig_leave)
