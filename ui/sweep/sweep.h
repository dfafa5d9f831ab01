/* A plan and what is there of its results. The folder of results has
 *
 *   jobs/KEY.json    what became of a job (record.h)
 *   logs/KEY.out     what its program wrote on stdout
 *   logs/KEY.log     and on stderr, where ours is too
 *   results.csv, results.json, plots
 *
 * so that a sweep goes on where it was interrupted: a job whose record is there is not run again.
 */
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
	double timeout;   /* seconds for each job, over what the file says; 0: as the file says */
	bool force;       /* run everything again */
	bool retry;       /* run what failed again */
	bool any_build;   /* results of other builds of this program are as good */
};

/* OUT/jobs and OUT/logs, with what is above them. */
bool sweep_make_folders(const char *out, struct err *err);

/* Makes the folder of results, if `make` says so, and reads the records in it. */
bool sweep_init(struct sweep *s, struct plan *plan, bool make, struct err *err);
void sweep_deinit(struct sweep *s);

/* Whether the job has to be run. */
bool sweep_wants(const struct sweep *s, size_t job, const struct sweep_options *o);
/* [job_count]: the first job with the same key; what is the same is run once. The plan's. */
size_t *sweep_first_alike(struct plan *p);

/* Takes the folder for one process: false with *err if another one has it. */
bool sweep_lock(struct sweep *s, struct err *err);
/* Runs what has to be run. Returns the signal that interrupted it, or 0; -1 with *err if results
 * can't be written. */
int sweep_run(struct sweep *s, const struct sweep_options *o, struct err *err);

#endif
