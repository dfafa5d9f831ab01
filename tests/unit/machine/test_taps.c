/* What a machine does for its devices: in a cycle the cycle tap, its place between commit and
 * interrupts, and events of their own; without timing what is executed, in the fast loop as in
 * single steps. The device is this test's, in the place of the oracle. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "core/isa/csr.h"
#include "core/machine/machine.h"
#include "core/mem/mem.h"
#include "core/pipe/pipe.h"
#include "core/prof/common/emit.h"
#include "core/trap/trap.h"
#include "loader/launch.h"
#include "tests/encode.h"

enum { CODE = 0x10000, DATA = 0x40000, DATA_BYTES = 64 * PAGE_BYTES, ROUNDS = 200 };
enum { X0, T0 = 5, T1 = 6, T2 = 7, A0 = 10, A7 = 17 };

/* Loads that miss, so that in many cycles nothing commits; then exit(0). */
static void put_guest(struct machine *m)
{
	const uint32_t code[] = {
		enc_u(OP_LUI, T0, DATA),
		enc_i(OP_ADDI, T1, X0, ROUNDS),
		enc_i(OP_LD, T2, T0, 0), /* loop */
		enc_i(OP_ADDI, T0, T0, 1024),
		enc_i(OP_ADDI, T1, T1, -1),
		enc_b(OP_BNE, T1, X0, -12),
		enc_i(OP_ADDI, A0, X0, 0),
		enc_i(OP_ADDI, A7, X0, 93),
		enc_i(OP_ECALL, X0, X0, 0),
	};
	struct mem *mem = machine_mem(m);
	assert_true(mem_map(mem, CODE, PAGE_BYTES, PROT_R | PROT_X, "code"));
	assert_true(mem_map(mem, DATA, DATA_BYTES, PROT_R | PROT_W, "data"));
	assert_true(mem_poke(mem, CODE, code, sizeof code));
	machine_hart(m)->pc = CODE;
}

/* ---- the device ---- */
/* What it is told of an instruction without timing. */
struct told {
	uint64_t pc, next_pc, addr, result, more;
};

static struct {
	uint64_t calls, last_cycle;  /* of the cycle tap */
	uint64_t bundles, last_retired;
	uint64_t late;      /* cycles in which the cycle tap came before the bundle */
	uint64_t idle;      /* calls in cycles in which nothing committed */
	uint64_t off_after; /* calls until it is idle again; 0: never */
	bool wakes, reports;
	uint64_t asks_from; /* cycle; 0: no interrupts */
	bool asks;
	uint32_t kinds;
	struct told *log; /* [told], of [log_max] */
	size_t told, log_max;
	size_t stop_at;   /* instructions told of; 0: never */
	uint64_t stop_pc; /* behind the last of them */
} dev;

static void cycle(struct prof *d)
{
	assert_true(dev.calls == 0 || *d->cycle > dev.last_cycle);
	dev.calls++;
	dev.idle += dev.last_retired != *d->cycle;
	dev.last_cycle = *d->cycle;
	if (dev.asks_from && *d->cycle >= dev.asks_from)
		dev.asks = true;
	if (dev.reports)
		PROF_EMIT(d, CONTROL, control, NULL, CODE + (*d->cycle & 1));
	if (dev.off_after && dev.calls % dev.off_after == 0)
		prof_busy(d, DEVICE_ORACLE, false);
}

static void retired(struct prof *d, const struct retired *bundle, unsigned n)
{
	dev.bundles++;
	dev.late += dev.calls && dev.last_cycle == *d->cycle;
	dev.last_retired = *d->cycle;
	if (dev.wakes)
		prof_busy(d, DEVICE_ORACLE, true);
	for (unsigned i = 0; i < n && dev.reports; i++)
		PROF_EMIT(d, PFLAG, pflag, bundle[i].u, bundle[i].u->pc,
		          .flags = bundle[i].u->result, .before = dev.bundles);
}

static bool executed(struct prof *d, const struct executed *e)
{
	PROF_EMIT(d, PFLAG, pflag, NULL, e->pc, .flags = e->result);
	if (e->machine) {
		dev.asks = false; /* it has been heard */
		return false;
	}
	if (dev.told < dev.log_max)
		dev.log[dev.told] = (struct told){
			.pc = e->pc,
			.next_pc = e->done->next_pc,
			.addr = e->done->addr,
			.result = e->in->rd == REG_SINK ? 0 : e->result,
			.more = e->in->raw | (uint64_t)e->done->size << 32 |
		                (uint64_t)e->done->taken << 40 | (uint64_t)e->done->stored << 41 |
		                (uint64_t)(e->h->pc == e->done->next_pc) << 42,
		};
	if (++dev.told != dev.stop_at)
		return false;
	dev.stop_pc = e->done->next_pc;
	return dev.asks = true;
}

