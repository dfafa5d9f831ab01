/* What instructions in flight will make of a value of C: as much of it as the hardware knows. */
#ifndef CYCLOPS_SCRIPTING_C_PENDING_WRITES_H
#define CYCLOPS_SCRIPTING_C_PENDING_WRITES_H

#include "core/pipe/uop.h"
#include "scripting/c/value.h"

struct c_coming {
	/* The youngest in the window that writes any of it; borrowed; NULL: none. Stores only once
	 * their address is known. */
	const struct uop *by;
	bool known;           /* it is complete and writes all of the value: */
	struct c_value value; /* what that will be */
};

/* innermost: v is of the call that runs; only there a register in flight means it. */
struct c_coming c_coming(const struct c_calls *calls, const struct c_value *v, bool innermost);
/* Where a register is written, the address behind the writer: there the value must still be in that
 * register (as c_stays() finds of what it is there), or something else is coming. 0: nothing has to
 * be asked. */
uint64_t c_coming_behind(const struct c_coming *c, const struct c_value *v);
bool c_stays(const struct c_value *v, const struct c_value *behind);

#endif
