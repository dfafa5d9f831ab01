/* Profile flags are each thread's own: one thread has flag 3 on, one has it off, one switches it all the time, with the hart given away and
 * taken at any instruction between. A new thread begins with the flags of the one that made it. */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

#include "demos/include/xprof.h"

enum { ROUNDS = 3000 };

/* Counts one if flag 3 is on. */
static inline unsigned long counted(unsigned long n)
{
	__asm__ volatile(XPROF_PI(3) "addi %0, %0, 1" : "+r"(n));
	return n;
}

static void *on(void *arg)
{
	unsigned long n = 0;
	(void)arg;
	xprof_setpf(3);
	for (int i = 0; i < ROUNDS; i++) {
		n = counted(n);
		if (i % 7 == 0)
			sched_yield();
	}
	return (void *)n;
}

static void *off(void *arg)
{
	unsigned long n = 0;
	(void)arg;
	xprof_resetpf(3);
	for (int i = 0; i < ROUNDS; i++) {
		n = counted(n);
		if (i % 5 == 0)
			sched_yield();
	}
	return (void *)n;
}

/* Every third is counted. */
static void *changing(void *arg)
{
	unsigned long n = 0;
	(void)arg;
	for (int i = 0; i < ROUNDS; i++) {
		if (i % 3 == 0)
			xprof_setpf(3);
		else
			xprof_resetpf(3);
		n = counted(n);
		if (i % 11 == 0)
			sched_yield();
	}
	return (void *)n;
}

static void *heir(void *arg)
{
	(void)arg;
	return (void *)counted(0);
}

int main(void)
{
	static void *(*const run[])(void *) = {on, off, changing};
	pthread_t t[3];
	void *n;
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, run[i], NULL);
	for (int i = 0; i < 3; i++) {
		pthread_join(t[i], &n);
		printf("%lu\n", (unsigned long)n);
	}
	for (int i = 0; i < 2; i++) {
		if (i)
			xprof_setpf(3);
		else
			xprof_resetpf(3);
		pthread_create(&t[0], NULL, heir, NULL);
		pthread_join(t[0], &n);
		printf("%lu\n", (unsigned long)n);
	}
	return 0;
}
