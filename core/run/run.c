/* Beginning and end of run control, and forward motions. */
#include "core/run/run.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/machine/machine_priv.h"
#include "core/run/run_priv.h"

struct run *run_new(struct machine *m, const struct run_options *opt)
{
	struct run *r = alloc_zeroed(1, sizeof *r);
	if (!r)
		return NULL;
	r->options = *opt;
	run_reset(r, m);
	return r;
}

void run_free(struct run *r)
{
	if (!r)
		return;
	machine_set_reclaim(r->m, NULL, NULL);
	history_free(r);
	timeline_free(r);
	stops_free(r);
	free(r->cut);
	free(r);
}

static bool run_reclaim_history(void *ctx)
{
	return history_reclaim(ctx);
}

void run_reset(struct run *r, struct machine *m)
{
	r->m = m;
	machine_set_reclaim(m, run_reclaim_history, r);
	hook_position_cut(r, 0);
	timeline_begin(r);
	r->keeps_history = history_begin(r);
}

bool run_change(struct run *r, const struct change *c, struct err *err)
{
	if (r->moving)
		return err_set(err, "the machine is moving: a condition can't change it, a hook "
		                    "only after the cycle");
	if (!machine_change(r->m, c, err))
		return false;
	r->m->changed_cycle = UINT64_MAX; /* even if a listener changed it in this cycle */
	hook_position_cut(r, machine_cycle(r->m));
	history_cut(r, machine_cycle(r->m));
	timeline_cut(r, machine_cycle(r->m));
	return true;
}

void run_changed(struct run *r)
{
	uint64_t cycle = r->m->changed_cycle;
	r->m->changed_cycle = UINT64_MAX;
	if (cycle >= r->hist.newest)
		return;
	hook_position_cut(r, cycle);
	history_cut(r, cycle);
	timeline_cut(r, cycle);
}

void run_set_meter(struct run *r, run_meter *fn, void *ctx)
{
	r->meter = fn;
	r->meter_ctx = ctx;
}

void run_share_meter(struct run *r, const struct run *of)
{
	run_set_meter(r, of->meter, of->meter_ctx);
}

bool run_moving(const struct run *r)
{
	return r->moving;
}

void run_set_progress(struct run *r, run_progress *fn, void *ctx)
{
	r->progress = fn;
	r->progress_ctx = ctx;
}

bool run_report(struct run *r, const char *work)
{
	snprintf(r->work, sizeof r->work, "%s", work ? work : "");
	if (work && r->progress && r->progress(r->progress_ctx, machine_cycle(r->m)))
		run_interrupt(r);
	return machine_interrupted(r->m);
}

const char *run_work(const struct run *r)
{
	return *r->work ? r->work : NULL;
}

void run_interrupt(struct run *r)
{
	machine_interrupt(r->m);
}

static bool run_advance_forward(struct run *r, struct advance *a, struct run_stop_info *out,
                                struct err *err)
{
	*out = (struct run_stop_info){0};
	a->record = true;
	if (!watch_arm(r, err)) {
		r->moving = false;
		return false;
	}
	enum advance_end end = advance(r, a, out);
	watch_disarm(r);
	return motion_end(r, motion_reason(end), out);
}

static uint64_t run_saturating_add(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

bool run_cycles(struct run *r, uint64_t n, bool stops, struct run_stop_info *out, struct err *err)
{
	struct advance a = {.until_cycle = run_saturating_add(machine_cycle(r->m), n),
	                    .until_insts = UINT64_MAX};
	if (!motion_begin(r, err))
		return false;
	r->watch = (struct watch){.heed = stops};
	return run_advance_forward(r, &a, out, err);
}

bool run_insts(struct run *r, uint64_t n, bool stops, struct run_stop_info *out, struct err *err)
{
	struct advance a = {.until_cycle = UINT64_MAX,
	                    .until_insts = run_saturating_add(machine_committed(r->m), n)};
	if (!motion_begin(r, err))
		return false;
	r->watch = (struct watch){.heed = stops};
	return run_advance_forward(r, &a, out, err);
}

bool run_own_insts(struct run *r, uint64_t n, bool stops, struct run_stop_info *out,
                   struct err *err)
{
	struct advance a = {.until_cycle = n ? UINT64_MAX : machine_cycle(r->m),
	                    .until_insts = UINT64_MAX,
	                    .until_own = run_saturating_add(machine_insts(r->m), n)};
	if (!motion_begin(r, err))
		return false;
	r->watch = (struct watch){.heed = stops};
	return run_advance_forward(r, &a, out, err);
}

bool run_until(struct run *r, commit_goal *goal, void *ctx, struct run_stop_info *out,
               struct err *err)
{
	return run_until_event(r, &run_commits, goal, ctx, out, err);
}

bool run_until_event(struct run *r, const struct event_filter *of, commit_goal *goal, void *ctx,
                     struct run_stop_info *out, struct err *err)
{
	struct advance a = {.until_cycle = UINT64_MAX, .until_insts = UINT64_MAX};
	if (!motion_begin(r, err))
		return false;
	r->watch = (struct watch){.heed = true, .goal = goal, .goal_of = of, .goal_ctx = ctx};
	return run_advance_forward(r, &a, out, err);
}

bool run_continue(struct run *r, struct run_stop_info *out, struct err *err)
{
	return run_cycles(r, UINT64_MAX, true, out, err);
}
