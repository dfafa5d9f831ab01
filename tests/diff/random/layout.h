/* Interface of generated programs and their tools: addresses, and the record that
 * each block of a program writes to its standard output. */
#ifndef CYCLOPS_TESTS_DIFF_RANDOM_LAYOUT_H
#define CYCLOPS_TESTS_DIFF_RANDOM_LAYOUT_H

#include <stdint.h>

enum {
	TEXT = 0x10000,
	DATA = 0x4000000,
	DATA_BYTES = 0x3000,
	SAVE = DATA,                   /* struct record */
	GP_BASE = DATA + 0x800,        /* held in gp */
	/* memory that random loads and stores touch; a page ends within */
	SCRATCH = GP_BASE - 64,
	SCRATCH_BYTES = 4224,
	POOL = DATA + 0x2000,          /* constants, [POOL_ENTRIES] of 8 bytes */
	POOL_ENTRIES = 512,
	TP_BASE = POOL + 2048          /* held in tp */
};

struct record {
	uint64_t seed;
	uint64_t x[31]; /* x1..x31 */
	uint64_t f[32];
	uint64_t fcsr;
	uint64_t digest; /* of the scratch memory */
};

#endif
