/* Detects machines that stand still: no commit for so long that no machine of this configuration
 * can still be waiting.
 *
 * An instruction waits for some of the configuration's latencies, after others that wait for the
 * same. The sum of all latencies, times more than the length of all queues, is an upper bound. Only
 * a restored machine with inconsistent state, an error of Cyclops, and firmware that waits for a
 * far timer, take longer. */
#ifndef CYCLOPS_CORE_RUN_STALL_H
#define CYCLOPS_CORE_RUN_STALL_H

#include <stdbool.h>
#include <stdint.h>

struct machine;

struct stall {
	uint64_t done;  /* instructions that had left the machine, */
	uint64_t since; /* in this cycle */
	uint64_t due;   /* next cycle to check in */
	bool again;     /* for the second time */
};

/* Starts at the beginning of a motion. */
void stall_begin(struct stall *s, const struct machine *m);
/* Whether the machine stands still, since cycle s->since at least; call in cycle s->due. */
bool stall_stands(struct stall *s, const struct machine *m);

#endif