static uint32_t kinds(const struct prof *d)
{
	(void)d;
	return dev.kinds;
}

static uint64_t pending(const struct prof *d)
{
	(void)d;
	return (uint64_t)dev.asks << IRQ_INSTRUCTIONS;
}

static uint64_t never(const struct prof *d)
{
	(void)d;
	return UINT64_MAX;
}

static const struct device device = {
	.name = "test", .retired = retired, .cycle = cycle, .executed = executed, .kinds = kinds,
	.pending = pending, .next_cycle = never, .next_inst = never,
};

static void put_device(struct machine *m)
{
	struct prof *d = machine_pipe(m)->prof;
	d->present[d->count++] = &device;
	d->ticks[DEVICE_ORACLE] = &device;
	d->retired = d->operands = d->executed = d->pending = true;
	for (unsigned t = TAP_RETIRED; t <= TAP_CYCLE; t <<= 1)
		d->tap[__builtin_ctz(t)].of[d->tap[__builtin_ctz(t)].count++] = &device;
	memset(&dev, 0, sizeof dev);
	dev.last_retired = UINT64_MAX;
	dev.kinds = UINT32_MAX;
	prof_changed(d);
}

static struct machine *machine_with_device(struct config *cfg)
{
	struct err err;
	struct machine *m = machine_new(cfg, &err);
	if (!m)
		fail_msg("%s", err.msg);
	put_device(m);
	put_guest(m);
	return m;
}

static struct machine *begin(unsigned rob)
{
	struct config cfg;
	config_default(&cfg);
	cfg.rob_size = rob;
	struct machine *m = machine_with_device(&cfg);
	machine_start(m, DATA + DATA_BYTES);
	return m;
}

static void run_to_end(struct machine *m)
{
	machine_run(m, UINT64_MAX, UINT64_MAX);
	assert_int_equal(machine_status(m), MACHINE_EXITED);
	assert_int_equal(machine_exit_status(m), 0);
}

static void nobody(void *ctx, const struct machine *m, const struct event *ev)
{
	(void)m, (void)ev;
	++*(uint64_t *)ctx;
}

/* ---- the cycle tap ---- */
/* In every variant, once in each cycle, behind the bundle, in cycles in which nothing commits, in
 * the last one. */
