/* Machines that stand still: nothing was committed for so long that no machine of this
 * configuration can be waiting for anything any more.
 *
 * What an instruction waits for comes after some of the configuration's latencies, behind others
 * that wait for the same. Those of all parameters together, as often as no queue is long, are more
 * than that. Only a restored machine that lies about itself, an error of ours, and firmware that
 * waits for a timer of some far day, take longer. */
#ifndef CYCLOPS_CORE_RUN_STALL_H
#define CYCLOPS_CORE_RUN_STALL_H

#include <stdbool.h>
#include <stdint.h>

struct machine;

struct stall {
	uint64_t done;  /* instructions that had left the machine, */
	uint64_t since; /* in this cycle */
	uint64_t due;   /* the cycle in which to look */
	bool again;     /* for the second time */
};

/* Now, at the beginning of a motion. */
void stall_begin(struct stall *s, const struct machine *m);
/* To be asked in cycle s->due: whether it stands still, since cycle s->since at least. */
bool stall_stands(struct stall *s, const struct machine *m);

#endif
