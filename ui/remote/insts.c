/* Moves by a number of instructions, of the program and of firmware, whichever thread's. */
#include "core/pipe/pipe.h"
#include "ui/remote/mover_priv.h"

/* The place is after `target` committed instructions, in this cycle. */
static void insts_place(struct mover *v, uint64_t target)
{
	const struct group g = spot_group(v->at);
	uint64_t past = machine_committed(v->s->machine) - target;
	if (past && past <= g.n) {
		mover_before(v, g.n - (unsigned)past, HALT_STEP, 0);
		return;
	}
	mover_halt(v, HALT_STEP, 0);
	/* Places before changes by hand are known one by one. */
	if (spot_is_changed(v->at))
		for (; past && v->halt.kind == HALT_STEP; past--)
			motion_back_step(v);
}

/* Walks over instructions [i, end) of the group, up to a stop; check: a breakpoint at the first
 * counts. */
static bool insts_walk(struct mover *v, unsigned i, unsigned end, bool check)
{
	const struct group g = spot_group(v->at);
	for (; i < end && i < g.n; i++, check = true)
		if (mover_over(v, &g, i, check))
			return true;
	return false;
}

/* The number of instructions of the group that were done at the place. */
static unsigned insts_done(const struct mover *v)
{
	const unsigned n = spot_group(v->at).n;
	return n - (v->at->back < n ? v->at->back : n);
}

void motion_insts(struct mover *v, uint64_t n)
{
	const struct machine *m = v->s->machine;
	struct run_stop_info info = {0};
	struct err err;
	const unsigned first = insts_done(v), back = v->at->back;
	if (back && insts_walk(v, first, first + (unsigned)(n < back ? n : back), false))
		return;
	if (n < back) {
		v->at->back -= (unsigned)n;
		mover_halt(v, HALT_STEP, 0);
		return;
	}
	n -= back;
	mover_pass_group(v);
	if (back && mover_at_end(v, true))
		return;
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
		const uint64_t now = machine_committed(m);
		const unsigned past = now > target ? (unsigned)(now - target) : 0;
		done = info.reason == STOPPED_BREAK &&
		       insts_walk(v, 0, spot_group(v->at).n - past, mover_has_passed(v, from));
		/* Hits after the target are left to the next motion. */
		if (!past || info.reason != STOPPED_BREAK)
			done = done || mover_explain(v, &info);
	} while (!done && machine_committed(m) < target);
	if (!done)
		insts_place(v, target);
}

bool insts_until(void *ctx, const struct machine *m, const struct event *ev)
{
	const uint64_t target = *(const uint64_t *)ctx;
	const struct pipe *p = machine_pipe(m);
	uint64_t number = machine_committed(m);
	if (number <= target || number > target + GROUP_MAX)
		return number <= target;
	for (uint32_t i = 0; i < p->pool_size; i++)
		number -= p->pool[i].state == UOP_RETIRED && p->pool[i].when.end == ev->cycle &&
		          p->pool[i].seq > ev->seq;
	return number <= target;
}

/* Goes back to after `target` committed instructions, or to a stop later than these. */
static void insts_back_to_stop(struct mover *v, uint64_t target)
{
	const struct machine *m = v->s->machine;
	struct run_stop_info info = {0};
	struct err err;
	bool done = false, here;
	do {
		if (mover_failed(v, run_back_until(v->s->run, insts_until, &target, &info, &err),
		                 &err))
			return;
		spot_reset(v->at);
		mover_leg(v, &info, false);
		if (info.reason == STOPPED_BEGIN && machine_committed(m) == target)
			break;
		if (info.reason != STOPPED_DONE && info.reason != STOPPED_BREAK) {
			mover_explain(v, &info);
			return;
		}
		const uint64_t past = machine_committed(m) - target;
		const unsigned n = spot_group(v->at).n;
		here = past <= (spot_is_changed(v->at) ? GROUP_MAX : n);
		done = mover_at_end(v, false) ||
		       mover_walk_backward(v, past < n ? n - (unsigned)past : 0, n);
	} while (!done && !here);
	if (!done)
		insts_place(v, target);
}

void motion_back_insts(struct mover *v, uint64_t n)
{
	const struct machine *m = v->s->machine;
	const unsigned done = insts_done(v);
	struct run_stop_info info = {0};
	struct err err;
	if (n && mover_walk_backward(v, n < done ? done - (unsigned)n : 0, done))
		return;
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
	if (n && back <= here && run_stop_at(v->s->run, 0)) {
		insts_back_to_stop(v, here - back);
		return;
	}
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
