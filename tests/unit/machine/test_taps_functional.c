/* Devices' view of execution without timing: the same as in steps. */
#include "tests/unit/machine/taps_fixture.h"

/* ---- without timing ---- */
enum { LOG_MAX = 300000 };

/* Reports of a guest's first instructions; slow: one step at a time. */
static size_t log_guest(const char *path, uint32_t of_kinds, bool slow, struct told *log)
{
	struct err err;
	struct config cfg;
	const struct launch l = {.path = path, .stdin_fd = -1, .output = os_no_output};
	struct program *p = launch_program(&l, &err);
	if (!p)
		fail_msg("%s", err.msg);
	config_default(&cfg);
	struct machine *m = launch_machine(&l, p, &cfg, &err);
	if (!m)
		fail_msg("%s", err.msg);
	taps_fixture_insert_device(m);
	dev.kinds = of_kinds;
	dev.log = log;
	dev.log_max = LOG_MAX;
	machine_run_functional(m, LOG_MAX, slow);
	machine_free(m);
	program_free(p);
	return dev.told;
}

static void taps_functional_compare_guest(const char *path, uint32_t of_kinds)
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
TEST(guests_are_told_of_as_in_steps)
{
	static const char *const guests[] = {
		"build/demos/hello",   "build/demos/fib",    "build/demos/selfmod",
		"build/demos/longjmp", "build/demos/matmul", "build/demos/papers/regex-calls.elf",
	};
	for (size_t i = 0; i < sizeof guests / sizeof *guests; i++) {
		FILE *f = fopen(guests[i], "r");
		if (!f)
			skip(); /* make demos */
		fclose(f);
		taps_functional_compare_guest(guests[i], UINT32_MAX);
		taps_functional_compare_guest(guests[i],
		                              1 << INST_LOAD | 1 << INST_JUMP | 1 << INST_SYSTEM);
	}
}

/* Only requested kinds of instructions are reported; an interrupt is taken right after the
 * instruction. */
TEST(a_device_is_told_of_its_kinds)
{
	static const size_t by_kind[] = {[INST_LOAD] = ROUNDS,
	                                 [INST_BRANCH] = ROUNDS,
	                                 [INST_INT] = 4 + 2 * ROUNDS,
	                                 [INST_SYSTEM] = 1,
	                                 [INST_STORE] = 0};
	for (unsigned slow = 0; slow < 2; slow++)
		for (unsigned kind = 0; kind < INST_KIND_COUNT; kind++) {
			struct machine *m = taps_fixture_start_machine(64);
			dev.kinds = 1u << kind;
			machine_run_functional(m, UINT64_MAX, slow);
			assert_int_equal(machine_status(m), MACHINE_EXITED);
			assert_int_equal(dev.told, kind < sizeof by_kind / sizeof *by_kind
			                                   ? by_kind[kind]
			                                   : 0);
			machine_free(m);
		}
}

/* Results of the loop's counter, which every other integer instruction writes. */
TEST(results_are_those_of_the_destination)
{
	struct told log[4 + 2 * ROUNDS];
	for (unsigned slow = 0; slow < 2; slow++) {
		struct machine *m = taps_fixture_start_machine(64);
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

TEST(an_interrupt_comes_right_behind_the_instruction)
{
	for (unsigned i = 0; i < 20; i++) {
		struct machine *m = taps_fixture_firmware_machine();
		struct hart *h = machine_hart(m);
		h->mie = UINT64_C(1) << IRQ_INSTRUCTIONS;
		h->mtvec = FIRMWARE_BASE;
		machine_start(m, DATA + DATA_BYTES);
		dev.kinds = 1 << INST_LOAD | 1 << INST_SYSTEM;
		dev.stop_at = 1 + 9 * (i / 2);
		/* Enough budget for the fast loop: the end of a budget is single steps. */
		machine_run_functional(m, 1000000, i & 1);
		assert_int_equal(machine_status(m), MACHINE_EXITED);
		assert_int_equal(machine_stats(m)->firmware_interrupts, 1);
		assert_int_equal(dev.stop_pc, CODE + 12);
		assert_int_equal(h->mepc, dev.stop_pc);
		machine_free(m);
	}
}
