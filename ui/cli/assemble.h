/* Reads assembly files, assembles them with the built-in assembler (loader/asm), writes programs
 * and reports errors. */
#ifndef CYCLOPS_UI_CLI_ASSEMBLE_H
#define CYCLOPS_UI_CLI_ASSEMBLE_H

#include <stdbool.h>

#include "core/base/err.h"

/* Assembles the file `source` to the program `out`; words: without compressed instructions; abi:
 * enum os_abi, or ASM_ABI_GUESS. Prints the ABI if it was guessed, and
 * errors in the text to stderr, one per line; *err has their number. False: nothing is written. */
bool assemble_file(const char *source, const char *out, bool words, int abi, struct err *err);

#endif
