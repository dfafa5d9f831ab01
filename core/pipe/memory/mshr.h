/* Miss status holding registers of the L1D. See struct mshr for the meaning of an entry. */
#ifndef CYCLOPS_CORE_PIPE_MEMORY_MSHR_H
#define CYCLOPS_CORE_PIPE_MEMORY_MSHR_H

#include <stdbool.h>
#include <stdint.h>

struct hierarchy_state;
struct mshr;

/* The miss in flight for the line at this byte address, NULL if none. */
struct mshr *mshr_find(struct hierarchy_state *st, uint64_t line, uint64_t now);
/* True if a register is free in cycle now. */
bool mshr_available(const struct hierarchy_state *st, uint32_t limit, uint64_t now);
/* The first cycle, now or later, in which a register is free for a miss that may wait. The miss
 * that ends then is marked chained, so the caller must call mshr_open() with this cycle. */
uint64_t mshr_reserve(struct hierarchy_state *st, uint32_t limit, uint64_t now);
/* Lists a miss that holds a register from since until ready; forgets those that have ended. */
void mshr_open(struct hierarchy_state *st, const struct mshr *miss, uint64_t now);

/* The earliest cycle after now in which a miss ends, UINT64_MAX if none is in flight. */
uint64_t mshr_next_free(const struct hierarchy_state *st, uint64_t now);

#endif
