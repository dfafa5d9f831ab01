/* Allocations that fail where a test chooses: the linker wraps all allocators. */
#ifndef CYCLOPS_TESTS_REVERSE_FAILING_MEMORY_H
#define CYCLOPS_TESTS_REVERSE_FAILING_MEMORY_H

#include <stdbool.h>

struct scarce {
	bool on;
	unsigned left; /* allocations that succeed first */
	unsigned fail; /* then so many fail */
	unsigned failed;
	void (*before_fdopen)(void); /* NULL: no callback */
};
extern struct scarce scarce;

/* The next allocation to fail after the n-th: each of the first ones, then at distances that grow
 * with `part`; at the long scale, each. */
unsigned next_allocation(unsigned n, unsigned part);

#endif
