/* Summaries of what may have happened between two snapshots, so that a search backwards can pass
 * over the interval.
 *
 * A summary covers the cycles from its snapshot to the next one, or to the newest cycle: the code
 * fetched, by blocks; the statistics that rose; the pages to which stores in flight at its
 * beginning had written. All other written pages are pages that the two snapshots do not share. It
 * may include more than happened, never less. Noting costs the pipeline a byte for each line
 * fetched.
 *
 * run.c's `noted` and the pipeline's blocks cover the cycles since interval_begin(), which is
 * called at each new snapshot, and whenever the machine goes elsewhere. interval_note() adds them
 * to the last summary before; all earlier summaries are complete. */
#include "core/defs/event_fields.h"
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/defs/stats_fields.h"
#include "core/machine/machine_priv.h"
#include "core/mem/mem.h"
#include "core/run/run_priv.h"

#define WORD(field) (unsigned)(offsetof(struct stats, field) / sizeof(uint64_t))

enum { STATS_WORDS = sizeof(struct stats) / sizeof(uint64_t) };

/* Each event of these kinds increases one of its kind's statistics in the same cycle; events of
 * other kinds may leave no trace. */
static const struct {
	enum event_id id;
	unsigned word;
} counted[] = {
	{EV_MISFETCH, WORD(misfetches)},
	{EV_SQUASH, WORD(squashes)},
	{EV_REPLAY, WORD(order_violations)},
	{EV_REPLAY, WORD(size_replays)},
	{EV_REPLAY, WORD(synonym_replays)},
	{EV_DROP, WORD(xprof_dropped)},
	{EV_CONTROL, WORD(xprof_control)},
	{EV_SKIP, WORD(xprof_skips)},
	{EV_PROFILE_MISFETCH, WORD(xprof_misfetches)},
	{EV_FLAG_MISPREDICT, WORD(xprof_flag_mispredicts)},
	{EV_TUPLE, WORD(sampler_selected)},
	{EV_MESSAGE, WORD(sampler_messages)},
	{EV_SAMPLE, WORD(cop_records)},
	{EV_MICRO, WORD(cop_micro)},
	{EV_MICRO, WORD(cop_skipped)},
	{EV_COP_INTERRUPT, WORD(cop_interrupts)},
	{EV_VSAMPLE, WORD(vsample_interrupts)},
	{EV_VSAMPLE, WORD(vsample_bounces)},
	{EV_INTERPRET, WORD(vsample_insts)},
	{EV_SYSCALL, WORD(syscalls)},
	{EV_OUTPUT, WORD(syscalls)},
	{EV_EXIT, WORD(syscalls)},
	{EV_INTERRUPT, WORD(firmware_interrupts)},
};
enum { COUNTED = sizeof counted / sizeof *counted };

/* Events whose pc is that of an instruction in flight. */
#define OF_INSTRUCTIONS                                                                            \
	(EV_BIT(FETCH) | EV_BIT(PREDICT) | EV_BIT(DECODE) | EV_BIT(MISFETCH) | EV_BIT(DISPATCH) |  \
	 EV_BIT(ISSUE) | EV_BIT(MEM) | EV_BIT(WRITEBACK) | EV_BIT(RESOLVE) | EV_BIT(COMMIT) |      \
	 EV_BIT(LEAVE) | EV_BIT(STORE) | EV_BIT(DROP) | EV_BIT(CONTROL) | EV_BIT(SYSCALL))

/* blocks, pages: a larger range counts as hit */
enum { CODE_MAX = 64, PAGES_MAX = 64 };

static uint64_t page_bit(uint64_t addr)
{
	return UINT64_C(1) << (addr >> PAGE_LOG2 & 63);
}

static bool has_bit(const uint64_t *bits, uint64_t i)
{
	return bits[i / 64] >> i % 64 & 1;
}

static void set_bit(uint64_t *bits, uint64_t i)
{
	bits[i / 64] |= UINT64_C(1) << i % 64;
}

static uint64_t interval_code_block(const struct pipe *p, uint64_t addr)
{
	return (addr & ~p->line_mask) >> FETCHED_LOG2 & (FETCHED_BLOCKS - 1);
}

struct interval_summary *interval_new(const struct machine *m)
{
	const struct pipe *p = machine_pipe(m);
	const struct pipe_state *st = p->st;
	struct interval_summary *t = alloc_zeroed(1, sizeof *t);
	if (!t)
		return NULL;
	set_bit(t->code, interval_code_block(p, st->fetch_line));
	for (uint32_t i = 0; i < st->fetchq_count; i++)
		set_bit(t->code, interval_code_block(p, pipe_fetchq_at(p, i)->pc));
	for (uint32_t i = 0; i < st->rob_count; i++)
		set_bit(t->code, interval_code_block(p, pipe_rob_at(p, i)->pc));
	for (uint32_t i = 0; i < st->lsq_count; i++) {
		const struct exec *e = &pipe_lsq_at(p, i)->exec;
		if (e->stored)
			t->stores |= page_bit(e->addr) | page_bit(e->addr + e->size - 1);
	}
	return t;
}

