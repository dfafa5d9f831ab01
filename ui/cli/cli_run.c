/* `cyclops run`: runs a program to its end, as if it had been started directly. */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/machine/machine.h"
#include "core/os/os.h"
#include "core/run/value_daemon.h"
#include "core/run/run.h"
#include "core/run/stall.h"
#include "hwviews/why/why_text.h"
#include "loader/launch.h"
#include "loader/program.h"
#include "scripting/values/value_modules.h"
#include "ui/cli/checkpoint_series.h"
#include "ui/cli/cli.h"
#include "ui/cli/compile.h"
#include "ui/cli/fault_report.h"
#include "ui/cli/cct_rescue.h"
#include "ui/cli/options.h"
#include "ui/cli/restore_run.h"
#include "ui/cli/sample_first.h"
#include "ui/cli/sample_run.h"
#include "ui/cli/simpoint_run.h"
#include "ui/console/ending.h"
#include "ui/render/export_out.h"
#include "ui/render/report_out.h"
#include "ui/render/safe_print.h"
#include "ui/render/stats_out.h"

struct guest {
	/* program and machine are owned; of the rest only launch and cfg are set: no run control */
	struct session s;
	struct checkpoint_series saver; /* writes checkpoints */
	uint64_t waited;    /* cycles of an endless wait: core/run/stall.h; 0: none */
	bool module_failed; /* a value module has failed */
	struct sample_input input; /* with --sample */
	struct sample_points points;
	struct sample_passes passes; /* owned */
	struct phases phases; /* with --simpoint; owned */
};

/* Global, because signal handlers take no context; set while there is a machine to stop. */
static struct machine *volatile interruptible;
static struct run *volatile recorder;
static volatile sig_atomic_t interrupted_by;

static void cli_run_on_interrupt(int sig)
{
	interrupted_by = sig;
	if (recorder)
		run_interrupt(recorder);
	else if (interruptible)
		machine_interrupt(interruptible);
}

/* The first Ctrl-C, SIGTERM or SIGHUP stops the machine between two cycles, a second one ends the
 * process at once. Interrupts ignored at the start (by a shell, in the background) stay ignored. */
