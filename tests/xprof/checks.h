/* Models of the profile flag predictor and of fetch's prediction bits, that watch a machine and
 * compare in each cycle. */
#ifndef TESTS_XPROF_CHECKS_H
#define TESTS_XPROF_CHECKS_H

#include "tests/xprof/bench.h"

struct checks;

/* Watches m, before its first cycle; its program must not write to its own code. Ends the test at
 * the first cycle in which the table or a bit differs from the model. */
struct checks *checks_new(struct machine *m);
/* To be called after each machine_step(). */
void checks_cycle(struct checks *c);
void checks_free(struct checks *c);

struct checks_seen {
	unsigned made, grew, unlocked, updated, skips, abandoned, stale, cycles;
};
const struct checks_seen *checks_seen(const struct checks *c);

#endif
