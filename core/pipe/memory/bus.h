/* The memory bus: one transfer at a time, each in the first gap that is long enough.
 *
 * Requests are not in order of their times (a TLB miss requests a later transfer than a hit issued
 * after it), so the bus keeps its bookings, not one "free from" cycle. */
#ifndef CYCLOPS_CORE_PIPE_MEMORY_BUS_H
#define CYCLOPS_CORE_PIPE_MEMORY_BUS_H

#include <stdint.h>

struct hierarchy_state;

/* Books `cycles` for a transfer that may begin in cycle `at`; returns the cycle after its last.
 * now: the current cycle, at most `at`; bookings before it are forgotten. With more separate
 * bookings than BUS_MAX, a transfer is added after the last. */
uint64_t bus_book(struct hierarchy_state *st, uint64_t at, uint64_t cycles, uint64_t now);

#endif
