/* M-mode: its registers, entry and return, and equal views and effects of firmware with timing and
 * without. */
#include "tests/unit/machine/trap_fixture.h"

/* ---- registers ---- */
TEST(modes_and_writability_are_enforced)
{
	for (unsigned i = 0; i < csr_info_count; i++) {
		const struct csr_info *c = &csr_info[i];
		char name[32];
		uint64_t v;
		for (unsigned n = c->first; n < c->first + c->count; n++) {
			/* RV32 alone has upper halves, and RV64 alone registers of 64 bits. */
			const bool upper = n >= CSR_CYCLEH && n <= CSR_INSTRETH,
				   wide = n >= CSR_PICSELECT && n <= CSR_PIC1;
			const unsigned isa = upper ? ISA_RV32GC : ISA_ALL;
			struct hart user = {.mode = MODE_U, .xprof = 1, .isa = isa},
				    machine = {.mode = MODE_M, .xprof = 1, .isa = isa};
			struct hart plain = {.mode = MODE_U, .isa = isa};
			struct hart other = {
				.mode = MODE_M, .xprof = 1, .isa = upper ? ISA_ALL : ISA_RV32GC};
			assert_int_equal(csr_read(&other, n, &v), !upper && !wide);
			assert_int_equal(csr_read(&user, n, &v), !c->machine);
			assert_true(csr_read(&machine, n, &v));
			/* Without Xprof there are no profile flags. */
			assert_int_equal(csr_read(&plain, n, &v),
			                 !c->machine && n != 0x800 && n != 0x801);
			/* The privileged architecture, 2.1: bits 11:10 are read only, 9:8 the mode.
			 */
			assert_int_equal(c->read_only, n >> 10 == 3);
			assert_int_equal(c->machine, (n >> 8 & 3) == 3);
			assert_int_equal(csr_write(&user, n, 0), !c->machine && !c->read_only);
			assert_int_equal(csr_write(&machine, n, 0), !c->read_only);
			assert_int_equal(csr_find(csr_name(n, name, sizeof name)), n);
		}
	}
	struct hart machine = {.mode = MODE_M};
	uint64_t v;
	assert_false(csr_read(&machine, 0x180, &v)); /* satp: there is no supervisor */
	assert_false(csr_write(&machine, 0x7c0, 1));
	assert_int_equal(csr_find("hpmcounter32"), -1);
	assert_int_equal(csr_find("hpmcounter2"), -1);
	assert_int_equal(csr_find("hpmcounter31"), 0xc1f);
}

/* RV32's registers are words, sign-extended as all its registers are. */
TEST(words_of_counters)
{
	const struct hart h = {.isa = ISA_RV32GC, .cycle = UINT64_C(0x1234567889abcdef)};
	uint64_t v;
	assert_true(csr_read(&h, CSR_CYCLE, &v));
	assert_int_equal(v, UINT64_C(0xffffffff89abcdef));
	assert_true(csr_read(&h, CSR_CYCLEH, &v));
	assert_int_equal(v, 0x12345678);
}

static uint64_t write_read(unsigned csr, uint64_t v)
{
	struct hart h = {.mode = MODE_M};
	assert_true(csr_write(&h, csr, v));
	assert_true(csr_read(&h, csr, &v));
	return v;
}

TEST(only_legal_values_are_held)
{
	assert_int_equal(write_read(CSR_MSTATUS, ~UINT64_C(0)), 0x1888);
	assert_int_equal(write_read(CSR_MSTATUS, 0x0800), 0); /* MPP = S becomes U */
	assert_int_equal(write_read(CSR_MEPC, 0x10001), 0x10000);
	assert_int_equal(write_read(CSR_MTVEC, 0x1003), 0x1001);
	assert_int_equal(write_read(CSR_MIE, ~UINT64_C(0)), 0xffffffff);
	assert_int_equal(write_read(CSR_MIP, ~UINT64_C(0)), 0);
	assert_int_equal(write_read(CSR_MSCRATCH, 0x123456789abcdef0), 0x123456789abcdef0);
	assert_int_equal(write_read(CSR_HPMSELECT3 + 5, 0x1ffffffff), 0xffffffff);
	assert_true(write_read(CSR_MISA, 0) >> 62 == 2);
}

