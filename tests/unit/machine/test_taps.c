/* A machine's calls to its devices: the cycle tap, between commit and interrupts, and devices' own
 * events. */
#include "core/defs/devices.h"
#include "tests/unit/machine/taps_fixture.h"

static void taps_run_to_end(struct machine *m)
{
	machine_run(m, UINT64_MAX, UINT64_MAX);
	assert_int_equal(machine_status(m), MACHINE_EXITED);
	assert_int_equal(machine_exit_status(m), 0);
}

static void taps_count_event(void *ctx, const struct machine *m, const struct event *ev)
{
	(void)m, (void)ev;
	++*(uint64_t *)ctx;
}

/* ---- the cycle tap ---- */
/* Every variant calls the cycle tap once in each cycle, after the bundle, in cycles without a
 * commit, and in the last one. */
TEST(a_busy_device_is_called_in_each_cycle)
{
	static const struct event_filter all = {.mask = UINT64_MAX};
	uint64_t cycles[2] = {0};
	for (unsigned i = 0; i < 4; i++) {
		struct machine *m = taps_fixture_start_machine(i & 1 ? 64 : 256);
		uint64_t heard = 0;
		if (i & 2)
			assert_true(machine_listen(m, &all, taps_count_event, &heard) > 0);
		prof_busy(machine_pipe(m)->prof, DEVICE_ORACLE, true);
		taps_run_to_end(m);
		assert_int_equal(dev.calls, machine_cycle(m));
		assert_int_equal(dev.last_cycle, machine_cycle(m) - 1);
		assert_int_equal(dev.last_retired, dev.last_cycle);
		assert_int_equal(dev.late, 0);
		assert_true(dev.idle > 1000);
		assert_int_equal(dev.idle + dev.bundles, dev.calls);
		assert_int_equal(heard > 0, (i & 2) != 0);
		assert_true(!cycles[i & 1] || cycles[i & 1] == machine_cycle(m));
		cycles[i & 1] = machine_cycle(m);
		machine_free(m);
	}
}

/* Each bundle wakes the device for the rest of the cycle in which commit has ended. */
TEST(an_idle_device_is_not_called)
{
	struct machine *m = taps_fixture_start_machine(64);
	machine_run(m, 500, UINT64_MAX);
	assert_true(dev.bundles > 10);
	assert_int_equal(dev.calls, 0);
	dev.wakes = true;
	dev.off_after = 1;
	uint64_t before = dev.bundles;
	taps_run_to_end(m);
	assert_int_equal(dev.calls, dev.bundles - before);
	assert_int_equal(dev.idle, 0);
	assert_int_equal(machine_pipe(m)->prof->st->busy, 0);
	machine_free(m);
}

TEST(only_who_has_a_tap_may_be_busy)
{
	struct machine *m = taps_fixture_start_machine(64);
	struct prof *d = machine_pipe(m)->prof;
	assert_null(prof_check(d));
	prof_busy(d, DEVICE_ORACLE, true);
	assert_null(prof_check(d));
	prof_busy(d, DEVICE_FIRMWARE, true);
	assert_non_null(prof_check(d));
	d->st->busy = UINT64_C(1) << DEVICE_COUNT;
	assert_non_null(prof_check(d));
	machine_free(m);
}

struct order {
	uint64_t control, commit, interrupt, taken_in;
};

static void note_order(void *ctx, const struct machine *m, const struct event *ev)
{
	struct order *o = ctx;
	(void)m;
	if (ev->cycle != dev.asks_from)
		return;
	if (ev->id == EV_COMMIT)
		assert_int_equal(o->control, 0);
	o->commit += ev->id == EV_COMMIT;
	o->control += ev->id == EV_CONTROL;
	if (ev->id == EV_INTERRUPT) {
		assert_int_equal(o->control, 1);
		o->interrupt++;
	}
}

/* A device's interrupt comes in the cycle of its request, with a commit in that cycle or without.
 */
TEST(interrupts_come_behind_the_cycle_tap)
{
	static const struct event_filter filter = {.mask = EV_BIT(COMMIT) | EV_BIT(CONTROL) |
	                                                   EV_BIT(INTERRUPT)};
	unsigned with = 0, without = 0;
	for (uint64_t at = 600; at < 1600; at += 37) {
		struct machine *m = taps_fixture_firmware_machine();
		struct hart *h = machine_hart(m);
		struct order o = {0};
		h->mie = UINT64_C(1) << IRQ_INSTRUCTIONS;
		h->mtvec = FIRMWARE_BASE;
		machine_start(m, DATA + DATA_BYTES);
		assert_true(machine_listen(m, &filter, note_order, &o) > 0);
		dev.asks_from = at;
		dev.reports = true;
		prof_busy(machine_pipe(m)->prof, DEVICE_ORACLE, true);
		machine_run(m, at + 1, UINT64_MAX);
		assert_int_equal(o.interrupt, 1);
		with += o.commit > 0;
		without += o.commit == 0;
		machine_free(m);
	}
	assert_true(with && without);
}

enum { IDLE, BUSY, BUSY_FOR_A_WHILE };

/* wfi: a busy device may still interrupt; an idle device can't, which ends the run in the next
 * cycle. */
