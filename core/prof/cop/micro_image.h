/* An assembled microprogram, with its source and names for display; constants for assembling one,
 * and mistakes (micro_asm.h). */
#ifndef CYCLOPS_CORE_PROF_COP_MICRO_IMAGE_H
#define CYCLOPS_CORE_PROF_COP_MICRO_IMAGE_H

#include <stddef.h>

#include "core/base/err.h"
#include "core/prof/cop/micro.h"

enum { MICRO_NAME_MAX = 32, MICRO_HELP_MAX = 128 }; /* bytes, with the zero at the end */

struct micro_label {
	char name[MICRO_NAME_MAX];
	uint16_t at;
};

/* A number with a name (.equ). */
struct micro_constant {
	char name[MICRO_NAME_MAX];
	uint64_t value;
};

/* A register with a name (.name): "v3". */
struct micro_alias {
	char name[MICRO_NAME_MAX], reg[4];
};

enum micro_column_kind { MICRO_COLUMN_CAM, MICRO_COLUMN_DATA, MICRO_COLUMN_RATIO };

/*   id, name */
#define MICRO_SHOWS(S) \
	S(NUMBER, "number") \
	S(HEX, "hex") \
	S(PC, "pc") \
	S(PERCENT, "percent")

enum micro_show {
#define S(id, name) MICRO_SHOW_##id,
	MICRO_SHOWS(S)
#undef S
	MICRO_SHOW_COUNT
};

/* A column of the table that views show, with a row for each entry of the associative array: the
 * entry's 32 bits, bits of its word in the data array, or one column divided by another. */
struct micro_column {
	char name[MICRO_NAME_MAX];
	uint8_t kind, show;   /* enum micro_column_kind, enum micro_show */
	uint8_t base;         /* of data: base register; the entry's index is added */
	uint8_t width, lane;  /* of data: 8, 16 or 32 bits, and which of the word's */
	uint8_t a, b;         /* of ratios: numbers of columns */
};

struct micro_image {
	char name[MICRO_NAME_MAX], help[MICRO_HELP_MAX]; /* "" if the text has none */
	unsigned count;            /* microinstructions */
	struct micro_word *words;  /* [count]; owned, as all that follows */
	uint32_t *line;            /* [count], from 1 on */
	uint32_t classes;          /* 1 << enum inst_kind: classes to be sampled */
	uint16_t fields[MICRO_CLASSES]; /* of a class's records: 1 << enum record_field */
	uint16_t start[MICRO_CLASSES];
	uint64_t v[MICRO_VALUES], k[MICRO_VALUES];
	uint16_t x[MICRO_INDEXES], b[MICRO_BASES], t[MICRO_TARGETS];
	/* For display. */
	char *source;              /* its text */
	unsigned label_count, constant_count, alias_count, column_count;
	struct micro_label *labels; /* by address */
	struct micro_constant *constants;
	struct micro_alias *aliases;
	struct micro_column *columns;
};

/* A constant from outside: it overrides an .equ of the same name in the text. */
struct micro_define {
	const char *name; /* borrowed */
	uint64_t value;
};

/* Mistakes in a text, by line: "FILE:LINE:COLUMN: ..." each. Consequences of another mistake are
 * left out. */
enum { MICRO_MISTAKES_MAX = 50 };

struct micro_mistakes {
	unsigned count;   /* after MICRO_MISTAKES_MAX assembly ends */
	struct err *each; /* [count]; owned, micro_mistakes_free() */
};

#endif
