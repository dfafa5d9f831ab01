/* Where the code of a program that the editor has laid out again was before: section .cyclops.map
 * of its file. */
#ifndef CYCLOPS_LOADER_EDIT_MOVED_CODE_H
#define CYCLOPS_LOADER_EDIT_MOVED_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "loader/program.h"

#define MOVED_SECTION ".cyclops.map"

struct moved_code {
	/* addresses: of the new code, and behind it and the routines that were put in */
	uint64_t text, end;
	/* [2 * count], borrowed from the program: distance from text, address before; both rising
	 */
	const uint32_t *pairs;
	uint64_t count;
};

/* False if p has not been laid out again. */
bool program_moved_code(const struct program *p, struct moved_code *out);
/* Where the instruction that was at `old` is; 0 if there was none. */
uint64_t moved_code_to(const struct moved_code *m, uint64_t old);
/* Where the instruction at `now` was; 0 if it was put in, or there is none. */
uint64_t moved_code_from(const struct moved_code *m, uint64_t now);

/* Of the pairs, the first whose instruction is at `now` or behind it: count if there is none. */
uint64_t moved_index(const struct moved_code *m, uint64_t now);
/* The same by where it was. */
uint64_t moved_was_index(const struct moved_code *m, uint64_t was);
/* Whether `now` lies in the new code. */
bool moved_code_covers(const struct moved_code *m, uint64_t now);

/* A section of p's file by its name, its bytes at a multiple of 8: NULL if there is none. Borrowed.
 */
const void *program_section(const struct program *p, const char *name, uint64_t *bytes);

#endif
