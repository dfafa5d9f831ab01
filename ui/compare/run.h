/* Runs the machines of a comparison: a process of `cyclops run` each, several at once. */
#ifndef CYCLOPS_UI_COMPARE_RUN_H
#define CYCLOPS_UI_COMPARE_RUN_H

#include "core/base/err.h"
#include "hwviews/twin/twin_program.h"
#include "ui/cli/options.h"
#include "ui/compare/compare.h"

/* Parses "NAME,PARAMETER=VALUE,...", applied over o's -o, to a configuration; *program receives
 * instrument=KINDS or program=FILE; *files, which may be NULL, the files that the configurations
 * name. False with *err. */
bool compare_config(const struct options *o, const char *spec, struct config *out,
                    struct twin_program *program, struct config_files *files, struct err *err);

/* Runs o's program on each machine of c that has not failed already, and fills in the results; the
 * program's output is compared, not shown. Standard input is read once and passed to each, unless
 * it is a terminal or o names a file. Returns 0, or the signal that interrupted it, with no process
 * left. -1 with *err if nothing could be run. */
int compare_run(struct comparison *c, const struct options *o, unsigned at_once, struct err *err);

#endif
