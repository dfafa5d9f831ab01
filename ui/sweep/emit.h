/* Writes a sweep's jobs as shell lines for others to run, such as GNU parallel or Slurm. */
#ifndef CYCLOPS_UI_SWEEP_EMIT_H
#define CYCLOPS_UI_SWEEP_EMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "core/base/err.h"
#include "ui/sweep/sweep.h"

/* Writes a word quoted for a shell, on one line: plain, 'quoted', or $'quoted' for bash. */
void emit_word(FILE *f, const char *word);

/* Writes the command lines of the jobs that have to be run. Returns their number. */
size_t emit_commands(FILE *f, const struct sweep *s, const struct sweep_options *o);

/* Writes to `folder`, created if missing: the file `jobs`, one line per job, and the script that
 * runs the jobs. kind: "parallel" or "slurm". *count receives the number of jobs. False with *err.
 */
bool emit_folder(const char *kind, const char *folder, const struct sweep *s,
                 const struct sweep_options *o, size_t *count, struct err *err);

#endif
