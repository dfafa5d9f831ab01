/*
 * anagram: finds every way to spell a phrase's letters with dictionary words.
 *
 * Behaviour. A hot loop with high instruction-level parallelism: the filter in keep_fitting()
 * tests each candidate against the remaining letters with two subtractions and a mask, and appends
 * it without a branch, so iterations are independent and the loop runs near the machine's width
 * (IPC 2.4 on a 4-wide machine). The candidates of one level fit in the first-level cache.
 * The recursion around it mispredicts: how many words begin at each level is data.
 * The start-up is another program altogether: it streams the word list byte by byte.
 *
 * Input. A word list (one lower-case word a line) and phrases, one a line, on standard input.
 * Usage: anagram [-n MIN_LETTERS] [-w MAX_WORDS] WORDS < PHRASES
 *
 * Expected. For each phrase: how many words fit into it, how many anagrams there are, how many
 * nodes the search visited, a few anagrams with the fewest words, and a checksum over all of them.
 * A stalled pipeline pays penalties, it turns out: the third phrase is about it.
 *
 * How it works. The letters of the phrase are ranked from the rarest among the candidates to the
 * most common, and each gets a bit field wide enough for its count plus a guard bit. A multiset of
 * letters ("bag") is then one or two machine words; w fits into r if no field of (r | guards) - w
 * borrows from its guard bit. Each level spells the rarest letter still left. Candidates are sorted by
 * the rarest letter in each, so the words that contain it are the first ones of the filtered list,
 * and choosing only from the chosen word's index onwards finds each set of words once.
 *
 * Tour, two minutes: `build/cyclops build/demos/anagram ...`, then type (or run demos/tours/anagram.cyc):
 *     tbreak search  stop in the search
 *     ignore 1 200   ... after 200 calls
 *     continue       cycle 6.7 million, deep in the recursion
 *     step 12        a dozen cycles on: the window is half full
 *     view pipe      two or three iterations of one loop side by side: staggered rows, few dots
 *     view fu        one of four integer units has work: the next round waits for its loads
 *     view cpi       base is 51%, dependency 19%, memory, from reading the dictionary, 15%
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LETTERS = 26, LANES = 2, PHRASE_MAX = 63, WORDS_LIMIT = 8, SHOWN = 4 };

struct bag {
	uint64_t lane[LANES];
};

struct candidate {
	struct bag letters;
	uint32_t length;	/* letters */
	uint32_t rank;		/* of its rarest letter; 0 is the rarest of all */
	const char *text;	/* borrowed from the dictionary */
};

struct dictionary {
	char *bytes;		/* owned: the file, each newline replaced by NUL */
	const char **word;	/* owned array, [count], pointing into bytes */
	uint32_t *letters;	/* owned array, [count]: bit i is set if the word has letter 'a' + i */
	size_t count;
};

struct puzzle {
	struct bag guards;			/* the guard bit of every field */
	uint8_t rank_of_bit[LANES][64];		/* which letter rank owns a bit */
	uint32_t max_words;
	struct candidate *level[WORDS_LIMIT + 1]; /* owned: the candidates that still fit at each depth */
	const char *chosen[WORDS_LIMIT];
	uint32_t longest;			/* letters in the longest candidate */
	uint64_t nodes, found, checksum;
	char shown[SHOWN][2 * PHRASE_MAX];
	uint32_t shown_words[SHOWN];
	uint32_t shown_count;
};

static void *must(void *memory)
{
	if (!memory) {
		fprintf(stderr, "anagram: out of memory\n");
		exit(1);
	}
	return memory;
}

static void load(struct dictionary *dict, const char *path)
{
	FILE *file = fopen(path, "rb");
	if (!file || fseek(file, 0, SEEK_END) != 0) {
		perror(path);
		exit(1);
	}
	size_t size = (size_t)ftell(file);
	rewind(file);
	dict->bytes = must(malloc(size + 1));
	size = fread(dict->bytes, 1, size, file);
	fclose(file);
	dict->bytes[size] = '\n';

	size_t lines = 0;
	for (size_t i = 0; i <= size; i++)
		lines += dict->bytes[i] == '\n';
	dict->word = must(malloc(lines * sizeof *dict->word));
	dict->letters = must(malloc(lines * sizeof *dict->letters));
	dict->count = 0;
	char *start = dict->bytes;
	uint32_t letters = 0;
	for (size_t i = 0; i <= size; i++) {
		if (dict->bytes[i] != '\n') {
			unsigned letter = (unsigned)(dict->bytes[i] | 0x20) - 'a';
			letters |= letter < LETTERS ? 1u << letter : 0;
			continue;
		}
		dict->bytes[i] = '\0';
		if (start[0]) {
			dict->letters[dict->count] = letters;
			dict->word[dict->count++] = start;
		}
		start = &dict->bytes[i + 1];
		letters = 0;
	}
}

