/* Stacks of all kinds: coroutines by ucontext and by hand, longjmp over frames, alloca, a stack that goes on elsewhere, deep recursion.
 * Flags are saved by sp, so no stack may lose any of its flags, or those of another stack. Prints
 * sums. usage: stacks [DEPTH] */
#include <alloca.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

#define NOINLINE __attribute__((noinline, noclone))

enum { STACK = 32768, ROUNDS = 40 };

/* ---- coroutines ---- */
static ucontext_t from, co[3];
static unsigned long produced;

NOINLINE static void hand_over(int me, unsigned long value)
{
	produced = value;
	swapcontext(&co[me], &from);
}

NOINLINE static void tree(int me, int depth, unsigned long x)
{
	if (depth) {
		tree(me, depth - 1, x * 3 + 1);
		hand_over(me, x);
		tree(me, depth - 1, x * 5 + 2);
	}
}

static void run_tree(int me)
{
	tree(me, 5, (unsigned long)me + 1);
	produced = 0;
}

NOINLINE static unsigned long coroutines(void)
{
	unsigned long sum = 0;
	for (int i = 0; i < 3; i++) {
		getcontext(&co[i]);
		co[i].uc_stack.ss_sp = malloc(STACK);
		co[i].uc_stack.ss_size = STACK;
		co[i].uc_link = &from;
		makecontext(&co[i], (void (*)(void))run_tree, 1, i);
	}
	for (int round = 0; round < 3 * 31; round++) {
		swapcontext(&from, &co[round % 3]);
		sum = sum * 7 + produced + (unsigned long)round % 3;
	}
	return sum;
}

/* ---- coroutines by hand: saved registers lie on each stack ---- */
void *hand_switch(void **save, void *to);
__asm__(".text\n.globl hand_switch\n.type hand_switch, @function\n"
        "hand_switch:\n"
        "addi sp, sp, -112\n"
        "sd ra, 0(sp)\nsd s0, 8(sp)\nsd s1, 16(sp)\nsd s2, 24(sp)\nsd s3, 32(sp)\nsd s4, 40(sp)\nsd s5, 48(sp)\n"
        "sd s6, 56(sp)\nsd s7, 64(sp)\nsd s8, 72(sp)\nsd s9, 80(sp)\nsd s10, 88(sp)\nsd s11, 96(sp)\n"
        "sd sp, 0(a0)\n"
        "mv sp, a1\n"
        "ld ra, 0(sp)\nld s0, 8(sp)\nld s1, 16(sp)\nld s2, 24(sp)\nld s3, 32(sp)\nld s4, 40(sp)\nld s5, 48(sp)\n"
        "ld s6, 56(sp)\nld s7, 64(sp)\nld s8, 72(sp)\nld s9, 80(sp)\nld s10, 88(sp)\nld s11, 96(sp)\n"
        "addi sp, sp, 112\n"
        "ret\n.size hand_switch, . - hand_switch\n");

static void *hand_main, *hand_co;
static unsigned long hand_value;

NOINLINE static void hand_tree(int depth, unsigned long x)
{
	if (!depth)
		return;
	hand_tree(depth - 1, x + 3);
	hand_value = x;
	hand_switch(&hand_co, hand_main);
	hand_tree(depth - 1, x * 2);
}

static void hand_start(void)
{
	hand_tree(5, 9);
	for (;;) {
		hand_value = 0;
		hand_switch(&hand_co, hand_main);
	}
}

NOINLINE static unsigned long by_hand(void)
{
	unsigned long sum = 0;
	unsigned long *stack = malloc(STACK);
	unsigned long *top = stack + STACK / sizeof *stack - 14;
	top[0] = (unsigned long)hand_start;
	hand_co = top;
	for (int i = 0; i < ROUNDS; i++) {
		hand_switch(&hand_main, hand_co);
		sum = sum * 5 + hand_value;
	}
	return sum;
}

/* ---- longjmp, and frames that grow ---- */
static jmp_buf away;

NOINLINE static unsigned long grow(int depth, unsigned long x)
{
	const unsigned long n = x % 7 + 1;
	unsigned long *room = alloca(n * sizeof *room), sum = 0;
	for (unsigned long i = 0; i < n; i++)
		room[i] = x + i;
	if (depth)
		sum = grow(depth - 1, x * 11 + 5);
	else if (x & 4)
		longjmp(away, 1 + (int)(x % 5));
	for (unsigned long i = 0; i < n; i++)
		sum = sum * 3 + room[i];
	return sum;
}

NOINLINE static unsigned long jumps(unsigned long x)
{
	volatile unsigned long sum = 1;
	int got = setjmp(away);
	if (got)
		return sum * 2 + (unsigned long)got;
	sum = x;
	return grow((int)(x % 9), x) + grow(3, x ^ 77);
}

/* ---- a stack that goes on elsewhere ---- */
unsigned long call_on(void *top, unsigned long (*f)(unsigned long), unsigned long x);
__asm__(".text\n.globl call_on\n.type call_on, @function\n"
        "call_on:\n"
        "addi sp, sp, -16\nsd ra, 8(sp)\nsd s0, 0(sp)\n"
        "mv s0, sp\nmv sp, a0\nmv a0, a2\njalr a1\nmv sp, s0\n"
        "ld s0, 0(sp)\nld ra, 8(sp)\naddi sp, sp, 16\nret\n.size call_on, . - call_on\n");

NOINLINE static unsigned long elsewhere(unsigned long x)
{
	static _Alignas(16) char stacks[6][2048];
	if (x % 6 == 5)
		return x * 3;
	return call_on(stacks[x % 6] + sizeof stacks[0], elsewhere, x + 1) * 5 + x;
}

/* ---- depth ---- */
NOINLINE static unsigned long deep(unsigned long n)
{
	return n ? deep(n - 1) * 3 + n : 1;
}

int main(int argc, char **argv)
{
	const unsigned long depth = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
	unsigned long sum = 0;
	printf("coroutines %lu\n", coroutines());
	printf("by hand %lu\n", by_hand());
	for (unsigned long i = 0; i < ROUNDS; i++)
		sum = sum * 9 + jumps(i * 2654435761u >> 7);
	printf("longjmp %lu\n", sum);
	sum = 0;
	for (unsigned long i = 0; i < ROUNDS; i++)
		sum = sum * 9 + elsewhere(i);
	printf("elsewhere %lu\n", sum);
	printf("deep %lu\n", deep(depth));
	return 0;
}
