/*
 * sort: makes a rhyming dictionary with five sorting algorithms and compares what they cost.
 *
 * Behaviour. One job, five behaviours. Words are ordered by their endings, so every comparison
 * reads two words backwards, wherever in memory they lie:
 *   insertion   tiny loop, well predicted, quadratic: given a thirtieth of the words
 *   heap        a walk down a tree: each step's address depends on the last comparison
 *   merge       streams through memory; its one hard branch takes either side half of the time
 *   quick       partitions in place: scanning loops whose exits mispredict, small and in the cache
 *   radix       American flag, most significant letter first: almost no comparisons, no
 *               unpredictable branches, but counting and moving through 28 buckets
 * Compare branch misprediction rate, instructions per comparison, and IPC between them.
 *
 * Input. A word list, one word a line (any text will do). It is shuffled first, with a fixed generator:
 * dictionaries come sorted, and that would flatter some algorithms.
 * Usage: sort [-n WORDS] FILE. Takes WORDS words spread evenly over the file (default 9000).
 *
 * Expected. For each algorithm the comparisons it made, and "ok" when the result is in order, is a
 * permutation of the input, and equals the first one; then every N/12th word of the rhyming
 * dictionary, from those in -a to those in -z. Exit status 1 if any algorithm is wrong.
 *
 * Tour, two minutes: `build/cyclops build/demos/sort ...`, then type (or run demos/tours/sort.cyc):
 *     break quick_sort  the recursive one of five sorts
 *     continue
 *     catch squash      stop when a misprediction resolves
 *     continue          the window empties: everything younger was on the wrong path
 *     view pipe         a block of x after the branch: that is the price, in cycles
 *     reverse-step      a cycle before: the same rows, alive and marked ? for wrong path
 *     view rob
 *     stats bpred       the share of branches predicted right
 *     view cpi          bad speculation, 6%, against dependency, 19%
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INSERTION_BELOW = 12, BUCKETS = 28, WORD_MAX = 255 };

/* A word to sort, as it lies in the file, held by its end because it is read backwards. */
struct word {
	const char *end;	/* one past its last letter; borrowed from the file's bytes */
	uint32_t length;	/* letters */
};

static uint64_t comparisons;

/* Negative, zero or positive as `a` rhymes before, with, or after `b`. */
static int compare(const struct word *a, const struct word *b)
{
	comparisons++;
	uint32_t shorter = a->length < b->length ? a->length : b->length;
	for (uint32_t i = 1; i <= shorter; i++) {
		int difference = a->end[-(ptrdiff_t)i] - b->end[-(ptrdiff_t)i];
		if (difference)
			return difference;
	}
	return (a->length > b->length) - (a->length < b->length);
}

static void swap(struct word *a, struct word *b)
{
	struct word t = *a;
	*a = *b;
	*b = t;
}

static void insertion_sort(struct word *w, size_t n, struct word *spare)
{
	(void)spare;
	for (size_t i = 1; i < n; i++) {
		struct word moving = w[i];
		size_t j = i;
		for (; j > 0 && compare(&moving, &w[j - 1]) < 0; j--)
			w[j] = w[j - 1];
		w[j] = moving;
	}
}

static void sift_down(struct word *w, size_t root, size_t n)
{
	struct word moving = w[root];
	for (;;) {
		size_t child = 2 * root + 1;
		if (child >= n)
			break;
		if (child + 1 < n && compare(&w[child], &w[child + 1]) < 0)
			child++;
		if (compare(&moving, &w[child]) >= 0)
			break;
		w[root] = w[child];
		root = child;
	}
	w[root] = moving;
}

static void heap_sort(struct word *w, size_t n, struct word *spare)
{
	(void)spare;
	for (size_t i = n / 2; i-- > 0;)
		sift_down(w, i, n);
	for (size_t i = n; i-- > 1;) {
		swap(&w[0], &w[i]);
		sift_down(w, 0, i);
	}
}

