/* picselect, pic, pic0 and pic1 (core/isa/csrs.def; Ammons, Ball and Larus, section 3): any event,
 * with exact reads and writes on all kinds of cores, and never a trace of a wrong path. */
#include <stdint.h>

#include "core/defs/stats.h"
#include "core/machine/change.h"
#include "core/machine/machine.h"
#include "core/machine/params.h"
#include "core/mem/mem.h"
#include "core/pipe/pipe.h"
#include "loader/launch.h"
#include "tests/cases.h"
#include "tests/unit/loader/cross.h"

enum { T0 = 5, T1 = 6, T2 = 7, T3 = 28, S0 = 8, S1 = 9, S3 = 19, S4 = 20, S5 = 21, S11 = 27 };

#define GUEST(body) ".globl _start\n_start:\n" body " li a7, 93\n li a0, 0\n ecall\n"

/* Cores that differ in how much is in flight when a counter is reached. */
static const struct core {
	const char *name, *set[4];
} cores[] = {
	{"the default", {NULL}},
	{"in order", {"pipe.in_order=true", NULL}},
	{"narrow", {"pipe.issue_width=1", "pipe.commit_width=1", "pipe.decode_width=1", NULL}},
	{"wide", {"pipe.rob_size=512", "pipe.issue_width=8", "pipe.commit_width=8", NULL}},
};
enum { CORES = sizeof cores / sizeof *cores };

struct guest {
	struct cross c;
	struct program *p;
};

static void pic_build_guest(struct guest *g, const char *text)
{
	struct err err;
	assert_true(cross_build(&g->c, "S", text, "-nostdlib -static"));
	g->p = program_open(g->c.program, &err);
	if (!g->p)
		fail_msg("%s", err.msg);
}

static void pic_release_guest(struct guest *g)
{
	program_free(g->p);
	cross_remove(&g->c);
}

static struct machine *pic_start_machine(const struct guest *g, const struct core *core)
{
	struct config cfg;
	struct err err;
	static char *argv[] = {(char *)"guest", NULL};
	const struct launch l = {.path = g->c.program, .argc = 1, .argv = argv, .stdin_fd = -1};
	config_default(&cfg);
	for (unsigned i = 0; core->set[i]; i++)
		if (!config_set_assignment(&cfg, core->set[i], &err))
			fail_msg("%s", err.msg);
	struct machine *m = launch_machine(&l, g->p, &cfg, &err);
	if (!m)
		fail_msg("%s", err.msg);
	return m;
}

static struct machine *pic_run_to_exit(const struct guest *g, const struct core *core)
{
	struct machine *m = pic_start_machine(g, core);
	machine_run(m, 10000000, UINT64_MAX);
	assert_int_equal(machine_status(m), MACHINE_EXITED);
	return m;
}

/* Commits after a write of 0 count, and nothing before it: with a window that was full of misses,
 * too. */
TEST(reads_and_writes_are_in_order)
{
	enum { MOST = 9 };
	char text[4096], *at = text;
	if (!cross_available())
		skip();
	at += sprintf(at,
	              ".globl _start\n_start: li t0, %u\n li t1, %u\n slli t1, t1, 32\n or t0, t0, "
	              "t1\n csrw 0x820, t0\n la s1, array\n la s0, out\n",
	              stat_id("sim.insts"), stat_id("l1d.misses"));
	for (unsigned n = 0; n <= MOST; n++) {
		/* Misses, stores and a division in flight; then n instructions, the last one a load
		 * that misses. */
		at += sprintf(at,
		              " ld t2, 0(s1)\n sd t2, 64(s1)\n div t3, t2, s1\n csrwi 0x821, 0\n");
		for (unsigned k = 0; k < n; k++)
			at += sprintf(at, k + 1 == n ? " ld t4, 1024(s1)\n" : " addi t5, t5, 1\n");
		at += sprintf(at,
		              " csrr t6, 0x821\n sd t6, %u(s0)\n li t6, 2048\n add s1, s1, t6\n",
		              8 * n);
	}
	sprintf(at, " li a7, 93\n li a0, 0\n ecall\n .bss\n .balign 64\nout: .space 256\n .balign "
	            "64\narray: .space 65536\n");
	struct guest g;
	pic_build_guest(&g, text);
	for (unsigned i = 0; i < CORES; i++) {
		struct machine *m = pic_run_to_exit(&g, &cores[i]);
		for (unsigned n = 0; n <= MOST; n++) {
			uint64_t pic = 0;
			assert_true(mem_peek(machine_mem(m), machine_reg(m, S0) + 8 * n, &pic,
			                     sizeof pic));
			/* And the write itself, which commits after its effect. */
			if ((uint32_t)pic != n + 1 || pic >> 32 != (n > 0))
				fail_msg("%s: %u instructions are %u, misses %u", cores[i].name, n,
				         (unsigned)(uint32_t)pic, (unsigned)(pic >> 32));
		}
		machine_free(m);
	}
	pic_release_guest(&g);
}

