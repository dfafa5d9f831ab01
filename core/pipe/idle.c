#include "core/pipe/idle.h"

#include <assert.h>

#include "core/pipe/mshr.h"
#include "core/pipe/wbuf.h"

/* Fewer cycles than this are sooner executed than looked ahead. */
enum { WORTH_IT = 4 };

static uint64_t sooner(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* The first cycle from `now` on in which something stands in the wheel. */
static uint64_t next_due(const struct pipe *p, uint64_t now)
{
	const uint32_t words = p->rob_words;
	for (uint64_t at = now; at < now + WHEEL; at++) {
		const uint64_t *due = p->wheel + (size_t)(at & (WHEEL - 1)) * words;
		for (uint32_t w = 0; w < words; w++)
			if (due[w])
				return at;
	}
	return UINT64_MAX;
}

/* The oldest instruction. A load or store at the head may wait for a miss register or the write buffer, and asks in each cycle. */
static uint64_t next_commit(const struct pipe *p, uint64_t now)
{
	if (!p->st->rob_count)
		return UINT64_MAX;
	const struct uop *u = pipe_rob_at(p, 0);
	if (u->state != UOP_DONE)
		return UINT64_MAX;
	if (pipe_commit_from(p, u) > now)
		return pipe_commit_from(p, u);
	return u->exec.stored ? wbuf_next_free(&p->mem.st->wbuf, p->mem.wbuf_limit, now - 1) : now;
}

/* Ready instructions whose units are all taken. Others that are ready wait for an instruction, not for a cycle. */
static uint64_t next_unit(const struct pipe *p, uint64_t now)
{
	uint64_t next = UINT64_MAX;
	for (uint32_t pools = p->st->ready_pools; pools; pools &= pools - 1) {
		const unsigned pool = (unsigned)__builtin_ctz(pools);
		for (uint32_t held = p->st->fu_held[pool]; held; held &= held - 1) {
			const uint64_t until = p->st->fu[pool][__builtin_ctz(held)].busy_until;
			if (until >= now)
				next = sooner(next, until);
		}
	}
	return next;
}

static uint64_t next_decode(const struct pipe *p, uint64_t now)
{
	if (p->st->dispatch_blocked || !p->st->fetchq_count)
		return UINT64_MAX;
	const uint64_t avail = pipe_fetchq_at(p, 0)->when.avail;
	return avail >= now ? avail + 1 : UINT64_MAX;
}

static uint64_t next_fetch(const struct pipe *p, uint64_t now)
{
	const struct pipe_state *st = p->st;
	if (st->fetch_blocked)
		return UINT64_MAX;
	if (st->redirect_until >= now)
		return st->redirect_until;
	if (st->fetchq_count == p->fetchq_limit)
		return UINT64_MAX;
	return st->fetch_waits && st->fetch_ready > now ? st->fetch_ready : now;
}

/* Timers of devices that may ask for an interrupt, or do so from this cycle on. */
static uint64_t next_interrupt(const struct pipe *p, uint64_t now)
{
	if (!p->prof->pending)
		return UINT64_MAX;
	if (prof_pending(p->prof) != p->hart->mip)
		return now;
	const uint64_t next = prof_next_cycle(p->prof), before = stats_guest_cycle(p->stats, 0);
	return next == UINT64_MAX ? UINT64_MAX : next > before + now ? next - before : now;
}

/* The first cycle from now on in which something may happen, `now` if that isn't known. */
static uint64_t next_event(const struct pipe *p, uint64_t now)
{
	const struct pipe_state *st = p->st;
	const struct vsample_state *v = p->prof->vsample.st;
	const bool held = p->prof->holds && (v->phase != VSAMPLE_AWAY || v->armed); /* armed: the program's cycles are counted down */
	if (held || st->xprof_seen || p->prof->st->busy || st->outcome.status != MACHINE_RUNNING)
		return now;
	uint64_t next = sooner(next_fetch(p, now), next_commit(p, now));
	next = sooner(next, sooner(next_decode(p, now), next_unit(p, now)));
	if (st->mem_retries)
		next = sooner(next, mshr_next_free(p->mem.st, now - 1));
	if (p->prof->count)
		next = sooner(next, next_interrupt(p, now));
	return next < now + WORTH_IT ? now : sooner(next, next_due(p, now));
}

static void note(const struct pipe *p, struct idle *idle)
{
#define I(field) idle->field = p->stats->field;
	IDLE_COUNTERS(I)
#undef I
#ifdef CYCLOPS_CHECK
	idle->all = *p->stats;
#endif
}

#ifdef CYCLOPS_CHECK
/* No other statistic of the pipeline's changed in the last cycle. Devices' may: they catch up when somebody looks. */
static void check(const struct pipe *p, const struct idle *idle)
{
	struct stats same = *p->stats;
#define I(field) same.field = idle->all.field;
	IDLE_COUNTERS(I)
#undef I
	for (size_t i = 0; i < stat_row_count; i++)
		if (!stat_rows[i].derived && !stat_device(&stat_rows[i]))
			assert(stat_value(&same, &stat_rows[i]) == stat_value(&idle->all, &stat_rows[i]));
}
#else
#define check(p, idle) ((void)0)
#endif

/* What the last cycle has added comes `times` more. */
static void repeat(struct pipe *p, const struct idle *idle, uint64_t times)
{
	check(p, idle);
#define I(field) p->stats->field += (p->stats->field - idle->field) * times;
	IDLE_COUNTERS(I)
#undef I
	p->st->cycle += times;
}

void idle_cycle(struct pipe *p, struct idle *idle, uint64_t until_cycle)
{
	const uint64_t now = p->st->cycle;
	if (!idle->next || idle->next + 1 != now) {
		idle->until = next_event(p, now);
		idle->next = idle->until >= now + WORTH_IT ? now : 0;
		if (idle->next)
			note(p, idle);
		return;
	}
	idle->next = 0;
	const uint64_t to = sooner(idle->until, until_cycle);
	if (to != UINT64_MAX && to > now)
		repeat(p, idle, to - now);
}
