/* Small firmware for tests, in assembly: `_start` runs at boot, `entry` at an interrupt; it saves
 * the registers that it uses. */
#ifndef CYCLOPS_TESTS_UNIT_FIRMWARE_ASM_H
#define CYCLOPS_TESTS_UNIT_FIRMWARE_ASM_H

#define FIRMWARE_FLAGS                                                                             \
	"-march=rv64imac_zicsr -mabi=lp64 -nostdlib -static "                                      \
	"-Wl,-N,--no-warn-rwx-segments,-Ttext=0x4000000000,--build-id=none"

/* init and handler may use t0 to t3; t0 is the address of the timers (core/prof/common/firmware.h).
 */
#define FIRMWARE(init, handler)                                                                    \
	"#define DEV t0\n"                                                                         \
	".section .text\n.globl _start\n_start:\n"                                                 \
	" csrw mscratch, sp\n la sp, save\n sd t0, 0(sp)\n sd t1, 8(sp)\n sd t2, 16(sp)\n sd t3, " \
	"24(sp)\n"                                                                                 \
	" la t1, entry\n csrw mtvec, t1\n li DEV, 0x7f00000000\n" init                             \
	" j leave\n.balign 4\nentry:\n"                                                            \
	" csrw mscratch, sp\n la sp, save\n sd t0, 0(sp)\n sd t1, 8(sp)\n sd t2, 16(sp)\n sd t3, " \
	"24(sp)\n"                                                                                 \
	" li DEV, 0x7f00000000\n" handler "leave:\n ld t0, 0(sp)\n ld t1, 8(sp)\n ld t2, "         \
	                                  "16(sp)\n ld t3, 24(sp)\n csrr sp, mscratch\n mret\n"    \
	".data\n.balign 8\nsave: .fill 8, 8, 0\n"                                                  \
	".globl count\ncount: .dword 0\n.globl late\nlate: .dword 0\nnext: .dword 777\nlfsr: "     \
	".dword 0xace1\nlog: .fill 4096, 8, 0\n"

#endif
