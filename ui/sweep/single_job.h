/* One job of a sweep, for an external scheduler (emit.h). */
#ifndef CYCLOPS_UI_SWEEP_SINGLE_JOB_H
#define CYCLOPS_UI_SWEEP_SINGLE_JOB_H

#include <stdbool.h>

#include "core/base/err.h"
#include "ui/sweep/sweep.h"

struct one_job {
	const char *record;     /* .../jobs/KEY.json */
	const char *stdin_path; /* NULL: none */
	int good;               /* the exit status that means success */
	char **run;             /* "run", options, "--", program, arguments; NULL at the end */
};

/* Runs the job, unless a valid record of it exists. Returns 0, 1 if the job failed, 128 + signal if
 * it was interrupted, -1 with *err. */
int one_run(const struct one_job *one, const struct sweep_options *o, struct err *err);

#endif
