/*
 * compress: a file compressor (LZ77 with hash chains, then Huffman codes), checked by decompressing.
 *
 * Behaviour. Three phases that load a machine differently.
 *   find    Follows chains of earlier places with the same first bytes: one dependent load per link, and
 *           a comparison loop that stops where the data differ: mispredicted branches after loads.
 *           The chain tables (192 KB) exceed the first-level cache.
 *   encode  Shifts bits into a word: short dependency chains through one register, stores in order.
 *   decode  A code's length decides where the next code begins, so each table look-up waits for the
 *           one before: a serial chain of shift, mask, load. Copies from a little way back in
 *           the output read bytes that were stored just before: store-to-load forwarding.
 *
 * Input. Any files; by default licence texts and a word list.
 * Usage: compress [-k CHAIN] FILE...     CHAIN: links followed at each place (default 24)
 *
 * Expected. A line per file: sizes, bits per byte, how much of it were matches, and "ok" when the
 * decompressed bytes equal the file. Exit status 1 when they do not.
 *
 * The format: size, 4 bytes; lengths of the codes, 4 bits each; codes, least significant bit first.
 * A token is a literal byte or a match: a length, then a distance, each written as a bucket by
 * Huffman code and the position within the bucket in plain bits.
 *
 * Tour, two minutes: `build/cyclops build/demos/compress ...`, then type (or run demos/tours/compress.cyc):
 *     tbreak find        looks for earlier occurrences through a chain of positions
 *     ignore 1 500
 *     continue
 *     step 40
 *     view lsq           loads in flight, and the level of each
 *     view pipe          two loads a byte, and a branch; ? is after the end of the match: a wrong path
 *     tbreak get_symbol  now decoding
 *     continue
 *     step 40
 *     view pipe          every symbol needs the one before: they wait for each other
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOW = 1 << 15, HASH_LOG2 = 15, MATCH_MIN = 4, MATCH_MAX = 258 };
enum { BUCKETS = 32, LITERALS = 256, TOKEN_SYMBOLS = LITERALS + BUCKETS, SYMBOLS_MAX = TOKEN_SYMBOLS };
enum { CODE_MAX_BITS = 12, HEADER_BYTES = 4 + (TOKEN_SYMBOLS + BUCKETS) / 2 };

struct token {
	uint16_t length;	/* 0 = a literal */
	uint16_t distance;	/* or the literal */
};

struct code {
	uint8_t bits[SYMBOLS_MAX];	/* length of each symbol's code; 0 = symbol not used */
	uint16_t word[SYMBOLS_MAX];	/* the code, its first bit lowest */
};

struct bit_writer {
	uint8_t *at;		/* next byte to write; the caller made sure of the room */
	uint64_t held;		/* bits not yet written, lowest first */
	unsigned count;
};

struct bit_reader {
	const uint8_t *at, *end;
	uint64_t held;
	unsigned count;
	bool overrun;		/* more bits were read than there are */
};

struct finder {
	int32_t newest[1 << HASH_LOG2];	/* last place with this hash, -1 = none */
	int32_t older[WINDOW];		/* the place before, by place modulo WINDOW */
};

/* Values 0..3 have buckets of their own; from there on, two buckets to each power of two. */
static unsigned bucket_of(unsigned value, unsigned *extra_bits)
{
	if (value < 4) {
		*extra_bits = 0;
		return value;
	}
	unsigned log2 = 31u - (unsigned)__builtin_clz(value);
	*extra_bits = log2 - 1;
	return 2 * log2 + (value >> (log2 - 1) & 1);
}

static unsigned bucket_start(unsigned bucket, unsigned *extra_bits)
{
	if (bucket < 4) {
		*extra_bits = 0;
		return bucket;
	}
	*extra_bits = bucket / 2 - 1;
	return (2 + (bucket & 1)) << *extra_bits;
}

static uint32_t hash_at(const uint8_t *p)
{
	uint32_t first4;
	memcpy(&first4, p, sizeof first4);
	return first4 * 2654435761u >> (32 - HASH_LOG2);
}

static unsigned match_length(const uint8_t *a, const uint8_t *b, size_t limit)
{
	unsigned n = 0;
	while (n < limit && a[n] == b[n])
		n++;
	return n;
}

