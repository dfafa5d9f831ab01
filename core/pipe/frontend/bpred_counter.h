/* The 2-bit saturating counter of direction tables: 0 and 1 predict not taken, 2 and 3 taken. */
#ifndef CYCLOPS_CORE_PIPE_FRONTEND_BPRED_COUNTER_H
#define CYCLOPS_CORE_PIPE_FRONTEND_BPRED_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

static inline void count_outcome(uint8_t *counter, bool up)
{
	static const uint8_t next[2][4] = {{0, 0, 1, 2}, {1, 2, 3, 3}};
	*counter = next[up][*counter];
}

#endif
