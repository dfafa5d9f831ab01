/* Branch target buffer: where taken branches and jumps went last time.
 *
 * Set-associative, true LRU, full tags. Entries live in the arena (struct bpred). */
#ifndef CYCLOPS_CORE_PIPE_FRONTEND_BTB_H
#define CYCLOPS_CORE_PIPE_FRONTEND_BTB_H

#include <stddef.h>
#include <stdint.h>

#include "core/pipe/frontend/bpred_state.h"

static inline struct btb_entry *btb_set(const struct bpred *b, uint64_t pc)
{
	return b->btb + (size_t)((uint32_t)bpred_index(b, pc) & b->btb_mask) * b->btb_ways;
}

/* The entry of pc, made the most recent of its set; NULL if there is none. Borrowed until the next
 * call. */
static inline struct btb_entry *btb_find(struct bpred *b, uint64_t pc)
{
	struct btb_entry *e = btb_set(b, pc), *end = e + b->btb_ways;
	for (; e < end; e++) {
		if (e->tag == pc >> 1) {
			e->used = ++b->st->btb_clock;
			return e;
		}
	}
	return NULL;
}

/* Stores target (byte address) for pc; replaces the least recently used entry of its set if pc has
 * none. Requires that there is a target buffer. */
void btb_learn(struct bpred *b, uint64_t pc, uint64_t target);
/* The same, logged: returns the number of the change. */
uint32_t btb_learn_logged(struct bpred *b, uint64_t pc, uint64_t target);
/* Undoes a logged change, and forgets all that were logged after it: call youngest first. */
void btb_undo(struct bpred *b, uint32_t change);

#endif
