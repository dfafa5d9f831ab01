/* `run --sample`: refuses options that it can't combine with, runs the passes and prints results.
 */
#ifndef CYCLOPS_UI_CLI_SAMPLE_RUN_H
#define CYCLOPS_UI_CLI_SAMPLE_RUN_H

#include "ui/cli/options.h"
#include "ui/cli/sample_passes.h"

/* False with *err if an option can't be combined with a sample. */
bool sample_run_allows(const struct options *o, struct err *err);
/* Initialises *p. Call before the program is executed; free with sample_passes_deinit(). */
void sample_run_begin(struct sample_passes *p, const struct session *s, const struct options *o,
                      const struct sample_input *in, struct sample_points *points,
                      void (*interruptible)(struct machine *m));
/* Runs the passes and prints the result. Call after the program's first execution, unless its live
 * points exist. */
bool sample_run(struct sample_passes *p, const struct options *o, struct sample_points *points,
                struct err *err);

#endif