/* Bottom-up: runs of 1, 2, 4, ... are merged from one array into the other. */
static void merge_sort(struct word *w, size_t n, struct word *spare)
{
	struct word *from = w, *to = spare;
	for (size_t run = 1; run < n; run *= 2) {
		for (size_t low = 0; low < n; low += 2 * run) {
			size_t middle = low + run < n ? low + run : n;
			size_t high = low + 2 * run < n ? low + 2 * run : n;
			size_t left = low, right = middle, out = low;
			while (left < middle && right < high)
				to[out++] = compare(&from[left], &from[right]) <= 0 ? from[left++] : from[right++];
			while (left < middle)
				to[out++] = from[left++];
			while (right < high)
				to[out++] = from[right++];
		}
		struct word *t = from;
		from = to;
		to = t;
	}
	if (from != w)
		memcpy(w, from, n * sizeof *w);
}

static void quick_sort(struct word *w, size_t n, struct word *spare)
{
	while (n > INSERTION_BELOW) {
		/* The median of three becomes the pivot, and the other two stop the scans. */
		size_t middle = n / 2, last = n - 1;
		if (compare(&w[middle], &w[0]) < 0)
			swap(&w[middle], &w[0]);
		if (compare(&w[last], &w[middle]) < 0) {
			swap(&w[last], &w[middle]);
			if (compare(&w[middle], &w[0]) < 0)
				swap(&w[middle], &w[0]);
		}
		struct word pivot = w[middle];
		size_t i = 0, j = last;
		while (i <= j) {
			while (compare(&w[i], &pivot) < 0)
				i++;
			while (compare(&pivot, &w[j]) < 0)
				j--;
			if (i <= j)
				swap(&w[i++], &w[j--]);
		}
		/* Recurse into the smaller part, loop on the larger: the stack stays logarithmic. */
		if (j + 1 < n - i) {
			quick_sort(w, j + 1, spare);
			w += i;
			n -= i;
		} else {
			quick_sort(w + i, n - i, spare);
			n = j + 1;
		}
	}
	insertion_sort(w, n, spare);
}

/* The bucket of a word at a depth: 0 when it has no letter there or what comes before letters, so shorter words come first; the last one
 * is of characters after letters. */
static unsigned bucket_of(const struct word *w, uint32_t depth)
{
	if (depth >= w->length)
		return 0;
	const int letter = w->end[-(ptrdiff_t)depth - 1];
	return letter < 'a' ? 0 : letter <= 'z' ? (unsigned)(letter - 'a') + 1 : BUCKETS - 1;
}

static void flag_sort(struct word *w, size_t n, uint32_t depth)
{
	if (n <= INSERTION_BELOW || depth == WORD_MAX) {
		insertion_sort(w, n, NULL);
		return;
	}
	size_t start[BUCKETS + 1] = {0}, next[BUCKETS];
	for (size_t i = 0; i < n; i++)
		start[bucket_of(&w[i], depth) + 1]++;
	for (unsigned b = 0; b < BUCKETS; b++) {
		start[b + 1] += start[b];
		next[b] = start[b];
	}
	/* Each swap puts one word where it belongs; a bucket is done when its cursor meets the next one. */
	for (unsigned b = 0; b < BUCKETS; b++) {
		while (next[b] < start[b + 1]) {
			unsigned home = bucket_of(&w[next[b]], depth);
			if (home == b)
				next[b]++;
			else
				swap(&w[next[b]], &w[next[home]++]);
		}
	}
	/* Other characters than letters have no bucket of their own. */
	insertion_sort(w, start[1], NULL);
	insertion_sort(w + start[BUCKETS - 1], n - start[BUCKETS - 1], NULL);
	for (unsigned b = 1; b < BUCKETS - 1; b++)
		flag_sort(w + start[b], start[b + 1] - start[b], depth + 1);
}

static void radix_sort(struct word *w, size_t n, struct word *spare)
{
	(void)spare;
	flag_sort(w, n, 0);
}

/* An order-independent digest: equal for permutations of the same words, and hardly otherwise. */
static uint64_t digest(const struct word *w, size_t n)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < n; i++) {
		uint64_t hash = 14695981039346656037u;
		for (uint32_t l = 1; l <= w[i].length; l++)
			hash = (hash ^ (uint8_t)w[i].end[-(ptrdiff_t)l]) * 1099511628211u;
		sum += hash * hash;
	}
	return sum;
}

