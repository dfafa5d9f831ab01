/* Rows of code: an instruction, a source line or a function each, as views of costs sum them up. */
#ifndef CYCLOPS_HWVIEWS_PROGRAM_CODE_PLACE_H
#define CYCLOPS_HWVIEWS_PROGRAM_CODE_PLACE_H

#include "hwviews/grid/grid.h"
#include "hwviews/session/session.h"

enum code_by { CODE_BY_INSTRUCTION, CODE_BY_LINE, CODE_BY_FUNCTION };

/* What is one row. */
struct code_place {
	const char *file; /* NULL: not by line, or none is known; borrowed from the program */
	unsigned line;
	uint64_t first;   /* address of its function, or of itself; by line 0 */
};

/* The place that the instruction at pc belongs to; without lines there, its function. */
struct code_place code_place_of(const struct session *s, uint64_t pc, enum code_by by);
/* As of strcmp(): places of one row are equal. */
int code_place_compare(const struct code_place *a, const struct code_place *b);
/* "words.c:41", else the place of pc. */
void cell_code_place(struct grid *g, const struct session *s, const struct code_place *p,
                     uint64_t pc);
/* The instruction at pc as assembly, the line of source, or "": borrowed, or in buf. */
const char *code_place_text(const struct session *s, enum code_by by, const struct code_place *p,
                            uint64_t pc, char *buf, size_t n);

#endif
