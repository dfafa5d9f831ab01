/* A block of profile instructions, round after round, and the table's entry for it. */
#ifndef CYCLOPS_TESTS_XPROF_BDT_ROUNDS_H
#define CYCLOPS_TESTS_XPROF_BDT_ROUNDS_H

#include "tests/xprof/bench.h"
#include "tests/xprof/model.h"

enum { X_N = 8, X_PATTERN = 7, X_ONE = 6, ROUND = 96, BLOCK = 24 };

/* Writes a block; returns its leader. */
typedef uint64_t block_fn(struct guest *g, int arg);

void as_the_model_says(const struct guest *g, const struct log *l);
const struct bdt_entry *bdt_entry_of(const struct log *l, uint64_t leader);
unsigned bdt_entries(const struct log *l);
uint64_t bdt_adds(struct guest *g, int n);
/* Rounds around a block, bit i of `bits` being flag 0 in round i. On both sides there are more
 * ordinary instructions than the queue has places, so that decode has done with the block before
 * fetch comes to it again. */
struct guest *bdt_around(block_fn *block, int arg, uint64_t bits, unsigned rounds,
                         uint64_t *leader);
/* Runs until the n-th event (from 1) of this kind at pc. */
void bdt_run_until(struct log *l, enum event_id id, uint64_t pc, unsigned n);

#endif