/* Counts the letters of `text` into `count`; what is not a letter is ignored. Returns how many. */
static uint32_t count_letters(const char *text, uint8_t count[LETTERS])
{
	uint32_t total = 0;
	memset(count, 0, LETTERS);
	for (; *text; text++) {
		unsigned letter = (unsigned)(*text | 0x20) - 'a';
		if (letter < LETTERS) {
			count[letter]++;
			total++;
		}
	}
	return total;
}

static bool contains(const uint8_t have[LETTERS], const uint8_t want[LETTERS])
{
	for (int i = 0; i < LETTERS; i++)
		if (want[i] > have[i])
			return false;
	return true;
}

static int by_rank_then_length(const void *left, const void *right)
{
	const struct candidate *a = left, *b = right;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if (a->length != b->length)
		return a->length > b->length ? -1 : 1;
	return strcmp(a->text, b->text);
}

/*
 * Lays out the bit fields for the phrase's letters and turns the words that fit into candidates.
 * Returns the number of candidates, or SIZE_MAX when the fields need more bits than there are.
 */
static size_t set_up(struct puzzle *p, const struct dictionary *dict, const uint8_t phrase[LETTERS],
		     uint32_t min_letters, struct bag *whole)
{
	uint32_t frequency[LETTERS] = {0}, allowed = 0;
	for (int l = 0; l < LETTERS; l++)
		allowed |= (uint32_t)(phrase[l] != 0) << l;
	size_t count = 0;
	struct candidate *list = must(malloc((dict->count + 1) * sizeof *list));
	for (size_t i = 0; i < dict->count; i++) {
		if (dict->letters[i] & ~allowed)
			continue;
		uint8_t letters[LETTERS];
		uint32_t length = count_letters(dict->word[i], letters);
		if (length < min_letters || !contains(phrase, letters))
			continue;
		for (int l = 0; l < LETTERS; l++)
			frequency[l] += letters[l] != 0;
		list[count].text = dict->word[i];
		list[count++].length = length;
		if (length > p->longest)
			p->longest = length;
	}

	/* Rank by selection: 26 letters do not deserve more. */
	uint8_t order[LETTERS], ranks = 0;
	bool used[LETTERS] = {false};
	for (;;) {
		int rarest = -1;
		for (int l = 0; l < LETTERS; l++)
			if (phrase[l] && !used[l] && (rarest < 0 || frequency[l] < frequency[rarest]))
				rarest = l;
		if (rarest < 0)
			break;
		used[rarest] = true;
		order[ranks++] = (uint8_t)rarest;
	}

	uint8_t shift[LETTERS], lane[LETTERS];
	unsigned next_bit = 0, in_lane = 0;
	for (uint8_t r = 0; r < ranks; r++) {
		unsigned width = 1;
		while (phrase[order[r]] >> width)
			width++;
		if (next_bit + width + 1 > 64) {
			next_bit = 0;
			if (++in_lane == LANES) {
				free(list);
				return SIZE_MAX;
			}
		}
		shift[order[r]] = (uint8_t)next_bit;
		lane[order[r]] = (uint8_t)in_lane;
		memset(&p->rank_of_bit[in_lane][next_bit], r, width);
		next_bit += width;
		p->guards.lane[in_lane] |= 1ull << next_bit++;
		whole->lane[in_lane] |= (uint64_t)phrase[order[r]] << shift[order[r]];
	}

	for (size_t i = 0; i < count; i++) {
		uint8_t letters[LETTERS];
		count_letters(list[i].text, letters);
		list[i].letters = (struct bag){{0, 0}};
		for (uint8_t r = ranks; r-- > 0;) {
			uint64_t n = letters[order[r]];
			list[i].letters.lane[lane[order[r]]] |= n << shift[order[r]];
			if (n)
				list[i].rank = r;
		}
	}
	qsort(list, count, sizeof *list, by_rank_then_length);
	p->level[0] = list;
	for (uint32_t depth = 1; depth <= p->max_words; depth++)
		p->level[depth] = must(malloc((count + 1) * sizeof *list));
	return count;
}

/* Copies to `out` the candidates that fit into `left`, in order, and returns how many. */
static size_t keep_fitting(const struct candidate *in, size_t count, struct candidate *out, struct bag left,
			   struct bag guards)
{
	uint64_t full0 = left.lane[0] | guards.lane[0], full1 = left.lane[1] | guards.lane[1];
	size_t kept = 0;
	for (size_t i = 0; i < count; i++) {
		uint64_t lost = (~(full0 - in[i].letters.lane[0]) & guards.lane[0]) |
				(~(full1 - in[i].letters.lane[1]) & guards.lane[1]);
		/* Always write, advance only if it fits: the branch would be the one that mispredicts. */
		out[kept] = in[i];
		kept += lost == 0;
	}
	return kept;
}

