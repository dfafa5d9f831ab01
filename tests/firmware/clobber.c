/* Firmware that changes every register that a C function may change, at boot and at each interrupt:
 * the program loses each register that crt.S fails to save. */
#include "firmware.h"

enum { PERIOD = 23 }; /* instructions */

static void clobber(void)
{
	__asm__ volatile("li t0, -1\n\tli t1, -2\n\tli t2, -3\n\tli a0, -4\n\tli a1, -5\n\tli a2, -6\n\tli a3, -7\n\t"
	                 "li a4, -8\n\tli a5, -9\n\tli a6, -10\n\tli a7, -11\n\tli t3, -12\n\tli t4, -13\n\tli t5, -14\n\t"
	                 "li t6, -15\n\tli ra, -16"
	                 : : : "t0", "t1", "t2", "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "t3", "t4", "t5", "t6", "ra");
}

void firmware_init(void)
{
	DEVICE_REGISTER(TIMER_MINSTCMP) = PERIOD;
	csr_write(mie, UINT64_C(1) << IRQ_INSTS);
	clobber();
}

void firmware_interrupt(uint64_t cause)
{
	(void)cause;
	DEVICE_REGISTER(TIMER_MINSTCMP) += PERIOD;
	clobber();
}
