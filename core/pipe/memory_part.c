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

/* The miss in flight of the entry that the full write buffer frees first; NULL: it has none. */
static const struct mshr *full_buffer_miss(const struct pipe *p, uint64_t now)
{
	const struct hierarchy *h = &p->mem;
	const struct wbuf_entry *e = h->st->wbuf.entry, *first = e;
	uint64_t wait = UINT64_MAX;
	for (uint32_t i = 0; i < h->wbuf_limit; i++) {
		const uint64_t one = e[i].until - now - 1; /* entries that are over wrap */
		first = one < wait ? &e[i] : first;
		wait = one < wait ? one : wait;
	}
	return mshr_find(h->st, first->line << h->l1d.line_log2, now);
}

enum slot_row full_buffer_part(const struct pipe *p)
{
	const uint64_t now = p->st->cycle;
	const struct mshr *m = full_buffer_miss(p, now);
	if (!m)
		return SLOT_write_buffer;
	const uint64_t left = m->ready - now;
	return left > m->bus && left > m->waited &&
	                       mshr_available(p->mem.st, p->mem.mshr_limit, now)
	               ? SLOT_write_buffer
	               : miss_part(p, m);
}

uint64_t full_buffer_until(const struct pipe *p, uint64_t now)
{
	const struct hierarchy_state *st = p->mem.st;
	const struct mshr *m = full_buffer_miss(p, now);
	const uint64_t left = m ? m->ready - now : 0;
	if (!m || left <= m->waited) /* until the line comes */
		return UINT64_MAX;
	uint64_t next = m->ready - m->waited;
	if (left <= m->bus)
		return next;
	if (m->ready - m->bus < next)
		next = m->ready - m->bus;
	const bool available = mshr_available(st, p->mem.mshr_limit, now);
	for (uint32_t i = 0; i < st->mshr_count; i++) {
		const struct mshr *one = &st->mshr[i];
		if (one->since > now && one->since < next)
			next = one->since;
		if (!available && one->ready > now && one->ready < next)
			next = one->ready;
	}
	const uint64_t memory = m->since + p->mem.l1d_latency + p->mem.l2_latency;
	return !available && memory > now && memory < next ? memory : next;
}

const struct mshr *line_awaited(const struct pipe *p, const struct uop *u)
{
	const uint64_t last = u->exec.addr + u->exec.size - 1, log2 = p->mem.l1d.line_log2;
	const struct mshr *m = mshr_find(p->mem.st, u->exec.addr >> log2 << log2, p->st->cycle);
	return m || last >> log2 == u->exec.addr >> log2
	               ? m
	               : mshr_find(p->mem.st, last >> log2 << log2, p->st->cycle);
}
