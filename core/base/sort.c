#include "core/base/sort.h"

#include <string.h>

#include "core/base/alloc.h"

/* Pointers to the elements are sorted, because elements may be large. */
struct sorting {
	int (*compare)(const void *, const void *, void *);
	void *ctx;
	const char **scratch; /* room for half of the pointers */
};

/* Merges the sorted pointers [0, middle) and [middle, n). */
static void sort_merge(const struct sorting *s, const char **to, size_t middle, size_t n)
{
	const char **left = s->scratch, **right = to + middle;
	const char **const left_end = left + middle, **const right_end = to + n;
	memcpy(s->scratch, to, middle * sizeof *to);
	while (left < left_end && right < right_end)
		*to++ = s->compare(*left, *right, s->ctx) <= 0 ? *left++ : *right++;
	/* The rest of the right half is in its place. */
	memcpy(to, left, (size_t)(left_end - left) * sizeof *to);
}

static void sort_halves(const struct sorting *s, const char **at, size_t n)
{
	const size_t middle = n / 2;
	if (n < 2)
		return;
	sort_halves(s, at, middle);
	sort_halves(s, at + middle, n - middle);
	if (s->compare(at[middle - 1], at[middle], s->ctx) > 0)
		sort_merge(s, at, middle, n);
}

/* Puts the elements into the order of the pointers, cycle by cycle of the permutation; `one` has
 * room for an element. */
static void sort_arrange(char *base, const char **at, size_t n, size_t size, char *one)
{
	for (size_t i = 0; i < n; i++) {
		char *const first = base + i * size, *to = first;
		if (at[i] == first)
			continue;
		memcpy(one, first, size);
		for (size_t k = i; at[k] != first; k = (size_t)(to - base) / size) {
			const char *from = at[k];
			memcpy(to, from, size);
			at[k] = to;
			to = base + (size_t)(from - base);
		}
		memcpy(to, one, size);
		at[(size_t)(to - base) / size] = to;
	}
}

void sort_stable_with(void *base, size_t n, size_t size,
                      int (*compare)(const void *, const void *, void *), void *ctx)
{
	if (n < 2)
		return;
	const char **at = alloc_resize_array(NULL, n + n / 2, sizeof *at);
	char *one = at ? alloc_bytes(size) : NULL;
	const struct sorting s = {compare, ctx, at ? at + n : NULL};
	for (size_t i = 0; one && i < n; i++)
		at[i] = (const char *)base + i * size;
	if (one) {
		sort_halves(&s, at, n);
		sort_arrange(base, at, n, size, one);
	}
	free(one);
	free(at);
}

struct plain_compare {
	int (*compare)(const void *, const void *);
};

static int sort_compare_plainly(const void *a, const void *b, void *ctx)
{
	return ((const struct plain_compare *)ctx)->compare(a, b);
}

void sort_stable(void *base, size_t n, size_t size, int (*compare)(const void *, const void *))
{
	struct plain_compare plain = {compare};
	sort_stable_with(base, n, size, sort_compare_plainly, &plain);
}
