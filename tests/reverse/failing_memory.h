/* Allocations that fail where a test chooses: the linker leads every one through here. */
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

/* All of the first ones, then some, each farther than the last by this part; each one at the long
 * scale. */
unsigned next_allocation(unsigned n, unsigned part);

#endif
