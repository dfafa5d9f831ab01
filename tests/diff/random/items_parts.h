/* Parts of the kinds of pieces: registers, operations, single instructions. */
#ifndef CYCLOPS_TESTS_DIFF_RANDOM_ITEMS_PARTS_H
#define CYCLOPS_TESTS_DIFF_RANDOM_ITEMS_PARTS_H

#include "tests/diff/random/items.h"

bool gen_chance(struct gen *g, unsigned one_in);
bool gen_may_write(const struct gen *g, unsigned rd);
unsigned gen_scratch_reg(struct gen *g);
unsigned gen_any_reg(struct gen *g);
enum op gen_random_op(struct gen *g, bool pick(enum op));
bool gen_is_branch(enum op op);
void gen_alu(struct gen *g);
void gen_floating(struct gen *g);
void gen_compressed(struct gen *g);
void gen_memory(struct gen *g);
void gen_constant(struct gen *g);
void gen_nested(struct gen *g, unsigned count);

/* items_xprof.c */
void gen_profiling(struct gen *g);

#endif
