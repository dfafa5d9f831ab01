/* Reads assembly files, assembles them with the built-in assembler (loader/asm), writes programs
 * and reports errors. */
#ifndef CYCLOPS_UI_CLI_ASSEMBLE_H
#define CYCLOPS_UI_CLI_ASSEMBLE_H

#include <stdbool.h>

#include "core/base/err.h"

/* Assembles these files, [count], to the program `out`; words: no compressed instructions; rv32:
 * for RV32GC; abi: enum os_abi, or ASM_ABI_GUESS; narrow: ", OPTION" that makes rv32 true. Prints
 * to stderr the ABI if it was guessed, and errors in the texts, one per line; *err has their
 * number. False: nothing is written. */
bool assemble_files(char *const *names, unsigned count, const char *out, bool words, bool rv32,
                    int abi, const char *narrow, struct err *err);

#endif
