/* Counts the host memory of structures that share parts, such as a memory and its snapshots.
 * Every allocation and release of such a state is entered where it is made, so
 * that what images hold beside the present is a subtraction, and never a guess.
 *
 * Each member of the family holds one reference: images may outlive what they were taken of. */
#ifndef CYCLOPS_CORE_BASE_MEMORY_ACCOUNT_H
#define CYCLOPS_CORE_BASE_MEMORY_ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "core/base/alloc.h"

struct memory_account {
	uint32_t refs;
	size_t bytes;   /* alive */
	uint64_t taken; /* ever */
};

static inline struct memory_account *memory_account_new(void)
{
	struct memory_account *l = alloc_zeroed(1, sizeof *l);
	if (l)
		l->refs = 1;
	return l;
}

static inline struct memory_account *memory_account_share(struct memory_account *l)
{
	l->refs++;
	return l;
}

static inline void memory_account_drop(struct memory_account *l)
{
	if (l && --l->refs == 0)
		free(l);
}

static inline void memory_account_take(struct memory_account *l, size_t bytes)
{
	l->bytes += bytes;
	l->taken += bytes;
}

static inline void memory_account_give(struct memory_account *l, size_t bytes)
{
	l->bytes -= bytes;
}

/* Who walks through all blocks to count them again (core/run/recount.c): told of each one that it
 * comes to, it says whether that is the first time, so that what lies below is still to be walked
 * through. */
struct ledger_walk {
	bool (*block)(void *ctx, const void *block, size_t bytes);
	void *ctx;
};

static inline bool ledger_visit(const struct ledger_walk *w, const void *block, size_t bytes)
{
	return w->block(w->ctx, block, bytes);
}

#endif
