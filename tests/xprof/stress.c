/* Hard cases for instrumenting assembly, one function each: the output must not depend on
 * instrumentation. */
#include <alloca.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __clang__
#define APART __attribute__((noinline))
#else
#define APART __attribute__((noinline, noclone))
#endif

/* Values unknown to compilers. */
static volatile int one = 1;

static unsigned long hash = 5381;
static void mix(unsigned long v)
{
	hash = hash * 33 ^ v;
}

/* ---- switches: dense (a table), sparse (a tree), one whose cases end in calls ---- */
APART static int dense(int x)
{
	switch (x) {
	case 0: return 7;
	case 1: return 19;
	case 2: mix(2); return 4;
	case 3: return x * 5;
	case 4: mix(4); mix(5); break;
	case 5: return 11;
	case 6: mix(6); /* falls through */
	case 7: x += 3; break;
	default: return -1;
	}
	return x;
}

APART static int sparse(int x)
{
	switch (x) {
	case 1: return 3;
	case 100: return 4;
	case 10000: return 5;
	case -77: return 6;
	case 123456: return 7;
	default: return 0;
	}
}

typedef int (*operation)(int);
APART static int twice(int x) { mix(21); return 2 * x; }
APART static int square(int x) { mix(22); return x * x; }
operation operations[3];

/* A table of labels and a call through a register at the end: both are `jr`. */
APART static int switched_tail(int x, operation f)
{
	switch (x) {
	case 0: mix(30); return f(x);
	case 1: mix(31); x += 5; return operations[0](x);
	case 2: mix(32); return 9;
	case 3: mix(33); x ^= 3; return operations[1](x + 1);
	case 4: return twice(x);
	case 5: mix(35); return 1;
	case 6: mix(36); return f(f(x));
	default: mix(37); return -x;
	}
}

/* ---- computed goto: an interpreter, without a frame and with one ---- */
APART static long interpret(const unsigned char *p, long a)
{
	static const void *const go[] = {&&inc, &&dec, &&dbl, &&jnz, &&end};
	long n = 40;
	goto *go[*p];
inc: a++; goto *go[*++p];
dec: a--; n--; goto *go[*++p];
dbl: a *= 2; goto *go[*++p];
jnz: p -= n > 0 ? p[1] : -1; goto *go[*++p];
end: return a;
}

APART static long interpret_calling(const unsigned char *p, long a)
{
	static const void *const go[] = {&&inc, &&call, &&out};
	goto *go[*p];
inc: a += 3; goto *go[*++p];
call: a = twice((int)a); goto *go[*++p];
out: return a;
}

