/* A guest with profile instructions for the time travel tests: flags saved and given back through
 * calls, recursion and longjmp, switched by the program itself and by patches, blocks long enough
 * to be skipped, and unpredictable branches around all of it. Its status is its count. Its text is
 * writable. */
#include "demos/include/xprof.h"

typedef unsigned long u64;

#define NOINLINE __attribute__((noinline, noclone))
#define PLACE(name) __asm__ volatile(".globl " #name "\n" #name ": nop" ::: "memory")

u64 counts[8], calls;
u64 table[512];
static void *jump_buffer[5];

/* Called with 1, 2, 3, ... */
NOINLINE void tick(u64 i)
{
	calls += i & 1;
}

/* Out-of-line, as for a call graph: reached by a profile call alone. t0 holds the way back. */
__asm__(".globl probe\n"
        "probe: addi t1, t1, 1\n"
        "jr t0");

static inline void profile_call(void)
{
	__asm__ volatile(XPROF_PI(1) "jal t0, probe" ::: "t0", "t1", "memory");
}

NOINLINE u64 leaf(u64 x)
{
	xprof_pushpf(0);
	__asm__ volatile(".globl switched\n.balign 2\nswitched:" ::: "memory");
	xprof_resetpf(0); /* patched */
	xprof_count(0, counts, 0);
	profile_call();
	if (x & 4)
		xprof_count(0, counts, 1);
	else
		xprof_count(3, counts, 2);
	xprof_poppf(0);
	return x * 3;
}

NOINLINE u64 nested(u64 depth, u64 x)
{
	xprof_pushpf_all();
	xprof_check(3, x & 8);
	xprof_count(3, counts, 3);
	if (depth)
		x = nested(depth - 1, x * 5 + leaf(x));
	else if (x & 16)
		__builtin_longjmp(jump_buffer, 1);
	xprof_count(3, counts, 4);
	xprof_poppf_all();
	return x;
}

NOINLINE void unwind(u64 x)
{
	xprof_pushpf(3);
	if (__builtin_setjmp(jump_buffer) == 0)
		nested(3, x);
	xprof_poppf(3);
	xprof_count(3, counts, 5);
}

/* resetpf 0 to setpf 0, or back. */
static void patch(int on)
{
	extern unsigned short switched[];
	*(volatile unsigned short *)switched = (unsigned short)(0x0002 | (on ? 24 : 16) << 2);
	__asm__ volatile("fence.i" ::: "memory");
}

u64 begin(void)
{
	u64 x = 88172645463325252UL;
	for (u64 i = 1; i <= 60; i++) {
		tick(i);
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		table[x % 512] += x;
		if (i % 9 == 5)
			patch(1);
		if (i % 9 == 7)
			patch(0);
		xprof_check(1, x & 32);
		unwind(x);
		if (table[(x >> 20) % 512] & 1)
			leaf(x);
	}
	PLACE(after_rounds);
	return (counts[0] + counts[1] + counts[2] + counts[3] + counts[4] + counts[5] + calls) & 127;
}

__asm__(".globl _start\n"
        "_start: andi sp, sp, -16\n"
        "call begin\n"
        "li a7, 93\n"
        "ecall");
