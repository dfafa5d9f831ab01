/* Maps addresses of a program that the editor has laid out again to the original ones: section
 * .cyclops.map of its file. */
#ifndef CYCLOPS_LOADER_EDIT_MOVED_CODE_H
#define CYCLOPS_LOADER_EDIT_MOVED_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "loader/program.h"

#define MOVED_SECTION ".cyclops.map"

struct moved_code {
	/* addresses: of the new code, and after it and inserted routines */
	uint64_t text, end;
	/* [2 * count], borrowed from the program: distance from text, original address; both
	 * rising */
	const uint32_t *pairs;
	uint64_t count;
};

/* Reads the map. False if p has not been laid out again. */
bool program_moved_code(const struct program *p, struct moved_code *out);
/* The new address of the instruction that was at `old`; 0 if there was none. */
uint64_t moved_code_to(const struct moved_code *m, uint64_t old);
/* The original address of the instruction at `now`; 0 if it was inserted, or there is none. */
uint64_t moved_code_from(const struct moved_code *m, uint64_t now);

/* The first pair whose instruction is at or above `now`; count if there is none. */
uint64_t moved_index(const struct moved_code *m, uint64_t now);
/* The same by original address. */
uint64_t moved_was_index(const struct moved_code *m, uint64_t was);
/* Whether `now` is in the new code. */
bool moved_code_covers(const struct moved_code *m, uint64_t now);

/* The contents of a section of p's file, aligned to 8; NULL if there is none. Borrowed. */
const void *program_section(const struct program *p, const char *name, uint64_t *bytes);

#endif