TEST(entering_and_leaving)
{
	struct mem *mem = mem_new();
	struct hart h = {.pc = 0x10000,
	                 .reserved = 0x40,
	                 .mtvec = 0x4000000100,
	                 .mie = 1 << IRQ_TIMER | 1 << IRQ_INSTRUCTIONS};
	assert_int_equal(trap_wanted(&h, 1 << 9), 0);
	uint64_t both = 1 << IRQ_TIMER | 1 << IRQ_INSTRUCTIONS;
	assert_int_equal(trap_wanted(&h, both), both); /* U-mode: also with MIE off */
	assert_int_equal(trap_enter(&h, mem, both), IRQ_TIMER);
	assert_int_equal(h.mode, MODE_M);
	assert_int_equal(h.pc, 0x4000000100);
	assert_int_equal(h.mepc, 0x10000);
	assert_true(h.mcause == (UINT64_C(1) << 63 | IRQ_TIMER));
	assert_int_equal(h.mstatus, 0);
	assert_true(h.reserved == 0x40); /* the interrupted program goes on with it */
	assert_int_equal(trap_wanted(&h, both), 0); /* M-mode: only with MIE */
	h.mstatus |= MSTATUS_MIE;
	h.mtvec |= 1;
	h.pc = 0x4000000200;
	assert_int_equal(trap_enter(&h, mem, 1 << IRQ_INSTRUCTIONS), IRQ_INSTRUCTIONS);
	assert_int_equal(h.pc, 0x4000000100 + 4 * IRQ_INSTRUCTIONS);
	assert_int_equal(h.mstatus, MSTATUS_MPIE | MSTATUS_MPP);
	trap_return(&h, mem);
	assert_int_equal(h.mode, MODE_M);
	assert_int_equal(h.mstatus, MSTATUS_MIE | MSTATUS_MPIE);
	assert_int_equal(h.pc, 0x4000000200);
	h.mepc = 0x10004;
	trap_return(&h, mem);
	assert_int_equal(h.mode, MODE_U);
	assert_int_equal(h.pc, 0x10004);
	mem_free(mem);
}

/* ---- firmware on a machine ---- */

/* State visible to the program: pc, registers and memory, including firmware's memory. */
struct seen {
	uint64_t insts, pc, regs, mem;
};

static uint64_t trap_hash_registers(const struct machine *m)
{
	uint64_t h = 0;
	for (unsigned r = 1; r < REG_SINK; r++)
		h = (h ^ machine_reg(m, r)) * UINT64_C(0x9e3779b97f4a7c15) + (h >> 29);
	return h ^ machine_fcsr(m);
}

struct record {
	struct seen at[4096];
	unsigned count;
};

static uint64_t insts_of_program(const struct machine *m)
{
	return machine_stats(m)->insts + machine_stats(m)->functional_insts;
}

static void trap_record_interrupt(void *ctx, const struct machine *m, const struct event *ev)
{
	struct record *r = ctx;
	assert_true(r->count < sizeof r->at / sizeof *r->at);
	assert_int_equal(machine_pipe(m)->hart->mode, MODE_M);
	assert_int_equal(ev->interrupt.handler, machine_pc(m));
	assert_int_equal(ev->pc, machine_pipe(m)->hart->mepc);
	r->at[r->count++] = (struct seen){insts_of_program(m), ev->pc, trap_hash_registers(m),
	                                  mem_hash(machine_mem_const(m))};
}

static uint64_t trap_read_symbol_word(const struct pair *p, const struct machine *m,
                                      const char *symbol)
{
	uint64_t v = 0;
	const struct symbol *s = program_symbol_by_name(p->program, symbol);
	assert_non_null(s);
	assert_true(machine_peek(m, s->addr, &v, sizeof v));
	return v;
}

