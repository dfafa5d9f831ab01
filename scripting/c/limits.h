/* How much of a value is shown: `set print`. */
#ifndef CYCLOPS_SCRIPTING_C_LIMITS_H
#define CYCLOPS_SCRIPTING_C_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

struct c_limits {
	uint64_t elements; /* of arrays and characters of strings; 0: all */
	uint64_t repeats;  /* so many equal elements are one; 0: never */
	bool pretty;       /* a member in a line of its own */
	bool hide_unions;  /* those inside others */
	bool raw;          /* containers of C++ as what they consist of */
};

#define C_LIMITS ((struct c_limits){.elements = 200, .repeats = 10})

#endif
