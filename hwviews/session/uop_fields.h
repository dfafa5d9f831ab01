/* The fields of an instruction in flight, from one table (uop_fields.def), for views, Lua, traces
 * and conditions, and when each becomes known. They are read from the pool as it is after a
 * cycle. */
#ifndef CYCLOPS_HWVIEWS_SESSION_UOP_FIELDS_H
#define CYCLOPS_HWVIEWS_SESSION_UOP_FIELDS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/defs/field_type.h"
#include "core/pipe/pipe.h"

/*      id, when that is */
#define UOP_MOMENTS(M) \
	M(FETCH, "from fetch on") \
	M(DISPATCH, "from dispatch on") \
	M(READY, "once it has its operands") \
	M(ISSUE, "once it has issued") \
	M(ADDRESS, "once its address is computed") \
	M(DATA, "once a store has its data") \
	M(MEMORY, "once it has gone to the memory system") \
	M(COMPLETE, "once it is complete") \
	M(LEAVE, "once it has left the machine") \
	M(NOW, "at any time, changing")

enum uop_moment {
#define M(id, help) UOP_AT_##id,
	UOP_MOMENTS(M)
#undef M
	UOP_MOMENT_COUNT
};

extern const char *const uop_moment_help[UOP_MOMENT_COUNT];

enum uop_field {
#define UOP_FIELD(name, ...) UOP_FIELD_##name,
#include "hwviews/session/uop_fields.def"
#undef UOP_FIELD
	UOP_FIELD_COUNT
};

struct uop_field_info {
	const char *name;
	enum field_type type;
	enum uop_moment moment;
	const char *help;
};

extern const struct uop_field_info uop_field_info[UOP_FIELD_COUNT];

/* Field of a name, or -1. */
int uop_field_find(const char *name);
/* The field's word; false: u has no such field, or not yet. */
bool uop_field(const struct pipe *p, const struct uop *u, enum uop_field f, uint64_t *word);

/* The instruction as it was fetched. Decodes a faulting one again, since dispatch has
 * cleared its destination. */
struct inst uop_inst(const struct uop *u);
/* The instruction as fetched, with its prefix: "pi.0 ld t2,0(s3)". Writes at most n bytes; returns
 * buf. */
char *uop_disasm(const struct uop *u, char *buf, unsigned n);
/* "pi.0 ", the prefix of a profile instruction; "" for others. Returns the number of bytes. */
unsigned uop_prefix(const struct uop *u, char *buf, unsigned n);
/* True for an instruction of Xprof: a profile instruction, or one that controls profiling. */
static inline bool uop_is_profile(const struct uop *u)
{
	return u->op_flags & OPF_XPROF;
}
/* The bytes that a store writes, as a number. */
uint64_t uop_store_data(const struct uop *u);

#endif
