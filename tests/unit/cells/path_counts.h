/* Paths of an instrumented program: their blocks, and their counts, by the program's counters in
 * memory and by the executed instructions. */
#ifndef CYCLOPS_TESTS_UNIT_CELLS_PATH_COUNTS_H
#define CYCLOPS_TESTS_UNIT_CELLS_PATH_COUNTS_H

#include "tests/unit/cells/path_model.h"

/* The arcs of a path, first to last. */
unsigned way_of(const struct procedure *f, uint64_t path, const struct arc *way[WAY]);
/* True if the path ends at a loop's back edge. */
bool goes_back(const struct procedure *f, const struct arc *const *way, unsigned n);
/* The path's blocks, numbered as in the flow graph; a call does not end a block. */
unsigned blocks_of(const struct procedure *f, uint64_t path, unsigned blocks[WAY]);
const char *blocks_text(const struct procedure *f, uint64_t path);
const char *offsets_text(const struct procedure *f, uint64_t path);
void read_counts(struct model *m);
/* Checks that the counted paths are the committed ones. */
void follow(struct model *m);
extern unsigned by_value;
int most_first(const void *a, const void *b);
/* Sums by procedure; `path` is its number of paths. */
unsigned sums_of(const struct model *m, struct counted sums[FUNCTIONS]);

#endif
