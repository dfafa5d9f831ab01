/* A guest that depends on the cycle counter: machines of other speeds do different things. */
static unsigned long cycles(void)
{
	unsigned long c;
	__asm__ volatile("rdcycle %0" : "=r"(c));
	return c;
}

static void asks_time_leave(long status)
{
	register long a0 __asm__("a0") = status;
	register long a7 __asm__("a7") = 93;
	__asm__ volatile("ecall" : : "r"(a0), "r"(a7));
}

void _start(void)
{
	volatile unsigned long sum = 0;
	for (unsigned i = 0; i < 40; i++)
		sum += i * sum;
	while (cycles() < 3000) /* as often as the time allows */
		sum++;
	asks_time_leave(0);
}
