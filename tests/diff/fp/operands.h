/* Operands for floating point tests: for the unit test and, compiled for RISC-V, for the guest. */
#ifndef CYCLOPS_TESTS_DIFF_FP_OPERANDS_H
#define CYCLOPS_TESTS_DIFF_FP_OPERANDS_H

#include <stdint.h>

#include "core/base/hash.h"
#include "core/isa/fp_host.h"

/* A pattern of width 16, 32 or 64, or an integer (width 0): random in every bit, or assembled from
 * exponents and significands where something happens. */
static inline uint64_t fp_operand(unsigned width, uint64_t *seed)
{
	uint64_t choice = hash_splitmix64_next(seed), bits = hash_splitmix64_next(seed);

	if (width == 0)
		return bits >> (choice & 63) ^ -(choice >> 6 & 1);
	int frac_bits = width == 16 ? 10 : width == 32 ? 23 : 52;
	int ones = width == 16 ? 0x1f : width == 32 ? 0xff : 0x7ff;
	uint64_t frac_mask = (UINT64_C(1) << frac_bits) - 1;
	uint64_t frac = bits & frac_mask;
	int exp = (int)(bits >> frac_bits) & ones;
	switch (choice & 7) {
	case 0: exp = (int)(choice >> 32 & 3); break;
	case 1: exp = ones - (int)(choice >> 32 & 3); break;
	case 2: exp = ones / 2 - 2 + (int)(choice >> 32 & 3); break;
	case 3:
		exp = ones / 2 - frac_bits + (int)((choice >> 32) % (2 * (unsigned)frac_bits));
		break;
	case 4:
		exp = (ones / 2 - frac_bits) / 2 + (int)((choice >> 32) % (unsigned)frac_bits);
		break;
	default: break;
	}
	switch (choice >> 3 & 7) {
	case 0: frac = 0; break;
	case 1: frac = frac_mask; break;
	case 2: frac = UINT64_C(1) << (choice >> 40) % (unsigned)frac_bits; break;
	case 3: frac = frac_mask & ~UINT64_C(0) << (choice >> 40) % (unsigned)frac_bits; break;
	case 4: frac = choice >> 40 & 3; break;
	case 5: frac &= ~UINT64_C(0) << frac_bits / 2; break;
	default: break;
	}
	return (choice >> 63) << (width - 1) | (uint64_t)exp << frac_bits | frac;
}

/* Three operands for one operation, related often enough that sums cancel and comparisons meet
 * equals. */
static inline void fp_operands(unsigned width, uint64_t *seed, uint64_t v[3])
{
	for (int i = 0; i < 3; i++)
		v[i] = fp_operand(width, seed);
	if (width == 64 && hash_splitmix64_next(seed) % 4 == 0)
		v[2] = fp64_bits(-(fp64_host(v[0]) * fp64_host(v[1]))) ^
		       (hash_splitmix64_next(seed) & 3);
	else if (width == 32 && hash_splitmix64_next(seed) % 4 == 0)
		v[2] = fp32_bits(-(fp32_host((uint32_t)v[0]) * fp32_host((uint32_t)v[1]))) ^
		       (hash_splitmix64_next(seed) & 3);
	if (width != 0 && hash_splitmix64_next(seed) % 8 == 0)
		v[1] = v[0] ^ (hash_splitmix64_next(seed) & 3) ^
		       (hash_splitmix64_next(seed) & 1) << (width - 1);
}

#endif
