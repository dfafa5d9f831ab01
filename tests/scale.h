/* Builds with all checks are slow: a test takes each path once there, and leaves further rounds to
 * other builds. */
#ifndef CYCLOPS_TESTS_SCALE_H
#define CYCLOPS_TESTS_SCALE_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static inline bool scale_is(const char *name)
{
	const char *scale = getenv("CYCLOPS_TEST_SCALE");
	return scale && strcmp(scale, name) == 0;
}

#endif
