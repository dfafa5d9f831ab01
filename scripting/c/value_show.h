/* Shared by the files that show values: value_text.c, value_string.c and
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
	/* Virtual bases already shown: those of the present object from `first` on. */
	const void *base[BASES_MAX]; /* [bases], of their types */
	unsigned bases, first;
	bool in_base;           /* the next value is a base of the present object */
	bool in_table;          /* the next value is a pointer to virtual functions */
};

/* depth: nesting depth of the value. */
void show_value(struct text *t, const struct c_value *v, unsigned depth);
/* A text in the program's memory, or a copy. */
struct chars {
	const void *units; /* borrowed; [n] */
	uint64_t n;
	unsigned width;    /* of a unit: 1, 2 or 4 bytes */
	char prefix;       /* of the quotes, as in L"wide"; 0: none */
};

/* ---- value_string.c ---- */
/* `cut`: more follow. */
void show_string(struct text *t, const struct chars *s, bool cut);
/* 'x', or L'x'. */
void show_char(struct text *t, uint32_t code, unsigned width, char prefix);
/* Bytes of a character, if the type is one of texts; 0: it is not. */
unsigned show_char_width(const struct ctype *t, char *prefix);
/* Shows the text that a pointer to characters points to; returns the address after the part
 * read. */
uint64_t show_pointed(struct text *t, uint64_t addr, unsigned width, char prefix);
/* Shows an array of characters as a text. False: not readable. */
bool show_char_array(struct text *t, const struct c_value *v, unsigned width, char prefix);

/* ---- member_pointer.c ---- */
bool show_member_pointer(struct text *t, const struct c_value *v);

/* Shows a container of C++'s library by its contents. False: not a container, or its memory is
 * inconsistent. */
bool show_container(struct text *t, const struct c_value *v, unsigned depth);
bool show_is_container(struct text *t, const struct c_value *v);

#endif
