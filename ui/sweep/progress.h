/* Progress of a sweep on stderr: on a terminal a line that is redrawn, else a line for each ended
 * job. */
#ifndef CYCLOPS_UI_SWEEP_PROGRESS_H
#define CYCLOPS_UI_SWEEP_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

#include "ui/cli/jobs.h"
#include "ui/sweep/plan.h"

struct progress {
	const struct plan *plan;
	bool line;          /* stderr is a terminal */
	unsigned at_once;
	size_t total, ended, failed; /* jobs of this run of the sweep */
	double *seconds;    /* [program]: total of ended jobs; owned */
	size_t *counts;     /* [program]; owned */
	double drawn;       /* time when the line was last drawn */
};

/* False if memory runs out. */
bool progress_init(struct progress *p, const struct plan *plan, size_t total, unsigned at_once);
void progress_deinit(struct progress *p); /* removes the line */
/* Records that a job has ended; `how` is "ok" or why it failed. */
void progress_ended(struct progress *p, const struct plan_job *j, double seconds, bool failed,
                    const char *how);
/* Draws the line on a terminal. The jobs' ctx is their struct plan_job. */
void progress_draw(struct progress *p, const struct job *jobs, size_t count);

#endif
