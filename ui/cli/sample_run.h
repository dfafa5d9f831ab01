/* `run --sample`: what it can't do, and what comes of its passes. */
#ifndef CYCLOPS_UI_CLI_SAMPLE_RUN_H
#define CYCLOPS_UI_CLI_SAMPLE_RUN_H

#include "ui/cli/options.h"
#include "ui/cli/sample_passes.h"

/* False with *err if options ask for what a sample does not have. */
bool sample_run_allows(const struct options *o, struct err *err);
/* Before the program is executed. Owned by the caller afterwards, by sample_passes_deinit(). */
void sample_run_begin(struct sample_passes *p, const struct session *s, const struct options *o,
                      const struct sample_input *in, struct sample_points *points,
                      void (*interruptible)(struct machine *m));
/* The program has been executed once, which points->insts and the like are of, or the points are
 * there; says what comes of it. */
bool sample_run(struct sample_passes *p, const struct options *o, struct sample_points *points,
                struct err *err);

#endif
