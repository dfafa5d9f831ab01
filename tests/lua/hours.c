/* Takes a path that depends on the time: it stores until cycle 20,000, then loads. */
void _start(void)
{
	static volatile unsigned long cell[2];
	for (unsigned i = 0; i < 4000; i++) {
		unsigned long now;
		__asm__ volatile("rdcycle %0" : "=r"(now));
		if (now < 20000)
			cell[0] = now;
		else
			(void)cell[1];
	}
	register long a0 __asm__("a0") = 0;
	register long a7 __asm__("a7") = 93;
	__asm__ volatile("ecall" : : "r"(a0), "r"(a7));
}
