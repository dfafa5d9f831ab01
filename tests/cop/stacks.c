/* Two threads, a handler and a jump out of a handler: each function has one caller. Divisions make
 * it slow, so that no record is lost. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>

#define NOINLINE __attribute__((noinline, noclone))

enum { TIMES = 40, BRANCHES = 4 };

static volatile unsigned long sink;

/* Branches that cannot be predicted, with some 100 cycles between them. */
#define WORK(seed)                                                                                 \
	do {                                                                                       \
		static unsigned long x = (seed);                                                   \
		for (int i_ = 0; i_ < BRANCHES; i_++) {                                            \
			x = x * 6364136223846793005 + 1442695040888963407;                         \
			unsigned long y_ = x | 1UL << 63;                                          \
			for (int k_ = 0; k_ < 4; k_++)                                             \
				__asm__ volatile("divu %0, %0, %1" : "+r"(y_) : "r"(y_ >> 62));    \
			if (x >> 62 & 1)                                                           \
				sink = y_;                                                         \
			__asm__ volatile("" ::: "memory");                                         \
		}                                                                                  \
	} while (0)

NOINLINE void leaf_a(void) { WORK(1); }
NOINLINE void leaf_b(void) { WORK(2); }
NOINLINE void leaf_handler(void) { WORK(3); }
NOINLINE void leaf_jumper(void) { WORK(4); }
NOINLINE void leaf_signalled(void) { WORK(5); }
NOINLINE void leaf_jumped(void) { WORK(6); }

#define CALLS(name, callee)                                                                        \
	NOINLINE void name(void)                                                                   \
	{                                                                                          \
		callee();                                                                          \
		__asm__ volatile("");                                                              \
	}
CALLS(middle_a, leaf_a)
CALLS(middle_b, leaf_b)

NOINLINE void *thread_a(void *arg)
{
	for (int i = 0; i < TIMES; i++)
		middle_a();
	return arg;
}

NOINLINE void *thread_b(void *arg)
{
	for (int i = 0; i < TIMES; i++)
		middle_b();
	return arg;
}

static sigjmp_buf back;

NOINLINE void handler(int sig)
{
	(void)sig;
	leaf_handler();
	__asm__ volatile("");
}

NOINLINE void jumper(int sig)
{
	(void)sig;
	leaf_jumper();
	siglongjmp(back, 1);
}

NOINLINE void signalled(void)
{
	for (int i = 0; i < TIMES; i++) {
		raise(SIGUSR1);
		leaf_signalled();
	}
}

NOINLINE void jump_once(void)
{
	if (!sigsetjmp(back, 1))
		raise(SIGUSR2);
	__asm__ volatile("");
}

NOINLINE void jumped(void)
{
	for (int i = 0; i < TIMES; i++) {
		jump_once();
		leaf_jumped();
	}
}

int main(void)
{
	pthread_t a, b;
	signal(SIGUSR1, handler);
	signal(SIGUSR2, jumper);
	pthread_create(&a, NULL, thread_a, NULL);
	pthread_create(&b, NULL, thread_b, NULL);
	signalled();
	jumped();
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
