/* `run --simpoint`: executes the program once without timing, for its output and phases; then
 * measures one representative interval of each phase. */
#ifndef CYCLOPS_UI_CLI_SIMPOINT_RUN_H
#define CYCLOPS_UI_CLI_SIMPOINT_RUN_H

#include "core/run/phases.h"
#include "hwviews/session/session.h"
#include "ui/cli/options.h"
#include "ui/cli/sample_input.h"

/* Executes the session's program in intervals, to its end or to the options' limit. False with
 * *err. */
bool simpoint_execute(struct phases *p, const struct session *s, const struct options *o,
                      struct err *err);
/* Measures the intervals and prints the result. */
bool simpoint_run(struct phases *p, const struct session *s, const struct options *o,
                  const struct sample_input *in, uint64_t syscalls,
                  void (*interruptible)(struct machine *m), struct err *err);

#endif