TEST(firmware_is_the_same_with_timing_and_without)
{
	static const char *const configs[][4] = {
		{NULL},
		{"pipe.in_order=true", "pipe.commit_width=1", NULL},
		{"pipe.rob_size=256", "lsq.speculate=true", "pipe.commit_width=8", NULL},
	};
	struct pair p;
	static struct record detailed;
	if (!cross_available())
		skip();
	trap_fixture_open_pair(&p, "c", guest, "-O2 -static", by_instructions);
	for (unsigned c = scale_is("small") ? 2 : 0; c < sizeof configs / sizeof *configs; c++) {
		struct machine *m = trap_fixture_start_machine(&p, configs[c]);
		const struct event_filter interrupts = {.mask = EV_BIT(INTERRUPT)};
		detailed.count = 0;
		assert_true(machine_listen(m, &interrupts, trap_record_interrupt, &detailed));
		machine_run(m, UINT64_MAX, UINT64_MAX);
		assert_int_equal(machine_status(m), MACHINE_EXITED);
		assert_true(detailed.count > 100);
		assert_int_equal(trap_read_symbol_word(&p, m, "late"), 0);
		assert_int_equal(trap_read_symbol_word(&p, m, "count"), detailed.count);
		assert_int_equal(machine_stats(m)->firmware_interrupts, detailed.count);

		/* The functional machine reaches the same places in the same states. Memory shows
		 * firmware's work before each place. */
		struct machine *f = trap_fixture_start_machine(&p, configs[c]);
		for (unsigned i = 0; i < detailed.count; i++) {
			const struct seen *s = &detailed.at[i];
			machine_run_functional(f, s->insts - insts_of_program(f), i % 2 != 0);
			assert_int_equal(machine_pc(f), s->pc);
			assert_int_equal(trap_hash_registers(f), s->regs);
			assert_int_equal(mem_hash(machine_mem_const(f)), s->mem);
		}
		machine_run_functional(f, UINT64_MAX, false);
		assert_int_equal(machine_status(f), MACHINE_EXITED);
		assert_int_equal(machine_exit_status(f), machine_exit_status(m));
		assert_int_equal(insts_of_program(f), insts_of_program(m));
		assert_int_equal(machine_stats(f)->firmware_insts,
		                 machine_stats(m)->firmware_insts);
		assert_int_equal(mem_hash(machine_mem_const(f)), mem_hash(machine_mem_const(m)));
		machine_free(m);
		machine_free(f);
	}
	trap_fixture_close_pair(&p);
}

/* Firmware leaves the program's result and instructions unchanged; cycles differ, and each
 * additional cycle is accounted for. */
TEST(the_program_sees_no_firmware)
{
	struct pair p;
	struct err err;
	if (!cross_available())
		skip();
	trap_fixture_open_pair(&p, "c", guest, "-O2 -static", by_instructions);
	const struct launch plain = {
		.path = p.guest.program, .stdin_fd = -1, .output = os_no_output};
	struct program *alone = launch_program(&plain, &err);
	struct config cfg;
	config_default(&cfg);
	struct machine *without = launch_machine(&plain, alone, &cfg, &err),
		       *with = trap_fixture_start_machine(&p, NULL);
	machine_run(without, UINT64_MAX, UINT64_MAX);
	machine_run(with, UINT64_MAX, UINT64_MAX);
	const struct stats *a = machine_stats(without), *b = machine_stats(with);
	assert_int_equal(machine_exit_status(with), machine_exit_status(without));
	assert_int_equal(b->insts, a->insts);
	assert_int_equal(b->commit_loads, a->commit_loads);
	assert_int_equal(b->commit_branches, a->commit_branches);
	assert_true(b->cycles > a->cycles);
	assert_true(b->firmware_insts > 30 * b->firmware_interrupts);
	assert_int_equal(b->cpi_firmware, b->firmware_cycles * (uint64_t)cfg.commit_width);
	/* The rest comes from firmware's lines in caches and its branches in predictors. */
	assert_true(b->cycles - b->firmware_cycles < a->cycles + a->cycles / 5);
	machine_free(without);
	machine_free(with);
	program_free(alone);
	trap_fixture_close_pair(&p);
}

/* ---- protection ---- */
static void expect_fault(const char *guest_text, const char *firmware_text, enum trap trap,
                         uint64_t mode)
{
	struct pair p;
	trap_fixture_open_pair(&p, "S", guest_text, "-nostdlib -static", firmware_text);
	for (int functional = 0; functional < 2; functional++) {
		struct machine *m = trap_fixture_start_machine(&p, NULL);
		if (functional)
			machine_run_functional(m, 100000, false);
		else
			machine_run(m, 100000, UINT64_MAX);
		assert_int_equal(machine_status(m), MACHINE_FAULTED);
		assert_int_equal(machine_fault(m)->trap, trap);
		assert_int_equal(machine_pipe(m)->hart->mode, mode);
		machine_free(m);
	}
	trap_fixture_close_pair(&p);
}