static uint32_t rarest_left(const struct puzzle *p, struct bag left)
{
	if (left.lane[0])
		return p->rank_of_bit[0][__builtin_ctzll(left.lane[0])];
	return p->rank_of_bit[1][__builtin_ctzll(left.lane[1])];
}

static void record(struct puzzle *p, uint32_t words)
{
	uint64_t hash = 14695981039346656037u;
	for (uint32_t w = 0; w < words; w++)
		for (const char *c = p->chosen[w]; *c; c++)
			hash = (hash ^ (uint8_t)*c) * 1099511628211u;
	p->checksum += hash;
	p->found++;

	/* Keep the first few of the shortest: a short list, sorted by number of words. */
	uint32_t at = p->shown_count;
	while (at > 0 && p->shown_words[at - 1] > words)
		at--;
	if (at == SHOWN)
		return;
	if (p->shown_count < SHOWN)
		p->shown_count++;
	for (uint32_t i = p->shown_count - 1; i > at; i--) {
		p->shown_words[i] = p->shown_words[i - 1];
		memcpy(p->shown[i], p->shown[i - 1], sizeof p->shown[i]);
	}
	p->shown_words[at] = words;
	char *to = p->shown[at];
	for (uint32_t w = 0; w < words; w++)
		to += sprintf(to, "%s%s", w ? " " : "", p->chosen[w]);
}

static void search(struct puzzle *p, uint32_t depth, const struct candidate *from, size_t count, struct bag left,
		   uint32_t letters_left)
{
	p->nodes++;
	struct candidate *fit = p->level[depth + 1];
	size_t fitting = keep_fitting(from, count, fit, left, p->guards);
	uint32_t pivot = rarest_left(p, left);
	bool last = depth + 1 == p->max_words;
	for (size_t i = 0; i < fitting && fit[i].rank == pivot; i++) {
		uint32_t after = letters_left - fit[i].length;
		p->chosen[depth] = fit[i].text;
		if (after == 0) {
			record(p, depth + 1);
		} else if (!last && after <= (p->max_words - depth - 1) * p->longest) {
			struct bag rest = {{left.lane[0] - fit[i].letters.lane[0],
					    left.lane[1] - fit[i].letters.lane[1]}};
			search(p, depth + 1, &fit[i], fitting - i, rest, after);
		}
	}
}

static void solve(const struct dictionary *dict, const char *phrase, uint32_t min_letters, uint32_t max_words)
{
	uint8_t letters[LETTERS];
	uint32_t total = count_letters(phrase, letters);
	if (total == 0)
		return;
	struct puzzle p = {.max_words = max_words};
	struct bag whole = {{0, 0}};
	size_t count = set_up(&p, dict, letters, min_letters, &whole);
	if (count == SIZE_MAX) {
		printf("%s: too many different letters\n", phrase);
		return;
	}
	search(&p, 0, p.level[0], count, whole, total);

	printf("%s: %zu words fit, %llu anagrams, %llu nodes, checksum %016llx\n", phrase, count,
	       (unsigned long long)p.found, (unsigned long long)p.nodes, (unsigned long long)p.checksum);
	for (uint32_t i = 0; i < p.shown_count; i++)
		printf("    %s\n", p.shown[i]);
	for (uint32_t depth = 0; depth <= max_words; depth++)
		free(p.level[depth]);
}

int main(int argc, char **argv)
{
	unsigned long min_letters = 3, max_words = 4;
	int arg = 1;
	for (; arg + 1 < argc && argv[arg][0] == '-'; arg += 2) {
		unsigned long value = strtoul(argv[arg + 1], NULL, 10);
		if (argv[arg][1] == 'n')
			min_letters = value;
		else if (argv[arg][1] == 'w')
			max_words = value;
		else
			break;
	}
	if (arg + 1 != argc || min_letters < 1 || min_letters > PHRASE_MAX || max_words < 1 ||
	    max_words > WORDS_LIMIT) {
		fprintf(stderr, "usage: anagram [-n MIN_LETTERS] [-w MAX_WORDS, up to %d] WORDS < PHRASES\n",
			WORDS_LIMIT);
		return 2;
	}

	struct dictionary dict;
	load(&dict, argv[arg]);
	printf("%zu words\n", dict.count);
	char line[PHRASE_MAX + 1];
	while (fgets(line, sizeof line, stdin)) {
		line[strcspn(line, "\n")] = '\0';
		solve(&dict, line, (uint32_t)min_letters, (uint32_t)max_words);
	}
	free(dict.letters);
	free(dict.word);
	free(dict.bytes);
	return 0;
}
