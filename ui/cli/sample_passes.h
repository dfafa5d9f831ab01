/* The passes of `run --sample`: one with as many units as a pilot takes, and, as long as their
 * variance says that they are too few, one more with the rest. The first makes the program's output
 * and measures the pilot's units (sample_first.h), if no points are kept and nobody says how many
 * units there are; else it is executed without timing, for its length.
 *
 * Each part of a program is executed by a process of its own, if there are several; the result
 * depends on the number of parts, and not on how many of them run at once. With live points each
 * part is executed once, to keep them, and its units are measured from there: now, and whenever the
 * folder has them already. */
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
	uint64_t insts;                /* the program's, when it has been executed */
	/* hears which machine an interrupt is to stop, NULL: none is left */
	void (*interruptible)(struct machine *m);

	/* what came out */
	struct sample sample;          /* owned */
	struct sample_plan plan[SAMPLE_PASSES]; /* [passes] */
	unsigned passes;
	enum sample_end end;
};

/* The program has been executed, or points are there. False with *err: there is no result. */
bool sample_passes_run(struct sample_passes *p, struct err *err);
void sample_passes_deinit(struct sample_passes *p);

#endif