TEST(walls_hold)
{
	if (!cross_available())
		skip();
	/* The program reaches neither M-mode's registers, nor its memory, nor devices. */
	expect_fault(GUEST(" csrr a0, mepc\n"), QUIET, TRAP_ILLEGAL, MODE_U);
	expect_fault(GUEST(" mret\n"), QUIET, TRAP_ILLEGAL, MODE_U);
	expect_fault(GUEST(" wfi\n"), QUIET, TRAP_ILLEGAL, MODE_U);
	expect_fault(GUEST(" li a0, 0x4000000000\n ld a1, 0(a0)\n"), QUIET, TRAP_LOAD_FAULT,
	             MODE_U);
	expect_fault(GUEST(" li a0, 0x4000000000\n jr a0\n"), QUIET, TRAP_FETCH_FAULT, MODE_U);
	expect_fault(GUEST(" li a0, 0x7f00000000\n ld a1, 0(a0)\n"), QUIET, TRAP_LOAD_FAULT,
	             MODE_U);
	expect_fault(GUEST(" li a0, 0x7f00000008\n sd a1, 0(a0)\n"), QUIET, TRAP_STORE_FAULT,
	             MODE_U);
	/* Firmware's own mistakes end the machine. */
	expect_fault(GUEST(""), FIRMWARE(" ecall\n", ""), TRAP_ECALL_M, MODE_M);
	expect_fault(GUEST(""), FIRMWARE(" lw t1, 0(DEV)\n", ""), TRAP_LOAD_FAULT, MODE_M);
	expect_fault(GUEST(""), FIRMWARE(" ld t1, 4(DEV)\n", ""), TRAP_LOAD_FAULT, MODE_M);
	expect_fault(GUEST(""), FIRMWARE(" li t1, 0x7f00100000\n ld t1, 0(t1)\n", ""),
	             TRAP_LOAD_FAULT, MODE_M);
	expect_fault(GUEST(""), FIRMWARE(" amoadd.d t1, t1, (DEV)\n", ""), TRAP_STORE_FAULT,
	             MODE_M);
	expect_fault(GUEST(""), FIRMWARE(" wfi\n", ""), TRAP_NO_INTERRUPT, MODE_M);
	/* A pending but disabled timer: no interrupt can follow. */
	expect_fault(GUEST(""),
	             FIRMWARE(" ld t1, 0(DEV)\n addi t1, t1, 200\n sd t1, 8(DEV)\n wfi\n", ""),
	             TRAP_NO_INTERRUPT, MODE_M);
	expect_fault(GUEST(""), FIRMWARE(" sd zero, 8(DEV)\n wfi\n", ""), TRAP_NO_INTERRUPT,
	             MODE_M);
	expect_fault(GUEST(""), FIRMWARE(" csrr t1, 0x180\n", ""), TRAP_ILLEGAL, MODE_M);
}

/* A sleep ends with the timer, also with interrupts off; the program's first instruction
 * comes after it. */
TEST(sleeping_takes_as_long_as_asked)
{
	struct pair p;
	if (!cross_available())
		skip();
	trap_fixture_open_pair(
		&p, "S", GUEST(""), "-nostdlib -static",
		FIRMWARE(" ld t1, 0(DEV)\n li t2, 5000\n add t1, t1, t2\n sd t1, 8(DEV)\n li t2, "
	                 "1 << 7\n csrw mie, t2\n wfi\n"
	                 " ld t2, 0(DEV)\n sub t2, t2, t1\n la t1, late\n sd t2, 0(t1)\n csrw "
	                 "mie, zero\n",
	                 ""));
	for (int functional = 0; functional < 2; functional++) {
		struct machine *m = trap_fixture_start_machine(&p, NULL);
		if (functional)
			machine_run_functional(m, 100000, false);
		else
			machine_run(m, 100000, UINT64_MAX);
		assert_int_equal(machine_status(m), MACHINE_EXITED);
		assert_true(trap_read_symbol_word(&p, m, "late") < 16);
		assert_int_equal(insts_of_program(m), 3);
		machine_free(m);
	}
	trap_fixture_close_pair(&p);
}

