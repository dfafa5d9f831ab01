/* The smallest firmware with something to see: it sleeps once before the program begins, and then counts the ticks of a
 * clock while the program runs. */
#include "firmware.h"

#ifndef PERIOD
#define PERIOD 1000 /* cycles */
#endif

volatile uint64_t firmware_woken; /* cycle in which the sleep before the program ended */
volatile uint64_t firmware_ticks; /* since then */
volatile uint64_t firmware_last_pc; /* the program's pc at the last tick */

void firmware_init(void)
{
	DEVICE_REGISTER(TIMER_MTIMECMP) = DEVICE_REGISTER(TIMER_MTIME) + PERIOD;
	csr_write(mie, UINT64_C(1) << IRQ_TIMER);
	/* Interrupts are off here, but a pending one still ends the sleep. */
	while (!(csr_read(mip) & UINT64_C(1) << IRQ_TIMER))
		__asm__ volatile("wfi");
	firmware_woken = DEVICE_REGISTER(TIMER_MTIME);
	DEVICE_REGISTER(TIMER_MTIMECMP) = firmware_woken + PERIOD;
}

void firmware_interrupt(uint64_t cause)
{
	if (cause != IRQ_TIMER)
		return;
	firmware_ticks++;
	firmware_last_pc = csr_read(mepc);
	/* Ticks that were missed meanwhile are not made up for. */
	DEVICE_REGISTER(TIMER_MTIMECMP) = DEVICE_REGISTER(TIMER_MTIME) + PERIOD;
}
