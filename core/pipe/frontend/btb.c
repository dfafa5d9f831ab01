#include "core/pipe/frontend/btb.h"

/* The entry for pc's target: its own, or the least recently used of its set. */
static struct btb_entry *btb_find_or_victim(const struct bpred *b, uint64_t pc)
{
	struct btb_entry *set = btb_set(b, pc), *slot = set;
	for (uint32_t w = 0; w < b->btb_ways; w++) {
		if (set[w].tag == pc >> 1)
			return &set[w];
		if (set[w].used < slot->used)
			slot = &set[w];
	}
	return slot;
}

static void btb_write_entry(struct bpred *b, struct btb_entry *slot, uint64_t pc, uint64_t target)
{
	*slot = (struct btb_entry){.tag = pc >> 1, .target = target, .used = ++b->st->btb_clock};
}

void btb_learn(struct bpred *b, uint64_t pc, uint64_t target)
{
	btb_write_entry(b, btb_find_or_victim(b, pc), pc, target);
}

uint32_t btb_learn_logged(struct bpred *b, uint64_t pc, uint64_t target)
{
	struct btb_entry *slot = btb_find_or_victim(b, pc);
	uint32_t change = b->st->btb_changes++;
	b->btb_log[change & b->btb_log_mask] =
		(struct btb_change){.old = *slot, .index = (uint64_t)(slot - b->btb)};
	btb_write_entry(b, slot, pc, target);
	return change;
}

void btb_undo(struct bpred *b, uint32_t change)
{
	const struct btb_change *c = &b->btb_log[change & b->btb_log_mask];
	b->btb[c->index] = c->old;
	b->st->btb_changes = change;
}
