/* The cost of history and its speed backwards: history [-o NAME=VALUE]... PROGRAM [ARGS...],
 * standard input passed on. Prints a table: processor times, not wall-clock times, and cycles
 * executed again, which repeat exactly. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "core/machine/params.h"
#include "hwviews/session/session.h"

enum { PLACES = 200, STEPS = 5, ROUNDS = 2000, SNAPSHOTS = 50, CYCLES = 100000000 };

static double bench_history_cpu_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static uint64_t bench_history_random_below(uint64_t n)
{
	static uint64_t x = 88172645463325252u;
	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return x % n;
}

static int bench_history_compare_ms(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

static void bench_history_print_row(const char *what, double *ms, size_t n)
{
	qsort(ms, n, sizeof *ms, bench_history_compare_ms);
	printf("%-44s median %8.2f ms, p99 %8.2f ms, worst %8.2f ms\n", what, ms[n / 2], ms[n - 1 - n / 100], ms[n - 1]);
}

static struct run_history bench_history_of(const struct session *s)
{
	struct run_history h;
	run_history(s->run, &h);
	return h;
}

static uint64_t bench_history_reexecuted(const struct session *s)
{
	return bench_history_of(s).cycles_reexecuted;
}

static void cycles_row(const char *what, uint64_t cycles, uint64_t most, unsigned n)
{
	printf("%-44s mean %10.0f cycles, most %10" PRIu64 "\n", what, (double)cycles / n, most);
}

static struct session *open_or_die(const struct config *cfg, char **argv, bool with_history)
{
	struct err err;
	int argc = 0;
	while (argv[argc])
		argc++;
	struct session_options opt = {.cfg = *cfg,
	                              .launch = {.path = argv[0], .argc = argc, .argv = argv, .output = os_no_output},
	                              .history = {.history = with_history}};
	struct session *s = session_open(&opt, &err);
	if (!s) {
		fprintf(stderr, "%s\n", err.msg);
		exit(1);
	}
	return s;
}

/* Processor time without the host's kernel, which hands out memory. */
static double own_ms(void)
{
	struct rusage usage;
	getrusage(RUSAGE_SELF, &usage);
	return (double)usage.ru_utime.tv_sec * 1e3 + (double)usage.ru_utime.tv_usec * 1e-3;
}

/* Runs to the end or the limit; returns milliseconds, *own without the kernel's. */
static double bench_history_run_all(struct session *s, double *own)
{
	struct run_stop_info info;
	const double start = bench_history_cpu_ms(), own_start = own_ms();
	run_cycles(s->run, CYCLES, false, &info, NULL);
	*own = own_ms() - own_start;
	return bench_history_cpu_ms() - start;
}

static double bench_history_step_back(struct session *s, uint64_t cycles)
{
	struct run_stop_info info;
	double start = bench_history_cpu_ms();
	run_back_cycles(s->run, cycles, &info, NULL);
	return bench_history_cpu_ms() - start;
}

static void bench_history_goto_cycle(struct session *s, uint64_t cycle)
{
	struct run_stop_info info;
	run_goto_cycle(s->run, cycle, &info, NULL);
}

static void bench_history_measure_travel(struct session *s, uint64_t top)
{
	struct run_stop_info info;
	double far[PLACES], first[PLACES], next[PLACES * STEPS], old[PLACES];
	uint64_t sum = 0, most = 0;
	for (int i = 0; i < PLACES; i++) {
		uint64_t before = bench_history_reexecuted(s);
		double start = bench_history_cpu_ms();
		bench_history_goto_cycle(s, bench_history_random_below(top));
		far[i] = bench_history_cpu_ms() - start;
		uint64_t n = bench_history_reexecuted(s) - before;
		sum += n;
		most = n > most ? n : most;
		first[i] = bench_history_step_back(s, 1);
		for (int k = 0; k < STEPS; k++)
			next[i * STEPS + k] = bench_history_step_back(s, k % 2 ? 1 : 500);
	}
	bench_history_print_row("goto a random cycle", far, PLACES);
	cycles_row("  executed again", sum, most, PLACES);
	bench_history_print_row("reverse-step there", first, PLACES);
	bench_history_print_row("more of them, 1 or 500 cycles", next, (size_t)PLACES * STEPS);
	bench_history_goto_cycle(s, 0);
	for (int i = 0; i < PLACES; i++) {
		run_cycles(s->run, 1 + bench_history_random_below(top / PLACES / 2), false, &info,
		           NULL);
		old[i] = bench_history_step_back(s, 1);
	}
	bench_history_print_row("reverse-step after running forwards", old, PLACES);
}

