/* Memory-dependence prediction: which loads should wait for older stores (lsq.predictor).
 *
 * A kind is one const descriptor and its functions, in memdep_NAME.c, and a row of
 * core/defs/kinds.h. All learn from violations, on the right path only, and are cleared in cycles
 * that are multiples of lsq.predictor_clear: else a load that conflicted once would always wait.
 *
 * Tables live in the arena. Clearing is lazy: the first use in a later interval than the tables'
 * empties them. */
#ifndef CYCLOPS_CORE_PIPE_MEMDEP_H
#define CYCLOPS_CORE_PIPE_MEMDEP_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/arena.h"

struct config;
struct memdep;

/* A dispatched store; seq 0: none. Its slot may have been reused. */
struct memdep_store {
	uint64_t seq;
	uint64_t slot;
};

struct memdep_kind {
	/* Dispatch finds the store itself; no other function is called. */
	bool foresees;
	/* Else exactly one of the next two. True if the load at pc, dispatched in cycle now, waits
	 * for all older stores. */
	bool (*load_waits)(struct memdep *d, uint64_t pc, uint64_t now);
	/* The store for which the load or store at pc waits, if the store still has no address. */
	struct memdep_store (*waits_for)(struct memdep *d, uint64_t pc, uint64_t now);
	/* With waits_for: a store at pc was dispatched. */
	void (*enter_store)(struct memdep *d, uint64_t pc, struct memdep_store store, uint64_t now);
	/* Learns that the load wrongly issued before the store. */
	void (*learn)(struct memdep *d, uint64_t load_pc, uint64_t store_pc, uint64_t now);
	bool store_sets; /* it uses `last` */
};

struct memdep_state {
	uint64_t interval; /* number of clearings before the tables' contents */
};

struct memdep {
	const struct memdep_kind *by; /* NULL: none; also if all loads wait (lsq.speculate off) */
	uint32_t mask, set_mask;
	uint64_t clear;        /* cycles; 0: never */
	struct memdep_state *st;
	uint16_t *table;       /* [mask + 1], by address >> 1; 0: nothing is known */
	uint16_t most;         /* the largest entry of the table */
	struct memdep_store *last; /* [set_mask + 1] by store set: its last dispatched store */
};

void memdep_place(struct memdep *d, const struct config *cfg, struct arena *a);
void memdep_reset(struct memdep *d);

/* For kinds: the entry of this address, after any clearing that is due. */
uint16_t *memdep_entry(struct memdep *d, uint64_t pc, uint64_t now);

#endif
