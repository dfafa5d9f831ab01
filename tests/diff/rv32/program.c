/* A program for RV32 without a library: recursion, long long, tables, atomics, system calls. */
typedef unsigned int word;
typedef unsigned long long wide;

static int system_call(int number, word a, word b, word c, word d, word e)
{
	register word a0 __asm__("a0") = a, a1 __asm__("a1") = b, a2 __asm__("a2") = c,
		      a3 __asm__("a3") = d, a4 __asm__("a4") = e, a5 __asm__("a5") = 0,
		      a7 __asm__("a7") = (word)number;
	__asm__ volatile("ecall"
	                 : "+r"(a0)
	                 : "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a5), "r"(a7)
	                 : "memory");
	return (int)a0;
}

static void print_number(const char *s, wide v)
{
	char line[64];
	int n = 0;
	while (*s)
		line[n++] = *s++;
	for (int i = 60; i >= 0; i -= 4)
		line[n++] = "0123456789abcdef"[v >> i & 15];
	line[n++] = '\n';
	system_call(64, 1, (word)line, (word)n, 0, 0);
}

static int fibonacci_number(int n)
{
	return n < 2 ? n : fibonacci_number(n - 1) + fibonacci_number(n - 2);
}

static int insertion_sort(int *v, int n)
{
	int moves = 0;
	for (int i = 1; i < n; i++)
		for (int j = i; j > 0 && v[j - 1] > v[j]; j--, moves++) {
			int t = v[j];
			v[j] = v[j - 1];
			v[j - 1] = t;
		}
	return moves;
}

volatile int seed = 12345, counter;
volatile wide big = 0x123456789abcdefULL;
volatile long shift = 40;

int main(int argc, char **argv, char **envp)
{
	int v[64];
	word x = (word)seed;
	struct {
		const char *base;
		word n;
	} parts[2] = {{"two ", 4}, {"parts\n", 6}};
	struct {
		long long sec, nsec;
	} time;
	(void)envp;
	for (int i = 0; i < 64; i++)
		v[i] = (int)(x = x * 1103515245u + 12345u) >> 3;
	print_number("moves ", (wide)insertion_sort(v, 64));
	for (int i = 0; i < 64; i += 9)
		print_number("v ", (wide)(long long)v[i]);
	print_number("fib ", (wide)fibonacci_number(14));
	print_number("square ", big * big);
	print_number("shifted ", big >> shift | big << (64 - shift));
	print_number("signed ", (wide)((long long)-big >> 9));
	print_number("quotient ", (wide)(v[5] / 7));
	print_number("rest ", (wide)((word)v[5] % 1000));
	for (int i = 0; i < 5; i++)
		__atomic_fetch_add(&counter, i, __ATOMIC_SEQ_CST);
	print_number("counter ", (wide)counter);
	print_number("argc ", (wide)argc);
	print_number("argv[1] ", argc > 1 ? (wide)argv[1][0] : 0);
	system_call(66, 1, (word)parts, 2, 0, 0);
	print_number("brk ", (wide)(system_call(214, 0, 0, 0, 0, 0) != 0));
	const int at = system_call(222, 0, 8192, 3, 0x22, (word)-1);
	print_number("mmap ", (wide)(at > 4096));
	*(volatile int *)at = 7;
	print_number("unmapped ", (wide)system_call(215, (word)at, 8192, 0, 0, 0));
	print_number("clock ", (wide)system_call(403, 1, (word)&time, 0, 0, 0));
	print_number("no such call ", (wide)(long long)system_call(1000, 0, 0, 0, 0, 0));
	print_number("bad buffer ", (wide)(long long)system_call(64, 1, 16, 4, 0, 0));
	return 7;
}

__asm__(".globl _start\n"
        "_start:\n"
        ".option push\n"
        ".option norelax\n"
        "	la gp,__global_pointer$\n"
        ".option pop\n"
        "	lw a0,0(sp)\n"
        "	addi a1,sp,4\n"
        "	call main\n"
        "	li a7,93\n"
        "	ecall\n");
