#include "core/pipe/idle.h"

#include <assert.h>
#include <string.h>

#include "core/defs/stats_fields.h"
#include "core/pipe/interrupt/handler.h"
#include "core/pipe/interrupt/interpret.h"
#include "core/pipe/memory/mshr.h"
#include "core/pipe/memory/wbuf.h"
#include "core/pipe/slot_rows.h"
#include "core/pipe/slots_until.h"
#include "core/pipe/window.h"
#include "core/pipe/xprof/xprof.h"
#include "core/prof/values/vsample.h"

/* Fewer idle cycles than this are faster to execute than to skip. */
enum { WORTH_IT = 2 };

static uint64_t idle_min_cycle(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Index of the first of n words that is not 0, n if all are. Most are 0, so it tests eight at
 * once. */
static size_t first_set(const uint64_t *w, size_t n)
{
	size_t i = 0;
	while (n - i >= 8 &&
	       !(w[i] | w[i + 1] | w[i + 2] | w[i + 3] | w[i + 4] | w[i + 5] | w[i + 6] | w[i + 7]))
		i += 8;
	while (i < n && !w[i])
		i++;
	return i;
}

/* The wheel by cycle: the bitmaps of small windows, the notes on their words of others. */
static const uint64_t *idle_wheel(const struct pipe *p)
{
	return p->rob_words > 2 ? p->wheel_words : p->wheel;
}

static uint32_t idle_words_of_cycle(const struct pipe *p)
{
	return p->rob_words > 2 ? 1 : p->rob_words;
}

/* The first cycle in [now, end) with an entry in the wheel; `end` if there is none. */
static uint64_t idle_next_wheel_cycle(const struct pipe *p, uint64_t now, uint64_t end)
{
	const uint32_t words = idle_words_of_cycle(p);
	const uint64_t *wheel = idle_wheel(p);
	const size_t from = now & (WHEEL - 1);
	const uint64_t cycles = end - now < WHEEL ? end - now : WHEEL;
	/* cycles before the wheel wraps around */
	const size_t straight = cycles < WHEEL - from ? cycles : WHEEL - from;
	size_t at = first_set(wheel + words * from, words * straight) / words;
	if (at == straight)
		at += first_set(wheel, words * (cycles - straight)) / words;
	return at < cycles ? now + at : end;
}

/* Whether the wheel has an entry for now or the next cycle, as it has in most cycles in which
 * nothing moves. */
static bool idle_ends_soon(const struct pipe *p, uint64_t now)
{
	const uint32_t words = idle_words_of_cycle(p);
	const uint64_t *this = idle_wheel(p) + words * (now & (WHEEL - 1));
	const uint64_t *next = idle_wheel(p) + words * ((now + 1) & (WHEEL - 1));
	static_assert(WORTH_IT == 2, "the cycles that are looked at");
	return (this[0] | this[words - 1] | next[0] | next[words - 1]) != 0;
}

/* When the complete head u, which traps, may go on; `now` if that isn't known. A wfi ends with an
 * interrupt, or with a fault if none can come. */
static uint64_t next_trap(const struct pipe *p, const struct uop *u, uint64_t now)
{
	if (u->trap == TRAP_DEVICE)
		return pipe_commit_from(p, u) + prof_access_cycles(p->prof, u->exec.addr);
	if (u->trap != TRAP_WFI || prof_next_cycle(p->prof) == UINT64_MAX)
		return now;
	return UINT64_MAX;
}

/* When the oldest instruction may commit; UINT64_MAX if it is not complete. A store at the head may
 * wait for the write buffer. */
static uint64_t next_commit(const struct pipe *p, uint64_t now)
{
	if (!p->st->rob_count)
		return UINT64_MAX;
	const struct uop *u = pipe_rob_at(p, 0);
	if (u->state != UOP_DONE)
		return UINT64_MAX;
	if (pipe_commit_from(p, u) > now)
		return pipe_commit_from(p, u);
	if (u->trap != TRAP_NONE)
		return next_trap(p, u, now);
	return u->exec.stored ? wbuf_next_free(&p->mem.st->wbuf, p->mem.wbuf_limit, now - 1) : now;
}

/* When a held unit becomes free: a ready instruction may wait for it. Other ready instructions wait
 * for an instruction, not for a cycle. */
static uint64_t next_unit(const struct pipe *p, uint64_t now)
{
	uint64_t next = UINT64_MAX;
	for (uint32_t pools = p->st->held_pools; pools; pools &= pools - 1) {
		const unsigned pool = (unsigned)__builtin_ctz(pools);
		for (uint32_t held = p->st->fu_held[pool]; held; held &= held - 1) {
			const uint64_t until = p->st->fu[pool][__builtin_ctz(held)].busy_until;
			if (until >= now)
				next = idle_min_cycle(next, until);
		}
	}
	return next;
}

/* When issue rules (scoreboard.h) may let a ready instruction go, or a store's data arrives; `now`
 * if that isn't known. */
static uint64_t next_rules(const struct pipe *p, uint64_t now)
{
	const struct pipe_state *st = p->st;
	if (p->unordered && st->mem_retries)
		return now;
	unsigned pool = 0;
	while (pool <= FU_POOL_COUNT && !any_ready(p, pool))
		pool++;
	if (pool > FU_POOL_COUNT)
		return UINT64_MAX;
	return st->memory_until > now ? st->memory_until : now;
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
	if (p->unified_port && st->port_until >= now)
		return st->port_until;
	return st->fetch_waits && st->fetch_ready > now ? st->fetch_ready : now;
}

/* When the CPI-stack row of unused commit slots may change because of Xprof. */
static uint64_t next_gap(const struct pipe *p, uint64_t now)
{
	return xprof_gap_until(p, pipe_next_to_go(p), now);
}

/* When a device may raise an interrupt; `now` if the pending ones change in this cycle. */
static uint64_t next_interrupt(const struct pipe *p, uint64_t now)
{
	if (!p->prof->pending)
		return UINT64_MAX;
	if (prof_pending(p->prof) != p->hart->mip)
		return now;
	const uint64_t next = prof_next_cycle(p->prof), before = stats_guest_cycle(p->stats, 0);
	return next == UINT64_MAX ? UINT64_MAX : next > before + now ? next - before : now;
}

/* When a busy device next has work. */
static uint64_t next_work(const struct pipe *p, uint64_t now)
{
	const uint64_t next = prof_rests_until(p->prof), before = stats_guest_cycle(p->stats, 0);
	return next == UINT64_MAX ? UINT64_MAX : next > before + now ? next - before : now;
}

/* True if the value sampler, between the two interrupts of a bounce, counts the program's cycles
 * down to the second. */
static bool counts_down(const struct pipe *p)
{
	const struct vsample_state *v = p->prof->vsample->st;
	return p->prof->holds && v->armed && v->user_left && v->phase == VSAMPLE_AWAY &&
	       p->stats->insts >= v->at && p->hart->mode == MODE_U;
}

/* The first cycle from `now` on in which the pipeline or a device may change, `now` if that isn't
 * known. */
static uint64_t next_event(const struct pipe *p, uint64_t now)
{
	const struct pipe_state *st = p->st;
	if (st->outcome.status != MACHINE_RUNNING)
		return now;
	const uint64_t work = p->prof->st->busy ? next_work(p, now) : UINT64_MAX;
	if (work < now + WORTH_IT)
		return now;
	if (interpret_holds(p)) /* no stage runs */
		return handler_rests(p) ? idle_min_cycle(work, p->prof->vsample->st->due) : now;
	if (st->signals_at <= now || idle_ends_soon(p, now))
		return now;
	uint64_t next =
		idle_min_cycle(work, idle_min_cycle(next_fetch(p, now), next_commit(p, now)));
	next = idle_min_cycle(next, st->signals_at);
	next = idle_min_cycle(next, idle_min_cycle(next_decode(p, now), next_unit(p, now)));
	if (next < now + WORTH_IT) /* what follows takes longer */
		return now;
	next = idle_min_cycle(next, slots_row_until(p, now));
	if (p->issue_rules)
		next = idle_min_cycle(next, next_rules(p, now));
	if (st->xprof_seen)
		next = idle_min_cycle(next, next_gap(p, now));
	if (st->mem_retries && p->mem.l1d_ports)
		return now;
	if (st->mem_retries)
		next = idle_min_cycle(next, mshr_next_free(p->mem.st, now - 1));
	if (p->prof->count)
		next = idle_min_cycle(next, next_interrupt(p, now));
	if (counts_down(p))
		next = idle_min_cycle(next, now + p->prof->vsample->st->user_left - 1);
	return next < now + WORTH_IT ? now : idle_next_wheel_cycle(p, now, next);
}

static void idle_save_counters(const struct pipe *p, struct idle *idle)
{
#define I(field) idle->field = p->stats->field;
	IDLE_COUNTERS(I)
#undef I
#ifdef CYCLOPS_CHECK
	idle->all = *p->stats;
#endif
}

#ifdef CYCLOPS_CHECK
/* Asserts that the last cycle changed no other statistic of the pipeline. Devices' may change: they
 * catch up when read. */
static void idle_check_counters(const struct pipe *p, const struct idle *idle)
{
	struct stats same = *p->stats;
#define I(field) same.field = idle->all.field;
	IDLE_COUNTERS(I)
#undef I
	*pipe_slot_counter(&same.counts, p->st->slot_row) -= p->slots;
	if (memcmp(&same, &idle->all, sizeof same) == 0)
		return;
	for (size_t i = 0; i < stat_row_count; i++)
		if (!stat_rows[i].derived && stat_device(&stat_rows[i]) == DEVICE_COUNT)
			assert(stat_value(&same, &stat_rows[i]) ==
			       stat_value(&idle->all, &stat_rows[i]));
}
#else
#define idle_check_counters(p, idle) ((void)0)
#endif

/* Adds `times` more what the last cycle added. */
static void idle_repeat_cycle(struct pipe *p, const struct idle *idle, uint64_t times)
{
	idle_check_counters(p, idle);
#define I(field) p->stats->field += (p->stats->field - idle->field) * times;
	IDLE_COUNTERS(I)
#undef I
	*pipe_slot_counter(p->counts, p->st->slot_row) += p->slots * times;
	if (counts_down(p))
		p->prof->vsample->st->user_left -= times;
	if (p->st->issue_cycle + 1 == p->st->cycle)
		p->st->issue_cycle += times;
	if (p->st->port_refused == p->st->cycle)
		p->st->port_refused += times;
	p->st->cycle += times;
}

void idle_cycle(struct pipe *p, struct idle *idle, uint64_t until_cycle)
{
	const uint64_t now = p->st->cycle;
	if (!idle->next || idle->next + 1 != now) {
		idle->until = next_event(p, now);
		idle->next = idle->until >= now + WORTH_IT ? now : 0;
		if (idle->next)
			idle_save_counters(p, idle);
		return;
	}
	idle->next = 0;
	const uint64_t to = idle_min_cycle(idle->until, until_cycle);
	if (to != UINT64_MAX && to > now)
		idle_repeat_cycle(p, idle, to - now);
}
