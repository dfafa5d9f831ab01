/* A dedicated thread as the trigger (Vaswani, III.C): it sleeps, makes a setpf of the resetpf before a unit of code, sleeps for a
 * window, and puts the resetpf back. The other thread works as ever: the flag instruction that it executes next
 * decides. It is the runtime in the program itself, with no interrupt, no handler and no checks in the code.
 *
 * Expect: each count is about the windows' share of what the work executes, and their proportions are nearly the same. With no
 * window nothing is counted. On a machine without Xprof the flag decides nothing, and all of it is counted.
 *
 *     build/cyclops run build/demos/xprof/thread 30 10      microseconds between windows, and of one
 *     build/cyclops lua demos/xprof/thread.lua              its cost and accuracy, for some lengths */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#include "../include/xprof.h"

enum { ENTRY, LOOP, ODD, EVEN, LAST, BLOCKS, ROUNDS = 8 };
unsigned long counts[BLOCKS];

/* The parcels of `resetpf 0` and `setpf 0`: c.slli x0, 16 and 24. */
enum { RESETPF = 0x0042, SETPF = 0x0062, PAGE = 4096 };
extern volatile uint16_t steps_flag[]; /* the one in steps() */

/* Collatz's sequence: how many steps from n to 1. */
__attribute__((noinline)) static int steps(unsigned long n)
{
	int count = 0;
	xprof_pushpf(0);
	__asm__ volatile("steps_flag: .2byte %0" : : "i"(RESETPF) : "memory");
	xprof_count(0, counts, 0);
	while (n != 1) {
		xprof_count(0, counts, 1);
		if (n & 1) {
			xprof_count(0, counts, 2);
			n = 3 * n + 1;
		} else {
			xprof_count(0, counts, 3);
			n /= 2;
		}
		count++;
	}
	xprof_count(0, counts, 4);
	xprof_poppf(0);
	return count;
}

/* ---- the trigger ---- */
static struct timespec apart, window;
static volatile int over;
static unsigned long windows;

static void switch_to(uint16_t parcel)
{
	steps_flag[0] = parcel;
	__builtin___clear_cache((char *)steps_flag, (char *)(steps_flag + 1));
}

static void *open_windows(void *unused)
{
	while (!over) {
		nanosleep(&apart, NULL);
		if (over)
			break;
		switch_to(SETPF);
		nanosleep(&window, NULL);
		switch_to(RESETPF);
		windows++;
	}
	return unused;
}

static struct timespec parse_microseconds(const char *text)
{
	char *end;
	const unsigned long us = strtoul(text, &end, 10);
	if (*end || !*text) {
		fprintf(stderr, "usage: thread [APART WINDOW]    microseconds; a window of 0: none\n");
		exit(2);
	}
	return (struct timespec){(time_t)(us / 1000000), (long)(us % 1000000 * 1000)};
}

int main(int argc, char **argv)
{
	static const char *const names[BLOCKS] = {"entry", "loop", "odd", "even", "last"};
	pthread_t thread;
	const uintptr_t page = (uintptr_t)steps_flag & -(uintptr_t)PAGE;
	int longest = 0, at = 0;
	apart = parse_microseconds(argc > 1 ? argv[1] : "30");
	window = parse_microseconds(argc > 2 ? argv[2] : "10");
	const int triggers = window.tv_sec || window.tv_nsec;
	if (mprotect((void *)page, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC) ||
	    (triggers && pthread_create(&thread, NULL, open_windows, NULL)))
		return 1;
	for (int round = 0; round < ROUNDS; round++)
		for (int n = 1; n <= 1000; n++) {
			int count = steps((unsigned long)n);
			if (count > longest) {
				longest = count;
				at = n;
			}
		}
	over = 1;
	if (triggers)
		pthread_join(thread, NULL);
	printf("%d needs %d steps, %lu windows\n", at, longest, windows);
	for (int i = 0; i < BLOCKS; i++)
		printf("%-5s %6lu\n", names[i], counts[i]);
	return 0;
}
