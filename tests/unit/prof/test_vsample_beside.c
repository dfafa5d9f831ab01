/* Conditions that the value sampler's handler may meet: changes by hand, firmware, caches,
 * execution without timing. */
#include "tests/by_hand.h"
#include "core/pipe/interrupt/interpret.h"

#include <math.h>

#include "tests/unit/prof/vsample_methods.h"

#include "core/machine/change.h"
#include "core/prof/sampler/sampler.h"
#include "loader/launch.h"
#include "loader/program.h"
#include "tests/scale.h"
#include "tests/unit/loader/cross.h"
#include "tests/unit/prof/firmware_asm.h"

/* ---- by hand ---- */
/* Changes by hand while the handler runs hold from the next instruction on: registers, memory,
 * pc. */
TEST(changes_by_hand_hold)
{
	const char *const how[] = {EAGER, AT_FIFTH_ROUND, "vsample.length=7", NULL};
	for (unsigned wait = 0; wait < 160; wait++) {
		struct machine *m = vsample_fixture_loop_machine(how);
		struct err err;
		const uint64_t ten = 10;
		while (handler_of(m)->phase == VSAMPLE_AWAY)
			machine_step(m);
		for (unsigned i = 0; i < wait; i++)
			machine_step(m);
		assert_true(handler_of(m)->phase != VSAMPLE_AWAY);
		assert_true(machine_set_reg(m, A1, 5, &err) &&
		            machine_poke(m, DATA + 8, &ten, 8, &err));
		/* Goes to the instruction that computes A0 from A1, then to the end. */
		assert_true(machine_set_pc(m, CODE + 4 * 20, &err) &&
		            machine_set_reg(m, A7, 93, &err));
		assert_int_equal(machine_pc(m), CODE + 4 * 20);
		vsample_fixture_run_to_end(m);
		assert_int_equal(machine_exit_status(m), 5);
		/* The interpretation began anew, without the load's time. */
		for (uint64_t n = 1; n <= machine_stats(m)->vsample_tuples; n++) {
			const struct vsample_tuple *t = vsample_find(machine_pipe(m)->prof, n);
			assert_true(t && (t->latency != 0) == (t->level != LEVEL_NONE) &&
			            (t->level != LEVEL_NONE) == ((t->word & 0x7f) == 3));
		}
		machine_free(m);
	}
}

/* ---- firmware ---- */
/* A firmware interrupt ends the handler's interpretation, and suspends a library's; it is precise.
 * Firmware is neither sampled nor interpreted, and its cycles do not count towards an interval. */
static const char by_instructions[] =
	FIRMWARE(" li t1, 777\n sd t1, 0x18(DEV)\n li t1, 1 << 16\n csrw mie, t1\n",
                 " ld t1, 0x10(DEV)\n ld t2, 0x18(DEV)\n sub t1, t1, t2\n snez t1, t1\n la t2, "
                 "late\n ld t3, 0(t2)\n add t3, t3, t1\n sd t3, 0(t2)\n"
                 " la t2, count\n ld t1, 0(t2)\n addi t3, t1, 1\n sd t3, 0(t2)\n"
                 " ld t2, 0x18(DEV)\n addi t2, t2, 131\n sd t2, 0x18(DEV)\n");

static const char guest[] = "#include <stdio.h>\nstatic unsigned x = 1; static long cells[1024];\n"
			    "int main(void) { long s = 0;\n"
			    " for (int i = 0; i < 3000; i++) { x = x * 1103515245u + 12345u; "
                            "cells[x >> 22] += i; s ^= cells[(x >> 12) & 1023]; }\n"
			    " printf(\"%ld\\n\", s); return (int)(s & 63); }\n";

