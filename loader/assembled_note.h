/* The built-in assembler's note in a program: its ABI, and where its instructions end. */
#ifndef CYCLOPS_LOADER_ASSEMBLED_NOTE_H
#define CYCLOPS_LOADER_ASSEMBLED_NOTE_H

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

#endif