TEST(firmware_waits_for_a_busy_device)
{
	for (unsigned how = IDLE; how <= BUSY_FOR_A_WHILE; how++) {
		const bool busy = how == BUSY;
		struct machine *m = taps_fixture_firmware_machine();
		struct err err;
		assert_true(machine_boot_firmware(m, FIRMWARE_BASE, &err));
		machine_hart(m)->mie = UINT64_C(1) << IRQ_INSTRUCTIONS;
		machine_start(m, DATA + DATA_BYTES);
		dev.asks_from = 500;
		dev.off_after = how == BUSY_FOR_A_WHILE ? 300 : 0;
		prof_busy(machine_pipe(m)->prof, DEVICE_ORACLE, how != IDLE);
		machine_run(m, 2000, 2);
		assert_int_equal(machine_status(m), busy ? MACHINE_RUNNING : MACHINE_FAULTED);
		assert_int_equal(machine_stats(m)->firmware_insts, busy ? 2 : 0);
		if (busy)
			assert_true(machine_cycle(m) > 500 && machine_cycle(m) < 520);
		else
			assert_int_equal(machine_fault(m)->trap, TRAP_NO_INTERRUPT);
		if (how == BUSY_FOR_A_WHILE)
			assert_int_equal(machine_cycle(m), 301);
		machine_free(m);
	}
}

/* ---- events ---- */
struct ear {
	uint64_t events, of_cycle_tap;
	uint64_t seq, pc, flags, commits;
};

static void taps_check_event(void *ctx, const struct machine *m, const struct event *ev)
{
	struct ear *h = ctx;
	const struct pipe *p = machine_pipe(m);
	h->events++;
	assert_int_equal(ev->cycle, machine_cycle(m) - 1);
	if (ev->id == EV_COMMIT) {
		h->commits++;
		h->seq = ev->seq;
		h->pc = ev->pc;
		h->flags = ev->commit.result;
	} else if (ev->id == EV_PFLAG) {
		const struct uop *u = &p->pool[ev->slot];
		assert_int_equal(u->seq, ev->seq);
		assert_int_equal(u->pc, ev->pc);
		assert_int_equal(u->inst.op, ev->op);
		assert_int_equal(ev->pflag.flags, u->result);
		assert_int_equal(ev->pflag.before, dev.bundles);
	} else {
		assert_int_equal(ev->id, EV_CONTROL);
		assert_int_equal(ev->slot, EVENT_NO_SLOT);
		assert_int_equal(ev->seq, 0);
		h->of_cycle_tap++;
	}
}

static bool odd_result(const void *ctx, const struct event *ev)
{
	(void)ctx;
	return ev->pflag.flags & 1;
}

static struct ear hook_position(const struct event_filter *filter)
{
	struct ear h = {0};
	struct machine *m = taps_fixture_start_machine(64);
	assert_true(machine_listen(m, filter, taps_check_event, &h) > 0);
	prof_busy(machine_pipe(m)->prof, DEVICE_ORACLE, true);
	dev.reports = true;
	taps_run_to_end(m);
	machine_free(m);
	return h;
}

TEST(devices_are_heard)
{
	static const struct event_filter both = {.mask = EV_BIT(PFLAG) | EV_BIT(CONTROL)};
	static const struct event_filter commits = {.mask = EV_BIT(COMMIT)},
					 pflags = {.mask = EV_BIT(PFLAG)};
	static const struct event_filter odd_pc = {
		.mask = EV_BIT(CONTROL), .pc_lo = CODE + 1, .pc_hi = CODE + 2};
	static const struct event_filter loads = {.mask = EV_BIT(PFLAG) | EV_BIT(CONTROL),
	                                          .kinds = 1 << INST_LOAD};
	static const struct event_filter odd = {.mask = EV_BIT(PFLAG), .where = odd_result};
	const struct ear h = hook_position(&both);
	const uint64_t insts = hook_position(&commits).commits;
	assert_int_equal(h.of_cycle_tap, dev.calls);
	assert_int_equal(h.events - h.of_cycle_tap, insts);
	assert_int_equal(hook_position(&pflags).events, insts);
	assert_int_equal(hook_position(&odd_pc).events, dev.calls / 2);
	assert_int_equal(hook_position(&loads).events, ROUNDS);
	/* The counter's odd values, and 93; neither the loads nor the address. */
	assert_int_equal(hook_position(&odd).events, ROUNDS / 2 + 1);
}

/* An event that passes no listener's condition takes no room and ends no run. */
TEST(what_fits_no_condition_is_taken_back)
{
	static const struct event_filter odd = {.mask = EV_BIT(PFLAG), .where = odd_result};
	struct ear h = {0};
	struct machine *m = taps_fixture_start_machine(64);
	assert_true(machine_listen(m, &odd, taps_check_event, &h) > 0);
	dev.reports = true;
	while (machine_step(m))
		assert_int_equal(machine_pipe(m)->events.count > 0, h.events > 0), h.events = 0;
	machine_free(m);
}

TEST(without_timing_or_listeners_there_are_none)
{
	static const struct event_filter pflags = {.mask = EV_BIT(PFLAG)};
	struct ear h = {0};
	struct machine *m = taps_fixture_start_machine(64);
	assert_true(machine_listen(m, &pflags, taps_check_event, &h) > 0);
	dev.reports = true;
	assert_int_equal(machine_run_functional(m, 50, false), 50);
	assert_int_equal(machine_pipe(m)->events.count, 0);
	assert_int_equal(h.events, 0);
	/* Muted, the run is as without listeners; unmuted, as with them. */
	machine_mute(m, true);
	machine_run(m, 1000, UINT64_MAX);
	assert_true(dev.bundles > 0);
	assert_int_equal(machine_pipe(m)->events.count, 0);
	assert_int_equal(h.events, 0);
	machine_mute(m, false);
	machine_run(m, 2000, UINT64_MAX);
	assert_true(h.events > 0);
	machine_free(m);
}
