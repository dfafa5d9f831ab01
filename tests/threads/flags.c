/* Profile flags are each thread's own: one thread has flag 3 on, one has it off, one switches it all the time, with the hart given away and
 * taken at any instruction between. A new thread begins with the flags of the one that made it, a signal's handler with those of what it
 * interrupts; when it returns they are as they were. After siglongjmp() they are the handler's, or what was saved before sigsetjmp(). */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

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
static void *flags_changing(void *arg)
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

static void *flags_heir(void *arg)
{
	(void)arg;
	return (void *)counted(0);
}

static volatile unsigned long inherited;
static volatile unsigned seen;
static sigjmp_buf back;

static void flags_on_signal(int sig)
{
	(void)sig;
	inherited += counted(0);
	seen++;
	if (seen & 1)
		xprof_setpf(3);
	else
		xprof_resetpf(3);
}

static void flags_jumps(int sig)
{
	(void)sig;
	xprof_setpf(3);
	siglongjmp(back, 1);
}

/* Counts while a timer's handler switches the flag. */
static unsigned long counts_on(void)
{
	unsigned long n = 0;
	for (int i = 0; i < ROUNDS; i++)
		n = counted(n);
	return n;
}

__attribute__((noinline)) static void left_by_jump(void)
{
	if (!sigsetjmp(back, 1))
		raise(SIGUSR2);
}

/* True if a flag is on after siglongjmp(): the handler's flag, or the one that this frame has
 * saved. */
static unsigned long jumped(void)
{
	xprof_resetpf(3);
	left_by_jump();
	return counted(0);
}

static unsigned long jumped_saved(void)
{
	xprof_resetpf(3);
	xprof_pushpf(3);
	left_by_jump();
	xprof_poppf(3);
	return counted(0);
}

static void signals(void)
{
	const struct itimerval often = {{0, 7}, {0, 7}}, never = {{0, 0}, {0, 0}};
	signal(SIGALRM, flags_on_signal);
	signal(SIGUSR1, flags_on_signal);
	signal(SIGUSR2, flags_jumps);
	for (int on = 0; on < 2; on++) {
		if (on)
			xprof_setpf(3);
		else
			xprof_resetpf(3);
		inherited = seen = 0;
		setitimer(ITIMER_REAL, &often, NULL);
		unsigned long n = counts_on();
		while (seen < 20)
			raise(SIGUSR1);
		n += counts_on();
		setitimer(ITIMER_REAL, &never, NULL);
		printf("%lu %d\n", n, inherited == (on ? seen : 0));
	}
	const unsigned long first = jumped(), second = jumped_saved();
	printf("%lu %lu\n", first, second);
}

int main(void)
{
	static void *(*const run[])(void *) = {on, off, flags_changing};
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
		pthread_create(&t[0], NULL, flags_heir, NULL);
		pthread_join(t[0], &n);
		printf("%lu\n", (unsigned long)n);
	}
	signals();
	return 0;
}
