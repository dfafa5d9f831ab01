#include "core/prof/sampler/compress_hash.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/hash.h"

/* The random number table is one permutation for all: in hardware it is a ROM. */
static void fill_random(uint8_t *random)
{
	uint64_t state = 0;
	for (unsigned i = 0; i < BYTE_VALUES; i++)
		random[i] = (uint8_t)i;
	for (unsigned i = BYTE_VALUES - 1; i > 0; i--) {
		unsigned j = (unsigned)(hash_splitmix64_next(&state) % (i + 1));
		uint8_t held = random[i];
		random[i] = random[j];
		random[j] = held;
	}
}

/* xor-fold(w, n): n-bit chunks of w, xored together. */
static uint32_t hasher_xor_fold(uint64_t w, uint32_t bits)
{
	uint64_t out = 0;
	for (; bits && w; w >>= bits)
		out ^= w & ((UINT64_C(1) << bits) - 1);
	return (uint32_t)out;
}

static uint64_t hasher_randomize_bytes(const struct tuple_hasher *h, uint64_t w)
{
	uint64_t out = 0;
	for (unsigned i = 0; i < WORD_BYTES; i++)
		out |= (uint64_t)h->random[w >> 8 * i & 0xff] << 8 * i;
	return out;
}

/* Sets the contributions of a byte of this value at this place of pc and of the other word. */
static void hasher_fill_contributions(struct tuple_hasher *h, unsigned place, uint32_t byte)
{
	const uint32_t bits = bits_for(h->entries);
	const uint64_t random = h->random[byte], plain = byte;
	if (h->kind == HASH_RANDOM) {
		h->pc[place][byte] = hasher_xor_fold(random << 8 * (WORD_BYTES - 1 - place), bits);
		h->value[place][byte] = hasher_xor_fold(random << 8 * place, bits);
	} else {
		h->pc[place][byte] = h->value[place][byte] =
			hasher_xor_fold(plain << 8 * place, bits);
	}
	h->tag[place][byte] = hasher_xor_fold(plain << 8 * place, h->tag_bits);
}

struct tuple_hasher *hasher_new(enum tuple_hash kind, uint32_t entries, uint32_t tag_bits)
{
	struct tuple_hasher *h = alloc_zeroed(1, sizeof *h);
	if (!h)
		return NULL;
	h->kind = kind;
	h->entries = entries;
	h->tag_bits = tag_bits;
	fill_random(h->random);
	for (unsigned i = 0; i < WORD_BYTES; i++) {
		for (uint32_t b = 0; b < BYTE_VALUES; b++)
			hasher_fill_contributions(h, i, b);
		const uint32_t zero_pc = h->pc[i][0], zero_value = h->value[i][0];
		for (uint32_t b = 0; b < BYTE_VALUES; b++) {
			h->pc[i][b] ^= zero_pc;
			h->value[i][b] ^= zero_value;
		}
	}
	return h;
}

void hasher_free(struct tuple_hasher *h)
{
	free(h);
}

size_t hasher_bytes(void)
{
	return sizeof(struct tuple_hasher);
}

struct tuple_hash_steps hasher_steps(const struct tuple_hasher *h, struct tuple t)
{
	struct tuple_hash_steps s = {.pc_random = hasher_randomize_bytes(h, t.pc),
	                             .value_random = hasher_randomize_bytes(h, t.value)};
	s.pc_flipped = __builtin_bswap64(s.pc_random);
	s.mixed = s.pc_flipped ^ s.value_random;
	s.index = hasher_xor_fold(s.mixed, bits_for(h->entries));
	return s;
}
