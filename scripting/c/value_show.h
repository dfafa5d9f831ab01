/* What the files that show values share: value_text.c, value_string.c, value_number.c and
 * containers.c. */
#ifndef CYCLOPS_SCRIPTING_C_VALUE_SHOW_H
#define CYCLOPS_SCRIPTING_C_VALUE_SHOW_H

#include "core/base/textbuf.h"
#include "scripting/c/value.h"

enum { BASES_MAX = 32 };

struct text {
	const struct c_calls *calls;
	const struct c_show *show;
	struct c_limits limits;
	struct textbuf out;
	struct dwarf_walk walk; /* over members */
	/* Virtual bases that were shown: those of the present object from `first` on. */
	const void *base[BASES_MAX]; /* [bases], of their types */
	unsigned bases, first;
	bool in_base;           /* what comes is a base of the present object */
	bool in_table;          /* what comes is a pointer to virtual functions */
};

/* depth: of how many values, one in the other, it is the innermost. */
void show_value(struct text *t, const struct c_value *v, unsigned depth);
/* A text in the program's memory, or a copy. */
struct chars {
	const void *units; /* borrowed; [n] */
	uint64_t n;
	unsigned width;    /* of a unit: 1, 2 or 4 bytes */
	char prefix;       /* that quotes have, as in L"wide"; 0: none */
};

/* ---- value_string.c ---- */
/* `cut`: more follow. */
void show_string(struct text *t, const struct chars *s, bool cut);
/* 'x', or L'x'. */
void show_char(struct text *t, uint32_t code, unsigned width, char prefix);
/* Bytes of a character, if texts consist of this type; 0: they don't. */
unsigned show_char_width(const struct ctype *t, char *prefix);
/* What a pointer to characters points to; returns the address behind what was read. */
uint64_t show_pointed(struct text *t, uint64_t addr, unsigned width, char prefix);
/* False: it can't be read. */
bool show_char_array(struct text *t, const struct c_value *v, unsigned width, char prefix);

/* ---- value_number.c ---- */
/* In the format that is asked for, or as its type says; false: it can't be read. */
bool show_number(struct text *t, const struct c_value *v, struct err *err);
void show_complex(struct text *t, const struct c_value *v, unsigned depth);

/* ---- member_pointer.c ---- */
bool show_member_pointer(struct text *t, const struct c_value *v);

/* A container of C++'s library as what is in it; false: it is none, or none that makes sense. */
bool show_container(struct text *t, const struct c_value *v, unsigned depth);
bool show_is_container(struct text *t, const struct c_value *v);

#endif
