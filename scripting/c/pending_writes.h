/* Values that instructions in flight will write to a C value, as far as the hardware has them. */
#ifndef CYCLOPS_SCRIPTING_C_PENDING_WRITES_H
#define CYCLOPS_SCRIPTING_C_PENDING_WRITES_H

#include "core/pipe/uop.h"
#include "scripting/c/value.h"

struct c_coming {
	/* the youngest instruction in flight that writes any of it; borrowed; NULL: none. Stores
	 * only once their address is known */
	const struct uop *by;
	bool known;           /* it has executed and writes the whole value: */
	struct c_value value; /* the value then */
};

/* innermost: v belongs to the running call; only then is a register in flight its own. */
struct c_coming c_coming(const struct c_calls *calls, const struct c_value *v, bool innermost);
/* If a register is written, the address after the writer: v evaluated there must still be in that
 * register (c_stays()), or the write is of something else. 0: no check is needed. */
uint64_t c_coming_behind(const struct c_coming *c, const struct c_value *v);
bool c_stays(const struct c_value *v, const struct c_value *behind);

#endif
