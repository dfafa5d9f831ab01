#include "core/pipe/memory_part.h"

#include "core/pipe/memory/mshr.h"

enum slot_row miss_part(const struct pipe *p, const struct mshr *m)
{
	const struct hierarchy *h = &p->mem;
	const uint64_t now = p->st->cycle;
	if (m->since > now)
		return SLOT_mshr;
	if (m->waited && now + m->waited >= m->ready)
		return SLOT_l2_held;
	if (m->bus && now + m->bus >= m->ready)
		return SLOT_bus;
	return m->level == LEVEL_L2 || now < m->since + h->l1d_latency + h->l2_latency
	               ? SLOT_l2
	               : SLOT_memory;
}

enum slot_row full_buffer_part(const struct pipe *p)
{
	struct hierarchy_state *st = p->mem.st;
	const uint64_t now = p->st->cycle;
	uint32_t first = 0;
	for (uint32_t i = 1; i < p->mem.wbuf_limit; i++)
		if (st->wbuf.entry[i].until > now &&
		    (st->wbuf.entry[first].until <= now ||
		     st->wbuf.entry[i].until < st->wbuf.entry[first].until))
			first = i;
	const struct mshr *m =
		mshr_find(st, st->wbuf.entry[first].line << p->mem.l1d.line_log2, now);
	const enum slot_row part = m ? miss_part(p, m) : SLOT_write_buffer;
	return part == SLOT_bus || part == SLOT_l2_held ||
	                       !mshr_available(st, p->mem.mshr_limit, now)
	               ? part
	               : SLOT_write_buffer;
}

const struct mshr *line_awaited(const struct pipe *p, const struct uop *u)
{
	const uint64_t last = u->exec.addr + u->exec.size - 1, log2 = p->mem.l1d.line_log2;
	const struct mshr *m = mshr_find(p->mem.st, u->exec.addr >> log2 << log2, p->st->cycle);
	return m || last >> log2 == u->exec.addr >> log2
	               ? m
	               : mshr_find(p->mem.st, last >> log2 << log2, p->st->cycle);
}
