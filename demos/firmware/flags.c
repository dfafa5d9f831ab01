/* The runtime of profile instructions (Vaswani, Srikant and Thazhuthaveetil, V.C) as a handler: a clock's interrupt
 * switches methods' profile flags: it overwrites each flag instruction with `setpf` or `resetpf`, then executes fence.i.
 * The cost to the program is measured with it. x:handler() of cyclops.xprof fills the table in:
 *
 *     local m = cyclops.machine{ program = "prog", firmware = "build/demos/firmware/flags.elf" }
 *     local x = require "cyclops.xprof".new(m)
 *     x:handler{ every = 50000, length = 5000 }
 *     m:run() */
#include "firmware.h"

enum { CAPACITY = 16384 };

struct flag {
	uint64_t at;
	uint32_t off, on; /* instructions of 16 bits, or of 32 */
};

/* Written before the program begins. */
static volatile struct flag table[CAPACITY];
volatile struct {
	uint64_t flags, capacity, table;
	uint64_t first, length, every; /* cycles: when flags are on for the first time, how long, and how often */
	uint64_t switched;             /* interrupts so far */
} flag_runtime = {.capacity = CAPACITY, .table = (uintptr_t)table};

static uint64_t begins; /* cycle in which flags go on next, or went on */
static int is_on;

void firmware_init(void)
{
	begins = flag_runtime.first;
	DEVICE_REGISTER(TIMER_MTIMECMP) = begins;
	csr_write(mie, flag_runtime.length ? UINT64_C(1) << IRQ_TIMER : 0);
}

void firmware_interrupt(uint64_t cause)
{
	if (cause != IRQ_TIMER)
		return;
	is_on = !is_on;
	for (uint64_t i = 0, n = flag_runtime.flags; i < n; i++) {
		const uint32_t word = is_on ? table[i].on : table[i].off;
		volatile uint16_t *at = (volatile uint16_t *)(uintptr_t)table[i].at;
		at[0] = (uint16_t)word;
		if ((word & 3) == 3)
			at[1] = (uint16_t)(word >> 16);
	}
	__asm__ volatile(".4byte 0x0000100f" ::: "memory"); /* fence.i */
	flag_runtime.switched++;
	/* A window has its planned length however long switching takes; a late window is left out.
	 */
	const uint64_t now = DEVICE_REGISTER(TIMER_MTIME);
	while (!is_on && begins <= now)
		begins += flag_runtime.every;
	DEVICE_REGISTER(TIMER_MTIMECMP) = is_on ? now + flag_runtime.length : begins;
}