static void a_busy_device_is_called_in_each_cycle(void **state)
{
	(void)state;
	static const struct event_filter all = {.mask = UINT64_MAX};
	uint64_t cycles[2] = {0};
	for (unsigned i = 0; i < 4; i++) {
		struct machine *m = begin(i & 1 ? 64 : 256);
		uint64_t heard = 0;
		if (i & 2)
			assert_true(machine_listen(m, &all, nobody, &heard) > 0);
		prof_busy(machine_pipe(m)->prof, DEVICE_ORACLE, true);
		run_to_end(m);
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

/* Each bundle wakes it for the rest of its cycle, which is when commit is over. */
static void an_idle_device_is_not_called(void **state)
{
	(void)state;
	struct machine *m = begin(64);
	machine_run(m, 500, UINT64_MAX);
	assert_true(dev.bundles > 10);
	assert_int_equal(dev.calls, 0);
	dev.wakes = true;
	dev.off_after = 1;
	uint64_t before = dev.bundles;
	run_to_end(m);
	assert_int_equal(dev.calls, dev.bundles - before);
	assert_int_equal(dev.idle, 0);
	assert_int_equal(machine_pipe(m)->prof->st->busy, 0);
	machine_free(m);
}

static void only_who_has_a_tap_may_be_busy(void **state)
{
	(void)state;
	struct machine *m = begin(64);
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

/* ---- interrupts ---- */
/* Firmware that waits (wfi) and returns. */
static struct machine *with_firmware(void)
{
	struct config cfg;
	config_default(&cfg);
	cfg.firmware = 1;
	struct machine *m = machine_with_device(&cfg);
	const uint32_t code[] = {enc_i(OP_WFI, X0, X0, 0), enc_i(OP_MRET, X0, X0, 0)};
	assert_true(mem_map(machine_mem(m), FIRMWARE_BASE, PAGE_BYTES, PROT_R | PROT_X | PROT_M,
	                    "firmware"));
	assert_true(mem_poke(machine_mem(m), FIRMWARE_BASE, code, sizeof code));
	return m;
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

/* What a device asks for in its turn is asked of it in the same cycle, whether something commits in
 * it or not. */
static void interrupts_come_behind_the_cycle_tap(void **state)
{
	(void)state;
	static const struct event_filter filter = {.mask = EV_BIT(COMMIT) | EV_BIT(CONTROL) |
	                                                   EV_BIT(INTERRUPT)};
	unsigned with = 0, without = 0;
	for (uint64_t at = 600; at < 1600; at += 37) {
		struct machine *m = with_firmware();
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

/* wfi: an interrupt may still come from a device that is busy; from an idle one it can't, which is
 * found in the cycle behind. */
static void firmware_waits_for_a_busy_device(void **state)
{
	(void)state;
	for (unsigned how = IDLE; how <= BUSY_FOR_A_WHILE; how++) {
		const bool busy = how == BUSY;
		struct machine *m = with_firmware();
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

static void hear(void *ctx, const struct machine *m, const struct event *ev)
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
	struct machine *m = begin(64);
	assert_true(machine_listen(m, filter, hear, &h) > 0);
	prof_busy(machine_pipe(m)->prof, DEVICE_ORACLE, true);
	dev.reports = true;
	run_to_end(m);
	machine_free(m);
	return h;
}

static void devices_are_heard(void **state)
{
	(void)state;
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
	/* The counter's odd values, and 93; but not the loads and the address. */
	assert_int_equal(hook_position(&odd).events, ROUNDS / 2 + 1);
}

/* What nobody's condition lets through takes no room and ends no run. */
static void what_fits_no_condition_is_taken_back(void **state)
{
	(void)state;
	static const struct event_filter odd = {.mask = EV_BIT(PFLAG), .where = odd_result};
	struct ear h = {0};
	struct machine *m = begin(64);
	assert_true(machine_listen(m, &odd, hear, &h) > 0);
	dev.reports = true;
	while (machine_step(m))
		assert_int_equal(machine_pipe(m)->events.count > 0, h.events > 0), h.events = 0;
	machine_free(m);
}

static void without_timing_or_listeners_there_are_none(void **state)
{
	(void)state;
	static const struct event_filter pflags = {.mask = EV_BIT(PFLAG)};
	struct ear h = {0};
	struct machine *m = begin(64);
	assert_true(machine_listen(m, &pflags, hear, &h) > 0);
	dev.reports = true;
	assert_int_equal(machine_run_functional(m, 50, false), 50);
	assert_int_equal(machine_pipe(m)->events.count, 0);
	assert_int_equal(h.events, 0);
	/* Muted: as if nobody listened; and then again. */
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

/* ---- without timing ---- */
enum { LOG_MAX = 300000 };

static void swallow(void *ctx, int fd, const void *bytes, size_t n)
{
	(void)ctx, (void)fd, (void)bytes, (void)n;
}

/* What is told of a guest's first instructions; slow: one step at a time. */
static size_t log_guest(const char *path, uint32_t of_kinds, bool slow, struct told *log)
{
	struct err err;
	struct config cfg;
	const struct launch l = {.path = path, .stdin_fd = -1, .output = swallow};
	struct program *p = launch_program(&l, &err);
	if (!p)
		fail_msg("%s", err.msg);
	config_default(&cfg);
	struct machine *m = launch_machine(&l, p, &cfg, &err);
	if (!m)
		fail_msg("%s", err.msg);
	put_device(m);
	dev.kinds = of_kinds;
	dev.log = log;
	dev.log_max = LOG_MAX;
	machine_run_functional(m, LOG_MAX, slow);
	machine_free(m);
	program_free(p);
	return dev.told;
}

static void compare_guest(const char *path, uint32_t of_kinds)
{
	struct told *fast = calloc(LOG_MAX, sizeof *fast), *slow = calloc(LOG_MAX, sizeof *slow);
	assert_true(fast && slow);
	const size_t n = log_guest(path, of_kinds, false, fast),
		     steps = log_guest(path, of_kinds, true, slow);
	for (size_t i = 0; i < n && i < steps; i++)
		if (memcmp(&fast[i], &slow[i], sizeof *fast))
			fail_msg("%s: instruction %zu told: at %llx, not %llx, or something else "
			         "of it",
			         path, i, (unsigned long long)fast[i].pc,
			         (unsigned long long)slow[i].pc);
	assert_int_equal(n, steps);
	assert_true(n > 20);
	free(fast);
	free(slow);
}

/* System calls, code that changes, longjmp, profile instructions. */
static void guests_are_told_of_as_in_steps(void **state)
{
	(void)state;
	static const char *const guests[] = {
		"build/demos/hello",   "build/demos/fib",    "build/demos/selfmod",
		"build/demos/longjmp", "build/demos/matmul", "build/demos/papers/regex-calls.elf",
	};
	for (size_t i = 0; i < sizeof guests / sizeof *guests; i++) {
		FILE *f = fopen(guests[i], "r");
		if (!f)
			skip(); /* make demos */
		fclose(f);
		compare_guest(guests[i], UINT32_MAX);
		compare_guest(guests[i], 1 << INST_LOAD | 1 << INST_JUMP | 1 << INST_SYSTEM);
	}
}

/* Each kind is told when it is asked for, and nothing else; an interrupt is taken right behind the
 * instruction. */
static void a_device_is_told_of_its_kinds(void **state)
{
	(void)state;
	static const size_t by_kind[] = {[INST_LOAD] = ROUNDS,
	                                 [INST_BRANCH] = ROUNDS,
	                                 [INST_INT] = 4 + 2 * ROUNDS,
	                                 [INST_SYSTEM] = 1,
	                                 [INST_STORE] = 0};
	for (unsigned slow = 0; slow < 2; slow++)
		for (unsigned kind = 0; kind < INST_KIND_COUNT; kind++) {
			struct machine *m = begin(64);
			dev.kinds = 1u << kind;
			machine_run_functional(m, UINT64_MAX, slow);
			assert_int_equal(machine_status(m), MACHINE_EXITED);
			assert_int_equal(dev.told, kind < sizeof by_kind / sizeof *by_kind
			                                   ? by_kind[kind]
			                                   : 0);
			machine_free(m);
		}
}

/* Of the loop's counter, which the guest writes in every other integer instruction. */
static void results_are_those_of_the_destination(void **state)
{
	(void)state;
	struct told log[4 + 2 * ROUNDS];
	for (unsigned slow = 0; slow < 2; slow++) {
		struct machine *m = begin(64);
		dev.kinds = 1 << INST_INT;
		dev.log = log;
		dev.log_max = sizeof log / sizeof *log;
		machine_run_functional(m, UINT64_MAX, slow);
		assert_int_equal(dev.told, dev.log_max);
		assert_int_equal(log[0].result, DATA);
		for (unsigned i = 0; i < ROUNDS; i++) {
			assert_int_equal(log[2 + 2 * i].result, DATA + 1024 * (i + 1));
			assert_int_equal(log[3 + 2 * i].result, ROUNDS - 1 - i);
		}
		machine_free(m);
	}
}

static void an_interrupt_comes_right_behind_the_instruction(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 20; i++) {
		struct machine *m = with_firmware();
		struct hart *h = machine_hart(m);
		h->mie = UINT64_C(1) << IRQ_INSTRUCTIONS;
		h->mtvec = FIRMWARE_BASE;
		machine_start(m, DATA + DATA_BYTES);
		dev.kinds = 1 << INST_LOAD | 1 << INST_SYSTEM;
		dev.stop_at = 1 + 9 * (i / 2);
		/* Far enough for the fast loop: what is left over is single steps. */
		machine_run_functional(m, 1000000, i & 1);
		assert_int_equal(machine_status(m), MACHINE_EXITED);
		assert_int_equal(machine_stats(m)->firmware_interrupts, 1);
		assert_int_equal(dev.stop_pc, CODE + 12);
		assert_int_equal(h->mepc, dev.stop_pc);
		machine_free(m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_busy_device_is_called_in_each_cycle),
		cmocka_unit_test(an_idle_device_is_not_called),
		cmocka_unit_test(only_who_has_a_tap_may_be_busy),
		cmocka_unit_test(interrupts_come_behind_the_cycle_tap),
		cmocka_unit_test(firmware_waits_for_a_busy_device),
		cmocka_unit_test(devices_are_heard),
		cmocka_unit_test(what_fits_no_condition_is_taken_back),
		cmocka_unit_test(without_timing_or_listeners_there_are_none),
		cmocka_unit_test(guests_are_told_of_as_in_steps),
		cmocka_unit_test(a_device_is_told_of_its_kinds),
		cmocka_unit_test(results_are_those_of_the_destination),
		cmocka_unit_test(an_interrupt_comes_right_behind_the_instruction),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
