/* Values that instructions in flight will write to a C value, as far as the hardware has them. */
#ifndef CYCLOPS_SCRIPTING_C_PENDING_WRITES_H
#define CYCLOPS_SCRIPTING_C_PENDING_WRITES_H

#include "core/pipe/uop.h"
#include "scripting/c/value.h"

struct c_coming {
	/* the youngest instruction in flight that writes to the value; borrowed; NULL: none. Stores
	 * count once their address is known */
	const struct uop *by;
	bool known;           /* `by` has executed, and writes the whole value: */
	struct c_value value; /* the value after `by` */
};

/* innermost: v belongs to the running call; only then can instructions in flight write its
 * register. */
struct c_coming c_coming(const struct c_calls *calls, const struct c_value *v, bool innermost);
/* If `by` writes v's register, the address after `by`: unless v evaluated there is still in that
 * register (c_stays()), the write is of another value. 0: no check is needed. */
uint64_t c_coming_behind(const struct c_coming *c, const struct c_value *v);
bool c_stays(const struct c_value *v, const struct c_value *behind);

#endif
