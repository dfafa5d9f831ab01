/* The pieces of random blocks. */
#ifndef CYCLOPS_TESTS_DIFF_RANDOM_ITEMS_H
#define CYCLOPS_TESTS_DIFF_RANDOM_ITEMS_H

#include "tests/diff/random/emit.h"

/* Parts of Xprof that are mixed in. */
enum gen_xprof {
	XPROF_NONE,
	/* flags are only set: every profile instruction executes, as on any machine */
	XPROF_ON,
	XPROF_OFF,    /* flags are only reset: none does */
	XPROF_ERASED, /* the same program with no-ops in the places of its profile instructions */
	XPROF_ANY     /* everything, the registers of Xprof as well */
};

struct gen {
	struct code code;
	uint64_t rng;       /* splitmix64 state */
	uint32_t keep;      /* bitmap: integer registers reserved now */
	unsigned depth;     /* of nested constructs */
	enum gen_xprof xprof;
};

/* Registers that whole blocks rely on: bases of memory, and the loop counter while a loop runs. */
enum { KEEP_ALWAYS = 1 << SP | 1 << GP | 1 << TP | 1 << S0 | 1 << S1 | 1 << S2 };

uint64_t gen_random(struct gen *g);
/* 0 <= result < n */
unsigned gen_below(struct gen *g, unsigned n);

/* setpf k (or another) as a hint, of either size. */
void gen_hint(struct gen *g, unsigned s);
/* Appends about `count` random items. */
void gen_items(struct gen *g, unsigned count);
/* Points sp, s0 and s1 into scratch memory. */
void gen_bases(struct gen *g);

#endif