/* The same words in the same order; which of two that are spelt alike comes first does not matter. */
static bool same(const struct word *a, const struct word *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (a[i].end != b[i].end &&
		    (a[i].length != b[i].length || memcmp(a[i].end - a[i].length, b[i].end - b[i].length, a[i].length) != 0))
			return false;
	return true;
}

static bool in_order(const struct word *w, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (compare(&w[i - 1], &w[i]) > 0)
			return false;
	return true;
}

static void shuffle(struct word *w, size_t n)
{
	uint64_t seed = 0x9e3779b97f4a7c15u;
	for (size_t i = n; i-- > 1;) {
		seed ^= seed << 13;
		seed ^= seed >> 7;
		seed ^= seed << 17;
		swap(&w[i], &w[seed % (i + 1)]);
	}
}

/* Reads a whole file; NULL when it cannot. The caller owns the bytes. */
static char *read_file(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	if (!file)
		return NULL;
	char *bytes = NULL;
	if (fseek(file, 0, SEEK_END) == 0) {
		*size = (size_t)ftell(file);
		rewind(file);
		bytes = malloc(*size + 1);
		if (bytes && fread(bytes, 1, *size, file) != *size) {
			free(bytes);
			bytes = NULL;
		}
	}
	fclose(file);
	return bytes;
}

/* Fills `w` with up to `want` words spread evenly over the lines of the file; returns how many. */
static size_t pick(struct word *w, size_t want, const char *bytes, size_t size)
{
	size_t lines = 0, line = 0, n = 0;
	for (size_t i = 0; i < size; i++)
		lines += bytes[i] == '\n';
	const char *start = bytes;
	for (size_t i = 0; i < size && n < want; i++) {
		if (bytes[i] != '\n')
			continue;
		size_t length = (size_t)(&bytes[i] - start);
		if (length && length <= WORD_MAX && line * want / lines >= n)
			w[n++] = (struct word){&bytes[i], (uint32_t)length};
		line++;
		start = &bytes[i + 1];
	}
	return n;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*sort)(struct word *w, size_t n, struct word *spare);
		size_t share;			/* sorts 1/share of the words */
	} algorithms[] = {
		{"heap", heap_sort, 1},		{"merge", merge_sort, 1}, {"quick", quick_sort, 1},
		{"radix", radix_sort, 1},	{"insertion", insertion_sort, 30},
	};
	enum { ALGORITHMS = sizeof algorithms / sizeof *algorithms };

	size_t want = 9000;
	int arg = 1;
	if (argc == 4 && strcmp(argv[1], "-n") == 0) {
		want = strtoul(argv[2], NULL, 10);
		arg = 3;
	}
	if (arg + 1 != argc || want < 1 || want > 10000000) {
		fprintf(stderr, "usage: sort [-n WORDS] FILE\n");
		return 2;
	}
	size_t size;
	char *bytes = read_file(argv[arg], &size);
	struct word *input = malloc(4 * want * sizeof *input);
	if (!bytes || !input) {
		perror(argv[arg]);
		return 1;
	}
	struct word *work = input + want, *spare = input + 2 * want, *first = input + 3 * want;
	size_t n = pick(input, want, bytes, size);
	shuffle(input, n);
	printf("%zu words\n", n);

	bool good = n > 0;
	for (int a = 0; a < ALGORITHMS && n; a++) {
		size_t count = n / algorithms[a].share;
		memcpy(work, input, count * sizeof *work);
		comparisons = 0;
		algorithms[a].sort(work, count, spare);
		uint64_t made = comparisons;
		if (a == 0)
			memcpy(first, work, n * sizeof *work);
		bool ok = in_order(work, count) && digest(work, count) == digest(input, count) &&
			  (count < n || same(first, work, n));
		printf("%-10s %6zu words %8llu comparisons  %s\n", algorithms[a].name, count,
		       (unsigned long long)made, ok ? "ok" : "WRONG");
		good &= ok;
	}
	for (size_t i = 0; i < 12 && n; i++) {
		const struct word *w = &first[i * (n - 1) / 11];
		printf("%s%.*s", i ? " " : "", (int)w->length, w->end - w->length);
	}
	printf("\n");
	free(input);
	free(bytes);
	return !good;
}
