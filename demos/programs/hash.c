/*
 * hash: SHA-256 and CRC-32 of files, with three ways to compute the CRC.
 *
 * Behaviour. Integer code without a hard branch. SHA-256's rounds are long sequences of shifts, xors
 * and adds with two chains through them (a and e) and much beside them that is independent: the IPC is
 * close to the machine's width, and what limits it is dependence and the number of ALUs.
 * The CRCs show what a dependence chain costs:
 *   bitwise   8 steps of shift and conditional xor for each byte, one chain from end to end
 *   table     one look-up a byte: the address of each load comes from the load before, so a byte takes
 *             the latency of the cache and three simple operations, however wide the machine
 *   sliced    four look-ups for four bytes at once, independent of each other: same result, more loads, a
 *             quarter of the chain. More instructions per load, and yet faster.
 *
 * Input. Any files; by default the word list and the licence texts.
 * Usage: hash FILE...
 *
 * Expected. Each file's SHA-256, as sha256sum prints it, and its CRC-32, as gzip stores it; first a test
 * against published values ("abc", "123456789"). Exit status 1 if a value or two of the CRCs differ.
 *
 * Tour, two minutes: `build/cyclops build/demos/hash ...`, then type (or run demos/tours/hash.cyc):
 *     tbreak hash_block  one block of SHA-256
 *     ignore 1 20
 *     continue
 *     step 30
 *     view rob           54 of 64 places are taken: 24 done, the others wait for results and issue slots
 *     view rename        the producer of each register: renaming removes reuse
 *     goto 3M            far into the run, when start-up no longer counts
 *     view cpi           77% of all slots commit something: base
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 64, DIGEST = 32, BITWISE_BYTES = 1 << 15 };

struct sha256 {
	uint32_t state[8];
	uint64_t bytes;			/* so far */
	uint8_t block[BLOCK];		/* the bytes % BLOCK that are not hashed yet */
};

static uint32_t round_constants[64], initial_state[8];
static uint32_t crc_table[4][256];	/* [k][b]: what byte b does to the CRC after k more zero bytes */

/* The first 32 bits of the fraction of a root of n, exactly: the largest r with r^power <= n * 2^(32 power). */
static uint32_t root_fraction(unsigned n, int power)
{
	uint64_t root = 0;
	for (int bit = 35; bit >= 0; bit--) {
		uint64_t r = root | 1ull << bit;
		/* r has up to 36 bits, its cube 108. */
		unsigned __int128 product = (unsigned __int128)r * r;
		unsigned __int128 limit = (unsigned __int128)n << 32 * power;
		if (power == 3)
			product *= r;
		if (product <= limit)
			root = r;
	}
	return (uint32_t)root;
}

/* SHA-256's constants are defined by the first primes: no need to have them in the source. */
static void set_up(void)
{
	unsigned found = 0;
	for (unsigned n = 2; found < 64; n++) {
		bool prime = true;
		for (unsigned d = 2; d * d <= n && prime; d++)
			prime = n % d != 0;
		if (!prime)
			continue;
		if (found < 8)
			initial_state[found] = root_fraction(n, 2);
		round_constants[found++] = root_fraction(n, 3);
	}
	for (uint32_t byte = 0; byte < 256; byte++) {
		uint32_t crc = byte;
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
		crc_table[0][byte] = crc;
	}
	for (int k = 1; k < 4; k++)
		for (uint32_t byte = 0; byte < 256; byte++) {
			uint32_t crc = crc_table[k - 1][byte];
			crc_table[k][byte] = crc >> 8 ^ crc_table[0][crc & 255];
		}
}

static uint32_t rotate(uint32_t x, unsigned by)
{
	return x >> by | x << (32 - by);
}

