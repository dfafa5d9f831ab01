/* Reads assembly files, assembles them with the built-in assembler (loader/asm), writes programs
 * and reports errors. */
#ifndef CYCLOPS_UI_CLI_ASSEMBLE_H
#define CYCLOPS_UI_CLI_ASSEMBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"

/* The files that a program is made of: .include reads in their folders, too. */
struct asm_reader {
	char *const *names; /* [count], borrowed */
	unsigned count;
};

/* Reads a file for .incbin, in the present folder or below it, wherever links lead, or for .include
 * (text): also in the folders of the reader's files (struct asm_options). */
uint8_t *assemble_read_bytes(void *reader, const char *name, bool text, size_t *n, struct err *err);

/* Assembles these files, [count], to the program `out`; words: no compressed instructions; xlen and
 * abi: as of asm_options; isa: ", OPTION" that sets xlen, without its value. Prints to stderr a
 * guessed ABI, and errors in the texts, one per line; *err has their number. False: no file is
 * written. */
bool assemble_files(char *const *names, unsigned count, const char *out, bool words,
                    unsigned xlen, int abi, const char *isa, struct err *err);
/* True if a .S file is assembled here, for the reason that it writes (asm_takes_instead()). */
bool assemble_takes_instead(const char *path, const char *given, char *why, size_t room);
/* Prints a note if a text that was compiled for RV64 seems to be for RV32. */
void assemble_note_rv32(const char *path);

#endif
