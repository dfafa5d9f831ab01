/* Every kind of code that compilers write as assembly; needs no library. */
#ifdef __cplusplus
extern "C" {
#endif
typedef unsigned long u64;
static long compiled_syscall3(long n, long a, long b, long c)
{
	register long a7 __asm__("a7") = n, a0 __asm__("a0") = a, a1 __asm__("a1") = b,
			 a2 __asm__("a2") = c;
	__asm__ volatile("ecall" : "+r"(a0) : "r"(a7), "r"(a1), "r"(a2) : "memory");
	return a0;
}
void *memcpy(void *to, const void *from, u64 n)
{
	char *t = (char *)to;
	const char *f = (const char *)from;
	while (n--)
		*t++ = *f++;
	return to;
}
void *memset(void *to, int c, u64 n)
{
	char *t = (char *)to;
	while (n--)
		*t++ = (char)c;
	return to;
}
__thread int mine = 3;
__thread long zeros;
static __thread char own[7] = "abcdef";
int common[4];
long table[8] = {1, 2, 3};
const char *const names[] = {"zero\n", "o\tne\n", "tw\377o\n", "\0three\n"};
int weak(void) __attribute__((weak));
int weak(void)
{
	return 5;
}
int other(void) __attribute__((alias("weak")));
extern int nowhere __attribute__((weak));
__attribute__((section(".mydata"))) int placed = 9;
__attribute__((noinline)) int choose(int x)
{
	switch (x) {
	case 0:
		return 4;
	case 1:
		return 9;
	case 2:
		return 1;
	case 3:
		return 77;
	case 4:
		return 8;
	case 5:
		return 3;
	case 6:
		return 99;
	case 7:
		return -4;
	default:
		return 0;
	}
}
__attribute__((noinline)) static double area(double r, float k)
{
	return r * r * 3.25 + (double)k / 3;
}
__attribute__((noinline)) static u64 sum(int n, ...)
{
	__builtin_va_list l;
	u64 s = 0;
	__builtin_va_start(l, n);
	while (n--)
		s += __builtin_va_arg(l, u64);
	__builtin_va_end(l);
	return s;
}
static void print_text(const char *s)
{
	u64 n = 0;
	while (s[n])
		n++;
	compiled_syscall3(64, 1, (long)s, (long)n);
}
static void print_number(long v)
{
	char b[32];
	int i = 31;
	u64 u = v < 0 ? -(u64)v : (u64)v;
	b[i] = 0;
	do
		b[--i] = (char)('0' + u % 10);
	while (u /= 10);
	if (v < 0)
		b[--i] = '-';
	print_text(b + i);
	print_text("\n");
}
typedef int fn(int);
fn *const calls[] = {choose, choose};
int main(int argc, char **argv)
{
	(void)argv;
	for (int i = 0; i < 4; i++)
		print_text(names[i]);
	for (int i = -1; i < 9; i++)
		print_number(calls[i & 1](i));
	print_number((long)(area(2.5, 1.5f) * 1000));
	print_number((long)sum(9, 1UL, 2UL, 3UL, 4UL, 5UL, 6UL, 7UL, 8UL, 1UL << 40));
	mine += argc;
	zeros += mine;
	own[1]++;
	print_number(mine);
	print_number(zeros);
	print_text(own);
	print_text("\n");
	print_number(__atomic_fetch_add(&common[2], 7, 5));
	print_number(common[2]);
	print_number(weak() + other());
	print_number(&nowhere == 0);
	print_number(placed);
	print_number((long)((__int128)table[2] * 0x123456789abcdefL >> 30));
	for (int i = 0; i < 8; i++)
		table[i] ^= table[(i + 3) & 7] + i;
	print_number(table[5]);
	return 42;
}

#ifdef __cplusplus
}
#endif
