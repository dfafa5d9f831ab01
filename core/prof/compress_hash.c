/* The hash functions of section 3.5 and 4.1.
 *
 * Each step but the look-up of a byte is linear in xor, so that the entry of a tuple is the xor of what its sixteen bytes contribute:
 * these are kept in tables. */
#include <stdlib.h>

#include "core/hash.h"
#include "core/prof/compress_priv.h"

enum { WORD_BYTES = 8, BYTE_VALUES = 256 };

struct tuple_hasher {
	enum tuple_hash kind;
	uint32_t entries, tag_bits;
	uint8_t random[BYTE_VALUES];
	uint32_t pc[WORD_BYTES][BYTE_VALUES], value[WORD_BYTES][BYTE_VALUES]; /* of HASH_RANDOM: what a byte contributes */
};

/* The random number table is one permutation for all: in hardware it is a ROM. */
static void fill_random(uint8_t *random)
{
	uint64_t state = 0;
	for (unsigned i = 0; i < BYTE_VALUES; i++)
		random[i] = (uint8_t)i;
	for (unsigned i = BYTE_VALUES - 1; i > 0; i--) {
		unsigned j = (unsigned)(splitmix64(&state) % (i + 1));
		uint8_t held = random[i];
		random[i] = random[j];
		random[j] = held;
	}
}

/* xor-fold(w, n): n-bit chunks of w, xored together. */
static uint32_t fold(uint64_t w, uint32_t bits)
{
	uint64_t out = 0;
	for (; bits && w; w >>= bits)
		out ^= w & ((UINT64_C(1) << bits) - 1);
	return (uint32_t)out;
}

static uint64_t randomize(const struct tuple_hasher *h, uint64_t w)
{
	uint64_t out = 0;
	for (unsigned i = 0; i < WORD_BYTES; i++)
		out |= (uint64_t)h->random[w >> 8 * i & 0xff] << 8 * i;
	return out;
}

struct tuple_hasher *hasher_new(enum tuple_hash kind, uint32_t entries, uint32_t tag_bits)
{
	struct tuple_hasher *h = calloc(1, sizeof *h);
	if (!h)
		return NULL;
	h->kind = kind;
	h->entries = entries;
	h->tag_bits = tag_bits;
	fill_random(h->random);
	for (unsigned i = 0; i < WORD_BYTES; i++) {
		for (unsigned b = 0; b < BYTE_VALUES; b++) {
			uint64_t random = h->random[b];
			h->pc[i][b] = fold(random << 8 * (WORD_BYTES - 1 - i), bits_for(entries));
			h->value[i][b] = fold(random << 8 * i, bits_for(entries));
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

uint32_t hasher_index(const struct tuple_hasher *h, struct tuple t)
{
	uint32_t index = 0;
	switch (h->kind) {
	case HASH_FOLD:
		return fold(t.pc ^ t.value, bits_for(h->entries));
	case HASH_MODULO:
		return (uint32_t)((t.pc ^ t.value) % h->entries);
	default:
		for (unsigned i = 0; i < WORD_BYTES; i++)
			index ^= h->pc[i][t.pc >> 8 * i & 0xff] ^ h->value[i][t.value >> 8 * i & 0xff];
		return index;
	}
}

uint32_t hasher_tag(const struct tuple_hasher *h, struct tuple t)
{
	return fold(t.pc ^ t.value, h->tag_bits);
}

struct tuple_hash_steps hasher_steps(const struct tuple_hasher *h, struct tuple t)
{
	struct tuple_hash_steps s = {.pc_random = randomize(h, t.pc), .value_random = randomize(h, t.value)};
	s.pc_flipped = __builtin_bswap64(s.pc_random);
	s.mixed = s.pc_flipped ^ s.value_random;
	s.index = fold(s.mixed, bits_for(h->entries));
	return s;
}
