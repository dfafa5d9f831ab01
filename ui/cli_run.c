/* `cyclops run`: a program to its end, as if it had been started by itself. */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

#include "core/machine.h"
#include "core/run/run.h"
#include "loader/launch.h"
#include "loader/program.h"
#include "ui/cli.h"
#include "ui/fault_report.h"
#include "ui/options.h"
#include "ui/report_out.h"
#include "ui/stats_out.h"
#include "ui/version.h"

struct guest {
	struct program *program; /* owned */
	struct machine *machine; /* owned */
};

/* A signal handler has no other way to know what it stops: set while there is something to stop. */
static struct machine *volatile interruptible;
static struct run *volatile recorder;
static volatile sig_atomic_t interrupted_by;

static void on_interrupt(int sig)
{
	interrupted_by = sig;
	if (recorder)
		run_interrupt(recorder);
	else if (interruptible)
		machine_interrupt(interruptible);
}

/* The first Ctrl-C stops the machine between two cycles, a second one ends us at once. Whoever
 * started us with interrupts ignored (a shell, in the background) wants them ignored. */
static void catch_interrupts(void)
{
	static const int signals[] = {SIGINT, SIGTERM};
	struct sigaction sa = {.sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND}, old;
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaction(signals[i], &sa, NULL);
}

static uint64_t add_saturated(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static void execute(struct machine *m, struct run *r, const struct options *o)
{
	uint64_t first = machine_insts(m);
	if (o->given[OPT_FUNCTIONAL])
		machine_run_functional(m, add_saturated(o->ff, o->max_insts), false);
	else if (!r)
		machine_run(m, o->max_cycles, add_saturated(first, o->max_insts));
	else if (o->max_insts == UINT64_MAX)
		run_cycles(r, o->max_cycles, false, &(struct run_stop_info){0}, NULL);
	else
		run_insts(r, o->max_insts, false, &(struct run_stop_info){0}, NULL);
}

/* Why the run is over, on stderr where it isn't the program's own doing; the exit status. */
static int conclude(const struct machine *m, struct program *program)
{
	char where[256];
	switch (machine_status(m)) {
	case MACHINE_EXITED:
		return machine_exit_status(m);
	case MACHINE_KILLED:
		fprintf(stderr, "cyclops: the program ended itself by signal %d\n", machine_exit_status(m) - 128);
		return machine_exit_status(m);
	case MACHINE_FAULTED:
		fault_report(stderr, m, program);
		return fault_exit_status(m);
	case MACHINE_STUCK:
		stuck_report(stderr, m, program);
		return STATUS_ERROR;
	case MACHINE_RUNNING:
		break;
	}
	fprintf(stderr, "cyclops: %s at cycle %" PRIu64 ", instruction %" PRIu64 ", %s\n",
	        interrupted_by ? "interrupted" : "stopped at the limit", machine_cycle(m), machine_insts(m),
	        program_addr_text(program, machine_pc(m), where, sizeof where));
	return interrupted_by ? 128 + interrupted_by : STATUS_LIMIT;
}

static double seconds_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void summarise(const struct guest *g, const struct run *r, const struct options *o, double seconds)
{
	fprintf(stderr, "%s, %s:\n", program_path(g->program),
	        o->given[OPT_FUNCTIONAL] ? "functional" : o->config_name);
	stats_write_summary(stderr, machine_stats(g->machine), &o->config, seconds);
	if (r) {
		struct run_history h;
		run_history(r, &h);
		fprintf(stderr, "  %-28s %16u  snapshots, %.1f MiB\n", "history", h.snapshots,
		        (double)h.bytes / (1 << 20));
	}
}

static int report(const struct guest *g, const struct run *r, const struct options *o, double seconds)
{
	struct err err;
	int status = conclude(g->machine, g->program);
	if (o->given[OPT_SUMMARY])
		summarise(g, r, o, seconds);
	if (o->stats && !stats_write(o->stats, machine_stats(g->machine), machine_config(g->machine), &err)) {
		fprintf(stderr, "cyclops: %s\n", err.msg);
		return STATUS_ERROR;
	}
	const struct session s = {.cfg = *machine_config(g->machine), .program = g->program, .machine = g->machine};
	for (unsigned i = 0; i < o->report_count; i++)
		if (!report_to(&s, o->reports[i], &err)) {
			fprintf(stderr, "cyclops: %s\n", err.msg);
			return STATUS_ERROR;
		}
	return status;
}

static int run_guest(struct guest *g, const struct options *o)
{
	double start = seconds_now();
	struct run *r = NULL;
	interruptible = g->machine;
	catch_interrupts();
	if (o->ff && !o->given[OPT_FUNCTIONAL])
		machine_run_functional(g->machine, o->ff, o->given[OPT_WARMUP]);
	if (o->given[OPT_HISTORY] && !o->given[OPT_FUNCTIONAL]) {
		r = run_new(g->machine, &(struct run_options){.history = true});
		recorder = r;
	}
	if (machine_status(g->machine) == MACHINE_RUNNING && !interrupted_by)
		execute(g->machine, r, o);
	int status = report(g, r, o, seconds_now() - start);
	interruptible = NULL;
	recorder = NULL;
	run_free(r);
	return status;
}

static void warn(void *ctx, const char *line)
{
	(void)ctx;
	fprintf(stderr, "cyclops: %s\n", line);
}

/* Opens what the options name and runs it; the exit status. */
static int open_and_run(struct options *o)
{
	struct err err;
	struct guest g = {0};
	struct launch l = options_launch(o);
	int status = STATUS_ERROR;
	l.warn = warn;
	g.program = launch_program(&l, &err);
	if (g.program)
		g.machine = launch_machine(&l, g.program, &o->config, &err);
	if (g.machine)
		status = run_guest(&g, o);
	else
		fprintf(stderr, "cyclops: %s\n", err.msg);
	machine_free(g.machine);
	program_free(g.program);
	return status;
}

static int run(int argc, char **argv)
{
	struct options o;
	struct err err;
	if (!options_parse(&o, FOR_RUN, argc, argv, &err)) {
		fprintf(stderr, "cyclops: %s\n", err.msg);
		return STATUS_ERROR;
	}
	if (o.given[OPT_HELP]) {
		printf("cyclops %s\n%s\n\n", cli_run.usage, cli_run.help);
		options_print_help(stdout, FOR_RUN);
		return 0;
	}
	if (o.given[OPT_VERSION]) {
		puts("cyclops " CYCLOPS_VERSION);
		return 0;
	}
	if (!o.argc) {
		fprintf(stderr, "cyclops: which program? right: cyclops %s\n", cli_run.usage);
		return STATUS_ERROR;
	}
	return open_and_run(&o);
}

const struct cli_command cli_run = {
	.name = "run",
	.usage = "run [OPTIONS] PROGRAM [ARGS...]",
	.help = "Runs a program to its end, its input and output passed through. The exit status is the program's,\n"
	        "125 for an error of ours or if the program waits for what can't come, 124 for a limit reached,\n"
	        "128 + signal for a fault of the program or its firmware.",
	.run = run,
};
