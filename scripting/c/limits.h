/* Limits and styles of shown values: `set print`. */
#ifndef CYCLOPS_SCRIPTING_C_LIMITS_H
#define CYCLOPS_SCRIPTING_C_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

struct c_limits {
	uint64_t elements; /* elements of arrays, characters of strings; 0: all */
	uint64_t repeats;  /* fold so many equal elements; 0: never */
	bool pretty;       /* one line per member */
	bool hide_unions;  /* unions inside others */
	bool raw;          /* containers of C++ by their members */
	bool no_addresses; /* pointers and functions without addresses */
	bool no_symbols;   /* pointers to data without symbols */
	bool lines;        /* one line per element of an array */
	bool indexes;      /* elements with their numbers */
	bool objects;      /* the complete object, if its class has virtual functions */
	bool null_stop;    /* texts in arrays end at the first zero */
	bool no_statics;   /* without static members */
	bool nibbles;      /* binary digits in groups of four */
	bool seven_bits;   /* characters that are not ASCII as escapes */
	/* nesting depth, from 1, at which values are "{...}"; 0: no limit */
	uint64_t depth;
};

#define C_LIMITS ((struct c_limits){.elements = 200, .repeats = 10, .depth = 21})

#endif
