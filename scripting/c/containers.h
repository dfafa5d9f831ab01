/* Shared by the files that show containers: containers.c and containers_single.c. */
#ifndef CYCLOPS_SCRIPTING_C_CONTAINERS_H
#define CYCLOPS_SCRIPTING_C_CONTAINERS_H

#include "loader/dwarf/scoped.h"
#include "scripting/c/value_show.h"

/* Styles of elements. */
enum container_style { IN_A_ROW, BY_NUMBER, BY_KEY };

/* A container, and the present position in it. */
struct walker {
	struct text *t;
	const struct c_value *whole;
	const char *name;     /* "std::map" */
	struct ctype element; /* type of elements in memory; unknown: it varies */
	enum container_style style;
	uint64_t count;      /* elements; UINT64_MAX: until the last */
	uint64_t at, end;    /* addresses, as each kind uses them */
	uint64_t last, node; /* of a deque */
	unsigned bit;
};

/* Finds a member by path, "_M_impl._M_start"; false if there is none. */
bool container_member(const struct c_value *of, const char *path, struct c_value *out);
bool container_number(const struct walker *w, const struct c_value *of, const char *path,
                      uint64_t *out);
/* The i-th type argument of a template. */
bool container_argument(struct walker *w, const struct ctype *of, unsigned i, struct ctype *out);
/* Writes the text before the i-th element in braces, and after the last; named: elements have
 * names. */
void container_open(struct walker *w, uint64_t i, unsigned depth, bool named);
/* Whether the limit of elements shown is reached; gdb then prints "..." even if no more follow. */
bool container_full(const struct walker *w, uint64_t shown);
void container_close(struct walker *w, unsigned depth, bool more, bool named);

/* ---- containers_single.c: false, and nothing is written, if the memory does not hold one ---- */
bool container_pair(struct walker *w, unsigned depth);
bool container_tuple(struct walker *w, unsigned depth);
bool container_optional(struct walker *w, unsigned depth);
bool container_unique(struct walker *w, unsigned depth);
bool container_shared(struct walker *w, unsigned depth);

#endif
