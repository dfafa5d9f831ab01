/* Probes: words of the machine's state that are watched for changes. A watched run compares them at
 * the end of each cycle and ends with the first in which one differs from its last value; so an
 * unchanged value costs one comparison per cycle.
 *
 * Run control sets them for a motion. Idle cycles (core/pipe/idle.h), which are not executed,
 * change none of them: each repeats the one before, and if that had changed a probe, the run would
 * have ended. */
#ifndef CYCLOPS_CORE_PIPE_PROBE_H
#define CYCLOPS_CORE_PIPE_PROBE_H

#include <stdbool.h>
#include <stdint.h>

enum { PROBES_MAX = 16 };

struct probed_word {
	const uint64_t *wide;   /* in the arena; one of the two, the other is NULL */
	const uint32_t *narrow;
	uint64_t last;
};

struct probes {
	unsigned count;
	struct probed_word probe[PROBES_MAX]; /* [count] */
};

static inline uint64_t probe_read(const struct probed_word *p)
{
	return p->wide ? *p->wide : *p->narrow;
}

static inline bool probes_changed(const struct probes *all)
{
	for (unsigned i = 0; i < all->count; i++)
		if (probe_read(&all->probe[i]) != all->probe[i].last)
			return true;
	return false;
}

static inline void probes_rebase(struct probes *all)
{
	for (unsigned i = 0; i < all->count; i++)
		all->probe[i].last = probe_read(&all->probe[i]);
}

#endif
