/* Firmware that faults at its first interrupt. HOW selects the fault. */
#include "firmware.h"

void firmware_init(void)
{
	DEVICE_REGISTER(TIMER_MINSTCMP) = 1000;
	csr_write(mie, UINT64_C(1) << IRQ_INSTS);
}

void firmware_interrupt(uint64_t cause)
{
	(void)cause;
#if HOW == 1
	*(volatile uint64_t *)0x1000 = 1;
#elif HOW == 2
	__asm__ volatile("ebreak");
#elif HOW == 3
	__asm__ volatile("ecall");
#elif HOW == 4
	__asm__ volatile(".half 0");
#else
	*(volatile uint32_t *)TIMER_MTIME;
#endif
}
