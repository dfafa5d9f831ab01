/* Reverse execution. A motion begins with a copy of the present, to which an interrupt returns: it
 * then has moved nothing.
 *
 * Searching goes from snapshot to snapshot into the past: each interval in which a stop point may
 * have been hit (interval_summary.c) is re-executed with stop points armed, and the last hit in it,
 * if any, is the target. */
#include "core/defs/choices.h"
#include "core/run/choose.h"
#include "core/run/run_priv.h"

bool run_back_cycles(struct run *r, uint64_t n, struct run_stop_info *out, struct err *err)
{
	struct snapshot *here;
	uint64_t now = machine_cycle(r->m);
	if (!travel_depart(r, &here, err))
		return false;
	*out = (struct run_stop_info){0};
	uint64_t first = r->hist.kept[0].cycle;
	bool all = now - first >= n;
	return travel_land(r, here, all ? now - n : first, all ? STOPPED_DONE : STOPPED_BEGIN, out);
}

/* Index of the latest snapshot with fewer than `insts` committed; 0 if none has. */
static size_t before_insts(const struct run *r, uint64_t insts)
{
	size_t i = r->hist.count;
	while (i > 1 && r->hist.kept[i - 1].insts >= insts)
		i--;
	return i - 1;
}

/* Latest cycle before `now` that committed an instruction and by whose end at most `insts` were
 * committed; UINT64_MAX: interrupted. The first cycle if there is none. */
static uint64_t find_boundary(struct run *r, uint64_t insts, uint64_t now)
{
	const struct machine *m = r->m;
	struct run_stop_info none;
	uint64_t near = insts > PIPE_WIDTH_MAX ? insts - PIPE_WIDTH_MAX : 0;
	/* The snapshot has committed fewer than `near`, so the boundary can't lie before it. */
	travel_restore(r, before_insts(r, near));
	uint64_t found = machine_cycle(m), committed = machine_committed(m);
	struct advance a = {.until_cycle = now,
	                    .until_insts = near > committed ? near : committed + 1};
	advance_place(&a, found, now);
	for (;;) {
		enum advance_end end = advance(r, &a, &none);
		if (end == ADVANCE_INTERRUPT)
			return UINT64_MAX;
		if (machine_cycle(m) >= now || machine_committed(m) > insts ||
		    machine_committed(m) < a.until_insts)
			return found;
		found = machine_cycle(m);
		a.until_insts = machine_committed(m) + 1;
	}
}

bool run_back_insts(struct run *r, uint64_t n, struct run_stop_info *out, struct err *err)
{
	struct snapshot *here;
	uint64_t now = machine_cycle(r->m), insts = machine_committed(r->m);
	if (!travel_depart(r, &here, err))
		return false;
	*out = (struct run_stop_info){0};
	const struct kept *first = &r->hist.kept[0];
	if (!n || now == first->cycle)
		return travel_land(r, here, now, n ? STOPPED_BEGIN : STOPPED_DONE, out);
	if (insts - first->insts < n)
		return travel_land(r, here, first->cycle, STOPPED_BEGIN, out);
	machine_mute(r->m, true);
	uint64_t cycle = find_boundary(r, insts - n, now);
	machine_mute(r->m, false);
	return travel_land(r, here, cycle, STOPPED_DONE, out);
}

/* Re-executes from a snapshot to `end` and remembers the last hit: its cycle in *found. False:
 * interrupted. */
static bool reverse_scan_interval(struct run *r, size_t from, uint64_t end, uint64_t *found,
                                  struct run_stop_info *hit, enum stop_reason *reason)
{
	struct run_stop_info info;
	travel_restore(r, from);
	watch_rebase(r);
	struct advance a = {.until_cycle = end,
	                    .until_insts = UINT64_MAX,
	                    .shown_cycle = r->hist.kept[from].cycle};
	if (end - a.shown_cycle > SPACING)
		advance_place(&a, a.shown_cycle, end);
	for (;;) {
		enum advance_end e = advance(r, &a, &info);
		if (e == ADVANCE_INTERRUPT)
			return false;
		if (e != ADVANCE_HIT && e != ADVANCE_GOAL)
			return true;
		*found = machine_cycle(r->m);
		*hit = info;
		*reason = motion_reason(e);
	}
}

/* Goes back to the last hit of the watch, or to the cycle that choose, if not NULL, names. */
static bool reverse_search_last_hit(struct run *r, const struct event_filter *of, commit_goal *goal,
                                    run_choice *choose, void *ctx, struct run_stop_info *out,
                                    struct err *err)
{
	struct snapshot *here;
	struct run_stop_info hit = {0};
	enum stop_reason reason = STOPPED_BEGIN;
	uint64_t now = machine_cycle(r->m), found = UINT64_MAX;
	if (!travel_depart(r, &here, err))
		return false;
	uint64_t first = r->hist.kept[0].cycle;
	*out = hit;
	if (now == first)
		return travel_land(r, here, first, STOPPED_BEGIN, out);
	machine_mute(r->m, true);
	r->watch = (struct watch){.heed = true, .goal = goal, .goal_of = of, .goal_ctx = ctx};
	if (!watch_arm(r, err)) {
		machine_mute(r->m, false);
		snapshot_free(here);
		r->moving = false;
		return false;
	}
	bool whole = true;
	/* Skip the present: a hit there is where we come from. */
	for (uint64_t end = now - 1; whole && found == UINT64_MAX && end > first;) {
		size_t from = history_at(r, end - 1);
		uint64_t start = r->hist.kept[from].cycle;
		const struct kept *next = from + 1 < r->hist.count ? &r->hist.kept[from + 1] : NULL;
		if (interval_may_hit(r, from, next && next->cycle <= now ? next->s : here))
			whole = reverse_scan_interval(r, from, end, &found, &hit, &reason);
		uint64_t chosen;
		if (whole && choose && choose(ctx, found == UINT64_MAX ? 0 : found, &chosen)) {
			found = chosen;
			hit = (struct run_stop_info){0};
			reason = STOPPED_DONE;
		}
		end = start;
	}
	watch_disarm(r);
	machine_mute(r->m, false);
	*out = hit;
	if (!whole)
		found = UINT64_MAX;
	else if (reason == STOPPED_BEGIN)
		found = first;
	return travel_land(r, here, found, reason, out);
}

bool run_back_until(struct run *r, commit_goal *goal, void *ctx, struct run_stop_info *out,
                    struct err *err)
{
	return reverse_search_last_hit(r, &run_commits, goal, NULL, ctx, out, err);
}

bool run_back_choose(struct run *r, commit_goal *note, run_choice *choose, void *ctx,
                     struct run_stop_info *out, struct err *err)
{
	return reverse_search_last_hit(r, &run_commits, note, choose, ctx, out, err);
}

bool run_back_until_event(struct run *r, const struct event_filter *of, commit_goal *goal,
                          void *ctx, struct run_stop_info *out, struct err *err)
{
	return reverse_search_last_hit(r, of, goal, NULL, ctx, out, err);
}

bool run_back_continue(struct run *r, struct run_stop_info *out, struct err *err)
{
	return reverse_search_last_hit(r, NULL, NULL, NULL, NULL, out, err);
}
