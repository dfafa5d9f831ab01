/* The seeded generator of the guest's random bytes: xoshiro256**. */
#include <string.h>

#include "core/base/hash.h"
#include "core/os/os_priv.h"

void os_seed_random(struct os_state *st, uint64_t seed)
{
	for (unsigned i = 0; i < 4; i++)
		st->rng[i] = hash_splitmix64_next(&seed);
}

static uint64_t os_rotl64(uint64_t v, unsigned n)
{
	return v << n | v >> (64 - n);
}

static uint64_t os_next_random(struct os_state *st)
{
	uint64_t *s = st->rng, out = os_rotl64(s[1] * 5, 7) * 9, t = s[1] << 17;
	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = os_rotl64(s[3], 45);
	return out;
}

void os_random_bytes(struct os_state *st, uint8_t *bytes, size_t n)
{
	for (size_t done = 0; done < n; done += sizeof(uint64_t)) {
		uint64_t word = os_next_random(st);
		memcpy(bytes + done, &word, n - done < sizeof word ? n - done : sizeof word);
	}
}
