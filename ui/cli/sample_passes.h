/* The passes of `run --sample`: a pilot, then further passes with more units until the variance is
 * low enough. The first execution produces the program's output and measures the pilot's units
 * (sample_first.h), if no live points are kept and the number of units is not given; else it runs
 * without timing, to find the program's length.
 *
 * Each part of a program has its own process; the result depends on the number of parts, not on how
 * many run at once. With live points each part is executed once, which writes the points; this run
 * and later runs with the same folder measure the units from the points. */
#ifndef CYCLOPS_UI_CLI_SAMPLE_PASSES_H
#define CYCLOPS_UI_CLI_SAMPLE_PASSES_H

#include "core/run/sample.h"
#include "hwviews/session/session.h"
#include "ui/cli/sample_input.h"
#include "ui/cli/sample_points.h"
#include "ui/cli/sample_spec.h"

struct sample_passes {
	struct sample_spec spec;
	const struct session *session; /* borrowed: program, launch and configuration */
	const struct sample_input *input; /* borrowed */
	struct sample_points *points;  /* borrowed; NULL: none are kept */
	unsigned jobs;                 /* processes at once */
	uint64_t insts;                /* of the program, once it has been executed */
	/* called with the machine that an interrupt should stop, NULL: none */
	void (*interruptible)(struct machine *m);

	/* the result */
	struct sample sample;          /* owned */
	struct sample_plan plan[SAMPLE_PASSES]; /* [passes] */
	unsigned passes;
	enum sample_end end;
};

/* Runs all passes. Call once the program has been executed, or points are there. False with *err:
 * there is no result. */
bool sample_passes_run(struct sample_passes *p, struct err *err);
void sample_passes_deinit(struct sample_passes *p);

#endif