/* Firmware enables a pending interrupt: it is taken after the enabling instruction, not with it. */
TEST(an_interrupt_waits_for_what_lets_it_through)
{
	struct pair p;
	if (!cross_available())
		skip();
	trap_fixture_open_pair(
		&p, "S", GUEST(""), "-nostdlib -static",
		FIRMWARE(
			" sd zero, 8(DEV)\n li t2, 1 << 7\n csrw mie, t2\n csrsi mstatus, "
			"8\n.globl behind\nbehind: nop\n nop\n"
			" csrci mstatus, 8\n li t1, 0x1800\n csrc mstatus, t1\n",
			" li t1, -1\n sd t1, 8(DEV)\n csrr t1, mepc\n la t2, count\n sd t1, 0(t2)\n"
			" csrr t1, mstatus\n la t2, late\n sd t1, 0(t2)\n"));
	for (int functional = 0; functional < 2; functional++) {
		struct machine *m = trap_fixture_start_machine(&p, NULL);
		/* Without timing, one instruction at a time, since the handler saves the
		 * interrupted code's registers. */
		if (functional)
			machine_run_functional(m, 1, false);
		else
			machine_run(m, 1000, UINT64_MAX);
		assert_int_equal(trap_read_symbol_word(&p, m, "count"),
		                 program_symbol_by_name(p.program, "behind")->addr);
		assert_int_equal(trap_read_symbol_word(&p, m, "late"), MSTATUS_MPIE | MSTATUS_MPP);
		machine_free(m);
	}
	trap_fixture_close_pair(&p);
}

/* A change by hand in every other cycle squashes serialising instructions again and again. */
TEST(register_writes_are_taken_back)
{
	struct pair p;
	struct err err;
	if (!cross_available())
		skip();
	trap_fixture_open_pair(
		&p, "S",
		GUEST(" li t0, 60\n li t1, 1\n li t2, 2\n1: csrrw t1, 0x803, t1\n csrrw t2, "
	              "fcsr, t2\n addi t1, t1, 3\n addi t2, t2, 1\n"
	              " addi t0, t0, -1\n bnez t0, 1b\n csrr t3, 0x803\n csrr t4, fcsr\n"),
		"-nostdlib -static", QUIET);
	struct machine *plain = trap_fixture_start_machine(&p, NULL),
		       *changed = trap_fixture_start_machine(&p, NULL);
	machine_run(plain, UINT64_MAX, UINT64_MAX);
	for (unsigned i = 0; machine_status(changed) == MACHINE_RUNNING && i < 100000; i++) {
		const struct change c = {.kind = JOURNAL_REG, .a = 27, .b = i}; /* s11 */
		machine_step(changed);
		/* The pauses let every instruction commit. */
		if (i % 61 < 12 && machine_status(changed) == MACHINE_RUNNING)
			assert_true(machine_change(changed, &c, &err));
	}
	assert_int_equal(machine_status(changed), MACHINE_EXITED);
	for (unsigned r = 6; r < 31; r++) /* t1 to t5, without s11 */
		if (r != 27)
			assert_int_equal(machine_reg(changed, r), machine_reg(plain, r));
	machine_free(plain);
	machine_free(changed);
	trap_fixture_close_pair(&p);
}

/* Without timing, counters count instructions, a cycle for each, and no other event. */
TEST(counters_without_timing)
{
	struct pair p;
	char text[1024];
	if (!cross_available())
		skip();
	snprintf(text, sizeof text,
	         GUEST(" li t0, %u\n csrw 0x803, t0\n li t0, %u\n csrw 0x804, t0\n li t0, %u\n "
	               "csrw 0x805, t0\n csrr s1, hpmcounter3\n csrr s2, hpmcounter4\n nop\n nop\n"
	               " csrr s3, hpmcounter3\n csrr s4, hpmcounter4\n csrr s5, hpmcounter5\n "
	               "csrr s6, instret\n csrr s7, hpmcounter3\n"),
	         stat_id("sim.functional_insts"), stat_id("sim.functional_cycles"),
	         stat_id("commit.branches"));
	trap_fixture_open_pair(&p, "S", text, "-nostdlib -static", QUIET);
	struct machine *m = trap_fixture_start_machine(&p, NULL);
	machine_run_functional(m, 100000, false);
	assert_int_equal(machine_status(m), MACHINE_EXITED);
	assert_true(machine_reg(m, 9) > 5); /* s1 */
	assert_true(machine_reg(m, 18) > machine_reg(m, 9)); /* firmware's cycles count, too */
	assert_int_equal(machine_reg(m, 19), machine_reg(m, 9) + 4);
	assert_int_equal(machine_reg(m, 20), machine_reg(m, 18) + 4);
	assert_int_equal(machine_reg(m, 21), 0); /* s5: a counter of the pipeline */
	assert_int_equal(machine_reg(m, 22), machine_reg(m, 9) + 7);
	assert_int_equal(machine_reg(m, 23), machine_reg(m, 9) + 8);
	machine_free(m);
	trap_fixture_close_pair(&p);
}
