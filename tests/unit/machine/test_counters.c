/* Statistics that a program reads and sets by counters and control registers. */
#include "tests/unit/machine/trap_fixture.h"

/* ---- firmware on a machine ---- */

/* `set mie = 0` ends the interrupts, and motions back and forth repeat the change; registers that
 * can't be set are refused. */
TEST(control_registers_are_set_by_hand)
{
	struct pair p;
	struct err err;
	if (!cross_available())
		skip();
	trap_fixture_open_pair(&p, "c", guest, "-O2 -static", by_instructions);
	struct machine *m = trap_fixture_start_machine(&p, NULL);
	machine_run(m, 60000, UINT64_MAX);
	struct snapshot *before = machine_snapshot(m);
	machine_run(m, 70000, UINT64_MAX);
	uint64_t interrupts = machine_stats(m)->firmware_interrupts, unchanged = machine_hash(m);
	assert_true(interrupts > 3);
	static const struct {
		unsigned csr;
		const char *word;
	} refused[] = {{CSR_CYCLE, "only be read"},
	               {CSR_MHARTID, "only be read"},
	               {0x180, "no control register"},
	               {5000, "no control"}};
	for (unsigned i = 0; i < sizeof refused / sizeof *refused; i++) {
		assert_false(machine_change(
			m, &(struct change){.kind = JOURNAL_CSR, .a = refused[i].csr, .b = 1},
			&err));
		assert_non_null(strstr(err.msg, refused[i].word));
	}
	assert_true(machine_hash(m) == unchanged);
	assert_true(machine_change(m, &(struct change){.kind = JOURNAL_CSR, .a = CSR_MIE, .b = 0},
	                           &err));
	assert_true(machine_change(m, &(struct change){.kind = JOURNAL_CSR, .a = CSR_FRM, .b = 2},
	                           &err));
	assert_int_equal(machine_fcsr(m) >> 5, 2);
	machine_run(m, 90000, UINT64_MAX);
	assert_int_equal(machine_stats(m)->firmware_interrupts, interrupts);
	uint64_t after = machine_hash(m);
	machine_restore(m, before);
	machine_run(m, 90000, UINT64_MAX);
	assert_true(machine_hash(m) == after);
	snapshot_free(before);
	machine_free(m);
	struct config cfg;
	config_default(&cfg);
	struct machine *plain = machine_new(&cfg, &err);
	assert_false(machine_change(
		plain, &(struct change){.kind = JOURNAL_CSR, .a = CSR_MIE, .b = 0}, &err));
	assert_non_null(strstr(err.msg, "--firmware"));
	machine_free(plain);
	trap_fixture_close_pair(&p);
}

TEST(a_snapshot_knows_its_mode)
{
	struct pair p;
	uint64_t v;
	if (!cross_available())
		skip();
	trap_fixture_open_pair(&p, "c", guest, "-O2 -static", by_instructions);
	struct machine *m = trap_fixture_start_machine(&p, NULL);
	const struct hart *h = machine_pipe(m)->hart;
	struct snapshot *in[2] = {NULL, NULL};
	while (!in[0] || !in[1]) {
		bool firmware = h->mode == MODE_M;
		if (!in[firmware])
			in[firmware] = machine_snapshot(m);
		machine_step(m);
	}
	for (int i = 0; i < 6; i++) {
		machine_restore(m, in[i & 1]);
		assert_int_equal(mem_load(machine_mem(m), MEM_TOP, 8, &v), i & 1);
		assert_int_equal(mem_fetch(machine_mem(m), MEM_TOP) != NULL, i & 1);
	}
	snapshot_free(in[0]);
	snapshot_free(in[1]);
	machine_free(m);
	trap_fixture_close_pair(&p);
}

