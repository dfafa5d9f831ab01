/* Sorting with one order on every host: qsort() leaves the order of equal elements to the C
 * library, and with it the order of equal rows of views and reports. */
#ifndef CYCLOPS_CORE_BASE_SORT_H
#define CYCLOPS_CORE_BASE_SORT_H

#include <stddef.h>

/* Sorts as qsort() does; equal elements keep their order. Without memory the array is left as it
 * was; the failure is noted (alloc.h). */
void sort_stable(void *base, size_t n, size_t size, int (*compare)(const void *, const void *));

/* The same, with ctx as the last argument of compare. */
void sort_stable_with(void *base, size_t n, size_t size,
                      int (*compare)(const void *, const void *, void *), void *ctx);

#endif