/* Makes the place findable; places must be entered in order. */
static void enter(struct finder *f, const uint8_t *data, size_t place, size_t size)
{
	if (place + MATCH_MIN > size)
		return;
	uint32_t hash = hash_at(data + place);
	f->older[place % WINDOW] = f->newest[hash];
	f->newest[hash] = (int32_t)place;
}

/* The longest match that at most `chain` links lead to; its length is 0 if there is none. */
static struct token find(const struct finder *f, const uint8_t *data, size_t place, size_t size, unsigned chain)
{
	struct token best = {0, data[place]};
	if (place + MATCH_MIN > size)
		return best;
	size_t limit = size - place < MATCH_MAX ? size - place : MATCH_MAX;
	int32_t from = f->newest[hash_at(data + place)];
	for (; from >= 0 && place - (size_t)from < WINDOW && chain > 0; chain--) {
		/* A longer match must agree in the byte just past the best one: checked first, mostly differs. */
		if (best.length < limit && data[(size_t)from + best.length] == data[place + best.length]) {
			unsigned length = match_length(data + from, data + place, limit);
			if (length >= MATCH_MIN && length > best.length)
				best = (struct token){(uint16_t)length, (uint16_t)(place - (size_t)from)};
		}
		from = f->older[(size_t)from % WINDOW];
	}
	return best;
}

/* Turns the data into tokens; returns how many. A match is put off by a byte if the next one is longer. */
static size_t tokenize(const uint8_t *data, size_t size, unsigned chain, struct token *tokens)
{
	struct finder *f = malloc(sizeof *f);
	if (!f)
		return SIZE_MAX;
	memset(f->newest, 0xff, sizeof f->newest);
	size_t count = 0, place = 0;
	struct token now = size ? find(f, data, 0, size, chain) : (struct token){0, 0};
	while (place < size) {
		enter(f, data, place, size);
		struct token next = {0, 0};
		if (place + 1 < size)
			next = find(f, data, place + 1, size, now.length < 32 ? chain : chain / 4);
		if (now.length == 0 || next.length > now.length) {
			tokens[count++] = (struct token){0, data[place++]};
			now = next;
			continue;
		}
		tokens[count++] = now;
		for (size_t end = place + now.length; ++place < end;)
			enter(f, data, place, size);
		now = place < size ? find(f, data, place, size, chain) : now;
	}
	free(f);
	return count;
}

/* The lengths of a Huffman code for these frequencies: the two rarest nodes are joined until one is left. */
static unsigned huffman_lengths(const uint32_t *frequency, unsigned symbols, uint8_t *bits)
{
	uint64_t weight[2 * SYMBOLS_MAX];
	uint16_t parent[2 * SYMBOLS_MAX] = {0}, alive[SYMBOLS_MAX];
	unsigned nodes = symbols, live = 0, longest = 0;
	memset(bits, 0, symbols);
	for (unsigned s = 0; s < symbols; s++) {
		weight[s] = frequency[s];
		if (frequency[s])
			alive[live++] = (uint16_t)s;
	}
	if (live == 1)
		bits[alive[0]] = 1;
	while (live > 1) {
		/* Brings the two lightest to the end. A few hundred symbols do not need a heap. */
		for (unsigned chosen = 1; chosen <= 2; chosen++) {
			unsigned last = live - chosen, lightest = last;
			for (unsigned i = 0; i < last; i++)
				if (weight[alive[i]] < weight[alive[lightest]])
					lightest = i;
			uint16_t t = alive[lightest];
			alive[lightest] = alive[last];
			alive[last] = t;
		}
		weight[nodes] = weight[alive[live - 1]] + weight[alive[live - 2]];
		parent[alive[live - 1]] = parent[alive[live - 2]] = (uint16_t)nodes;
		live--;
		alive[live - 1] = (uint16_t)nodes++;
	}
	for (unsigned s = 0; s < symbols; s++) {
		for (unsigned node = s; frequency[s] && parent[node]; node = parent[node])
			bits[s]++;
		if (bits[s] > longest)
			longest = bits[s];
	}
	return longest;
}

