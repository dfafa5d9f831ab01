/* The program of the Lua tests: calls, a loop, memory, output, input, a fault on request. Without a
 * C library: it starts in a few cycles. Line numbers are named by the tests. */
volatile int counter;
long numbers[4] = {10, 20, 30, -40};
const char text[] = "hello";
volatile double half = 0.5;
volatile float third = 0.25f;

static long call(long number, long a, const void *b, long c)
{
	register long a0 __asm__("a0") = a;
	register const void *a1 __asm__("a1") = b;
	register long a2 __asm__("a2") = c;
	register long a7 __asm__("a7") = number;
	__asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a7) : "memory");
	return a0;
}

__attribute__((noinline)) int twice(int x)
{
	counter++;
	return 2 * x;
}

__attribute__((noinline)) static void say(int fd, const char *s)
{
	long n = 0;
	while (s[n])
		n++;
	call(64, fd, s, n);
}

/* argv[1]: i = copies its input, o = copies the file argv[2] and exits with 1 if there is none, f = faults, l = counts for long. */
__attribute__((noinline)) int start(const long *stack)
{
	const char *const *argv = (const char *const *)(stack + 1);
	char what = stack[0] > 1 ? argv[1][0] : ' ', buf[64];
	int sum = 0;
	say(1, "begin\n");
	for (int i = 0; i < (what == 'l' ? 100000000 : 5); i++)
		sum += twice(i);
	say(2, "middle\n");
	if (what == 'f')
		*(volatile int *)16 = sum;
	const long fd = what == 'o' ? call(56, -100, argv[2], 0) : 0;
	if (fd < 0)
		return 1;
	for (long n; (what == 'i' || what == 'o') && (n = call(63, fd, buf, sizeof buf)) > 0;)
		call(64, 1, buf, n);
	say(1, "end\n");
	return sum + (int)numbers[0] + (int)half;
}

__attribute__((naked, noreturn)) void _start(void)
{
	__asm__ volatile("mv a0, sp\n\tcall start\n\tli a7, 93\n\tecall");
}