TEST(firmware_comes_first)
{
	struct cross program, firmware;
	struct err err;
	if (!cross_build(&program, "c", guest, "-O2 -static"))
		skip();
	assert_true(cross_build(&firmware, "S", by_instructions, FIRMWARE_FLAGS));
	char *argv[] = {program.program, NULL}, *env[] = {NULL};
	const struct launch l = {.path = program.program,
	                         .argv = argv,
	                         .env = env,
	                         .firmware = firmware.program,
	                         .stdin_fd = -1,
	                         .output = os_no_output};
	enum { RUNS = 4 };
#define WITH_FIRMWARE(method)                                                                      \
	{                                                                                          \
		EAGER, "firmware.enable=true", "vsample.interval_min=20",                          \
			"vsample.interval_max=90", "vsample.length=30", "vsample.upcall_cycles=3", \
			"vsample.return_cycles=2", "vsample.bounce_cycles=10",                     \
			"vsample.method=" method, NULL                                             \
	}
	static const char *const how[RUNS][20] = {{"firmware.enable=true", NULL},
	                                          WITH_FIRMWARE("handler"),
	                                          WITH_FIRMWARE("upcall"),
	                                          WITH_FIRMWARE("bounce")};
	const struct config cfg[RUNS] = {
		vsample_fixture_config(how[0]), vsample_fixture_config(how[1]),
		vsample_fixture_config(how[2]), vsample_fixture_config(how[3])};
	uint64_t count[RUNS], late[RUNS] = {1, 1, 1, 1}, insts[RUNS];
	for (unsigned i = 0; i < RUNS; i++) {
		struct program *p = launch_program(&l, &err);
		struct machine *m = p ? launch_machine(&l, p, &cfg[i], &err) : NULL;
		if (!m)
			fail_msg("%s", err.msg);
		machine_run(m, UINT64_MAX, UINT64_MAX);
		assert_int_equal(machine_status(m), MACHINE_EXITED);
		const struct stats *s = machine_stats(m);
		count[i] = s->firmware_interrupts;
		insts[i] = s->insts;
		const struct symbol *symbol = program_symbol_by_name(p, "late");
		assert_true(symbol && machine_peek(m, symbol->addr, &late[i], sizeof late[i]));
		if (i) {
			assert_int_equal(s->vsample_stop_interrupt > 50, i == 1);
			assert_int_equal(s->vsample_broken > 50, i == 2);
			assert_int_equal(s->vsample_stop_length > 50, i != 3);
			assert_int_equal(s->vsample_stop_block > 50, i == 3);
			assert_int_equal(s->vsample_cycles, cost_of(m));
			assert_int_equal(s->cpi_firmware,
			                 s->firmware_cycles * (uint64_t)cfg[i].commit_width);
		}
		machine_free(m);
		program_free(p);
	}
	assert_true(count[0] > 100);
	for (unsigned i = 0; i < RUNS; i++) {
		assert_int_equal(count[i], count[0]);
		assert_int_equal(late[i], 0);
		assert_int_equal(insts[i], insts[0]);
	}
	cross_remove(&program);
	cross_remove(&firmware);
}

/* Displayed flags of floating point follow the interpretation. */
TEST(flags_of_floating_point_are_committed)
{
	const uint32_t code[] = {
		enc_i(OP_ADDI, T0, X0, 1), enc_i(OP_ADDI, T1, X0, 3),
		ENC(FCVT_D_L, .rd = 1, .rs1 = T0), ENC(FCVT_D_L, .rd = 2, .rs1 = T1),
		ENC(FDIV_D, .rd = 3, .rs1 = 1, .rs2 = 2), /* inexact: interpreted */
		enc_i(OP_ADDI, A7, X0, 93), enc_i(OP_ECALL, X0, X0, 0),
	};
	const char *const how[] = {EAGER, "vsample.interval_min=2", "vsample.interval_max=2",
	                           "vsample.length=3", NULL};
	struct machine *m = vsample_fixture_new_machine(code, sizeof code, how);
	while (!vsample_find(machine_pipe(m)->prof, 2))
		machine_step(m);
	assert_int_equal(machine_fcsr(m), 0);
	while (!vsample_find(machine_pipe(m)->prof, 3))
		machine_step(m);
	assert_int_equal(machine_fcsr(m), 1);
	assert_int_equal(vsample_find(machine_pipe(m)->prof, 3)->pc, CODE + 16);
	vsample_fixture_run_to_end(m);
	machine_free(m);
}

