/* A static program that is position-independent, without a C library: it has no relocations, and
 * returns its load address as its status. */
static int moved(void)
{
	return 40;
}

static int (*volatile next)(void);

static long call(long n, long a, long b, long c)
{
	register long a0 __asm__("a0") = a, a1 __asm__("a1") = b, a2 __asm__("a2") = c, a7 __asm__("a7") = n;
	__asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a7) : "memory");
	return a0;
}

void _start(void)
{
	next = moved;
	const unsigned long at = (unsigned long)_start >> 12 << 12;
	call(64, 1, (long)&(char[]){(char)('0' + (at >> 28 & 15))}, 1);
	call(93, next() + 2, 0, 0);
}
