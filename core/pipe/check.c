#include "core/pipe/check.h"

#include "core/pipe/window.h"

static bool bit(const uint64_t *bits, uint32_t pos)
{
	return bits[pos >> 6] >> (pos & 63) & 1;
}

/* What the window's uops add up to. */
struct tally {
	uint32_t waiting_to_issue, retries, memory, unknown_stores, filter;
};

static void check_window_uop(const struct pipe *p, const struct uop *u, uint32_t age, struct tally *t)
{
	const struct pipe_state *st = p->st;
	bool issued = u->state >= UOP_EXECUTING;
	assert(uop_in_window(u));
	assert(u->at.rob == ((st->rob_head + age) & p->rob_mask));
	for (unsigned pool = 0; pool <= FU_POOL_COUNT; pool++)
		assert(bit(ready_in(p, pool), u->at.rob) == (u->state == UOP_READY && u->at.pool == pool));
	assert((u->state == UOP_ADDRESS) == bit(p->retry, u->at.rob));
	assert(issued == (u->when.issue != NO_CYCLE));
	assert((u->at.wheel != NO_SLOT) ==
	       (u->state == UOP_MEMORY || (u->state == UOP_EXECUTING && !(u->flags & UF_ADDR_KNOWN))));
	if (u->at.wheel != NO_SLOT)
		assert(bit(p->wheel + (size_t)u->at.wheel * p->rob_words, u->at.rob));
	if (u->state == UOP_WAITING)
		assert(u->src.pending & issue_operands(u));
	else
		assert(!(u->src.pending & issue_operands(u)));
	for (unsigned i = 0; i < 3; i++)
		if (u->src.pending >> i & 1) {
			const struct uop *q = pipe_uop(p, u->src.slot[i]);
			assert(uop_in_window(q) && q->seq == u->src.seq[i] && q->seq < u->seq && q->state != UOP_DONE);
		}
	assert(is_memory(u) == (u->at.lsq != NO_SLOT));
	t->waiting_to_issue += !issued;
	t->retries += u->state == UOP_ADDRESS;
	t->memory += is_memory(u);
	bool unknown = may_store(u) && !(u->flags & UF_ADDR_KNOWN);
	assert(!is_memory(u) || unknown == bit(p->unknown, u->at.lsq));
	t->unknown_stores += unknown;
	if (u->flags & UF_IN_FILTER)
		t->filter += 1u + (granule(u->exec.addr) != granule(u->exec.addr + u->exec.size - 1));
}

static void check_bits(const struct pipe *p, const uint64_t *bits, uint32_t most)
{
	uint32_t n = 0;
	for (uint32_t age = 0; age <= p->rob_mask; age++) {
		bool set = bit(bits, (p->st->rob_head + age) & p->rob_mask);
		assert(!set || age < p->st->rob_count);
		n += set;
	}
	assert(n <= most);
}

static void check_rename(const struct pipe *p)
{
	for (unsigned reg = 0; reg < REG_COUNT; reg++) {
		uint16_t slot = p->st->rename[reg];
		if (slot == NO_SLOT)
			continue;
		const struct uop *u = pipe_uop(p, slot);
		assert(reg != REG_ZERO && reg != REG_SINK && uop_in_window(u) && u->inst.rd == reg);
	}
	for (unsigned reg = 1; reg < REG_SINK; reg++)
		if (p->st->rename[reg] == NO_SLOT)
			assert(p->hart->r[reg] == p->st->creg[reg]);
}

void pipe_check(const struct pipe *p)
{
	const struct pipe_state *st = p->st;
	struct tally t = {0};
	uint64_t slots = 0, last_seq = 0;

	assert(st->rob_count <= p->rob_limit && st->lsq_count <= p->lsq_limit &&
	       st->fetchq_count <= p->fetchq_limit);
	for (uint32_t age = 0; age < st->rob_count; age++) {
		const struct uop *u = pipe_rob_at(p, age);
		assert(u->seq > last_seq);
		last_seq = u->seq;
		check_window_uop(p, u, age, &t);
	}
	for (uint32_t i = 0; i < st->fetchq_count; i++) {
		const struct uop *u = pipe_fetchq_at(p, i);
		assert(u->state == UOP_FETCHED && u->seq > last_seq);
		last_seq = u->seq;
	}
	assert(t.waiting_to_issue == st->iq_count && t.retries == st->mem_retries);
	assert(t.memory == st->lsq_count && t.unknown_stores == st->unknown_stores);
	uint32_t filter = 0;
	for (unsigned i = 0; i < 256; i++)
		filter += st->store_filter[i];
	assert(filter == t.filter);
	for (unsigned pool = 0; pool <= FU_POOL_COUNT; pool++)
		check_bits(p, ready_in(p, pool), st->rob_count);
	check_bits(p, p->retry, st->mem_retries);
	check_rename(p);
	assert(!prof_check(p->prof));
	/* Every commit slot of every cycle is charged to one row of the CPI stack. */
	for (size_t i = 0; i < stat_row_count; i++)
		if (!strncmp(stat_rows[i].name, "cpi.", 4))
			slots += (uint64_t)stat_value(p->stats, &stat_rows[i]);
	assert(slots == p->stats->cycles * p->commit_width);
	(void)slots, (void)filter; /* with assertions off */
}
