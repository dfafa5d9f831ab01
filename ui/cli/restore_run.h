/* Resumes from a checkpoint, for `cyclops run --restore`.
 *
 * A checkpoint from after cycle 0 needs the same configuration, since pipeline, caches and
 * predictors have contents. A checkpoint of a program executed without timing (--functional, --ff)
 * and without firmware, profiling devices or warm-up holds only the program: all parameters may
 * differ then, except those that the program can observe (sim.*). */
#ifndef CYCLOPS_UI_CLI_RESTORE_RUN_H
#define CYCLOPS_UI_CLI_RESTORE_RUN_H

#include "core/base/err.h"
#include "hwviews/session/session.h"
#include "ui/cli/options.h"

/* Returns the machine saved in o->restore, with o's changes to the configuration, connected with
 * the host; skips the standard input that the program had read. s: program and launch are set.
 * Owned by the caller; NULL with *err. */
struct machine *resume(const struct session *s, const struct options *o, struct err *err);

#endif
