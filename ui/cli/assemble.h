/* Reads assembly files, assembles them with the built-in assembler (loader/asm), writes programs
 * and reports errors. */
#ifndef CYCLOPS_UI_CLI_ASSEMBLE_H
#define CYCLOPS_UI_CLI_ASSEMBLE_H

#include <stdbool.h>

#include "core/base/err.h"

/* Assembles these files, [count], to the program `out`; words: no compressed instructions; xlen and
 * abi: as of asm_options; isa: ", OPTION" that sets xlen, without its value. Prints to stderr a
 * guessed ABI, and errors in the texts, one per line; *err has their number. False: no file is
 * written. */
bool assemble_files(char *const *names, unsigned count, const char *out, bool words,
                    unsigned xlen, int abi, const char *isa, struct err *err);

#endif
