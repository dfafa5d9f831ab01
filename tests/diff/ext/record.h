/* The guest's record of an executed instruction, on its standard output. */
#ifndef CYCLOPS_TESTS_DIFF_EXT_RECORD_H
#define CYCLOPS_TESTS_DIFF_EXT_RECORD_H

#include <stdint.h>

struct record {
	uint64_t op; /* row of ops.def, an immediate each */
	uint64_t a, b, result;
};

/* Each of IMMEDIATES's as rows. */
#define IMMEDIATES(id, text, formula) \
	ONE_IMMEDIATE(id, 0, text, formula) \
	ONE_IMMEDIATE(id, 1, text, formula) \
	ONE_IMMEDIATE(id, 31, text, formula) \
	ONE_IMMEDIATE(id, 32, text, formula) \
	ONE_IMMEDIATE(id, 33, text, formula) \
	ONE_IMMEDIATE(id, 63, text, formula)

#endif