/* Canonical codes: shorter ones first, then by symbol. False if the lengths are not those of a code. */
static bool assign_codes(struct code *code, unsigned symbols)
{
	unsigned count[CODE_MAX_BITS + 2] = {0}, next[CODE_MAX_BITS + 2] = {0};
	for (unsigned s = 0; s < symbols; s++) {
		if (code->bits[s] > CODE_MAX_BITS)
			return false;
		count[code->bits[s]]++;
	}
	count[0] = 0;
	for (unsigned b = 1; b <= CODE_MAX_BITS; b++) {
		next[b] = (next[b - 1] + count[b - 1]) << 1;
		if (next[b] + count[b] > 1u << b)
			return false;
	}
	for (unsigned s = 0; s < symbols; s++) {
		unsigned word = code->bits[s] ? next[code->bits[s]]++ : 0, reversed = 0;
		for (unsigned b = 0; b < code->bits[s]; b++)
			reversed |= (word >> b & 1) << (code->bits[s] - 1 - b);
		code->word[s] = (uint16_t)reversed;
	}
	return true;
}

static void make_code(uint32_t *frequency, unsigned symbols, struct code *code)
{
	/* Flattening the frequencies shortens the longest code; it ends, because equal ones give 9 bits. */
	while (huffman_lengths(frequency, symbols, code->bits) > CODE_MAX_BITS)
		for (unsigned s = 0; s < symbols; s++)
			frequency[s] = frequency[s] ? frequency[s] / 2 + 1 : 0;
	assign_codes(code, symbols);
}

static void put_bits(struct bit_writer *w, unsigned value, unsigned count)
{
	w->held |= (uint64_t)value << w->count;
	w->count += count;
	while (w->count >= 8) {
		*w->at++ = (uint8_t)w->held;
		w->held >>= 8;
		w->count -= 8;
	}
}

static void put_bucketed(struct bit_writer *w, const struct code *code, unsigned base, unsigned value)
{
	unsigned extra, unused, bucket = bucket_of(value, &extra);
	put_bits(w, code->word[base + bucket], code->bits[base + bucket]);
	put_bits(w, value - bucket_start(bucket, &unused), extra);
}

/* Returns the size of what it wrote to `out`, which has room for HEADER_BYTES + 4 * size bytes. */
static size_t encode(const struct token *tokens, size_t count, size_t size, uint8_t *out)
{
	uint32_t token_frequency[TOKEN_SYMBOLS] = {0}, distance_frequency[BUCKETS] = {0};
	struct code token_code, distance_code;
	unsigned unused;
	for (size_t i = 0; i < count; i++) {
		if (tokens[i].length == 0) {
			token_frequency[tokens[i].distance]++;
			continue;
		}
		token_frequency[LITERALS + bucket_of(tokens[i].length, &unused)]++;
		distance_frequency[bucket_of(tokens[i].distance, &unused)]++;
	}
	make_code(token_frequency, TOKEN_SYMBOLS, &token_code);
	make_code(distance_frequency, BUCKETS, &distance_code);

	struct bit_writer w = {.at = out};
	for (int b = 0; b < 4; b++)
		put_bits(&w, (unsigned)(size >> 8 * b) & 255, 8);
	for (unsigned s = 0; s < TOKEN_SYMBOLS; s++)
		put_bits(&w, token_code.bits[s], 4);
	for (unsigned s = 0; s < BUCKETS; s++)
		put_bits(&w, distance_code.bits[s], 4);
	for (size_t i = 0; i < count; i++) {
		if (tokens[i].length == 0) {
			put_bits(&w, token_code.word[tokens[i].distance], token_code.bits[tokens[i].distance]);
			continue;
		}
		put_bucketed(&w, &token_code, LITERALS, tokens[i].length);
		put_bucketed(&w, &distance_code, 0, tokens[i].distance);
	}
	put_bits(&w, 0, 7);	/* pushes out the last bits */
	return (size_t)(w.at - out);
}

static void refill(struct bit_reader *r)
{
	while (r->count <= 56 && r->at < r->end) {
		r->held |= (uint64_t)*r->at++ << r->count;
		r->count += 8;
	}
}

static unsigned get_bits(struct bit_reader *r, unsigned count)
{
	refill(r);
	unsigned value = (unsigned)r->held & ((1u << count) - 1);
	r->overrun |= count > r->count;
	r->held >>= count;
	r->count = count > r->count ? 0 : r->count - count;
	return value;
}

