#include "core/pipe/btb.h"

#include <stddef.h>

#include "core/pipe/bpred.h"

static struct btb_entry *set_of(const struct bpred *b, uint64_t pc)
{
	return b->btb + (size_t)((uint32_t)(pc >> 1) & b->btb_mask) * b->btb_ways;
}

struct btb_entry *btb_find(struct bpred *b, uint64_t pc)
{
	struct btb_entry *e = set_of(b, pc), *end = e + b->btb_ways;
	for (; e < end; e++) {
		if (e->tag == pc >> 1) {
			e->used = ++b->st->btb_clock;
			return e;
		}
	}
	return NULL;
}

void btb_learn(struct bpred *b, uint64_t pc, uint64_t target)
{
	if (!b->btb_ways)
		return;
	struct btb_entry *set = set_of(b, pc), *slot = set;
	for (uint32_t w = 0; w < b->btb_ways; w++) {
		if (set[w].tag == pc >> 1) {
			slot = &set[w];
			break;
		}
		if (set[w].used < slot->used)
			slot = &set[w];
	}
	*slot = (struct btb_entry){.tag = pc >> 1, .target = target, .used = ++b->st->btb_clock};
}
