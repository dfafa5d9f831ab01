/* Memory-dependence prediction: which loads should wait for older stores (lsq.predictor).
 *
 * Wait table (Alpha 21264): a bit for each load, by address; a load whose bit is set waits until
 * all older stores have addresses. Store sets (Chrysos and Emer, ISCA 1998): loads and stores that
 * once conflicted belong to one set (SSIT, by address); a table has the last dispatched store of
 * each set (LFST), and the next load or store of the set waits until that store has its address.
 * Both learn from violations, on the right path only, and are cleared in cycles that are multiples
 * of lsq.predictor_clear: else a load that conflicted once would always wait.
 *
 * Tables live in the arena. Clearing is lazy: the first use in a later interval than the tables'
 * empties them. */
#ifndef CYCLOPS_CORE_PIPE_MEMDEP_H
#define CYCLOPS_CORE_PIPE_MEMDEP_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/arena.h"

struct config;

enum memdep_kind { MEMDEP_NONE, MEMDEP_WAIT_TABLE, MEMDEP_STORE_SETS };

/* A dispatched store; seq 0: none. Its slot may have been reused. */
struct memdep_store {
	uint64_t seq;
	uint64_t slot;
};

struct memdep_state {
	uint64_t interval; /* number of clearings before the tables' contents */
};

struct memdep {
	enum memdep_kind kind; /* MEMDEP_NONE also if all loads wait (lsq.speculate off) */
	uint32_t mask, set_mask;
	uint64_t clear;        /* cycles; 0: never */
	struct memdep_state *st;
	uint16_t *table;       /* [mask + 1] wait bit, or store set + 1, 0: none; by address >> 1 */
	struct memdep_store *last; /* [set_mask + 1] by store set: the last fetched store table */
};

void memdep_place(struct memdep *d, const struct config *cfg, struct arena *a);
void memdep_reset(struct memdep *d);

/* True if the load at pc, dispatched in cycle now, waits for all older stores. */
bool memdep_load_waits(struct memdep *d, uint64_t pc, uint64_t now);
/* The store for which the load or store at pc waits, if the store still has no address. */
struct memdep_store memdep_last_store(struct memdep *d, uint64_t pc, uint64_t now);
/* Makes this store the last one of its set, if it has one. */
void memdep_enter_store(struct memdep *d, uint64_t pc, struct memdep_store store, uint64_t now);
/* Learns that the load wrongly issued before the store. */
void memdep_learn(struct memdep *d, uint64_t load_pc, uint64_t store_pc, uint64_t now);

#endif
