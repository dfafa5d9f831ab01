/* Common parts of this folder's programs: counted checks, and a machine with a guest in it. */
#ifndef CYCLOPS_TESTS_PREDICT_BENCH_H
#define CYCLOPS_TESTS_PREDICT_BENCH_H

#include <stdbool.h>
#include <stdint.h>

#include "hwviews/session/session.h"

struct bench {
	int passed, failed;
};

_Noreturn void give_up(const char *what);
void check(struct bench *b, bool ok, const char *config, const char *what, uint64_t machine,
           uint64_t model);

/* The guest at this path with so many arguments, up to 2, in a machine with these options, words
 * name=value; *cfg is its configuration. Never NULL; the caller frees it. */
struct session *open_guest(const char *path, int arguments, const char *options,
                           struct config *cfg);

#endif