/* A write on a wrong path has no effect: random bits decide the branches. On any core, the count is
 * that of branches committed after the last committed write. */
TEST(a_wrong_paths_write_never_was)
{
	char text[2048];
	if (!cross_available())
		skip();
	sprintf(text,
	        GUEST(" li t0, %u\n csrw 0x820, t0\n csrwi 0x821, 0\n li s0, 12345\n li s1, 2000\n "
	              "li s2, 1103515245\n li s3, 0\n li s4, 0\n li s5, 0\n"
	              "1: mul s0, s0, s2\n addi s0, s0, 1021\n srli t1, s0, 17\n andi t1, t1, 1\n "
	              "beqz t1, 2f\n csrr t2, 0x822\n add s5, s5, t2\n csrwi 0x822, 5\n"
	              "2: srli t1, s0, 19\n andi t1, t1, 1\n bnez t1, 3f\n csrr t2, 0x822\n add "
	              "s4, s4, t2\n csrwi 0x821, 0\n"
	              "3: addi s1, s1, -1\n bnez s1, 1b\n"),
	        stat_id("commit.branches"));
	struct guest g;
	pic_build_guest(&g, text);
	/* Counted by hand. */
	uint64_t s = 12345, pic = 0, first = 0, second = 0;
	for (unsigned i = 0; i < 2000; i++) {
		s = s * 1103515245 + 1021;
		pic++;
		if (s >> 17 & 1) {
			first += pic;
			pic = 5;
		}
		pic++;
		if (!(s >> 19 & 1)) {
			second += pic;
			pic = 0;
		}
		pic++;
	}
	for (unsigned i = 0; i < CORES; i++) {
		struct machine *m = pic_run_to_exit(&g, &cores[i]);
		assert_true(machine_stats(m)->bpred_mispredicts > 500);
		assert_int_equal(machine_reg(m, S5), first);
		assert_int_equal(machine_reg(m, S4), second);
		machine_free(m);
	}
	pic_release_guest(&g);
}

/* A change by hand squashes dispatched instructions: a counter is written again, to the
 * same value. */
TEST(a_write_that_is_taken_back_leaves_no_trace)
{
	char text[1024];
	struct err err;
	if (!cross_available())
		skip();
	sprintf(text,
	        GUEST(" li t0, %u\n csrw 0x820, t0\n csrwi 0x821, 0\n li t0, 60\n li t1, 1\n"
	              "1: csrrw t1, 0x822, t1\n addi t1, t1, 7\n csrr t3, 0x822\n addi t0, t0, "
	              "-1\n bnez t0, 1b\n csrr t2, 0x821\n"),
	        stat_id("commit.branches"));
	struct guest g;
	pic_build_guest(&g, text);
	struct machine *plain = pic_run_to_exit(&g, &cores[0]),
		       *changed = pic_start_machine(&g, &cores[0]);
	for (unsigned i = 0; machine_status(changed) == MACHINE_RUNNING && i < 100000; i++) {
		const struct change c = {.kind = JOURNAL_REG, .a = S11, .b = i};
		machine_step(changed);
		if (i % 61 < 12 && machine_status(changed) == MACHINE_RUNNING)
			assert_true(machine_change(changed, &c, &err));
	}
	assert_int_equal(machine_status(changed), MACHINE_EXITED);
	assert_true(machine_reg(plain, T1) > 200);
	static const unsigned compared[] = {T1, T2, T3};
	for (unsigned i = 0; i < sizeof compared / sizeof *compared; i++)
		assert_int_equal(machine_reg(changed, compared[i]),
		                 machine_reg(plain, compared[i]));
	machine_free(plain);
	machine_free(changed);
	pic_release_guest(&g);
}