/* The interrupt, the interpreter's routines and the tuples each leave their lines in the caches. */
TEST(the_handler_has_a_footprint)
{
	const char *const how[] = {EAGER,
	                           AT_FIFTH_ROUND,
	                           "vsample.length=7",
	                           "vsample.interrupt_cycles=400",
	                           "vsample.code_lines=40",
	                           "vsample.data_lines=20",
	                           "vsample.varied_lines=0",
	                           "vsample.inst_lines=3",
	                           "l1d.write_buffer=0",
	                           "l1d.mshrs=0",
	                           NULL};
	struct machine *m = vsample_fixture_loop_machine(how);
	const struct hierarchy *h = &machine_pipe(m)->mem;
	while (handler_of(m)->phase == VSAMPLE_AWAY)
		machine_step(m);
	assert_int_equal(vsample_methods_count_resident_lines(&h->l1i, VSAMPLE_BASE, 4096), 0);
	assert_int_equal(vsample_methods_count_resident_lines(&h->l1d, VSAMPLE_DATA, 4096), 0);
	while (handler_of(m)->phase == VSAMPLE_ENTERED)
		machine_step(m);
	assert_int_equal(vsample_methods_count_resident_lines(&h->l1i, VSAMPLE_BASE, 4096), 40);
	assert_int_equal(vsample_methods_count_resident_lines(&h->l1d, VSAMPLE_DATA, 4096), 20);
	assert_int_equal(vsample_methods_count_resident_lines(&h->l2, VSAMPLE_DATA, 4096), 10);
	assert_int_equal(vsample_methods_count_resident_lines(&h->l1i, VSAMPLE_ROUTINES, 4096), 0);
	assert_int_equal(vsample_methods_count_resident_lines(&h->l1d, VSAMPLE_QUEUE, 4096), 0);
	while (handler_of(m)->phase != VSAMPLE_AWAY)
		machine_step(m);
	/* ld twice, add, sd, jal, addi, mul: six operations. Seven records in lines of 32 bytes. */
	assert_int_equal(vsample_methods_count_resident_lines(&h->l1i, VSAMPLE_ROUTINES, 4096), 18);
	assert_int_equal(vsample_methods_count_resident_lines(&h->l1d, VSAMPLE_QUEUE, 4096),
	                 (7 * (16 + 8 * 8) + 31) / 32);
	/* The interpreter reads the interpreted words as data: 4 to 8, 17 and 18. */
	assert_int_equal(vsample_methods_count_resident_lines(&h->l1d, CODE, 4), 3);
	machine_free(m);
	const char *const none[] = {EAGER,
	                            AT_FIFTH_ROUND,
	                            "vsample.code_lines=0",
	                            "vsample.data_lines=0",
	                            "vsample.varied_lines=0",
	                            "vsample.inst_lines=0",
	                            NULL};
	m = vsample_fixture_loop_machine(none);
	vsample_fixture_run_to_end(m);
	h = &machine_pipe(m)->mem;
	assert_int_equal(
		vsample_methods_count_resident_lines(&h->l1i, VSAMPLE_BASE, 4096) +
			vsample_methods_count_resident_lines(&h->l1i, VSAMPLE_ROUTINES, 4096) +
			vsample_methods_count_resident_lines(&h->l1d, VSAMPLE_DATA, 4096),
		0);
	machine_free(m);
}

/* The i-th of the lines that some interrupts touch is touched by ((i - 1/2) / n)^2 of them, in the
 * same sequence of interrupts. */
TEST(some_lines_are_met_now_and_then)
{
	enum { LINES = 8, INTERRUPTS = 3000 };
	const char *const how[] = {EAGER,
	                           "vsample.interval_min=2",
	                           "vsample.interval_max=6",
	                           "vsample.every=0",
	                           "vsample.interrupt_cycles=60",
	                           "vsample.data_lines=0",
	                           "vsample.varied_lines=8",
	                           "l1d.write_buffer=0",
	                           "l1d.mshrs=0",
	                           "mem.latency=1",
	                           "l2.latency=1",
	                           NULL};
	const char *const none[] = {EAGER,
	                            "vsample.interval_min=2",
	                            "vsample.interval_max=6",
	                            "vsample.every=0",
	                            "vsample.interrupt_cycles=60",
	                            "vsample.data_lines=0",
	                            "vsample.varied_lines=0",
	                            NULL};
	struct machine *m = NULL, *plain = vsample_fixture_loop_machine(none);
	const struct vsample_state *v = NULL;
	unsigned met[LINES] = {0};
	for (unsigned i = 0; i < INTERRUPTS; i++) {
		if (!m || machine_status(m) != MACHINE_RUNNING ||
		    machine_stats(m)->vsample_interrupts > 900) {
			machine_free(m);
			m = vsample_fixture_loop_machine(how);
			v = handler_of(m);
		}
		while (v->phase == VSAMPLE_AWAY && machine_step(m))
			;
		for (unsigned line = 0; line < LINES; line++) { /* as if untouched */
			struct cache_line *l = NULL;
			const struct cache *c = &machine_pipe(m)->mem.l1d;
			const uint64_t number = (VSAMPLE_VARIED >> c->line_log2) + line;
			struct cache_line *set =
				c->lines + (size_t)((uint32_t)number & c->set_mask) * c->ways;
			for (uint32_t w = 0; w < c->ways; w++)
				l = set[w].tag == number + 1 ? &set[w] : l;
			if (l)
				*l = (struct cache_line){0};
		}
		machine_pipe(m)->mem.st->last_l1d.ready = UINT64_MAX;
		while (v->phase != VSAMPLE_AWAY && machine_step(m))
			;
		for (unsigned line = 0; line < LINES; line++)
			met[line] += vsample_methods_count_resident_lines(
				&machine_pipe(m)->mem.l1d, VSAMPLE_VARIED + 32 * line, 1);
	}
	for (unsigned line = 0; line < LINES; line++) {
		const double right = INTERRUPTS * (line + 0.5) * (line + 0.5) / (LINES * LINES);
		assert_true(met[line] > right - 5 * sqrt(right) - 3 &&
		            met[line] < right + 5 * sqrt(right) + 3);
	}
	machine_free(m);
	/* It does not change the places of interrupts. */
	m = vsample_fixture_loop_machine(how);
	vsample_fixture_run_to_end(m);
	vsample_fixture_run_to_end(plain);
	assert_int_equal(machine_stats(m)->vsample_interrupts,
	                 machine_stats(plain)->vsample_interrupts);
	assert_int_equal(handler_of(m)->random, handler_of(plain)->random);
	machine_free(m);
	machine_free(plain);
}

