/* The variants of a cycle: the same stages, compiled for what a run needs and nothing else. One is
 * chosen per run. */
#ifndef CYCLOPS_CORE_PIPE_VARIANT_H
#define CYCLOPS_CORE_PIPE_VARIANT_H

#include <stdbool.h>
#include <stdint.h>

struct pipe;

struct variant {
	/* One cycle. False if the program has ended, or a system call must be tried again: nothing
	 * happened. */
	bool (*step)(struct pipe *p);
	/* Cycles until that many are done, or that many instructions committed, or *p->interrupt,
	 * or events wait to be delivered. False as for step. */
	bool (*run)(struct pipe *p, uint64_t until_cycle, uint64_t until_insts);
};

/* The variant for this pipeline and what it has: devices, prefetchers, plug-ins. watched: somebody
 * listens to events. */
const struct variant *variant_of(const struct pipe *p, bool watched);

/* A machine without what cycles of most machines would ask for in vain: a second line of a cycle's
 * fetch, an L1I that is perfect or of another policy than LRU, predictors of the future and of
 * dependences, issue in order and its rules, a memory stage, replay traps but for order, ports of
 * L1D and limits of L2. */
bool variant_is_plain(const struct pipe *p);

extern const struct variant variant_quiet_plain;
extern const struct variant variant_quiet, variant_quiet_small, variant_watched,
	variant_watched_small;
extern const struct variant variant_quiet_tapped, variant_quiet_small_tapped;
extern const struct variant variant_quiet_prof, variant_quiet_small_prof, variant_watched_prof,
	variant_watched_small_prof;

#endif
