/* A guest for the command line's tests, controlled by its first argument. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static volatile int *volatile nowhere;

__attribute__((noinline)) static int break_here(void)
{
	return *nowhere; /* the line a fault report must name */
}

static int work(long n)
{
	volatile long sum = 0;
	for (long i = 0; i < n; i++)
		sum += i ^ (sum >> 3);
	return sum == 42;
}

/* Calls of any depth. */
__attribute__((noinline)) static long deep(long n)
{
	volatile char frame[64] = {0};
	return n ? deep(n - 1) + frame[n % 64] : 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "hello", *arg = argc > 2 ? argv[2] : "";
	if (!strcmp(what, "hello"))
		return puts("hello from the guest"), 0;
	if (!strcmp(what, "deep"))
		return (int)deep(atol(arg));
	if (!strcmp(what, "exit"))
		return atoi(arg);
	if (!strcmp(what, "args")) {
		for (int i = 1; i < argc; i++)
			puts(argv[i]);
		return 0;
	}
	if (!strcmp(what, "cat")) {
		for (int c; (c = getchar()) != EOF;)
			putchar(c);
		fputs("done\n", stderr);
		return 0;
	}
	if (!strcmp(what, "ask"))
		return puts("name?"), fflush(stdout), getchar() == EOF;
	if (!strcmp(what, "env"))
		return puts(getenv(arg) ? getenv(arg) : "(unset)"), 0;
	if (!strcmp(what, "write")) {
		FILE *f = fopen(arg, "w");
		if (!f)
			return 1;
		fputs("written\n", f);
		return fclose(f) != 0;
	}
	if (!strcmp(what, "keep")) { /* keeps a file open for writing */
		FILE *f = fopen(arg, "w");
		if (!f)
			return 1;
		work(20000);
		fputs("written\n", f);
		return fclose(f) != 0;
	}
	if (!strcmp(what, "segv"))
		return break_here();
	if (!strcmp(what, "illegal"))
		__asm__ volatile(".word 0x0000007f");
	if (!strcmp(what, "abort"))
		abort();
	if (!strcmp(what, "stuck"))
		return pause(); /* waits for a signal that never comes */
	if (!strcmp(what, "work"))
		return work(atol(arg));
	if (!strcmp(what, "clock")) { /* the time depends on the machine */
		struct timespec t;
		clock_gettime(CLOCK_MONOTONIC, &t);
		return printf("%ld\n", t.tv_nsec), (int)(t.tv_nsec / 10000 % 100);
	}
	if (!strcmp(what, "memfd")) { /* files in memory of so many MiB each */
		extern int memfd_create(const char *name, unsigned flags);
		for (int i = 2; i < argc; i++)
			printf("%d ", ftruncate(memfd_create("", 0), atol(argv[i]) << 20));
		return 0;
	}
	if (!strcmp(what, "take") || !strcmp(what, "sparse")) { /* until it fails */
		const int how = MAP_PRIVATE | MAP_ANONYMOUS | (*what == 's' ? MAP_NORESERVE : 0);
		long taken = 0;
		char *p;
		while ((p = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, how, -1, 0)) != MAP_FAILED && ++taken)
			for (int i = 0; i < 1 << 20; i += 4096)
				p[i] = 1;
		return !printf("%ld MiB\n", taken);
	}
	if (!strcmp(what, "spin"))
		for (puts("spinning"), fflush(stdout);;)
			work(1000);
	return 99;
}
