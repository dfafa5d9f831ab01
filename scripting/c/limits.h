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
	bool no_addresses; /* what pointers and functions are is told without where */
	bool no_symbols;   /* of a pointer to data not what is there */
	bool lines;        /* an element of an array in a line of its own */
	bool indexes;      /* elements with their numbers */
	bool objects;      /* of a class with virtual functions, the object that it is a part of */
	bool null_stop;    /* texts in arrays end at the first zero */
	bool no_statics;   /* members of all objects are left out */
	/* one more than how many values, one in the other, are shown; the next is "{...}"; 0: all
	 */
	uint64_t depth;
};

#define C_LIMITS ((struct c_limits){.elements = 200, .repeats = 10, .depth = 21})

#endif