/* Statistics as counters: a read returns the machine's count up to then. */
TEST(a_program_reads_statistics)
{
	struct pair p;
	char text[1024];
	if (!cross_available())
		skip();
	snprintf(text, sizeof text,
	         GUEST(" li t0, %u\n csrw 0x803, t0\n li t0, %u\n csrw 0x81f, t0\n li t0, 12345\n "
	               "csrw 0x804, t0\n"
	               " li t1, 100\n1: addi t1, t1, -1\n bnez t1, 1b\n"
	               " csrr s1, hpmcounter3\n csrr s2, hpmcounter31\n csrr s3, hpmcounter4\n "
	               "csrr s4, 0x803\n csrr s5, instret\n"
	               " csrr s6, hpmcounter5\n"),
	         stat_id("commit.branches"), stat_id("sim.cycles"));
	trap_fixture_open_pair(&p, "S", text, "-nostdlib -static", QUIET);
	struct machine *m = trap_fixture_start_machine(&p, NULL);
	machine_run(m, 100000, UINT64_MAX);
	assert_int_equal(machine_status(m), MACHINE_EXITED);
	assert_int_equal(machine_reg(m, 9), 100);          /* s1 */
	assert_true(machine_reg(m, 18) > 100 && machine_reg(m, 18) < machine_cycle(m)); /* s2 */
	assert_int_equal(machine_reg(m, 19), 0);           /* no such statistic */
	assert_int_equal(machine_reg(m, 20), stat_id("commit.branches"));
	assert_true(machine_reg(m, 21) > 200 && machine_reg(m, 21) < 230);
	assert_int_equal(machine_reg(m, 22), 0);           /* none selected */
	machine_free(m);
	trap_fixture_close_pair(&p);
}

/* pic0 and pic1 count on from a written value, wrap, and are halves of pic; with timing and
 * without. */
TEST(a_program_sets_counters)
{
	struct pair p;
	char text[1024];
	if (!cross_available())
		skip();
	snprintf(text, sizeof text,
	         GUEST(" li t0, %lu\n csrw 0x820, t0\n li t0, 7\n csrw 0x822, t0\n li t0, "
	               "0xffffffce\n csrw 0x823, t0\n"
	               " li t1, 100\n1: addi t1, t1, -1\n bnez t1, 1b\n"
	               " csrr s1, 0x822\n csrr s2, 0x823\n csrr s3, 0x821\n csrwi 0x821, 0\n csrr "
	               "s4, 0x821\n beqz x0, 2f\n2: csrr s5, 0x821\n"
	               " csrr s6, 0x820\n"),
	         (unsigned long)stat_id("commit.branches") << 32 | stat_id("commit.branches"));
	trap_fixture_open_pair(&p, "S", text, "-nostdlib -static", QUIET);
	struct machine *m = trap_fixture_start_machine(&p, NULL);
	machine_run(m, 100000, UINT64_MAX);
	assert_int_equal(machine_status(m), MACHINE_EXITED);
	assert_int_equal(machine_reg(m, 9), 107);
	assert_int_equal(machine_reg(m, 18), 50);
	assert_int_equal(machine_reg(m, 19), 107 | UINT64_C(50) << 32);
	assert_int_equal(machine_reg(m, 20), 0);
	assert_int_equal(machine_reg(m, 21), 1 | UINT64_C(1) << 32);
	assert_int_equal(machine_reg(m, 22), (unsigned long)stat_id("commit.branches") << 32 |
	                                             stat_id("commit.branches"));
	machine_free(m);
	trap_fixture_close_pair(&p);
}

/* A C program reads statistics of loads, one for each cache line of a new array, then again. */
TEST(a_c_program_reads_statistics)
{
	static const char text[] =
		"#include \"demos/include/hpm.h\"\n#include <stdlib.h>\n"
		"static volatile char a[32768] __attribute__((aligned(64)));\n"
		"static long sweep(void) { long before = (long)hpm_read(3); for (int i = 0; i < "
	        "32768; i += 32) (void)a[i];\n"
		" return (long)hpm_read(3) - before; }\n"
		"int main(void) { hpm_select(3, \"l1d.misses\"); hpm_select(4, \"sim.ipc\"); "
	        "hpm_select(31, \"commit.loads\");\n"
		" long loads = (long)hpm_read(31), first = sweep(), second = sweep(); loads = "
	        "(long)hpm_read(31) - loads;\n"
		" if (first < 1024 || first > 1100) return 1;\n if (second > 20) return 2;\n"
		" if (loads < 2048 || loads > 2300) return 3;\n return hpm_read(4) ? 4 : 0; }\n";
	struct pair p;
	if (!cross_available())
		skip();
	trap_fixture_open_pair(&p, "c", text, "-O2 -static -I.", QUIET);
	struct machine *m = trap_fixture_start_machine(&p, NULL);
	machine_run(m, UINT64_MAX, UINT64_MAX);
	assert_int_equal(machine_status(m), MACHINE_EXITED);
	assert_int_equal(machine_exit_status(m), 0);
	machine_free(m);
	trap_fixture_close_pair(&p);
}