/* ---- again ---- */
static void vsample_beside_count_event(void *ctx, const struct machine *m, const struct event *ev)
{
	(void)m, (void)ev;
	++*(uint64_t *)ctx;
}

/* Checks equal cycles with any listener and any kind of motion. */
static void assert_same_cycles(const char *method)
{
	enum { N = 4 };
	const char *const how[N][20] = {
		{EAGER, "vsample.interval_min=3", "vsample.interval_max=90", "vsample.skip=5",
	         method},
		{EAGER, "vsample.interval_min=3", "vsample.interval_max=90", "vsample.skip=5",
	         method},
		{EAGER, "vsample.interval_min=3", "vsample.interval_max=90", "vsample.skip=5",
	         method},
		{EAGER, "vsample.interval_min=3", "vsample.interval_max=90", "vsample.skip=5",
	         method, "vsample.seed=2"},
	};
	const struct event_filter all = {.mask = (UINT64_C(1) << EV_COUNT) - 1};
	struct machine *m[N];
	uint64_t seen = 0;
	for (unsigned i = 0; i < N; i++)
		m[i] = vsample_fixture_loop_machine(how[i]);
	assert_true(machine_listen(m[2], &all, vsample_beside_count_event, &seen) > 0);
	for (uint64_t c = 0; c < 20000; c += 77) {
		machine_run(m[0], c, UINT64_MAX);
		while (machine_cycle(m[1]) < c) /* one by one */
			machine_step(m[1]);
		machine_run(m[2], c, UINT64_MAX);
		assert_int_equal(machine_hash(m[1]), machine_hash(m[0]));
		assert_int_equal(machine_hash(m[2]), machine_hash(m[0]));
	}
	for (unsigned i = 0; i < N; i++)
		vsample_fixture_run_to_end(m[i]);
	assert_int_equal(machine_cycle(m[1]), machine_cycle(m[0]));
	assert_int_equal(machine_cycle(m[2]), machine_cycle(m[0]));
	assert_int_not_equal(machine_cycle(m[3]), machine_cycle(m[0]));
	for (unsigned i = 0; i < N; i++)
		machine_free(m[i]);
}

TEST(the_same_seed_gives_the_same_cycles)
{
	assert_same_cycles("vsample.method=handler");
	assert_same_cycles("vsample.method=upcall");
	assert_same_cycles("vsample.method=bounce");
}

/* Without timing nothing is sampled; then the first interrupt comes after as many instructions as
 * before. */
TEST(without_timing_the_interval_stands_still)
{
	const char *const how[] = {EAGER, "vsample.interval_min=100", "vsample.interval_max=100",
	                           NULL};
	const struct config cfg = vsample_fixture_config(how);
	for (uint64_t before = 1230; before < 1240; before++) {
		struct err err;
		struct machine *m = vsample_fixture_loop_machine(how),
			       *from = vsample_fixture_loop_machine(how),
			       *to = machine_new(&cfg, &err);
		assert_int_equal(machine_run_functional(m, before, false), before);
		assert_int_equal(machine_stats(m)->vsample_interrupts, 0);
		assert_int_equal(vsample_distance(machine_pipe(m)->prof), 100);
		machine_run_functional(from, before, false);
		assert_true(machine_move_program(to, from, &err));
		while (handler_of(m)->phase == VSAMPLE_AWAY)
			machine_step(m);
		while (handler_of(to)->phase == VSAMPLE_AWAY)
			machine_step(to);
		assert_int_equal(machine_insts(m), before + 100);
		assert_int_equal(machine_insts(to), before + 100);
		machine_free(m);
		machine_free(from);
		machine_free(to);
	}
}
