/* `cyclops sweep`: machines times programs, from a Lua file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ui/cli/cli.h"
#include "ui/cli/cli_options.h"
#include "ui/cli/option_text.h"
#include "ui/render/safe_print.h"
#include "ui/sweep/emit.h"
#include "ui/sweep/single_job.h"
#include "ui/sweep/plan.h"
#include "ui/sweep/results.h"
#include "ui/sweep/sweep.h"

enum option_id {
	ONE = 256,
	STDIN,
	STATUS_GOOD,
	EMIT,
	OUT,
	TIMEOUT,
	FORCE,
	RETRY,
	ANY_BUILD,
	DRY_RUN,
	STATUS,
	COLLECT
};

/* Those without help are written by --emit, not by people. */
static const struct cli_option options[] = {
	{{"jobs", required_argument, NULL, 'j'},
         "N",
         "processes at once; as many as there are cores"},
	{{"out", required_argument, NULL, OUT}, "FOLDER", "folder of results, not the file's"},
	{{"timeout", required_argument, NULL, TIMEOUT},
         "SECONDS",
         "end a job that takes longer, and mark it as failed"},
	{{"dry-run", no_argument, NULL, DRY_RUN},
         NULL,
         "print the commands of the jobs that are still to be run"},
	{{"status", no_argument, NULL, STATUS}, NULL, "print the state of the results"},
	{{"collect", no_argument, NULL, COLLECT},
         NULL,
	 "write tables and plots of the existing results, run nothing"},
	{{"force", no_argument, NULL, FORCE}, NULL, "run everything again"},
	{{"retry", no_argument, NULL, RETRY},
         NULL,
	 "run failed jobs again, also those certain to fail again"},
	{{"any-build", no_argument, NULL, ANY_BUILD},
         NULL,
         "accept results of other builds of cyclops"},
	{{"emit", required_argument, NULL, EMIT},
         "KIND FOLDER",
         "write the jobs for GNU parallel (parallel) or as a Slurm array (slurm)"},
	{{"help", no_argument, NULL, 'h'}, NULL, "this text"},
	{{"one", required_argument, NULL, ONE}, "RECORD", NULL},
	{{"stdin", required_argument, NULL, STDIN}, "FILE", NULL},
	{{"status-good", required_argument, NULL, STATUS_GOOD}, "N", NULL},
};
enum { OPTIONS = sizeof options / sizeof *options };

struct request {
	struct sweep_options run;
	struct one_job one;
	const char *file, *out, *emit, *emit_folder;
	bool help, dry_run, status, collect;
};

/* ---- the command line ---- */

static bool cli_sweep_parse_number(const char *text, long max, long *out)
{
	char *end;
	*out = strtol(text, &end, 10);
	return *text && !*end && *out >= 0 && *out <= max;
}

static bool cli_sweep_parse_option(void *ctx, int id, int argc, char **argv, struct err *err)
{
	struct request *r = ctx;
	char *end;
	long n;
	switch (id) {
	case 'j':
		if (!cli_sweep_parse_number(optarg, 4096, &n) || !n)
			return err_set(err, "-j %s: a number of processes is needed, 1 to 4096",
			               optarg);
		r->run.at_once = (unsigned)n;
		return true;
	case TIMEOUT:
		r->run.timeout = strtod(optarg, &end);
		if (*end || !*optarg || !(r->run.timeout > 0 && r->run.timeout < 1e9))
			return err_set(err, "--timeout %s: a number of seconds is needed", optarg);
		return true;
	case STATUS_GOOD:
		if (!cli_sweep_parse_number(optarg, 255, &n))
			return err_set(err, "--status-good %s: an exit status is needed", optarg);
		r->one.good = (int)n;
		return true;
	case EMIT:
		if (optind >= argc || *argv[optind] == '-')
			return err_set(err, "--emit %s: no folder given; expected --emit %s FOLDER",
			               optarg, optarg);
		r->emit = optarg;
		r->emit_folder = argv[optind++];
		return true;
	case 'h': return r->help = true;
	case OUT: r->out = optarg; return *optarg || err_set(err, "--out needs a folder's name");
	case FORCE: return r->run.force = true;
	case RETRY: return r->run.retry = true;
	case ANY_BUILD: return r->run.any_build = true;
	case DRY_RUN: return r->dry_run = true;
	case STATUS: return r->status = true;
	case COLLECT: return r->collect = true;
	case ONE: r->one.record = optarg; return true;
	default: r->one.stdin_path = optarg; return true;
	}
}

