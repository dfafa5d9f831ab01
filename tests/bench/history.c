/* What history costs and how fast it leads back: history PROGRAM [ARGS...], standard input passed on.
 * Prints one table row after the other; times are of the processor, not of the wall clock. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "hwviews/session.h"

enum { PLACES = 40, STEPS = 10, CYCLES = 100000000 };

static double cpu_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static uint64_t random_below(uint64_t n)
{
	static uint64_t x = 88172645463325252u;
	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return x % n;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

static void row(const char *what, double *ms, size_t n)
{
	qsort(ms, n, sizeof *ms, by_size);
	printf("%-44s median %8.2f ms, worst %8.2f ms\n", what, ms[n / 2], ms[n - 1]);
}

static void drop(void *ctx, int fd, const void *bytes, size_t n)
{
	(void)ctx;
	(void)fd;
	(void)bytes;
	(void)n;
}

static struct session *open_or_die(int argc, char **argv, bool history)
{
	struct err err;
	struct session_options opt = {
		.launch = {.path = argv[1], .argc = argc - 1, .argv = argv + 1, .output = drop}, .history = {.history = history}};
	config_default(&opt.cfg);
	struct session *s = session_open(&opt, &err);
	if (!s) {
		fprintf(stderr, "%s\n", err.msg);
		exit(1);
	}
	return s;
}

/* Runs to the end or the limit; returns milliseconds. */
static double run_all(struct session *s)
{
	struct run_stop_info info;
	double start = cpu_ms();
	run_cycles(s->run, CYCLES, false, &info, NULL);
	return cpu_ms() - start;
}

static double step_back(struct session *s, uint64_t cycles)
{
	struct run_stop_info info;
	double start = cpu_ms();
	run_back_cycles(s->run, cycles, &info, NULL);
	return cpu_ms() - start;
}

static void travel(struct session *s, uint64_t top)
{
	struct run_stop_info info;
	double far[PLACES], first[PLACES], next[PLACES * STEPS], old[PLACES];
	for (int i = 0; i < PLACES; i++) {
		double start = cpu_ms();
		run_goto_cycle(s->run, random_below(top), &info, NULL);
		far[i] = cpu_ms() - start;
		first[i] = step_back(s, 1);
		for (int k = 0; k < STEPS; k++)
			next[i * STEPS + k] = step_back(s, k % 2 ? 1 : 500);
	}
	run_goto_cycle(s->run, 0, &info, NULL);
	for (int i = 0; i < PLACES; i++) {
		run_cycles(s->run, 1 + random_below(top / PLACES / 2), false, &info, NULL);
		old[i] = step_back(s, 1);
	}
	row("goto a random cycle", far, PLACES);
	row("reverse-step there", first, PLACES);
	row("more of them, 1 or 500 cycles", next, (size_t)PLACES * STEPS);
	row("reverse-step after running forwards", old, PLACES);
}

int main(int argc, char **argv)
{
	struct run_history h;
	struct rusage usage;
	if (argc < 2) {
		fprintf(stderr, "usage: %s PROGRAM [ARGS...]\n", argv[0]);
		return 1;
	}
	struct session *s = open_or_die(argc, argv, false);
	double plain = run_all(s);
	session_free(s);
	s = open_or_die(argc, argv, true);
	double with = run_all(s);
	uint64_t top = machine_cycle(s->machine);
	run_history(s->run, &h);
	printf("%-44s %.1f million, %.1f million a second\n", "cycles", (double)top / 1e6, (double)top / plain / 1e3);
	printf("%-44s %.1f %% of the run\n", "history costs", 100 * (with / plain - 1));
	printf("%-44s %u, %.0f MiB\n", "snapshots", h.snapshots, (double)h.bytes / (1 << 20));
	travel(s, top);
	getrusage(RUSAGE_SELF, &usage);
	printf("%-44s %.0f MiB\n", "peak of the whole process", (double)usage.ru_maxrss / 1024);
	session_free(s);
	return 0;
}
