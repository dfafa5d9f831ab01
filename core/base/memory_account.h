/* Counts the host memory of structures that share parts, such as a memory and its snapshots. Each
 * allocation and release is entered where it is made, so that the bytes held only by images are an
 * exact difference, not an estimate.
 *
 * Each member of the family holds one reference: images may outlive their original. */
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
	uint64_t taken; /* in total, never decreases */
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

/* A walk through all blocks that counts them again (core/run/recount.c). block() is called for each
 * block reached and returns true on the first visit: then the blocks below are walked too. */
struct ledger_walk {
	bool (*block)(void *ctx, const void *block, size_t bytes);
	void *ctx;
};

static inline bool ledger_visit(const struct ledger_walk *w, const void *block, size_t bytes)
{
	return w->block(w->ctx, block, bytes);
}

#endif