static bool cli_sweep_validate_request(const struct request *r, int rest, struct err *err)
{
	int modes = !!r->emit + r->dry_run + r->status + r->collect + !!r->one.record;
	if (r->help)
		return true;
	if (modes > 1)
		return err_set(err, "one of --emit, --dry-run, --status and --collect at a time");
	if (r->one.record && (!r->one.run[0] || strcmp(r->one.run[0], "run") != 0))
		return err_set(
			err,
			"--one RECORD is followed by -- run OPTIONS PROGRAM, as --emit writes it");
	if (!r->one.record && !r->file)
		return err_set(err, "no sweep given; expected cyclops %s", cli_sweep.usage);
	if (!r->one.record && rest > 1)
		return err_set(err, "one sweep at a time; expected cyclops %s", cli_sweep.usage);
	return true;
}

static bool cli_sweep_parse_args(struct request *r, int argc, char **argv, struct err *err)
{
	*r = (struct request){0};
	if (!cli_read_options(options, OPTIONS, argc, argv, cli_sweep_parse_option, r, err))
		return false;
	r->file = optind < argc ? argv[optind] : NULL;
	r->one.run = argv + optind;
	return cli_sweep_validate_request(r, argc - optind, err);
}

void cli_sweep_print_options(FILE *f)
{
	cli_print_options(options, OPTIONS, f);
}

/* ---- sweeping ---- */

static int cli_sweep_exit_status(const struct sweep *s)
{
	struct results_count n = results_count(s);
	return n.failed || n.missing ? 1 : 0;
}

static int cli_sweep_write_results(const struct sweep *s)
{
	struct err err;
	if (!results_write(s, &err))
		return say_error("%s", err.msg);
	results_print(s, true);
	return cli_sweep_exit_status(s);
}

static int run_here(struct sweep *s, const struct request *r)
{
	struct err err;
	if (!sweep_lock(s, &err))
		return say_error("%s", err.msg);
	int sig = sweep_run(s, &r->run, &err);
	if (sig < 0)
		return say_error("%s", err.msg);
	if (!sig)
		return cli_sweep_write_results(s);
	struct results_count n = results_count(s);
	say_error("interrupted; %zu of %zu jobs are done, and the same command goes on from there",
	        s->plan->job_count - n.missing, s->plan->job_count);
	return results_write(s, &err) ? 128 + sig : say_error("%s", err.msg);
}

static int cli_sweep_emit_jobs(struct sweep *s, const struct request *r)
{
	struct err err;
	size_t n = 0;
	if (!emit_folder(r->emit, r->emit_folder, s, &r->run, &n, &err))
		return say_error("%s", err.msg);
	say(stdout,
	    "%zu of %zu jobs are to be run: %s/%s\nthen, to gather the results: cyclops sweep "
	    "--collect ",
	    n, s->plan->job_count, r->emit_folder,
	    strcmp(r->emit, "slurm") ? "run.sh" : "sweep.sbatch");
	emit_word(stdout, s->plan->path);
	putchar('\n');
	return 0;
}

static int cli_sweep_run_plan(struct plan *p, const struct request *r)
{
	struct sweep s;
	struct err err;
	int status;
	if (!sweep_init(&s, p, !r->dry_run && !r->status, &err))
		status = say_error("%s", err.msg);
	else if (r->dry_run)
		status = (emit_commands(stdout, &s, &r->run), 0);
	else if (r->status)
		status = (results_print(&s, false), cli_sweep_exit_status(&s));
	else if (r->emit)
		status = cli_sweep_emit_jobs(&s, r);
	else
		status = r->collect ? cli_sweep_write_results(&s) : run_here(&s, r);
	sweep_deinit(&s);
	return status;
}

static int cli_sweep_main(int argc, char **argv)
{
	struct request r;
	struct err err;
	if (!cli_sweep_parse_args(&r, argc, argv, &err))
		return say_error("%s", err.msg);
	if (r.help) {
		option_text_head(stdout, cli_sweep.usage, cli_sweep.help);
		cli_sweep_print_options(stdout);
		return 0;
	}
	if (r.one.record) {
		int status = one_run(&r.one, &r.run, &err);
		return status < 0 ? say_error("%s", err.msg) : status;
	}
	struct plan *p = plan_read(r.file, r.out, &err);
	if (!p)
		return say_error("%s", err.msg);
	int status = cli_sweep_run_plan(p, &r);
	plan_free(p);
	return status;
}

const struct cli_command cli_sweep = {
	.name = "sweep",
	.usage = "sweep [OPTIONS] FILE.lua",
	.help = "Runs every configuration that a file names with every program, as many at once as "
		"there are cores, and writes\n"
		"results.csv, results.json and plots. Run again after an interruption, it resumes; "
		"a job that fails is one marked row.\n"
		"The exit status is 0, 1 if jobs failed or are missing, 125 for an error of ours, "
		"128 + signal if interrupted.\n"
		"`cyclops help sweep` explains the file.",
	.options = options,
	.option_count = OPTIONS,
	.run = cli_sweep_main,
};