/* ---- recursion: direct, mutual, in tail position ---- */
APART static unsigned long ackermann(unsigned long m, unsigned long n)
{
	if (m == 0)
		return n + 1;
	return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
static int is_odd(int n);
APART static int is_even(int n) { return n == 0 ? 1 : is_odd(n - 1); }
APART static int is_odd(int n) { return n == 0 ? 0 : is_even(n - 1); }

/* ---- out of the middle ---- */
static jmp_buf back;
APART static void deep(int n, int where)
{
	char room[40];
	memset(room, n, sizeof room);
	if (n == where)
		longjmp(back, n + 1);
	mix((unsigned long)room[n % 40]);
	deep(n + 1, where);
	mix(1);
}
APART static int jumping(int where)
{
	volatile int tries = 0;
	int got = setjmp(back);
	if (got && tries > 2)
		return got;
	tries++;
	deep(0, where + tries);
	return -1;
}

/* ---- arguments ---- */
APART static long sum(int n, ...)
{
	va_list list;
	long s = 0;
	va_start(list, n);
	while (n-- > 0)
		s = 3 * s + va_arg(list, long);
	va_end(list);
	return s;
}
APART static long many(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j)
{
	return a - b + c * d - e + f * g - h + i * j;
}
struct pair { long x, y; };
struct big { long v[9]; };
APART static struct pair make_pair(long x) { return (struct pair){x, x * x}; }
APART static struct big make_big(struct big b, long x) { b.v[x % 9] = x; return b; }
APART static double floats(double a, float b, int c) { return c > 0 ? a * b + c : a / (b + 1); }

/* ---- no register is free ---- */
APART static unsigned long crowded(const unsigned long *v, int rounds)
{
	unsigned long a = v[0], b = v[1], c = v[2], d = v[3], e = v[4], f = v[5], g = v[6], h = v[7], i = v[8], j = v[9], k = v[10],
		      l = v[11], m = v[12], n = v[13], o = v[14], p = v[15], q = v[16], r = v[17], s = v[18], t = v[19], u = v[20],
		      w = v[21], x = v[22], y = v[23], z = v[24], aa = v[25], bb = v[26], cc = v[27];
	while (rounds--) {
		a += b ^ cc; b += c; c ^= d; d += e; e -= f; f += g;
		if (a & 1) { g ^= h; h += i; i += j; } else { j -= k; k += l; }
		l ^= m; m += n; n += o; o ^= p; p += q; q -= r;
		if (m & 4) { r += s; s ^= t; t += u; }
		u += w; w ^= x; x += y; y -= z; z += aa; aa ^= bb; bb += cc; cc += a;
	}
	return a ^ b ^ c ^ d ^ e ^ f ^ g ^ h ^ i ^ j ^ k ^ l ^ m ^ n ^ o ^ p ^ q ^ r ^ s ^ t ^ u ^ w ^ x ^ y ^ z ^ aa ^ bb ^ cc;
}

/* ---- a caller's assumptions about a neighbour's unused registers (-fipa-ra) ---- */
static long seen;
APART static void leaves_much_alone(long x)
{
	if (x & 1)
		seen += x;
	else
		seen -= 2;
}
APART static long keeps_in_place(long a, long b, long c, long d, long e, long f)
{
	long g = a * b, h = c * d, i = e * f, j = a ^ f, k = b + e;
	leaves_much_alone(a);
	leaves_much_alone(b);
	return a + 2 * b + 3 * c + 5 * d + 7 * e + 11 * f + 13 * g + 17 * h + 19 * i + 23 * j + 29 * k;
}

/* ---- inline assembly: registers, a jump, a function that consists of it ---- */
APART static long inlined(long x)
{
	register long a0 __asm__("a0") = x;
	register long t6 __asm__("t6") = 5;
	register long t5 __asm__("t5") = 6;
	__asm__ volatile("1: addi a0, a0, 1\n\taddi t6, t6, -1\n\tbnez t6, 1b\n\tadd a0, a0, t5" : "+r"(a0), "+r"(t6) : "r"(t5));
	if (a0 > 20)
		__asm__ volatile("" : : : "t0", "t1", "t2", "t3", "t4", "memory");
	return a0;
}
/* t6 is an operand that the text doesn't name: add a0, a0, t6. */
APART static long unnamed(long x)
{
	register long a0 __asm__("a0") = x;
	register long t6 __asm__("t6") = 3 * x;
	if (one > 3)
		a0 += one;
	__asm__ volatile(".4byte 0x01f50533" : "+r"(a0) : "r"(t6));
	return a0;
}
APART static int jumps_within(int x)
{
	__asm__ goto("beqz %0, %l1\n\tbltz %0, %l2" : : "r"(x) : : zero, negative);
	return 1;
zero:
	mix(50);
	return 2;
negative:
	return 3;
}
__attribute__((naked, noinline)) static long of_assembly(__attribute__((unused)) long x)
{
	__asm__ volatile("slli a0, a0, 2\n\tbeqz a0, 1f\n\taddi a0, a0, 1\n\tret\n1:\tli a0, 77\n\tret");
}

/* ---- frames that grow, nested functions, loops at the very beginning, code that never returns ---- */
APART static unsigned growing(int n)
{
	unsigned s = 0;
	for (int i = 1; i < n; i++) {
		char *p = alloca((size_t)i * 8);
		char v[i];
		memset(p, i, (size_t)i * 8);
		memset(v, 1, sizeof v);
		s += (unsigned)p[i / 2] + (unsigned)v[0];
	}
	return s;
}
#ifndef __clang__
APART static int nesting(int n)
{
	int calls = 0;
	int inner(int x) { calls++; return x < 2 ? x : inner(x - 1) + n; }
	return inner(n) * 100 + calls;
}
#else
static int nesting(int n) { return ((n - 1) * n + 1) * 100 + n; }
#endif
APART static unsigned long loop_first(unsigned long x)
{
	do
		x = x & 1 ? 3 * x + 1 : x / 2;
	while (x != 1);
	return x;
}
__attribute__((noinline, noreturn, cold)) static void give_up(int x)
{
	printf("gave up at %d, %lx\n", x, hash);
	exit(x);
}
APART static int may_give_up(int x)
{
	if (__builtin_expect(x > 1000, 0))
		give_up(x & 31);
	return x + 1;
}

static int compare(const void *a, const void *b)
{
	const int *x = a, *y = b;
	return *x < *y ? -1 : *x > *y;
}

__attribute__((constructor)) static void before_main(void)
{
	mix(1000);
}
__attribute__((weak)) int may_be_replaced(int x) { return x - 4; }
int known_as_this(int x) { return may_be_replaced(x) + 1; }
int also_known_as(int) __attribute__((alias("known_as_this")));

int main(void)
{
	static const unsigned char code[] = {0, 2, 0, 1, 3, 4, 4}, calls[] = {0, 1, 0, 1, 2};
	unsigned long v[28];
	int sorted[50];
	operations[0] = square;
	operations[1] = twice;
	for (int i = 0; i < 28; i++)
		v[i] = (unsigned long)i * 2654435761u;
	for (int i = 0; i < 50; i++)
		sorted[i] = (i * 37) % 50;
	for (int i = -1; i < 10; i++) {
		mix((unsigned long)dense(i));
		mix((unsigned long)switched_tail(i, i & 1 ? twice : square));
		mix((unsigned long)jumps_within(i));
	}
	for (int i = -77; i < 124000; i += 33)
		mix((unsigned long)sparse(i));
	printf("switches %lx\n", hash);
	mix((unsigned long)interpret(code, 3 * one) + (unsigned long)interpret_calling(calls, 4 * one));
	mix(ackermann((unsigned long)one * 2, 5) + (unsigned long)is_even(one + 300) + (unsigned long)is_odd(77 * one));
	printf("flow %lx\n", hash);
	for (int i = 3; i < 9; i++)
		mix((unsigned long)jumping(i));
	printf("longjmp %lx\n", hash);
	mix((unsigned long)sum(4 + one, (long)one, 2L, 3L, 4L, 5L) + (unsigned long)many(one, 2, one + 2, 4, 5, one + 5, 7, 8, one + 8, 10));
	mix((unsigned long)make_pair(12 * one).y + (unsigned long)make_big((struct big){{1, 2, 3}}, 4 + one).v[5]);
	mix((unsigned long)floats(2.5 * one, 1.5f, 3) + (unsigned long)floats(100, 1, 0));
	mix(crowded(v, 100 * one));
	mix((unsigned long)keeps_in_place(one, 2 * one, 2 + one, 4 * one, 4 + one, 6 * one) + (unsigned long)seen);
	printf("registers %lx\n", hash);
	mix((unsigned long)inlined(4 * one) + (unsigned long)unnamed(7) + (unsigned long)inlined(40) + (unsigned long)of_assembly(3 * one) + (unsigned long)of_assembly(one - 1));
	mix(growing(20 * one) + (unsigned)nesting(6 + one));
	mix(loop_first((unsigned long)one * 27) + (unsigned)may_give_up(3 * one) + (unsigned)also_known_as(9 * one));
	qsort(sorted, 50, sizeof *sorted, compare);
	for (int i = 0; i < 50; i++)
		mix((unsigned long)sorted[i]);
	printf("all %lx\n", hash);
	may_give_up(1002 + one);
	return 1;
}
