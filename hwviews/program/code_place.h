/* Rows of code for views of costs: an instruction, a source line or a function each. */
#ifndef CYCLOPS_HWVIEWS_PROGRAM_CODE_PLACE_H
#define CYCLOPS_HWVIEWS_PROGRAM_CODE_PLACE_H

#include "hwviews/grid/grid.h"
#include "hwviews/session/session.h"

enum code_by { CODE_BY_INSTRUCTION, CODE_BY_LINE, CODE_BY_FUNCTION };

/* The place that a row sums up. */
struct code_place {
	const char *file; /* NULL: not by line, or unknown; borrowed from the program */
	unsigned line;
	uint64_t first;   /* address of its function, or of itself; 0 if by line */
};

/* The place of the instruction at pc: its line, or its function if it has no line. */
struct code_place code_place_of(const struct session *s, uint64_t pc, enum code_by by);
/* The line of the instruction at pc in the author's files. Inlined library code and
 * compiler-generated functions (an implicit destructor) get the line that calls them. Without such
 * a line: the function, and .file is NULL. */
struct code_place code_place_own(const struct session *s, uint64_t pc);
/* Like strcmp(): places of the same row are equal. */
int code_place_compare(const struct code_place *a, const struct code_place *b);
/* "words.c:41", else the place of pc. */
void cell_code_place(struct grid *g, const struct session *s, const struct code_place *p,
                     uint64_t pc);
/* The instruction at pc as assembly, the source line, or "": borrowed, or in buf. */
const char *code_place_text(const struct session *s, enum code_by by, const struct code_place *p,
                            uint64_t pc, char *buf, size_t n);

#endif
