/* Cycles that each event hook has seen. When history is truncated, later events must be delivered
 * again; this file keeps the truncation points. A point is dropped when a later cut lies before it.
 * Each hook reads them when it next calls run_first_time(). */
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/machine/machine_priv.h"
#include "core/run/run_priv.h"
#include "core/run/trial.h"

/* Ascending by number and by cycle: the first above a number is the earliest cycle cut since. */
struct run_cut {
	uint64_t number; /* of r->cuts */
	uint64_t cycle;
};

void hook_position_cut(struct run *r, uint64_t cycle)
{
	r->cuts++;
	while (r->cut_count && r->cut[r->cut_count - 1].cycle >= cycle)
		r->cut_count--;
	if (r->cut_count == r->cut_room) {
		size_t room = r->cut_room ? 2 * r->cut_room : 16;
		struct run_cut *grown = alloc_try_resize(r->cut, room * sizeof *grown);
		/* join two: too early for some hooks, which then see events twice */
		if (!grown) {
			if (r->cut_count)
				r->cut[r->cut_count - 1].number = r->cuts;
			return;
		}
		r->cut = grown;
		r->cut_room = room;
	}
	r->cut[r->cut_count++] = (struct run_cut){r->cuts, cycle};
}

static void forget_behind(struct hook_position *h, uint64_t cycle)
{
	while (h->spans && h->span[h->spans - 1].from >= cycle)
		h->spans--;
	if (h->spans && h->span[h->spans - 1].to > cycle)
		h->span[h->spans - 1].to = cycle;
}

static void look_at_cuts(const struct run *r, struct hook_position *h)
{
	size_t i = r->cut_count;
	while (i && r->cut[i - 1].number > h->cuts)
		i--;
	if (i < r->cut_count)
		forget_behind(h, r->cut[i].cycle);
	h->cuts = r->cuts;
}

uint64_t trial_first_cut(const struct run *r, uint64_t cuts)
{
	size_t i = r->cut_count;
	while (i && r->cut[i - 1].number > cuts)
		i--;
	return i == r->cut_count ? UINT64_MAX : r->cut[i].cycle;
}

bool trial_lasts(const struct run *r, uint64_t cycle, uint64_t cuts)
{
	return trial_first_cut(r, cuts) > cycle;
}

static bool has_heard(const struct hook_position *h, uint64_t cycle)
{
	for (unsigned i = 0; i < h->spans; i++)
		if (cycle > h->span[i].from && cycle <= h->span[i].to)
			return true;
	return false;
}

static void hook_position_remove_span(struct hook_position *h, unsigned i)
{
	h->spans--;
	for (; i < h->spans; i++)
		h->span[i] = h->span[i + 1];
}

/* Joins the two spans with the shortest gap between them. */
static void join_nearest(struct hook_position *h)
{
	unsigned near = 0;
	for (unsigned i = 1; i + 1 < h->spans; i++)
		if (h->span[i + 1].from - h->span[i].to < h->span[near + 1].from - h->span[near].to)
			near = i;
	h->span[near].to = h->span[near + 1].to;
	hook_position_remove_span(h, near + 1);
}

static void hook_position_add_span(struct hook_position *h, uint64_t from, uint64_t to)
{
	unsigned at = 0;
	while (at < h->spans && h->span[at].to < from)
		at++;
	while (at < h->spans && h->span[at].from <= to) {
		from = h->span[at].from < from ? h->span[at].from : from;
		to = h->span[at].to > to ? h->span[at].to : to;
		hook_position_remove_span(h, at);
	}
	for (unsigned i = h->spans++; i > at; i--)
		h->span[i] = h->span[i - 1];
	h->span[at].from = from;
	h->span[at].to = to;
	if (h->spans > RUN_SPANS)
		join_nearest(h);
}

bool run_first_time(struct run *r, struct hook_position *h)
{
	uint64_t now = machine_cycle(r->m);
	run_changed(r); /* a listener may have changed the past one cycle ago, in this motion */
	/* Only restoring a snapshot leads to the same cycle again. */
	if (r->moving && h->cycle == now && h->restored == r->m->restored && h->cuts == r->cuts)
		return h->first;
	if (h->cuts != r->cuts)
		look_at_cuts(r, h);
	h->cycle = now;
	h->restored = r->m->restored;
	/* Between motions an event is of a change by hand, so it is new. */
	h->first = !r->moving || !has_heard(h, now);
	hook_position_add_span(h, r->moving && r->heard_from < now ? r->heard_from : now - 1, now);
	return h->first;
}
