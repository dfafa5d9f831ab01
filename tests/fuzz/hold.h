/* Properties that hold for all inputs of a fuzzer. */
#ifndef CYCLOPS_TESTS_FUZZ_HOLD_H
#define CYCLOPS_TESTS_FUZZ_HOLD_H

#include <stdbool.h>
#include <stdlib.h>

static inline void hold(bool promise)
{
	if (!promise)
		abort();
}

#endif
