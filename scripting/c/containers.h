/* What the files that show containers share: containers.c and containers_single.c. */
#ifndef CYCLOPS_SCRIPTING_C_CONTAINERS_H
#define CYCLOPS_SCRIPTING_C_CONTAINERS_H

#include "loader/dwarf/scoped.h"
#include "scripting/c/value_show.h"

/* How elements are written. */
enum container_style { IN_A_ROW, BY_NUMBER, BY_KEY };

/* One container, and where it is gone through. */
struct walker {
	struct text *t;
	const struct c_value *whole;
	const char *name;     /* "std::map" */
	struct ctype element; /* of memory; unknown: each says its own */
	enum container_style style;
	uint64_t count;      /* elements; UINT64_MAX: until there are no more */
	uint64_t at, end;    /* addresses, as each kind uses them */
	uint64_t last, node; /* of a deque */
	unsigned bit;
};

/* "_M_impl._M_start"; false if it has no such member. */
bool container_member(const struct c_value *of, const char *path, struct c_value *out);
bool container_number(const struct walker *w, const struct c_value *of, const char *path,
                      uint64_t *out);
/* The i-th type that a template was given. */
bool container_argument(struct walker *w, const struct ctype *of, unsigned i, struct ctype *out);
/* Before the i-th of those in braces, and behind the last; named: it has one of its own. */
void container_open(struct walker *w, uint64_t i, unsigned depth, bool named);
/* Whether as many are shown as shall be, which gdb tells by "..." also where there are no more. */
bool container_full(const struct walker *w, uint64_t shown);
void container_close(struct walker *w, unsigned depth, bool more, bool named);

/* ---- containers_single.c: false if what is there can be none, and nothing is written ---- */
bool container_pair(struct walker *w, unsigned depth);
bool container_tuple(struct walker *w, unsigned depth);
bool container_optional(struct walker *w, unsigned depth);
bool container_unique(struct walker *w, unsigned depth);
bool container_shared(struct walker *w, unsigned depth);

#endif
