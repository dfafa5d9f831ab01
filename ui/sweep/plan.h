/* A sweep: machines times programs, from a Lua file that returns a table.
 *
 *   return {
 *     configs  = { base = "default", small = { "default", ["pipe.rob_size"] = 16 } },
 *     -- optional: every combination, with every configuration
 *     vary     = { ["l1d.size"] = { "8K", "16K" } },
 *     programs = { sort = { "build/demos/sort", "words.txt", stdin = "file" } },
 *     options  = { max_insts = "10M" },  -- optional: ui/sweep/run_options.def, timeout
 *     stats    = { "sim.ipc" },          -- optional: all
 *     out      = "results",
 *     -- optional, or a list of them
 *     plot     = { y = "sim.ipc", x = "program", series = "config", kind = "bars" },
 *   }
 *
 * File names are relative to the current directory. A plan is made once and then only read; it owns
 * all that it points to until plan_free(). Running out of memory ends the process: no job has begun
 * by then. */
#ifndef CYCLOPS_UI_SWEEP_PLAN_H
#define CYCLOPS_UI_SWEEP_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/base/pool.h"
#include "core/defs/config.h"
#include "core/defs/stats.h"

/* A list of words; NULL at the end. */
struct words {
	char **text;
	size_t count;
};

/* A parameter that varies. */
struct plan_axis {
	const char *name;
	struct words values; /* as config_set() takes them */
};

struct plan_config {
	const char *name;
	unsigned line;
	struct words sources;  /* presets and files */
	struct words settings; /* NAME=VALUE, over them */
};

struct plan_program {
	const char *name;
	struct words argv;
	const char *stdin_path; /* NULL: none */
	struct words options;   /* of `cyclops run`; those for all programs first */
	struct words files;     /* named by the options */
	/* prefix of the names of live-point folders, before a digest; NULL: none */
	const char *checkpoints;
	double timeout;         /* seconds, 0: none */
	int status;             /* the exit status that means success */
};

/* Dimensions of a plot: a value below, or the index of an axis. */
enum { DIM_CONFIG = -1, DIM_PROGRAM = -2, DIM_NONE = -3 };
enum plot_kind { PLOT_BARS, PLOT_LINES };
enum plot_mean { MEAN_NONE, MEAN_ARITHMETIC, MEAN_GEOMETRIC, MEAN_HARMONIC };

struct plan_plot {
	const char *file;  /* in the folder of results, "ipc.svg" */
	const char *title; /* NULL: from the statistic's description */
	const struct stat_row *y;
	int x, series, panels; /* DIM_... or an axis */
	const char *relative;  /* name of the configuration that values are divided by, or NULL */
	enum plot_kind kind;
	enum plot_mean mean;   /* over the dimensions other than x, series and panels */
};

enum { PLAN_AXES_MAX = 8, PLAN_JOBS_MAX = 100000, PLAN_KEY_BYTES = 17 };

/* One run. */
struct plan_job {
	size_t config, program;
	size_t value[PLAN_AXES_MAX];
	/* digest of all inputs of its results, except the simulator itself */
	char key[PLAN_KEY_BYTES];
	struct words run;         /* "run", options, "--", program, arguments; without --stats */
};

struct plan {
	struct pool pool;
	const char *path;      /* of the file */
	const char *title;     /* or NULL */
	const char *out;       /* folder of results */
	const char *exe;       /* this program */
	/* digest of `exe`: another simulator may give other results */
	char build[PLAN_KEY_BYTES];
	struct plan_config *configs;
	size_t config_count;
	struct plan_axis *axes;
	size_t axis_count;
	struct plan_program *programs;
	size_t program_count;
	const struct stat_row **stats; /* shown in CSV and text */
	size_t stat_count;
	struct plan_plot *plots;
	size_t plot_count;
	/* by configuration, then grid (the first parameter varies slowest), then program */
	struct plan_job *jobs;
	size_t job_count;
};

/* Reads the plan. `out` replaces the file's `out`, unless NULL. NULL with *err: file:line, and what
 * is expected. */
struct plan *plan_read(const char *path, const char *out, struct err *err);
void plan_free(struct plan *p); /* takes NULL */

/* A dimension's name ("config", "program", a parameter), its i-th value, its number of values, and
 * the index of a job's value. */
const char *plan_dim_name(const struct plan *p, int dim);
const char *plan_dim_value(const struct plan *p, int dim, size_t i);
size_t plan_dim_count(const struct plan *p, int dim);
size_t plan_dim_of(const struct plan_job *j, int dim);
/* Writes a job's name: "small sort l1d.size=8K". Returns buf. */
const char *plan_job_name(const struct plan *p, const struct plan_job *j, char *buf, size_t n);
/* Path of a job's file, such as OUT/jobs/KEY.json; owned by the plan. */
char *plan_job_file(struct plan *p, const struct plan_job *j, const char *folder,
                    const char *ending);

/* ---- for the parts of planning ---- */
void *plan_alloc(struct plan *p, size_t n);
char *plan_text(struct plan *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void words_add(struct plan *p, struct words *w, const char *text);

/* Makes the jobs of a plan that has been read (plan_jobs.c). */
bool plan_make_jobs(struct plan *p, struct err *err);

#endif
