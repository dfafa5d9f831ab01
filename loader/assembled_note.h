/* The built-in assembler's note in a program: its ABI, and where its instructions end. */
#ifndef CYCLOPS_LOADER_ASSEMBLED_NOTE_H
#define CYCLOPS_LOADER_ASSEMBLED_NOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct program;

/* The section that holds it. */
#define ASSEMBLED_SECTION ".cyclops.assembled"

struct assembled {
	uint64_t abi;      /* enum os_abi */
	uint64_t text_end; /* byte address after the last instruction; 0: not known */
};

/* Zero for other programs. */
struct assembled program_assembled(const struct program *p);
/* Writes the place of the last instruction, "at loop (x.s:3)"; "" for other programs. */
void program_last_place(const struct program *p, char *buf, size_t n);
/* For a pc after the last instruction: writes "ran past its last instruction, at loop (x.s:3); it
 * needs exit: li a7,93; ecall". False for others, and *buf is "". */
bool program_ran_past_end(const struct program *p, uint64_t pc, char *buf, size_t n);

#endif
