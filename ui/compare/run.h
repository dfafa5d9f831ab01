/* Running what is to be compared: a process of `cyclops run` for each machine, as many at once as
 * asked for. */
#ifndef CYCLOPS_UI_COMPARE_RUN_H
#define CYCLOPS_UI_COMPARE_RUN_H

#include "core/base/err.h"
#include "hwviews/twin/twin_program.h"
#include "ui/cli/options.h"
#include "ui/compare/compare.h"

/* The configuration that "NAME,PARAMETER=VALUE,..." says, over o's -o, and what is put into the
 * program, instrument=KINDS or program=FILE. False with *err. */
bool compare_config(const struct options *o, const char *spec, struct config *out,
                    struct twin_program *program, struct err *err);

/* Runs o's program on each machine of c that has not failed already, and fills in what became of
 * it; what the program writes is compared, not shown. Standard input, if it is neither a terminal
 * nor o names a file, is read once and given to each. Returns 0, or the signal that interrupted it:
 * no process is left then. -1 with *err if nothing could be run. */
int compare_run(struct comparison *c, const struct options *o, unsigned at_once, struct err *err);

#endif
