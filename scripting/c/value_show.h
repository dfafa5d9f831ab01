/* What the files that show values share: value_text.c and containers.c. */
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
	uint64_t left; /* elements that may still be shown */
	struct dwarf_walk walk; /* over members */
	/* Virtual bases that were shown: those of the present object from `first` on. */
	const void *base[BASES_MAX]; /* [bases], of their types */
	unsigned bases, first;
	bool in_base;           /* what comes is a base of the present object */
};

/* depth: of how many values, one in the other, it is the innermost. */
void show_value(struct text *t, const struct c_value *v, unsigned depth);
/* n characters; `cut`: more follow. */
void show_string(struct text *t, const unsigned char *s, uint64_t n, bool cut);
/* A container of C++'s library as what is in it; false: it is none, or none that makes sense. */
bool show_container(struct text *t, const struct c_value *v, unsigned depth);
bool show_is_container(struct text *t, const struct c_value *v);

#endif
