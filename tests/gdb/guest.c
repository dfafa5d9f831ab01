/* The program that gdb debugs in these tests: calls, loops, variables of every kind that change and
 * change back, files, input, and an end that its argument chooses. `mark: NAME` names a line. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct node {
	int value;
	struct node *next;
};

int global = 1;
static long file_static = 10;
double real = 1.5;
int watched, table[8];
char text[32] = "before";
char asked[32];
struct node *head;

/* ---- calls ---- */
__attribute__((noinline)) static int leaf(int a)
{
	int twice = 2 * a; /* mark: leaf */
	return twice + 1;  /* mark: leaf returns */
}

__attribute__((noinline)) static int middle(int a)
{
	int got = leaf(a); /* mark: middle calls */
	got += leaf(got);  /* mark: middle calls again */
	return got;        /* mark: middle returns */
}

__attribute__((noinline)) static void nothing(void)
{
} /* mark: nothing */

static int factorial(int n)
{
	if (n <= 1)
		return 1; /* mark: factorial ends */
	return n * factorial(n - 1);
}

/* ---- state that changes and changes back ---- */
__attribute__((noinline)) static int states(void)
{
	int automatic = 5;
	register int inside = automatic + 2; /* mark: states begin */
	automatic = inside - 1;  /* mark: automatic changes */
	inside = 8;              /* mark: register changes */
	global = 2;              /* mark: global changes */
	file_static = 11;        /* mark: static changes */
	real = 2.25;             /* mark: real changes */
	strcpy(text, "after");   /* mark: text changes */
	return automatic + inside; /* mark: states end */
}

__attribute__((noinline)) static void watches(void)
{
	for (int i = 0; i < 5; i++) {
		watched = i * i;         /* mark: watched changes */
		table[i] = watched + 1;  /* mark: table changes */
	}
	watched = 100; /* mark: watched last */
}

__attribute__((noinline)) static int reads(void)
{
	int sum = 0;
	for (int i = 0; i < 4; i++)
		sum += table[i]; /* mark: table read */
	return sum;
}

static jmp_buf back;

static void jumps(void)
{
	if (setjmp(back) == 0) /* mark: setjmp */
		longjmp(back, 1); /* mark: longjmp */
	nothing();            /* mark: after longjmp */
}

__attribute__((noinline)) static void list(void)
{
	for (int i = 1; i <= 3; i++) {
		struct node *n = malloc(sizeof *n);
		n->value = i;
		n->next = head;
		head = n; /* mark: head changes */
	}
}

static void spin(void)
{
	for (volatile long i = 0; i < 2000000000; i++) /* mark: spin */
		;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "exit"; /* mark: main begins */
	int sum = 0;
	sum += middle(3); /* mark: main calls */
	sum += states();  /* mark: main states */
	watches();        /* mark: main watches */
	sum += reads();   /* mark: main reads */
	jumps();
	list();           /* mark: main lists */
	sum += factorial(5); /* mark: main factorial */
	printf("sum %d\n", sum); /* mark: main prints */
	fflush(stdout);
	if (read(0, asked, sizeof asked - 1) > 0) /* mark: main input */
		printf("read %s\n", asked);
	fflush(stdout);
	if (!strcmp(how, "fault"))
		*(volatile int *)(uintptr_t)argc = 1; /* mark: fault */
	if (!strcmp(how, "abort"))
		abort(); /* mark: abort */
	if (!strncmp(how, "signal", 6))
		raise(atoi(how + 6));
	if (!strcmp(how, "spin"))
		spin();
	return 7; /* mark: main returns */
}

/* Anonymous members; at the end of the file, so that the lines above keep their numbers. */
struct {
	int a;
	struct {
		int b;
		union {
			int c;
			unsigned d;
		};
	};
} mixed = {1, {2, {3}}};