struct interval_summary *interval_join(struct interval_summary *to,
                                       const struct interval_summary *more)
{
	if (!to || !more) {
		free(to);
		return NULL;
	}
	for (size_t i = 0; i < sizeof to->code / sizeof *to->code; i++)
		to->code[i] |= more->code[i];
	for (size_t i = 0; i < sizeof to->rose / sizeof *to->rose; i++)
		to->rose[i] |= more->rose[i];
	to->stores |= more->stores;
	return to;
}

void interval_begin(struct run *r)
{
	memcpy(r->noted, machine_stats(r->m), sizeof(struct stats));
	memset(r->m->pipe.fetched, 0, sizeof r->m->pipe.fetched);
}

void interval_note(struct run *r)
{
	const struct kept *last = r->hist.count ? &r->hist.kept[r->hist.count - 1] : NULL;
	struct interval_summary *t =
		last && machine_cycle(r->m) > last->cycle ? last->summary : NULL;
	uint64_t is[STATS_WORDS];
	if (!t)
		return;
	memcpy(is, machine_stats(r->m), sizeof is);
	for (unsigned i = 0; i < STATS_WORDS; i++)
		if (r->noted[i] != is[i])
			set_bit(t->rose, i);
	for (unsigned i = 0; i < FETCHED_BLOCKS; i++)
		if (r->m->pipe.fetched[i])
			set_bit(t->code, i);
}

/* ---- queries ---- */
/* Whether code at [lo, hi) may have been in flight. An instruction belongs to the line of its last
 * byte. */
static bool was_fetched(const struct run *r, const struct interval_summary *t, uint64_t lo,
                        uint64_t hi)
{
	const struct pipe *p = machine_pipe(r->m);
	const uint64_t step = UINT64_C(1) << FETCHED_LOG2, last = hi + XPROF_BYTES_MAX;
	if (hi <= lo || last < hi || (last - lo) / step > CODE_MAX)
		return true;
	for (uint64_t at = lo & ~p->line_mask; at <= last; at += step)
		if (has_bit(t->code, interval_code_block(p, at)))
			return true;
	return false;
}

static bool interval_memory_was_written(const struct kept *k, const struct snapshot *end,
                                        uint64_t addr, uint64_t n)
{
	if (!n || n > (uint64_t)PAGES_MAX << PAGE_LOG2 || addr + n < addr)
		return true;
	for (uint64_t pn = addr >> PAGE_LOG2; pn <= (addr + n - 1) >> PAGE_LOG2; pn++)
		if (k->summary->stores & page_bit(pn << PAGE_LOG2))
			return true;
	return !snapshot_same_memory(k->s, end, addr, n);
}

static bool may_come(const struct interval_summary *t, unsigned id)
{
	bool any = false;
	for (unsigned i = 0; i < COUNTED; i++) {
		if (counted[i].id != id)
			continue;
		any = true;
		if (has_bit(t->rose, counted[i].word))
			return true;
	}
	return !any;
}

static bool may_pass(const struct run *r, const struct interval_summary *t,
                     const struct event_filter *f)
{
	bool code = !f->pc_hi || was_fetched(r, t, f->pc_lo, f->pc_hi);
	for (uint64_t left = f->mask; left; left &= left - 1)
		if (may_come(t, (unsigned)__builtin_ctzll(left)) &&
		    (code || !((left & -left) & OF_INSTRUCTIONS)))
			return true;
	return false;
}

/* Whether the watched value may have changed. Known only if all its sources are counters that never
 * fall: then a change shows at the ends. */
static bool may_change(const struct interval_summary *t, const struct stop_point *sp)
{
	for (unsigned i = 0; i < sp->sources; i++)
		if (sp->source[i].kind != SOURCE_COUNTER ||
		    sp->source[i].n == offsetof(struct stats, cpi_base) ||
		    has_bit(t->rose, sp->source[i].n / sizeof(uint64_t)))
			return true;
	return !sp->sources;
}

static bool may_hit(const struct run *r, const struct kept *k, const struct stop_point *sp,
                    const struct snapshot *end)
{
	switch (sp->kind) {
	case STOP_POINT_PC:
		return was_fetched(r, k->summary, sp->addr, sp->addr + 1);
	case STOP_POINT_MEMORY:
		return interval_memory_was_written(k, end, sp->addr, sp->size);
	case STOP_POINT_EVENT:
		return may_pass(r, k->summary, &sp->filter);
	case STOP_POINT_MICRO:
		return may_come(k->summary, EV_MICRO);
	case STOP_POINT_VALUE:
		return may_change(k->summary, sp);
	case STOP_POINT_REG:
		break;
	}
	return true;
}

/* True if a call may have been left; backwards, at its beginning. */
static bool may_cross(const struct run *r, const struct interval_summary *t,
                      const struct stop_point *sp)
{
	return sp->edges && was_fetched(r, t, sp->edge[0], sp->edge[0] + 1);
}

bool interval_may_hit(const struct run *r, size_t index, const struct snapshot *end)
{
	const struct kept *k = &r->hist.kept[index];
	if (!k->summary || r->watch.goal || r->options.search_all)
		return true;
	for (size_t i = 0; i < r->stop_count; i++)
		if (r->stop[i]->sp.enabled && !r->stop[i]->deleted &&
		    (may_hit(r, k, &r->stop[i]->sp, end) ||
		     may_cross(r, k->summary, &r->stop[i]->sp)))
			return true;
	return false;
}
