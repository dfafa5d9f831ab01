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
 * Files are named as from the current directory. A plan is made once and then only read; all it
 * points to is its own and lives until plan_free(). Memory that runs out ends the process: nothing
 * has begun by then that would be lost. */
#ifndef CYCLOPS_UI_SWEEP_PLAN_H
#define CYCLOPS_UI_SWEEP_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/base/pool.h"
#include "core/defs/config.h"
#include "core/defs/stats.h"

/* Words that stand one after another; NULL at the end. */
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
	struct words options;   /* of `cyclops run`, those of all programs first */
	struct words files;     /* that the options name */
	/* folders of live points are named so, and by a digest; NULL: there are none */
	const char *checkpoints;
	double timeout;         /* seconds, 0: none */
	int status;             /* the exit status that means it went well */
};

/* What a plot can lay out: one of these, or an axis at its index. */
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
	enum plot_mean mean;   /* over what is neither of x, series and panels */
};

enum { PLAN_AXES_MAX = 8, PLAN_JOBS_MAX = 100000, PLAN_KEY_BYTES = 17 };

/* One run. */
struct plan_job {
	size_t config, program;
	size_t value[PLAN_AXES_MAX];
	/* digest of all that its numbers depend on but the simulator itself */
	char key[PLAN_KEY_BYTES];
	struct words run;         /* "run", options, "--", program, arguments; without --stats */
};

struct plan {
	struct pool pool;
	const char *path;      /* of the file */
	const char *title;     /* or NULL */
	const char *out;       /* folder of results */
	const char *exe;       /* this program */
	/* digest of its bytes: another simulator may give other numbers */
	char build[PLAN_KEY_BYTES];
	struct plan_config *configs;
	size_t config_count;
	struct plan_axis *axes;
	size_t axis_count;
	struct plan_program *programs;
	size_t program_count;
	const struct stat_row **stats; /* what CSV and text show */
	size_t stat_count;
	struct plan_plot *plots;
	size_t plot_count;
	/* configurations, in them the grid (its first parameter slowest), in it the programs */
	struct plan_job *jobs;
	size_t job_count;
};

/* NULL with *err: file:line, and what would be right. `out` replaces the file's; NULL: it doesn't.
 */
struct plan *plan_read(const char *path, const char *out, struct err *err);
void plan_free(struct plan *p); /* takes NULL */

/* Name of a dimension ("config", "program", a parameter), of one of its values, how many it has,
 * and which a job has. */
const char *plan_dim_name(const struct plan *p, int dim);
const char *plan_dim_value(const struct plan *p, int dim, size_t i);
size_t plan_dim_count(const struct plan *p, int dim);
size_t plan_dim_of(const struct plan_job *j, int dim);
/* "small sort l1d.size=8K". Returns buf. */
const char *plan_job_name(const struct plan *p, const struct plan_job *j, char *buf, size_t n);
/* OUT/jobs/KEY.json or the like; owned by the plan. */
char *plan_job_file(struct plan *p, const struct plan_job *j, const char *folder,
                    const char *ending);

/* ---- for the parts of planning ---- */
void *plan_alloc(struct plan *p, size_t n);
char *plan_text(struct plan *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void words_add(struct plan *p, struct words *w, const char *text);

/* Makes the jobs of what has been read (plan_jobs.c). */
bool plan_make_jobs(struct plan *p, struct err *err);

#endif
