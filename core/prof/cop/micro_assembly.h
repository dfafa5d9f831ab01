/* Between the files of the microassembler: a text on its way to an image. */
#ifndef CYCLOPS_CORE_PROF_COP_MICRO_ASSEMBLY_H
#define CYCLOPS_CORE_PROF_COP_MICRO_ASSEMBLY_H

#include "core/prof/cop/micro_read.h"

struct assembly {
	struct reader r; /* the line that is being read; its symbols are ours */
	const char *text, *text_end;
	struct symbols symbols;
	const struct micro_define *defines;
	unsigned define_count;
	struct micro_image image;
	unsigned room; /* of words and lines */
	unsigned fields_line[MICRO_CLASSES], on_line[MICRO_CLASSES];
	/* What is wrong, in the order in which it was found; of each its line. */
	struct micro_mistakes mistakes;
	unsigned *mistake_line; /* [mistakes.count] */
	/* so that what records carry, and which routines there are, may be known in part */
	bool directive_wrong;
	bool last_wrong;        /* the last microinstruction is */
	struct err said;        /* where r.err leads */
};

/* Always false. */
bool micro_out_of_memory(struct assembly *a);
/* *array with room for one more of `count`; false if memory is out. */
bool micro_grow(void **array, unsigned count, size_t size);

/* micro_directives.c: the directive that the line begins with. */
bool read_directive(struct assembly *a);

#endif
