/* Whom an empty dispatch slot is due to. If decode had nothing to dispatch, fetch says why; if the window had no room, the oldest
 * instruction, which holds it, is looked at, and beside it what queues for a unit, a port or a miss register: whichever takes longer. */
#include "core/pipe/slots.h"

#include "core/config_fields.h"
#include "core/pipe/window.h"

static enum slot_row frontend_row(const struct pipe *p)
{
	const struct pipe_state *st = p->st;
	if (st->after_squash)
		return st->after_squash == 1 ? SLOT_branch_refill : SLOT_replay_refill;
	if (st->xprof_seen && xprof_gap(p, NULL) != XPROF_NO_GAP)
		return SLOT_profile_fetch;
	if (st->fetch_waits) {
		if (st->cycle < st->fetch_walk)
			return SLOT_itlb;
		return (st->fetched & FETCHED_LEVEL) == LEVEL_MEMORY ? SLOT_icache_memory : SLOT_icache_l2;
	}
	if (st->fetch_blocked && !st->fetchq_count)
		return SLOT_fault;
	return st->redirect_until >= st->cycle && st->redirect_until ? SLOT_misfetch : SLOT_fetch_fill;
}

enum slot_row load_part(const struct pipe *p, const struct uop *u, uint64_t now)
{
	const struct hierarchy *h = &p->mem;
	const enum mem_level level = (enum mem_level)u->mem.level;
	if (level == LEVEL_FORWARD || level == LEVEL_BUFFER)
		return SLOT_forward;
	uint64_t from = u->when.mem + u->walk;
	if (now < from)
		return SLOT_dtlb;
	if (level <= LEVEL_L1 || now < (from += h->l1d_latency))
		return SLOT_l1d;
	if (level == LEVEL_L2 || now < (from += h->l2_latency))
		return SLOT_l2;
	return u->bus && now + u->bus >= u->when.done ? SLOT_bus : SLOT_memory;
}

/* What the units of a pool would need to start all that is ready for them, in cycles. */
static uint64_t backlog(const struct pipe *p, unsigned pool)
{
	uint64_t ready = 0;
	for (uint32_t w = 0; w < p->rob_words; w++)
		ready += (uint64_t)__builtin_popcountll(ready_in(p, pool)[w]);
	return ready * (p->st->fu_held[pool] ? p->occupancy[pool] : 1) / p->fu_count[pool];
}

/* A resource for which ready instructions queue longer than `latency` cycles, most of all; SLOT_COUNT if there is none. */
static enum slot_row longest_queue(const struct pipe *p, uint64_t latency)
{
	const struct pipe_state *st = p->st;
	enum slot_row row = SLOT_COUNT;
	uint64_t most = latency, all = 0;
	for (unsigned pools = st->denied; pools; pools &= pools - 1) {
		const unsigned pool = (unsigned)__builtin_ctz(pools);
		const uint64_t cycles = backlog(p, pool);
		if (cycles < most)
			continue;
		most = cycles;
		row = SLOT_unit_int + pool;
	}
	if (!st->width_from)
		return row;
	for (unsigned pool = 0; pool <= FU_POOL_COUNT; pool++)
		for (uint32_t w = 0; w < p->rob_words; w++)
			all += (uint64_t)__builtin_popcountll(ready_in(p, pool)[w]);
	return all && all / p->issue_width >= most && row == SLOT_COUNT ? SLOT_issue_width : row;
}

static enum slot_row latency_row(const struct uop *u)
{
	static const enum slot_row of_pool[FU_POOL_COUNT + 1] = {
		[FU_INT] = SLOT_latency_int, [FU_IMULDIV] = SLOT_latency_imuldiv, [FU_FADD] = SLOT_latency_fadd,
		[FU_FMULDIV] = SLOT_latency_fmuldiv, [FU_MEM] = SLOT_l1d, [FU_NONE] = SLOT_latency_int};
	return of_pool[u->at.pool];
}

