#include "core/base/sort.h"

#include <string.h>

#include "core/base/alloc.h"

struct sorting {
	size_t size; /* of an element */
	int (*compare)(const void *, const void *, void *);
	void *ctx;
	char *scratch; /* room for half of the elements */
};

/* Merges the sorted elements [0, middle) and [middle, n). */
static void sort_merge(const struct sorting *s, char *base, size_t middle, size_t n)
{
	const size_t size = s->size;
	const char *left = s->scratch, *right = base + middle * size;
	const char *const left_end = left + middle * size, *const right_end = base + n * size;
	memcpy(s->scratch, base, middle * size);
	while (left < left_end && right < right_end) {
		const char **from = s->compare(left, right, s->ctx) <= 0 ? &left : &right;
		memcpy(base, *from, size);
		*from += size;
		base += size;
	}
	/* The rest of the right half is in its place. */
	memcpy(base, left, (size_t)(left_end - left));
}

static void sort_halves(const struct sorting *s, char *base, size_t n)
{
	const size_t middle = n / 2;
	if (n < 2)
		return;
	sort_halves(s, base, middle);
	sort_halves(s, base + middle * s->size, n - middle);
	if (s->compare(base + (middle - 1) * s->size, base + middle * s->size, s->ctx) > 0)
		sort_merge(s, base, middle, n);
}

void sort_stable_with(void *base, size_t n, size_t size,
                      int (*compare)(const void *, const void *, void *), void *ctx)
{
	if (n < 2)
		return;
	struct sorting s = {size, compare, ctx, alloc_bytes(n / 2 * size)};
	if (s.scratch)
		sort_halves(&s, base, n);
	free(s.scratch);
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
