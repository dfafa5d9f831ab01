/* `run --sample`: what it can't do, its input, and the passes behind the first, which executes the
 * program without timing and makes its output. */
#ifndef CYCLOPS_UI_CLI_SAMPLE_RUN_H
#define CYCLOPS_UI_CLI_SAMPLE_RUN_H

#include "ui/cli/options.h"
#include "ui/cli/sample_passes.h"

/* False with *err if options ask for what a sample does not have. */
bool sample_run_allows(const struct options *o, struct err *err);
/* The program has been executed once, which points->insts and the like are of, or the points are
 * there; says what comes of it. */
bool sample_run(const struct session *s, const struct options *o, const struct sample_input *in,
                struct sample_points *points, void (*interruptible)(struct machine *m),
                struct err *err);

#endif