/* Indexed by the next CODE_MAX_BITS bits: symbol << 4 | length of its code. */
static bool make_table(struct bit_reader *r, unsigned symbols, uint16_t table[1 << CODE_MAX_BITS])
{
	struct code code;
	for (unsigned s = 0; s < symbols; s++)
		code.bits[s] = (uint8_t)get_bits(r, 4);
	if (!assign_codes(&code, symbols))
		return false;
	memset(table, 0, sizeof(uint16_t) << CODE_MAX_BITS);
	for (unsigned s = 0; s < symbols; s++)
		for (unsigned i = code.word[s]; code.bits[s] && i < 1 << CODE_MAX_BITS; i += 1u << code.bits[s])
			table[i] = (uint16_t)(s << 4 | code.bits[s]);
	return true;
}

/* A bit pattern that is no code has length 0 in the table and counts as an overrun. */
static unsigned get_symbol(struct bit_reader *r, const uint16_t *table)
{
	refill(r);
	uint16_t found = table[r->held & ((1 << CODE_MAX_BITS) - 1)];
	r->overrun |= (found & 15) == 0;
	get_bits(r, found & 15);
	return found >> 4;
}

static unsigned get_bucketed(struct bit_reader *r, unsigned bucket)
{
	unsigned extra, start = bucket_start(bucket, &extra);
	return start + get_bits(r, extra);
}

/* False if the data is damaged or does not give exactly `size` bytes. */
static bool decode(const uint8_t *in, size_t in_size, uint8_t *out, size_t size)
{
	static uint16_t token_table[1 << CODE_MAX_BITS], distance_table[1 << CODE_MAX_BITS];
	struct bit_reader r = {.at = in, .end = in + in_size};
	size_t promised = 0, place = 0;
	for (int b = 0; b < 4; b++)
		promised |= (size_t)get_bits(&r, 8) << 8 * b;
	if (promised != size || !make_table(&r, TOKEN_SYMBOLS, token_table) || !make_table(&r, BUCKETS, distance_table))
		return false;
	while (place < size && !r.overrun) {
		unsigned symbol = get_symbol(&r, token_table);
		if (symbol < LITERALS) {
			out[place++] = (uint8_t)symbol;
			continue;
		}
		size_t length = get_bucketed(&r, symbol - LITERALS);
		size_t distance = get_bucketed(&r, get_symbol(&r, distance_table));
		if (distance == 0 || distance > place || length > size - place)
			return false;
		/* Byte by byte on purpose: a match may overlap the bytes that it makes. */
		for (size_t end = place + length; place < end; place++)
			out[place] = out[place - distance];
	}
	return !r.overrun;
}

/* Compresses, decompresses, compares and reports; false if anything failed. */
static bool round_trip(const char *path, unsigned chain)
{
	FILE *file = fopen(path, "rb");
	if (!file || fseek(file, 0, SEEK_END) != 0) {
		perror(path);
		return false;
	}
	size_t size = (size_t)ftell(file);
	rewind(file);
	uint8_t *data = malloc(2 * size + 1), *packed = malloc(HEADER_BYTES + 4 * size + 8);
	struct token *tokens = malloc((size + 1) * sizeof *tokens);
	bool ok = data && packed && tokens && size < INT32_MAX && fread(data, 1, size, file) == size;
	fclose(file);
	size_t count = ok ? tokenize(data, size, chain, tokens) : SIZE_MAX;
	ok = count != SIZE_MAX;
	if (ok) {
		size_t literals = 0, packed_size = encode(tokens, count, size, packed);
		for (size_t i = 0; i < count; i++)
			literals += tokens[i].length == 0;
		ok = decode(packed, packed_size, data + size, size) && memcmp(data, data + size, size) == 0;
		printf("%s: %zu -> %zu bytes, %.3f bits per byte, %zu matches, %zu literals, %s\n", path, size,
		       packed_size, size ? 8.0 * (double)packed_size / (double)size : 0.0, count - literals, literals,
		       ok ? "ok" : "WRONG");
	}
	free(tokens);
	free(packed);
	free(data);
	return ok;
}

int main(int argc, char **argv)
{
	unsigned chain = 24;
	int arg = 1;
	if (argc > 2 && strcmp(argv[1], "-k") == 0) {
		chain = (unsigned)strtoul(argv[2], NULL, 10);
		arg = 3;
	}
	if (arg >= argc) {
		fprintf(stderr, "usage: compress [-k CHAIN] FILE...\n");
		return 2;
	}
	bool ok = true;
	for (; arg < argc; arg++)
		ok &= round_trip(argv[arg], chain);
	return !ok;
}
