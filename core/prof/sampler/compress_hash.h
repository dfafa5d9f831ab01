/* Hash functions of compressors (sections 3.5 and 4.1), as tables. */
#ifndef CYCLOPS_CORE_PROF_SAMPLER_COMPRESS_HASH_H
#define CYCLOPS_CORE_PROF_SAMPLER_COMPRESS_HASH_H

#include "core/prof/sampler/component.h"

/* Bits that hold the numbers 0 to n - 1. */
static inline uint32_t bits_for(uint64_t n)
{
	return n > 1 ? 64 - (uint32_t)__builtin_clzll(n - 1) : 0;
}

static inline bool compressor_is_power_of_two(uint64_t n)
{
	return n && !(n & (n - 1));
}

enum { WORD_BYTES = 8, BYTE_VALUES = 256 };

/* Each step but the look-up of a byte is linear in xor, so the entry of a tuple is the xor of its
 * sixteen bytes' contributions, which tables hold. The contributions of a zero byte at all places
 * of pc and at all places of the other word cancel out, so the tables are relative to these: zero
 * bytes need no look-up. */
struct tuple_hasher {
	enum tuple_hash kind;
	uint32_t entries, tag_bits;
	/* not of HASH_MODULO */
	uint32_t pc[WORD_BYTES][BYTE_VALUES], value[WORD_BYTES][BYTE_VALUES];
	uint32_t tag[WORD_BYTES][BYTE_VALUES];                                /* of pc xor value */
	uint8_t random[BYTE_VALUES];
};

/* New tables of a hash function to `entries` entries; NULL if memory is out. */
struct tuple_hasher *hasher_new(enum tuple_hash kind, uint32_t entries, uint32_t tag_bits);
void hasher_free(struct tuple_hasher *h);
size_t hasher_bytes(void); /* of one */
/* The xor of four bytes' contributions. */
static inline uint32_t hash_half(const uint32_t (*table)[BYTE_VALUES], uint32_t w)
{
	return table[0][w & 0xff] ^ table[1][w >> 8 & 0xff] ^ table[2][w >> 16 & 0xff] ^
	       table[3][w >> 24];
}

static inline uint32_t hash_word_bytes(const uint32_t (*table)[BYTE_VALUES], uint64_t w)
{
	uint32_t h = hash_half(table, (uint32_t)w);
	return w >> 32 ? h ^ hash_half(table + 4, (uint32_t)(w >> 32)) : h;
}

static inline uint32_t hasher_index(const struct tuple_hasher *h, struct tuple t)
{
	if (h->kind == HASH_MODULO)
		return (uint32_t)((t.pc ^ t.value) % h->entries);
	return hash_word_bytes(h->pc, t.pc) ^ hash_word_bytes(h->value, t.value);
}

static inline uint32_t hasher_tag(const struct tuple_hasher *h, struct tuple t)
{
	return hash_word_bytes(h->tag, t.pc ^ t.value);
}
struct tuple_hash_steps hasher_steps(const struct tuple_hasher *h, struct tuple t);

#endif
