/* `run --simpoint`: the program is executed once without timing, which makes its output and says
 * what phases it has; then one interval of each is measured, and speaks for its phase. */
#ifndef CYCLOPS_UI_CLI_SIMPOINT_RUN_H
#define CYCLOPS_UI_CLI_SIMPOINT_RUN_H

#include "core/run/phases.h"
#include "hwviews/session/session.h"
#include "ui/cli/options.h"
#include "ui/cli/sample_input.h"

/* Executes the session's program in intervals, to its end or as far as options say. False with
 * *err. */
bool simpoint_execute(struct phases *p, const struct session *s, const struct options *o,
                      struct err *err);
/* Measures, and says what comes of it. */
bool simpoint_run(struct phases *p, const struct session *s, const struct options *o,
                  const struct sample_input *in, uint64_t syscalls,
                  void (*interruptible)(struct machine *m), struct err *err);

#endif
