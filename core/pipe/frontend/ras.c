#include "core/pipe/frontend/ras.h"

#include "core/pipe/frontend/bpred_state.h"

static uint32_t ras_index_below(const struct bpred *b, uint32_t top)
{
	return (top ? top : b->ras_size) - 1;
}

static void ras_save_mark(struct bpred *b, struct bpred_mark *mark, uint32_t slot)
{
	mark->flags |= BPM_RAS;
	mark->ras_top = (uint16_t)b->st->ras_top;
	mark->ras_count = (uint16_t)b->st->ras_count;
	mark->ras_value = b->ras[slot];
}

bool ras_pop(struct bpred *b, struct bpred_mark *mark, uint64_t *target)
{
	struct bpred_state *st = b->st;
	if (!st->ras_count)
		return false;
	uint32_t slot = ras_index_below(b, st->ras_top);
	ras_save_mark(b, mark, slot);
	mark->flags |= BPM_FROM_RAS;
	*target = b->ras[slot];
	st->ras_top = slot;
	st->ras_count--;
	return true;
}

void ras_push(struct bpred *b, struct bpred_mark *mark, uint64_t address)
{
	struct bpred_state *st = b->st;
	if (!b->ras_size)
		return;
	if (!(mark->flags & BPM_RAS))
		ras_save_mark(b, mark, st->ras_top);
	b->ras[st->ras_top] = address;
	st->ras_top = st->ras_top + 1 == b->ras_size ? 0 : st->ras_top + 1;
	if (st->ras_count < b->ras_size)
		st->ras_count++;
}

void ras_undo(struct bpred *b, const struct bpred_mark *mark)
{
	if (!(mark->flags & BPM_RAS))
		return;
	uint32_t slot =
		mark->flags & BPM_FROM_RAS ? ras_index_below(b, mark->ras_top) : mark->ras_top;
	b->ras[slot] = mark->ras_value;
	b->st->ras_top = mark->ras_top;
	b->st->ras_count = mark->ras_count;
}
