/* Writes a sweep's jobs as shell lines for others to run, such as GNU parallel or Slurm. */
#ifndef CYCLOPS_UI_SWEEP_EMIT_H
#define CYCLOPS_UI_SWEEP_EMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "core/base/err.h"
#include "ui/sweep/sweep.h"

/* A word as a shell reads it back, on one line: plain, 'quoted', or $'quoted' for bash. */
void emit_word(FILE *f, const char *word);

/* The command lines of jobs that have to be run, as a person would type them. Returns how many. */
size_t emit_commands(FILE *f, const struct sweep *s, const struct sweep_options *o);

/* Writes `folder`, made if need be: `jobs`, one line each, and the script that has them run. `kind`
 * is "parallel" or "slurm". False with *err. *count is how many jobs there are. */
bool emit_folder(const char *kind, const char *folder, const struct sweep *s,
                 const struct sweep_options *o, size_t *count, struct err *err);

#endif