static uint32_t load_big_endian(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static void hash_block(uint32_t state[8], const uint8_t *block)
{
	uint32_t w[64];
	for (int i = 0; i < 16; i++)
		w[i] = load_big_endian(block + 4 * i);
	for (int i = 16; i < 64; i++) {
		uint32_t s0 = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3;
		uint32_t s1 = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10;
		w[i] = w[i - 16] + s0 + w[i - 7] + s1;
	}

	uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
	uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
	for (int i = 0; i < 64; i++) {
		uint32_t choice = (e & f) ^ (~e & g), majority = (a & b) ^ (a & c) ^ (b & c);
		uint32_t mixed_e = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
		uint32_t mixed_a = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
		uint32_t t = h + mixed_e + choice + round_constants[i] + w[i];
		h = g;
		g = f;
		f = e;
		e = d + t;
		d = c;
		c = b;
		b = a;
		a = t + mixed_a + majority;
	}
	state[0] += a;
	state[1] += b;
	state[2] += c;
	state[3] += d;
	state[4] += e;
	state[5] += f;
	state[6] += g;
	state[7] += h;
}

static void sha256_init(struct sha256 *s)
{
	memset(s, 0, sizeof *s);
	memcpy(s->state, initial_state, sizeof s->state);
}

static void sha256_add(struct sha256 *s, const uint8_t *data, size_t size)
{
	size_t held = s->bytes % BLOCK;
	s->bytes += size;
	if (held) {
		size_t fill = BLOCK - held < size ? BLOCK - held : size;
		memcpy(s->block + held, data, fill);
		if (held + fill < BLOCK)
			return;
		hash_block(s->state, s->block);
		data += fill;
		size -= fill;
	}
	for (; size >= BLOCK; data += BLOCK, size -= BLOCK)
		hash_block(s->state, data);
	memcpy(s->block, data, size);
}

static void sha256_finish(struct sha256 *s, uint8_t digest[DIGEST])
{
	uint64_t bits = 8 * s->bytes;
	uint8_t padding[BLOCK + 8] = {0x80};
	size_t zeros = (BLOCK + 56 - s->bytes % BLOCK - 1) % BLOCK;	/* up to 8 bytes before the end of a block */
	for (int i = 0; i < 8; i++)
		padding[1 + zeros + (size_t)i] = (uint8_t)(bits >> (56 - 8 * i));
	sha256_add(s, padding, 1 + zeros + 8);
	for (int i = 0; i < DIGEST; i++)
		digest[i] = (uint8_t)(s->state[i / 4] >> (24 - 8 * (i % 4)));
}

/* All three take and give the CRC as it is between two pieces of data: 0 before the first. */
static uint32_t crc_bitwise(uint32_t crc, const uint8_t *data, size_t size)
{
	crc = ~crc;
	for (size_t i = 0; i < size; i++) {
		crc ^= data[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (0xedb88320u & (0u - (crc & 1)));
	}
	return ~crc;
}

static uint32_t crc_by_table(uint32_t crc, const uint8_t *data, size_t size)
{
	crc = ~crc;
	for (size_t i = 0; i < size; i++)
		crc = crc >> 8 ^ crc_table[0][(crc ^ data[i]) & 255];
	return ~crc;
}

static uint32_t crc_sliced(uint32_t crc, const uint8_t *data, size_t size)
{
	crc = ~crc;
	size_t i = 0;
	for (; i + 4 <= size; i += 4) {
		crc ^= (uint32_t)data[i] | (uint32_t)data[i + 1] << 8 | (uint32_t)data[i + 2] << 16 |
		       (uint32_t)data[i + 3] << 24;
		crc = crc_table[3][crc & 255] ^ crc_table[2][crc >> 8 & 255] ^ crc_table[1][crc >> 16 & 255] ^
		      crc_table[0][crc >> 24];
	}
	return crc_by_table(~crc, data + i, size - i);
}

static void to_hex(const uint8_t digest[DIGEST], char hex[2 * DIGEST + 1])
{
	for (int i = 0; i < DIGEST; i++)
		sprintf(hex + 2 * i, "%02x", (unsigned)digest[i]);
}

/* The bitwise CRC is too slow for whole files: it checks the beginning. */
static bool crcs_agree(const uint8_t *data, size_t size, uint32_t *crc)
{
	size_t some = size < BITWISE_BYTES ? size : BITWISE_BYTES;
	*crc = crc_sliced(0, data, size);
	return *crc == crc_by_table(0, data, size) && crc_bitwise(0, data, some) == crc_sliced(0, data, some);
}

static bool known_values(void)
{
	static const struct {
		const char *text, *sha256;
		uint32_t crc;
	} known[] = {
		{"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", 0},
		{"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", 0x352441c2},
		{"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
		 "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1", 0x171a3f5f},
		{"123456789", "15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225", 0xcbf43926},
	};
	bool ok = true;
	for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
		const uint8_t *data = (const uint8_t *)known[k].text;
		size_t size = strlen(known[k].text);
		struct sha256 s;
		uint8_t digest[DIGEST];
		char hex[2 * DIGEST + 1];
		uint32_t crc;
		sha256_init(&s);
		for (size_t i = 0; i < size; i++)
			sha256_add(&s, data + i, 1);
		sha256_finish(&s, digest);
		to_hex(digest, hex);
		ok &= crcs_agree(data, size, &crc) && crc == known[k].crc && strcmp(hex, known[k].sha256) == 0;
	}
	printf("known values: %s\n", ok ? "ok" : "WRONG");
	return ok;
}

static bool hash_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	if (!file || fseek(file, 0, SEEK_END) != 0) {
		perror(path);
		return false;
	}
	size_t size = (size_t)ftell(file);
	rewind(file);
	uint8_t *data = malloc(size + 1);
	if (!data || fread(data, 1, size, file) != size) {
		fprintf(stderr, "%s: not readable\n", path);
		return false;
	}
	fclose(file);

	struct sha256 s;
	uint8_t digest[DIGEST];
	char hex[2 * DIGEST + 1];
	uint32_t crc;
	sha256_init(&s);
	sha256_add(&s, data, size);
	sha256_finish(&s, digest);
	to_hex(digest, hex);
	bool ok = crcs_agree(data, size, &crc);
	printf("%s  %s\n", hex, path);
	printf("%08x %s  %s, %zu bytes\n", (unsigned)crc, ok ? "ok" : "WRONG", path, size);
	free(data);
	return ok;
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		fprintf(stderr, "usage: hash FILE...\n");
		return 2;
	}
	set_up();
	bool ok = known_values();
	for (int a = 1; a < argc; a++)
		ok &= hash_file(argv[a]);
	return !ok;
}
