/* Shared by the files of the microassembler: the state of an assembly. */
#ifndef CYCLOPS_CORE_PROF_COP_MICRO_ASSEMBLY_H
#define CYCLOPS_CORE_PROF_COP_MICRO_ASSEMBLY_H

#include "core/prof/cop/micro_read.h"

struct assembly {
	struct reader r; /* the line being read; its symbols are `symbols` */
	const char *text, *text_end;
	struct symbols symbols;
	const struct micro_define *defines;
	unsigned define_count;
	struct micro_image image;
	unsigned room; /* of words and lines */
	unsigned fields_line[MICRO_CLASSES], on_line[MICRO_CLASSES];
	/* Mistakes in the order in which they were found, and the line of each. */
	struct micro_mistakes mistakes;
	unsigned *mistake_line; /* [mistakes.count] */
	/* a directive was wrong: `fields` and `start` of the image may be incomplete */
	bool directive_wrong;
	bool last_wrong;        /* the last microinstruction was wrong */
	struct err said;        /* r.err points here */
};

/* Reports it. Always false. */
bool micro_out_of_memory(struct assembly *a);
/* Makes room in *array for one more than `count` elements; false if memory is out. */
bool micro_grow(void **array, unsigned count, size_t size);

/* micro_directives.c: reads the directive that the line begins with. */
bool read_directive(struct assembly *a);

#endif