/* A user's session of an hour: motions in both directions, and single steps. */
static void long_session(struct session *s, uint64_t top)
{
	static double ms[ROUNDS], steps[ROUNDS];
	unsigned before = bench_history_of(s).snapshots;
	uint64_t sum = 0, most = 0;
	for (int i = 0; i < ROUNDS; i++) {
		uint64_t from = bench_history_reexecuted(s);
		double start = bench_history_cpu_ms();
		bench_history_goto_cycle(s, bench_history_random_below(top));
		ms[i] = bench_history_cpu_ms() - start;
		uint64_t n = bench_history_reexecuted(s) - from;
		sum += n;
		most = n > most ? n : most;
		steps[i] = bench_history_step_back(s, 1);
	}
	struct run_history h = bench_history_of(s);
	printf("%-44s %u, before %u; %.0f MiB, recounted %.0f\n", "snapshots after 2,000 rounds of both", h.snapshots, before,
	       (double)h.bytes / (1 << 20), (double)run_recount(s->run) / (1 << 20));
	bench_history_print_row("goto a random cycle then", ms, ROUNDS);
	cycles_row("  executed again", sum, most, ROUNDS);
	bench_history_print_row("reverse-step then", steps, ROUNDS);
}

/* The cost of one while little happens in between. */
static void bench_history_measure_snapshots(struct session *s)
{
	double ms[SNAPSHOTS];
	for (int i = 0; i < SNAPSHOTS; i++) {
		struct run_stop_info info;
		run_cycles(s->run, 100, false, &info, NULL);
		double start = bench_history_cpu_ms();
		struct snapshot *taken = machine_snapshot(s->machine);
		ms[i] = bench_history_cpu_ms() - start;
		snapshot_free(taken);
	}
	bench_history_print_row("a snapshot 100 cycles after another", ms, SNAPSHOTS);
}

int main(int argc, char **argv)
{
	struct rusage usage;
	struct config cfg;
	struct err err;
	int at = 1;
	config_default(&cfg);
	for (; at + 1 < argc && !strcmp(argv[at], "-o"); at += 2) {
		if (!config_set_assignment(&cfg, argv[at + 1], &err)) {
			fprintf(stderr, "%s\n", err.msg);
			return 1;
		}
	}
	if (at >= argc) {
		fprintf(stderr, "usage: %s [-o NAME=VALUE]... PROGRAM [ARGS...]\n", argv[0]);
		return 1;
	}
	struct session *s = open_or_die(&cfg, argv + at, false);
	double plain_own, with_own;
	const double plain = bench_history_run_all(s, &plain_own);
	session_free(s);
	s = open_or_die(&cfg, argv + at, true);
	const double with = bench_history_run_all(s, &with_own);
	uint64_t top = machine_cycle(s->machine);
	struct run_history h = bench_history_of(s);
	printf("%-44s %.1f million, %.1f million a second\n", "cycles", (double)top / 1e6, (double)top / plain / 1e3);
	printf("%-44s %.1f %% of the run, by its own estimate %.1f\n", "history costs", 100 * (with / plain - 1), 100 * h.cost_share);
	printf("%-44s %.1f %% of the run\n", "  in user mode", 100 * (with_own / plain_own - 1));
	printf("%-44s %u, %.0f MiB, the newest %" PRIu64 " cycles apart%s%s\n", "snapshots", h.snapshots,
	       (double)h.bytes / (1 << 20), h.spacing, h.pressed ? ", pressed" : "", h.spent ? ", budget spent" : "");
	bench_history_measure_travel(s, top);
	long_session(s, top);
	bench_history_measure_snapshots(s);
	getrusage(RUSAGE_SELF, &usage);
	printf("%-44s %.0f MiB\n", "peak of the whole process", (double)usage.ru_maxrss / 1024);
	session_free(s);
	return 0;
}
