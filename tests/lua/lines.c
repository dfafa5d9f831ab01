/* Reads standard input in pieces of seven bytes, and works in proportion to their values: its path
 * depends on the input, and on the length of each read. */
static long call(long number, long a, long b, long c)
{
	register long a0 __asm__("a0") = a;
	register long a1 __asm__("a1") = b;
	register long a2 __asm__("a2") = c;
	register long a7 __asm__("a7") = number;
	__asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a7) : "memory");
	return a0;
}

void _start(void)
{
	static volatile unsigned char bytes[8];
	static volatile unsigned long sum[64];
	for (long n; (n = call(63, 0, (long)bytes, 7)) > 0;)
		for (long i = 0; i < n; i++)
			for (unsigned k = 0; k < bytes[i]; k++)
				sum[k % 64 / (unsigned)n] += k ^ bytes[i];
	call(93, 0, 0, 0);
}
