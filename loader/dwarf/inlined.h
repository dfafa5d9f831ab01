/* Which functions were inlined around an address, and which of them one is in there: as in gdb, one
 * that begins just there has not been entered yet. */
#ifndef CYCLOPS_LOADER_DWARF_INLINED_H
#define CYCLOPS_LOADER_DWARF_INLINED_H

#include "loader/dwarf/scope.h"

struct inlined {
	const struct program *image;
	Dwarf_Die in[SCOPE_DEPTH_MAX]; /* [count], outermost first */
	unsigned count;
	/* Another begins here; the outermost that does is called there. line 0: not known */
	bool begins;
	struct source_line call;
};

/* Of what is not known there is none. */
void inlined_at(const struct program *p, uint64_t pc, struct inlined *out);
/* Whether both are in the same ones, and whether `inner` is in more, inside of them. */
bool inlined_same(const struct inlined *a, const struct inlined *b);
bool inlined_within(const struct inlined *inner, const struct inlined *outer);
/* The stretch of the i-th one's code that has pc. */
bool inlined_extent(const struct inlined *at, unsigned i, uint64_t pc, uint64_t *lo, uint64_t *hi);
/* Without the blocks of one that begins at pc. */
void inlined_cut(struct scope_chain *chain, uint64_t pc);

#endif
