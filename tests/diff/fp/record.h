/* The guest's record of an executed instruction, on its standard output. */
#ifndef CYCLOPS_TESTS_DIFF_FP_RECORD_H
#define CYCLOPS_TESTS_DIFF_FP_RECORD_H

#include <stdint.h>

struct record {
	uint32_t op; /* row of ops.def */
	uint32_t rm;
	uint64_t a, b, c; /* source registers */
	uint64_t result;  /* destination register */
	uint64_t fflags;  /* afterwards; zero before */
};

#endif
