/* `cyclops instrument PROGRAM`: inserts counting code into a finished executable. */
#ifndef CYCLOPS_UI_CLI_INSTRUMENT_PROGRAM_H
#define CYCLOPS_UI_CLI_INSTRUMENT_PROGRAM_H

#include "loader/instrument/instrument.h"

/* Writes the instrumented program to `output`, executable, and prints a summary to stderr unless
 * `quiet`. False with *err, and no file written. */
bool instrument_file(const char *path, const struct instrument_options *o, const char *output,
                     bool quiet, struct err *err);

#endif