static void cli_run_install_signal_handlers(void)
{
	struct sigaction sa = {.sa_handler = cli_run_on_interrupt, .sa_flags = (int)SA_RESETHAND},
			 old;
	if (sigaction(SIGINT, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
		sigaction(SIGINT, &sa, NULL);
	ending_by(cli_run_on_interrupt);
}

static uint64_t add_saturated(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* Executes up to a number of instructions without timing; saves checkpoints on the way. */
static void execute_functional(struct guest *g, const struct options *o)
{
	struct machine *m = g->s.machine;
	const uint64_t *done = &STAT(machine_stats(m), functional_insts);
	uint64_t end = add_saturated(*done, add_saturated(o->ff, o->max_insts));
	for (;;) {
		uint64_t until = end;
		checkpoint_series_due(&g->saver, *done, &until);
		machine_run_functional(m, until - *done, false);
		if (machine_status(m) != MACHINE_RUNNING || interrupted_by || *done >= end)
			return;
		checkpoint_series_save(&g->saver);
	}
}

/* Reports a failed value module; the others, and the program, go on. */
static void module_failed(struct guest *g)
{
	struct err err;
	if (!g->s.launch.values || !value_daemon_take_failure(g->s.launch.values, &err))
		return;
	say_error("%s; the run goes on without its values", err.msg);
	g->module_failed = true;
}

static void execute_saving(struct guest *g, uint64_t end_cycle, uint64_t end_insts)
{
	struct machine *m = g->s.machine;
	struct stall still;
	stall_begin(&still, m);
	for (;;) {
		uint64_t cycle = end_cycle, insts = end_insts;
		if (g->saver.o->save_cycles)
			checkpoint_series_due(&g->saver, machine_cycle(m), &cycle);
		else
			checkpoint_series_due(&g->saver, machine_insts(m), &insts);
		machine_run(m, cycle < still.due ? cycle : still.due,
		            add_saturated(machine_committed(m), insts - machine_insts(m)));
		const bool look = machine_cycle(m) >= still.due;
		if (look && machine_status(m) == MACHINE_RUNNING && stall_stands(&still, m)) {
			g->waited = machine_cycle(m) - still.since;
			return;
		}
		module_failed(g);
		if (machine_status(m) != MACHINE_RUNNING || interrupted_by ||
		    machine_stop_requested(m) || machine_cycle(m) >= end_cycle ||
		    machine_insts(m) >= end_insts)
			return;
		if (!look || machine_cycle(m) >= cycle || machine_insts(m) >= insts)
			checkpoint_series_save(&g->saver);
	}
}

static void execute_with_history(const struct guest *g, struct run *r, const struct options *o,
                                 struct run_stop_info *stop)
{
	const struct machine *m = g->s.machine;
	const uint64_t end_cycle = add_saturated(machine_cycle(m), o->max_cycles),
		       end_insts = add_saturated(machine_insts(m), o->max_insts);
	if (o->max_insts == UINT64_MAX)
		run_cycles(r, end_cycle - machine_cycle(m), false, stop, NULL);
	else
		run_own_insts(r, end_insts - machine_insts(m), false, stop, NULL);
}

static void cli_run_execute_guest(struct guest *g, struct run *r, const struct options *o)
{
	struct machine *m = g->s.machine;
	struct run_stop_info stop = {0};
	if (o->given[OPT_FUNCTIONAL])
		execute_functional(g, o);
	else if (!r)
		execute_saving(g, add_saturated(machine_cycle(m), o->max_cycles),
		               add_saturated(machine_insts(m), o->max_insts));
	else
		execute_with_history(g, r, o, &stop);
	if (stop.reason == STOPPED_STALLED)
		g->waited = stop.waited;
}

static bool cli_run_streams_are_one(void)
{
	struct stat out, err;
	return fstat(STDOUT_FILENO, &out) == 0 && fstat(STDERR_FILENO, &err) == 0 &&
	       out.st_dev == err.st_dev && out.st_ino == err.st_ino;
}

/* Ends the line that the program has begun where messages go. */
static void cli_run_end_line(const struct machine *m)
{
	const struct os *os = machine_os_const(m);
	const bool one = cli_run_streams_are_one();
	const size_t pieces = os_output_pieces(os);
	for (size_t k = pieces; k-- > 0;) {
		const struct os_output_piece piece = os_output_piece(os, k, pieces);
		uint64_t first;
		size_t n;
		if (piece.fd != STDERR_FILENO && (piece.fd != STDOUT_FILENO || !one))
			continue;
		const uint64_t end = piece.to[piece.fd - 1];
		const char *text = os_output(os, piece.fd, &first, &n);
		if (end <= piece.from[piece.fd - 1] || end <= first || end - first > n)
			continue;
		if (text[end - first - 1] != '\n')
			fputc('\n', stderr);
		return;
	}
}

/* Returns the exit status; prints the reason of the end to stderr, unless the program itself ended.
 */
static int cli_run_report_exit_status(const struct guest *g)
{
	const struct machine *m = g->s.machine;
	struct program *program = g->s.program;
	char where[256], why[1024];
	if (machine_status(m) == MACHINE_EXITED)
		return machine_exit_status(m);
	cli_run_end_line(m);
	switch (machine_status(m)) {
	case MACHINE_EXITED:
		break;
	case MACHINE_KILLED:
		say_error("the program ended itself by signal %d", machine_exit_status(m) - 128);
		unwritten_report(stderr, m, program);
		return machine_exit_status(m);
	case MACHINE_FAULTED:
		fault_report(stderr, m, program);
		return fault_exit_status(m);
	case MACHINE_STUCK:
		stuck_report(stderr, m, program);
		return STATUS_ERROR;
	case MACHINE_BROKEN:
		return say_error("%s", machine_failure(m));
	case MACHINE_STARVED:
		return say_error("%s, at cycle %" PRIu64 ", instruction %" PRIu64 ", %s",
		                 machine_lacks(m), machine_cycle(m), machine_insts(m),
		                 program_addr_text(program, machine_pc(m), where, sizeof where));
	case MACHINE_RUNNING:
		break;
	}
	if (g->waited)
		return say_error("%s, at cycle %" PRIu64 ", instruction %" PRIu64,
		                 why_stalled(&g->s, g->waited, why, sizeof why), machine_cycle(m),
		                 machine_insts(m));
	say_error("%s at cycle %" PRIu64 ", instruction %" PRIu64 ", %s",
	          interrupted_by ? "interrupted" : "stopped at the limit", machine_cycle(m),
	          machine_insts(m), program_addr_text(program, machine_pc(m), where, sizeof where));
	return interrupted_by ? 128 + interrupted_by : STATUS_LIMIT;
}

static double seconds_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void cli_run_print_summary(const struct guest *g, const struct run *r,
                                  const struct options *o, double seconds)
{
	const struct machine *m = g->s.machine;
	if (o->restore)
		say(stderr, "%s, restored from %s:\n", program_path(g->s.program), o->restore);
	else
		say(stderr, "%s, %s:\n", program_path(g->s.program),
		    o->given[OPT_FUNCTIONAL] ? "functional" : o->config_name);
	/* Instructions before the checkpoint took no time now. */
	stats_write_summary(stderr, machine_stats(m), machine_config(m), o->restore ? 0 : seconds);
	fprintf(stderr, "  %-28s %016" PRIx64 "  digest of registers, memory and machine\n",
	        "state", machine_hash(m));
	if (r) {
		struct run_history h;
		run_history(r, &h);
		fprintf(stderr, "  %-28s %16u  snapshots, %.1f MiB\n", "history", h.snapshots,
		        (double)h.bytes / (1 << 20));
	}
}

/* Checks reports and exports before the run, because they would otherwise fail only at its end.
 * Also refuses exports that would overwrite a file. */
static bool try_results(const struct session *s, const struct options *o, struct err *err)
{
	bool ok = true;
	for (unsigned i = 0; i < o->report_count && ok; i++)
		ok = report_known(o->reports[i], s, err);
	for (unsigned i = 0; i < o->export_count && ok; i++)
		ok = export_try(s, o->exports[i], o->given[OPT_FORCE], err);
	return ok;
}

static bool write_exports(const struct session *s, const struct options *o)
{
	struct err err;
	bool ok = true;
	for (unsigned i = 0; i < o->export_count && ok; i++) {
		char *words;
		const char *path = export_split(o->exports[i], &words, &err);
		ok = path && export_to(s, words, path, o->given[OPT_FORCE], NULL, &err);
		free(words);
	}
	if (!ok)
		say_error("%s", err.msg);
	return ok;
}

static int cli_run_write_reports(struct guest *g, const struct run *r, const struct options *o,
                                 double seconds)
{
	struct err err;
	module_failed(g); /* at the very end */
	const int concluded = cli_run_report_exit_status(g);
	last_tree_write(&g->s, o->report_count || o->export_count);
	const struct value_totals totals = g->s.launch.values
	                                           ? value_daemon_totals(g->s.launch.values)
	                                           : (struct value_totals){0};
	if (totals.refused)
		say_error(VALUES_REFUSED, totals.refused);
	const int status = g->module_failed || totals.refused ? STATUS_ERROR : concluded;
	if (o->given[OPT_SUMMARY])
		cli_run_print_summary(g, r, o, seconds);
	if (o->stats && !stats_write(o->stats, machine_stats(g->s.machine),
	                             machine_config(g->s.machine), &err)) {
		return say_error("%s", err.msg);
	}
	for (unsigned i = 0; i < o->report_count; i++)
		if (!report_to(&g->s, o->reports[i], &err)) {
			return say_error("%s", err.msg);
		}
	const bool exported = write_exports(&g->s, o);
	if (g->s.launch.values && value_daemon_take_format_failure(g->s.launch.values, &err))
		return say_error("%s; its values are shown as numbers", err.msg);
	return exported ? status : STATUS_ERROR;
}

/* True if all of the program's output was written; else reports it. */
static bool output_arrived(const struct machine *m)
{
	const int error = os_lost_output(machine_os_const(m));
	if (error)
		say_error("output of the program is lost: %s", strerror(error));
	return !error;
}

static int run_guest(struct guest *g, const struct options *o)
{
	double start = seconds_now();
	struct run *r = NULL;
	interruptible = g->s.machine;
	cli_run_install_signal_handlers();
	if (o->ff && !o->given[OPT_FUNCTIONAL])
		machine_run_functional(g->s.machine, o->ff, o->given[OPT_WARMUP]);
	if (o->given[OPT_HISTORY] && !o->given[OPT_FUNCTIONAL]) {
		r = run_new(g->s.machine, &(struct run_options){.history = true});
		recorder = r;
	}
	if (!r && !g->saver.pattern && !g->s.launch.values)
		machine_forget_past(g->s.machine);
	if (machine_status(g->s.machine) == MACHINE_RUNNING && !interrupted_by)
		cli_run_execute_guest(g, r, o);
	if (machine_status(g->s.machine) == MACHINE_RUNNING)
		checkpoint_series_save(&g->saver);
	int status = cli_run_write_reports(g, r, o, seconds_now() - start);
	if (!output_arrived(g->s.machine) || g->saver.failures)
		status = STATUS_ERROR;
	interruptible = NULL;
	recorder = NULL;
	run_free(r);
	return status;
}

static void stop_this(struct machine *m)
{
	interruptible = m;
	if (m && interrupted_by)
		machine_interrupt(m);
}

/* Executes the program to its end, with its output: without timing, except for sampled units. False
 * if the execution is incomplete. */
static bool execute_once(struct guest *g, const struct options *o)
{
	struct machine *m = g->s.machine;
	struct err err;
	interruptible = m;
	const bool measures = !o->given[OPT_SIMPOINT] && sample_first_measures(&g->passes);
	bool ok = true;
	if (!measures)
		machine_forget_past(m);
	if (measures)
		ok = sample_first_run(&g->passes, m, o->max_insts, &err);
	else if (!o->given[OPT_SIMPOINT])
		execute_functional(g, o);
	else
		ok = simpoint_execute(&g->phases, &g->s, o, &err);
	if (!ok) {
		say_error("%s", err.msg);
		return false;
	}
	const int status = cli_run_report_exit_status(g);
	g->points.status = status;
	g->points.insts = machine_committed(m);
	g->points.syscalls = STAT(machine_stats(m), syscalls);
	const bool whole = (!interrupted_by || g->passes.sample.count) && output_arrived(m);
	interruptible = NULL;
	return whole;
}

/* Executes the program once, then measures the sample; or only measures, if the folder has live
 * points. */
static int sample_guest(struct guest *g, const struct options *o)
{
	struct err err;
	if (o->checkpoints && !sample_points_open(&g->points, o->checkpoints, &g->s, &o->sample,
	                                          o->max_insts, &err))
		return say_error("%s", err.msg);
	cli_run_install_signal_handlers();
	sample_run_begin(&g->passes, &g->s, o, &g->input, &g->points, stop_this);
	if (!g->points.there && !execute_once(g, o))
		return interrupted_by ? g->points.status : STATUS_ERROR;
	int status = g->points.status;
	if (!(o->given[OPT_SIMPOINT] ? simpoint_run(&g->phases, &g->s, o, &g->input,
	                                            g->points.syscalls, stop_this, &err)
	                             : sample_run(&g->passes, o, &g->points, &err)))
		status = say_error("%s", err.msg);
	return interrupted_by ? 128 + interrupted_by : status;
}

/* Creates the machine, at the program's beginning or from a checkpoint. */
static struct machine *cli_run_create_machine(const struct guest *g, const struct options *o,
                                              struct err *err)
{
	if (!o->restore)
		return launch_machine(&g->s.launch, g->s.program, &o->config, err);
	struct machine *m = resume(&g->s, o, err);
	const char *without = o->given[OPT_FUNCTIONAL] ? "functional" : o->ff ? "ff" : NULL;
	if (m && without && machine_cycle(m)) {
		err_set(err,
		        "--%s: %s was saved with timing, at cycle %" PRIu64
		        ": there is no way out of the pipeline without it",
		        without, o->restore, machine_cycle(m));
		machine_free(m);
		m = NULL;
	}
	return m;
}

/* Loads the names of libraries, which reports at the end need after the libraries are unmapped. */
static void keep_names(void *ctx)
{
	(void)program_library(ctx, 0);
}

/* Opens the program that the options name and runs it; returns the exit status. */
static int open_and_run(struct options *o)
{
	struct err err;
	struct guest g = {.s = {.cfg = o->config, .launch = options_launch(o)}};
	int status = STATUS_ERROR;
	const bool sample =
		o->given[OPT_SAMPLE] || o->given[OPT_SIMPOINT] || o->checkpoints;
	if (sample && (!sample_run_allows(o, &err) ||
	               !sample_input_begin(&g.input, g.s.launch.stdin_fd, &err) ||
	               (g.s.launch.stdin_fd = sample_input_open(&g.input, &err)) < 0))
		return say_error("%s", err.msg);
	g.s.launch.warn = say_warning;
	g.s.program = launch_program(&g.s.launch, &err);
	if (g.s.program)
		g.s.machine = cli_run_create_machine(&g, o, &err);
	if (g.s.machine && g.s.launch.values &&
	    !value_daemon_attach(g.s.launch.values, g.s.machine, &err)) {
		machine_free(g.s.machine);
		g.s.machine = NULL;
	}
	if (g.s.machine && (o->report_count || o->export_count))
		os_set_mapped(machine_os(g.s.machine), keep_names, g.s.program);
	if (g.s.machine && try_results(&g.s, o, &err) &&
	    checkpoint_series_init(&g.saver, o, &g.s, &err))
		status = sample ? sample_guest(&g, o) : run_guest(&g, o);
	else
		say_error("%s", err.msg);
	checkpoint_series_deinit(&g.saver);
	sample_passes_deinit(&g.passes);
	phases_deinit(&g.phases);
	machine_free(g.s.machine);
	program_free(g.s.program);
	return status;
}

static int do_as_asked(struct options *o)
{
	struct err err;
	if (!o->argc)
		return say_error("no program given; expected cyclops %s", cli_run.usage);
	return compile_source(o, &err) ? open_and_run(o) : say_error("%s", err.msg);
}

static int cli_run_main(int argc, char **argv)
{
	struct options o;
	int status;
	if (!cli_parse_or_print(&cli_run, argc, argv, &o, &status))
		return status;
	status = do_as_asked(&o);
	options_deinit(&o);
	return status;
}

const struct cli_command cli_run = {
	.name = "run",
	.usage = "run [OPTIONS] PROGRAM [ARGS...]",
	.help = "Runs a program to its end, its input and output passed through. The exit status "
		"is the program's,\n"
		"125 for an error of Cyclops or a program that waits for something that can't "
		"happen or\n"
		"commits nothing any more, 124 for a limit reached,\n"
		"128 + signal for a fault of the program or its firmware.\n"
		"\n"
		"--restore goes on with a checkpoint of --save-every, --save-to or a session's "
		"`save`, as if nothing had\n"
		"happened: give the same program, arguments, input (from its beginning) and "
		"firmware. The configuration is the\n"
		"file's. It may differ only in a checkpoint of --functional, which holds the "
		"program alone, and there not in sim.*.\n"
		"Files that the program wrote are not part of it. A checkpoint that can't be "
		"written is reported, the run goes on,\n"
		"and its status is 125.",
	.takes = FOR_RUN,
	.run = cli_run_main,
};
