/* Going on where a checkpoint was saved, for `cyclops run --restore`.
 *
 * What may differ from when it was saved: nothing, if cycles had passed, for the pipeline, the
 * caches and the predictors hold what they hold. A checkpoint of a program executed without timing
 * (--functional, --ff) and without firmware, profiling devices or warm-up holds the program alone:
 * any parameter of the machine may differ then, but not what the program sees of the system around
 * it (sim.*). */
#ifndef CYCLOPS_UI_CLI_RESTORE_RUN_H
#define CYCLOPS_UI_CLI_RESTORE_RUN_H

#include "core/base/err.h"
#include "hwviews/session/session.h"
#include "ui/cli/options.h"

/* s: program and launch are set. The machine saved in o->restore, with what o says of the
 * configuration, connected with the host; what the program had read of its standard input is passed
 * over. Owned by the caller; NULL with *err. */
struct machine *resume(const struct session *s, const struct options *o, struct err *err);

#endif