/* The paper's processor has sixteen events; here every counting statistic is an event. The count
 * equals hpmcounter3's for the same statistic. */
TEST(all_events_can_be_selected)
{
	static const struct event {
		const char *name;
		unsigned moves; /* while the counters are read */
	} events[] = {
		{"sim.cycles", 300},        {"sim.insts", 8},
		{"l1d.read_misses", 0},     {"l1d.write_misses", 0},
		{"l1d.misses", 0},          {"l1d.accesses", 0},
		{"l1i.misses", 2},          {"l1i.accesses", 10},
		{"l2.misses", 2},           {"l2.accesses", 2},
		{"dtlb.misses", 0},         {"bpred.mispredicts", 2},
		{"cpi.bad_speculation", 0}, {"l1d.write_buffer_full", 0},
		{"fpu.stalls", 0},          {"commit.loads", 0},
		{"commit.stores", 0},       {"commit.branches", 0},
		{"commit.jumps", 2},        {"cpi.memory", 0},
		{"cpi.dependency", 200},    {"bus.busy", 20},
		{"issue.insts", 12},
	};
	enum { EVENTS = sizeof events / sizeof *events };
	static char text[16384];
	char *at = text;
	if (!cross_available())
		skip();
	at += sprintf(at, ".globl _start\n_start: la s10, array\n la s0, out\n li s9, 4242\n");
	for (unsigned i = 0; i < EVENTS; i++)
		at += sprintf(at,
		              " li t0, %u\n csrw 0x803, t0\n slli t1, t0, 32\n slli t0, t0, 32\n "
		              "srli t0, t0, 32\n or t0, t0, t1\n csrw 0x820, t0\n"
		              " csrwi 0x821, 0\n csrr s1, hpmcounter3\n jal work\n csrr s2, "
		              "0x821\n csrr s3, hpmcounter3\n sub s3, s3, s1\n"
		              " sd s2, %u(s0)\n sd s3, %u(s0)\n",
		              stat_id(events[i].name), 16 * i, 16 * i + 8);
	sprintf(at, " li a7, 93\n li a0, 0\n ecall\n"
	            "work: .option norvc\n .rept 600\n nop\n .endr\n li t2, 300\n li t5, 16381\n "
	            "fcvt.d.l fa0, t5\n li t6, 0x1fff\n"
	            "1: li t3, 1103515245\n mul s9, s9, t3\n addi s9, s9, 1021\n srli t3, s9, 15\n "
	            "andi t4, t3, 1\n beqz t4, 2f\n fdiv.d fa0, fa0, fa0\n"
	            "2: and t3, t3, t6\n slli t3, t3, 9\n add t3, t3, s10\n ld t4, 0(t3)\n"
	            " and t5, t6, s9\n slli t5, t5, 9\n add t5, t5, s10\n sd t2, 64(t5)\n sd t2, "
	            "128(t5)\n sd t2, 192(t5)\n sd t2, 256(t5)\n"
	            " fadd.d fa0, fa0, fa0\n addi t2, t2, -1\n bnez t2, 1b\n fence\n ret\n .bss\n "
	            ".balign 64\nout: .space 1024\narray: .space 0x400400\n");
	struct guest g;
	pic_build_guest(&g, text);
	static const struct core small = {
		"a small write buffer", {"l1d.write_buffer=2", "l1i.size=1K", "l2.size=16K", NULL}};
	struct machine *m = pic_run_to_exit(&g, &small);
	assert_true(EVENTS >= 16);
	for (unsigned i = 0; i < EVENTS; i++) {
		uint64_t pair[2];
		assert_true(
			mem_peek(machine_mem(m), machine_reg(m, S0) + 16 * i, pair, sizeof pair));
		const uint64_t pic = (uint32_t)pair[0];
		assert_int_equal(pair[0] >> 32, pic);
		if (pic + events[i].moves < pair[1] || pair[1] + events[i].moves < pic)
			fail_msg("%s: pic0 says %lu, hpmcounter3 %lu", events[i].name,
			         (unsigned long)pic, (unsigned long)pair[1]);
		if (!pic)
			fail_msg("%s: nothing was counted", events[i].name);
	}
	assert_int_equal(machine_stats(m)->l1d_read_misses + machine_stats(m)->l1d_write_misses,
	                 machine_stats(m)->l1d_misses);
	machine_free(m);
	pic_release_guest(&g);
}
