/* Threads, coroutines, handlers and jumps out of them, whose calls are known by construction: streams.py has the numbers. Each calls
 * `leaf` through functions of its own. */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <ucontext.h>

#define NOINLINE __attribute__((noinline, noclone))

enum { TIMES = 300, ROUNDS = 40, STACK = 16384 };

static volatile unsigned sink;

NOINLINE void leaf(unsigned x)
{
	if (x & 1)
		sink = x * 3;
	else
		sink = x >> 1;
}

NOINLINE void by_a(unsigned x)
{
	leaf(x);
	__asm__ volatile("");
}

NOINLINE void by_b(unsigned x)
{
	leaf(x);
	by_a(x);
	__asm__ volatile("");
}

NOINLINE void *work_a(void *arg)
{
	for (unsigned i = 0; i < TIMES; i++)
		by_a(i);
	return arg;
}

NOINLINE void *work_b(void *arg)
{
	for (unsigned i = 0; i < TIMES; i++)
		by_b(i);
	return arg;
}

static ucontext_t before, routine[2];
static char stacks[2][STACK], alternate[STACK];

NOINLINE void ping(void)
{
	for (unsigned i = 0; i < ROUNDS; i++) {
		leaf(i);
		swapcontext(&routine[0], &routine[1]);
	}
}

NOINLINE void pong(void)
{
	for (unsigned i = 0; i < ROUNDS; i++) {
		by_b(i);
		swapcontext(&routine[1], &routine[0]);
	}
}

/* Coroutines by hand: sp goes to the other stack, whose first procedure a return leads to. Twice on the same stacks. */
void hand_switch(void **from, void *to);
__asm__(".text\n.globl hand_switch\n.type hand_switch, @function\n"
        "hand_switch:\naddi sp, sp, -32\nsd ra, 0(sp)\nsd s0, 8(sp)\nsd s1, 16(sp)\nsd s2, 24(sp)\n"
        "sd sp, 0(a0)\nmv sp, a1\n"
        "ld ra, 0(sp)\nld s0, 8(sp)\nld s1, 16(sp)\nld s2, 24(sp)\naddi sp, sp, 32\nret\n"
        ".size hand_switch, . - hand_switch\n");

static __thread void *hand[3];
static __thread char hand_stacks[2][STACK] __attribute__((aligned(16)));

NOINLINE void hand_a(void)
{
	for (unsigned i = 0; i < ROUNDS; i++) {
		by_a(i);
		hand_switch(&hand[0], hand[1]);
	}
	hand_switch(&hand[0], hand[2]);
}

NOINLINE void hand_c(void)
{
	for (unsigned i = 0; i < ROUNDS; i++) {
		by_b(i);
		hand_switch(&hand[0], hand[1]);
	}
	hand_switch(&hand[0], hand[2]);
}

NOINLINE void hand_b(void)
{
	for (unsigned i = 0; i < ROUNDS; i++) {
		leaf(i);
		hand_switch(&hand[1], hand[0]);
	}
}

NOINLINE void by_hand(void (*first)(void), void (*second)(void))
{
	void (*const begin[2])(void) = {first, second};
	for (int i = 0; i < 2; i++) {
		void **top = (void **)(hand_stacks[i] + STACK - 64);
		top[0] = (void *)begin[i];
		hand[i] = top;
	}
	hand_switch(&hand[2], hand[0]);
}

NOINLINE void *coroutines(void *arg)
{
	void (*const begin[2])(void) = {ping, pong};
	for (int i = 0; i < 2; i++) {
		getcontext(&routine[i]);
		routine[i].uc_stack.ss_sp = stacks[i];
		routine[i].uc_stack.ss_size = STACK;
		routine[i].uc_link = &before;
		makecontext(&routine[i], begin[i], 0);
	}
	swapcontext(&before, &routine[0]);
	by_hand(hand_a, hand_b);
	by_a(1);
	return arg;
}

static sigjmp_buf back;

static void streams_on_signal(int sig)
{
	by_b((unsigned)sig);
	__asm__ volatile("");
}

static void streams_jumper(int sig)
{
	by_a((unsigned)sig);
	siglongjmp(back, 1);
}

NOINLINE void signalled(void)
{
	for (unsigned i = 0; i < ROUNDS; i++) {
		leaf(i);
		raise(SIGUSR1);
	}
}

NOINLINE void jumped(void)
{
	for (volatile unsigned i = 0; i < ROUNDS; i++) {
		if (!sigsetjmp(back, 1))
			raise(SIGUSR2);
		by_b(i);
	}
}

int main(void)
{
	void *(*const begin[3])(void *) = {work_a, work_b, coroutines};
	const stack_t stack = {.ss_sp = alternate, .ss_size = STACK};
	struct sigaction action = {.sa_handler = streams_on_signal};
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, begin[i], NULL);
	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	action.sa_handler = streams_jumper;
	action.sa_flags = SA_ONSTACK;
	sigaction(SIGUSR2, &action, NULL);
	signalled();
	jumped();
	by_hand(hand_a, hand_b);
	by_hand(hand_c, hand_b);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	puts("done");
	return 0;
}
