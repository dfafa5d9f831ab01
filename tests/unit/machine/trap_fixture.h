/* Firmware and programs for tests of M-mode. */
#ifndef CYCLOPS_TESTS_UNIT_MACHINE_TRAP_FIXTURE_H
#define CYCLOPS_TESTS_UNIT_MACHINE_TRAP_FIXTURE_H

#include "core/trap/trap.h"

#include <stdlib.h>

#include "core/isa/csr.h"
#include "core/machine/change.h"
#include "core/machine/machine.h"
#include "core/machine/params.h"
#include "core/mem/mem.h"
#include "core/os/os.h"
#include "core/pipe/pipe.h"
#include "loader/launch.h"
#include "loader/program.h"
#include "tests/cases.h"
#include "tests/scale.h"
#include "tests/unit/loader/cross.h"
#include "tests/unit/prof/firmware_asm.h"

/* ---- firmware on a machine ---- */

/* Interrupts after a number of instructions that changes each time; the handler keeps in its
 * memory where the program was, and counts interrupts that were not exactly after the requested
 * instruction. */
static const char by_instructions[] =
	FIRMWARE(" li t1, 777\n sd t1, 0x18(DEV)\n li t1, 1 << 16\n csrw mie, t1\n",
                 /* late += minst != minstcmp */
                 " ld t1, 0x10(DEV)\n ld t2, 0x18(DEV)\n sub t1, t1, t2\n snez t1, t1\n la t2, "
                 "late\n ld t3, 0(t2)\n add t3, t3, t1\n sd t3, 0(t2)\n"
                 /* log[count++ & 4095] = mepc */
                 " la t2, count\n ld t1, 0(t2)\n addi t3, t1, 1\n sd t3, 0(t2)\n slli t1, t1, 52\n "
                 "srli t1, t1, 49\n la t2, log\n add t2, t2, t1\n"
                 " csrr t1, mepc\n sd t1, 0(t2)\n"
                 /* lfsr, and minstcmp += 1 + lfsr % 2048 */
                 " la t2, lfsr\n ld t1, 0(t2)\n andi t3, t1, 1\n neg t3, t3\n srli t1, t1, 1\n sd "
                 "t1, 0(t2)\n li t1, 0xb400\n and t3, t3, t1\n"
                 " ld t1, 0(t2)\n xor t1, t1, t3\n sd t1, 0(t2)\n andi t1, t1, 2047\n addi t1, t1, "
                 "1\n ld t2, 0x18(DEV)\n add t1, t1, t2\n sd t1, 0x18(DEV)\n");

static const char guest[] =
	"#include <stdio.h>\n#include <stdlib.h>\n#include <math.h>\n"
	"static unsigned x = 1; static double table[512]; static long cells[1024];\n"
	"static int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }\n"
	"int main(void) { double d = 1; long s = 0;\n"
	" for (int i = 0; i < 6000; i++) { x = x * 1103515245u + 12345u; unsigned k = x >> 20;\n"
	"  if (k & 1) table[k & 511] += d / (1 + (double)k); else cells[k & 1023] ^= s;\n"
	"  d = d * 0.75 + table[(k * 7) & 511]; s += cells[(k * 5) & 1023] + (long)k;\n"
	"  if (i % 500 == 0) printf(\"%d %ld %.9g %d\\n\", i, s, d, f(9)); }\n"
	" __asm__ volatile(\"\" ::: \"memory\"); return (int)(s & 63); }\n";

/* A guest and its firmware, compiled. */
struct pair {
	struct cross guest, firmware;
	struct launch launch;
	struct program *program;
};

static inline void trap_fixture_open_pair(struct pair *p, const char *guest_suffix,
                                          const char *guest_text, const char *guest_flags,
                                          const char *firmware_text)
{
	struct err err;
	assert_true(cross_build(&p->guest, guest_suffix, guest_text, guest_flags));
	assert_true(cross_build(&p->firmware, "S", firmware_text, FIRMWARE_FLAGS));
	p->launch = (struct launch){.path = p->guest.program,
	                            .firmware = p->firmware.program,
	                            .stdin_fd = -1,
	                            .output = os_no_output};
	p->program = launch_program(&p->launch, &err);
	if (!p->program)
		fail_msg("%s", err.msg);
}

static inline void trap_fixture_close_pair(struct pair *p)
{
	program_free(p->program);
	cross_remove(&p->guest);
	cross_remove(&p->firmware);
}

static inline struct machine *trap_fixture_start_machine(const struct pair *p,
                                                         const char *const settings[])
{
	struct config cfg;
	struct err err;
	config_default(&cfg);
	for (unsigned i = 0; settings && settings[i]; i++)
		assert_true(config_set_assignment(&cfg, settings[i], &err));
	struct machine *m = launch_machine(&p->launch, p->program, &cfg, &err);
	if (!m)
		fail_msg("%s", err.msg);
	return m;
}

#define QUIET FIRMWARE("", "")
#define GUEST(body) ".globl _start\n_start:\n" body " li a7, 93\n li a0, 0\n ecall\n"

#endif
