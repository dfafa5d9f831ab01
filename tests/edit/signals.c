/* Calls in a handler that comes at any time: inserted code works as if uninterrupted, and no
 * register is lost. For contexts.sh. */
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

#define noinline __attribute__((noinline))

static volatile unsigned long ticks, work;

static noinline unsigned long leaf(unsigned long x)
{
	work += x;
	return x * 3;
}

static noinline unsigned long tree(int n)
{
	return n <= 0 ? leaf(1) : tree(n - 1) + leaf((unsigned long)n) + (n & 1 ? tree(n - 2) : 0);
}

static unsigned long (*const table[])(unsigned long) = {leaf, leaf};

static void handler(int signal)
{
	(void)signal;
	ticks++;
	work += table[ticks & 1](2) + tree(3);
}

int main(int argc, char **argv)
{
	(void)argv;
	struct itimerval often = {{0, 50}, {0, 50}}, never = {{0, 0}, {0, 0}};
	unsigned long sum = 0;
	signal(SIGALRM, handler);
	setitimer(ITIMER_REAL, &often, NULL);
	for (int i = 0; i < 2000; i++)
		sum = sum * 31 + tree(12) + table[i & 1]((unsigned long)i);
	setitimer(ITIMER_REAL, &never, NULL);
	printf("%lu %s\n", sum, ticks > 10 ? "interrupted" : "left in peace");
	if (argc > 1)
		printf("%lu times\n", ticks);
	return 0;
}
