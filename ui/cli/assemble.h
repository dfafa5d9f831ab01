/* Assembly files for the built-in assembler (loader/asm): read, assembled, written, and what was
 * wrong said. */
#ifndef CYCLOPS_UI_CLI_ASSEMBLE_H
#define CYCLOPS_UI_CLI_ASSEMBLE_H

#include <stdbool.h>

#include "core/base/err.h"

/* Makes the program `out` of the assembly file `source`; words: without compressed instructions.
 * Errors in the text go to stderr, a line each, and *err counts them. False: nothing is written. */
bool assemble_file(const char *source, const char *out, bool words, struct err *err);

#endif
