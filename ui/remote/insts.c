/* Moves by a number of instructions, of the program and of firmware, whichever thread's. */
#include "core/pipe/pipe.h"
#include "ui/remote/mover_priv.h"

/* The place is after `target` committed instructions, in this cycle. */
static void insts_place(struct mover *v, uint64_t target)
{
	const struct group g = spot_group(v->at);
	const uint64_t past = machine_committed(v->s->machine) - target;
	if (past && past <= g.n)
		mover_before(v, g.n - (unsigned)past, HALT_STEP, 0);
	else
		mover_halt(v, HALT_STEP, 0);
}

void motion_insts(struct mover *v, uint64_t n)
{
	const struct machine *m = v->s->machine;
	struct run_stop_info info = {0};
	struct err err;
	if (n < v->at->back) {
		v->at->back -= (unsigned)n;
		mover_halt(v, HALT_STEP, 0);
		return;
	}
	n -= v->at->back;
	mover_pass_group(v);
	if (!n || v->halt.kind == HALT_FAILED || !mover_begin(v, true))
		return;
	const uint64_t from = machine_insts(m), target = machine_committed(m) + n;
	bool done;
	do {
		if (mover_failed(v, run_insts(v->s->run, target - machine_committed(m), true, &info,
		                              &err),
		                 &err))
			return;
		mover_leg(v, &info, true);
		spot_reset(v->at);
		done = info.reason == STOPPED_BREAK &&
		       mover_walk_to_stop(v, mover_has_passed(v, from));
		if (done && machine_committed(m) - v->at->back > target)
			done = false;
		else
			done = done || mover_explain(v, &info);
	} while (!done && machine_committed(m) < target);
	if (!done)
		insts_place(v, target);
}

void motion_back_insts(struct mover *v, uint64_t n)
{
	const struct machine *m = v->s->machine;
	const struct group g = spot_group(v->at);
	const unsigned done = g.n - (v->at->back < g.n ? v->at->back : g.n);
	struct run_stop_info info = {0};
	struct err err;
	if (n && n <= done) {
		mover_before(v, done - (unsigned)n, HALT_STEP, 0);
		return;
	}
	/* Places before changes by hand are visited one by one. */
	if (v->at->ahead || spot_is_changed(v->at)) {
		for (; n && v->halt.kind == HALT_STEP; n--)
			motion_back_step(v);
		return;
	}
	const uint64_t here = machine_committed(m), back = v->at->back + n;
	spot_reset(v->at);
	bool began = run_back_insts(v->s->run, back, &info, &err);
	if (began && info.reason == STOPPED_DONE && here - back > machine_committed(m))
		began = run_insts(v->s->run, 1, false, &info, &err);
	if (mover_failed(v, began, &err))
		return;
	mover_leg(v, &(struct run_stop_info){0}, false);
	if (info.reason != STOPPED_DONE)
		mover_explain(v, &info);
	else
		insts_place(v, here - back);
}