/* What keeps the oldest instruction u, which is complete, from committing. */
static enum slot_row complete_row(const struct pipe *p, const struct uop *u)
{
	const enum slot_row by_level[LEVEL_COUNT] = {
		[LEVEL_NONE] = latency_row(u), [LEVEL_FORWARD] = SLOT_forward, [LEVEL_BUFFER] = SLOT_forward,
		[LEVEL_L1] = SLOT_l1d, [LEVEL_L2] = SLOT_l2, [LEVEL_MEMORY] = SLOT_memory};
	if (p->st->cycle < pipe_commit_from(p, u))
		return by_level[u->mem.level];
	return u->exec.stored && !hierarchy_store_fits(&p->mem, u->exec.addr, u->exec.size, p->st->cycle) ? SLOT_write_buffer : SLOT_commit_width;
}

/* The window has no room. */
static enum slot_row backend_row(const struct pipe *p)
{
	const struct pipe_state *st = p->st;
	const struct uop *next = pipe_fetchq_at(p, 0), *u = st->rob_count ? pipe_rob_at(p, 0) : NULL;
	if (!u || st->serial_slot != NO_SLOT || (next->op_flags & OPF_SERIAL))
		return SLOT_serial;
	if (uop_faults(u))
		return SLOT_fault;
	const bool timed = u->state == UOP_DONE || u->state == UOP_MEMORY || (u->state == UOP_EXECUTING && !is_memory(u));
	const uint64_t latency = !timed ? (uint64_t)p->cfg->lsq_agen : u->when.done - u->when.issue;
	const enum slot_row complete = u->state == UOP_DONE ? complete_row(p, u) : SLOT_COUNT;
	if (complete == SLOT_write_buffer || complete == SLOT_commit_width)
		return complete;
	const enum slot_row queue = longest_queue(p, latency);
	if (queue != SLOT_COUNT)
		return queue;
	if (p->mem.mshr_limit <= st->mem_retries && u->mem.level >= LEVEL_L2)
		return SLOT_mshr;
	switch ((enum uop_state)u->state) {
	case UOP_DONE:
		return complete;
	case UOP_MEMORY:
		return load_part(p, u, st->cycle);
	case UOP_ADDRESS:
		return u->mem.wait == MEM_WAIT_MSHR ? SLOT_mshr : SLOT_store_order;
	default:
		return latency_row(u);
	}
}

enum slot_row slots_row(const struct pipe *p, enum decode_stop stop, const struct uop *last)
{
	switch (stop) {
	case DECODE_HELD:
		return backend_row(p);
	case DECODE_WIDTH:
		if (p->st->fetchq_count && pipe_fetchq_at(p, 0)->when.avail < p->st->cycle)
			return SLOT_decode_width;
		return last ? (enum slot_row)last->fetch_end : SLOT_profile_fetch;
	case DECODE_FLAG:
		return SLOT_profile_wait;
	case DECODE_MISFETCH:
		return SLOT_misfetch;
	case DECODE_PROFILE:
		return SLOT_profile_fetch;
	case DECODE_FAULT:
		return SLOT_fault;
	default:
		return last ? (enum slot_row)last->fetch_end : frontend_row(p);
	}
}

static uint64_t first_from(uint64_t now, uint64_t a, uint64_t b)
{
	return a >= now && (a <= b || b < now) ? a : b >= now ? b : UINT64_MAX;
}

uint64_t slots_row_until(const struct pipe *p, uint64_t now)
{
	const struct pipe_state *st = p->st;
	uint64_t next = UINT64_MAX;
	if (st->fetch_waits && st->fetch_walk >= now)
		next = st->fetch_walk;
	const struct uop *u = st->rob_count ? pipe_rob_at(p, 0) : NULL;
	if (!u || u->state != UOP_MEMORY || u->mem.level == LEVEL_FORWARD || u->mem.level == LEVEL_BUFFER)
		return next;
	const uint64_t l1 = u->when.mem + u->walk, l2 = l1 + p->mem.l1d_latency, memory = l2 + p->mem.l2_latency;
	const uint64_t part = first_from(now, l1, first_from(now, l2, first_from(now, memory, u->when.done - u->bus)));
	return part < next ? part : next;
}
