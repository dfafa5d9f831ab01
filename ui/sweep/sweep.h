/* A plan and its present results. The folder of results has
 *
 *   jobs/KEY.json    the result of a job (record.h)
 *   logs/KEY.out     what its program wrote to stdout
 *   logs/KEY.log     its program's and cyclops's own stderr
 *   results.csv, results.json, plots
 *
 * so that an interrupted sweep can be resumed: a job with a record is not run again. */
#ifndef CYCLOPS_UI_SWEEP_SWEEP_H
#define CYCLOPS_UI_SWEEP_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "core/base/err.h"
#include "ui/sweep/plan.h"
#include "ui/sweep/record.h"

struct sweep {
	struct plan *plan;      /* borrowed */
	struct record *records; /* [job_count], owned */
	int lock;               /* file descriptor; -1: none */
};

struct sweep_options {
	unsigned at_once; /* processes, 0: as many as there are cores */
	double timeout;   /* seconds for each job, overrides the file's; 0: the file's */
	bool force;       /* run everything again */
	bool retry;       /* run failed jobs again */
	bool any_build;   /* accept results of other builds of cyclops */
};

/* Creates OUT/jobs and OUT/logs with their parents. */
bool sweep_make_folders(const char *out, struct err *err);

/* Creates the folder of results if `make`, and reads the records in it. */
bool sweep_init(struct sweep *s, struct plan *plan, bool make, struct err *err);
void sweep_deinit(struct sweep *s);

/* True if the job has to be run. */
bool sweep_wants(const struct sweep *s, size_t job, const struct sweep_options *o);
/* [job_count]: the first job with the same key; equal jobs are run once. Owned by the plan. */
size_t *sweep_first_alike(struct plan *p);

/* Locks the folder for this process; false with *err if another process has locked it. */
bool sweep_lock(struct sweep *s, struct err *err);
/* Runs the jobs without valid results. Returns the interrupting signal, or 0; -1 with *err if
 * results can't be written. */
int sweep_run(struct sweep *s, const struct sweep_options *o, struct err *err);

#endif
