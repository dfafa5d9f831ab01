/* Hashing and mixing, for the whole project. No function withstands an attacker. Results are the
 * same on every host. The functions must not change: tests compare results, and files contain them.
 *
 * Only core/mem/hash.c has a hash of its own, for megabytes of pages. */
#ifndef CYCLOPS_CORE_BASE_HASH_H
#define CYCLOPS_CORE_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* ---- FNV-1a: byte by byte; for names, and for values that files contain ---- */
#define HASH_START UINT64_C(0xcbf29ce484222325)

/* Continues h, HASH_START at first, with n bytes. */
static inline uint64_t hash_bytes(uint64_t h, const void *bytes, size_t n)
{
	for (const uint8_t *b = bytes, *end = b + n; b < end; b++)
		h = (h ^ *b) * UINT64_C(0x100000001b3);
	return h;
}

/* Hashes a string without its terminator. */
static inline uint64_t hash_text(const char *s)
{
	return hash_bytes(HASH_START, s, strlen(s));
}

/* ---- words: multiply and fold; for records of eight-byte words ---- */
#define HASH_WORDS_START UINT64_C(0x9e3779b97f4a7c15)

static inline uint64_t hash_word(uint64_t h, uint64_t w)
{
	h = (h ^ w) * UINT64_C(0xff51afd7ed558ccd);
	return h ^ h >> 32;
}

/* Continues h, HASH_WORDS_START at first, with the whole words in n bytes; ignores a remainder. */
static inline uint64_t hash_words(uint64_t h, const void *bytes, size_t n)
{
	const uint8_t *b = bytes;
	for (size_t i = 0; i + 8 <= n; i += 8) {
		uint64_t w;
		memcpy(&w, b + i, sizeof w);
		h = hash_word(h, w);
	}
	return h;
}

/* ---- splitmix64: the next random number; any *state begins a sequence ---- */
static inline uint64_t hash_splitmix64_next(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

#endif
