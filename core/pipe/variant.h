/* The variants of a cycle: the same stages, compiled with only the features that a run needs. One
 * is chosen per run. */
#ifndef CYCLOPS_CORE_PIPE_VARIANT_H
#define CYCLOPS_CORE_PIPE_VARIANT_H

#include <stdbool.h>
#include <stdint.h>

struct pipe;

struct variant {
	/* Runs one cycle. False if the program has ended, or a system call must be tried again:
	 * nothing happened. */
	bool (*step)(struct pipe *p);
	/* Runs cycles up to cycle until_cycle, or until until_insts instructions have committed in
	 * total, *p->interrupt is set, or events wait for delivery. False as for step. */
	bool (*run)(struct pipe *p, uint64_t until_cycle, uint64_t until_insts);
};

/* The variant for this pipeline with its devices, prefetchers and plug-ins. watched: events or
 * probes have listeners. */
const struct variant *variant_of(const struct pipe *p, bool watched);

/* True for machines without rare features, whose tests the plain variant omits: a second fetch line
 * per cycle, an L1I that is perfect or not LRU, perfect branch prediction, dependence prediction,
 * in-order issue and its rules, branches that resolve elsewhere, a memory stage, a memory port for
 * code and data, replay traps other than order, ports of L1D and limits of L2. */
bool variant_is_plain(const struct pipe *p);

extern const struct variant variant_quiet_plain, variant_quiet_plain_medium,
	variant_quiet_plain_256, variant_quiet_plain_512, variant_quiet_plain_1024;
extern const struct variant variant_quiet, variant_quiet_small, variant_quiet_medium,
	variant_watched, variant_watched_small;
extern const struct variant variant_quiet_tapped, variant_quiet_small_tapped;
extern const struct variant variant_quiet_prof, variant_quiet_small_prof, variant_quiet_medium_prof,
	variant_quiet_256_prof, variant_quiet_512_prof, variant_watched_prof,
	variant_watched_small_prof;

#endif
