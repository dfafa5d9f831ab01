/* The one loop that moves the machine, for the user's motions and for re-execution. */
#include <time.h>

#include "core/machine/machine_priv.h"
#include "core/run/run_priv.h"
#include "core/run/stall.h"

enum { REPORT_NS = 20000000 };

static uint64_t clock_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static uint64_t advance_min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

bool motion_begin(struct run *r, struct err *err)
{
	if (r->moving)
		return err_set(err,
		               "the machine is moving already: a condition or hook can't move it");
	r->moving = true;
	history_serve(r);
	run_changed(r);
	machine_clear_interrupt(r->m);
	machine_try_again(r->m);
	r->poll_cycle = 0;
	r->poll_ns = clock_ns() + REPORT_NS;
	return true;
}

enum stop_reason motion_reason(enum advance_end end)
{
	switch (end) {
	case ADVANCE_HIT:
		return STOPPED_BREAK;
	case ADVANCE_STOPPED:
		return STOPPED_EXIT;
	case ADVANCE_ASKED:
		return STOPPED_ASKED;
	case ADVANCE_INTERRUPT:
		return STOPPED_INTERRUPT;
	case ADVANCE_INPUT:
		return STOPPED_INPUT;
	case ADVANCE_STALLED:
		return STOPPED_STALLED;
	case ADVANCE_REACHED:
	case ADVANCE_GOAL:
		break;
	}
	return STOPPED_DONE;
}

bool motion_end(struct run *r, enum stop_reason reason, struct run_stop_info *out)
{
	uint64_t now = machine_cycle(r->m);
	const char *lacks = machine_lacks(r->m);
	out->reason = lacks ? STOPPED_STARVED : reason;
	if (r->hist.newest < now)
		r->hist.newest = now;
	timeline_rest(r);
	r->moving = false;
	machine_clear_interrupt(r->m);
	stops_sweep(r, now, out);
	return true;
}

void advance_place(struct advance *a, uint64_t from, uint64_t to)
{
	a->places = a->placed = 0;
	for (uint64_t d = (to - from) / 2; d >= FOCUS_NEAREST && a->places < FOCUS_PLACES; d /= 2)
		a->place[a->places++] = to - d;
}

static void tell_meter(struct run *r, uint64_t now)
{
	if (r->meter && now > r->metered && !r->meter(r->meter_ctx, now - r->metered))
		run_interrupt(r);
	r->metered = now;
}

/* Reports progress now and then, and interrupts the motion if the callback asks for it. */
static void advance_poll_progress(struct run *r, const struct advance *a, uint64_t now)
{
	r->poll_cycle = now + POLL_CYCLES;
	tell_meter(r, now);
	uint64_t ns = clock_ns();
	if (ns < r->poll_ns)
		return;
	r->poll_ns = ns + REPORT_NS;
	if (r->progress && r->progress(r->progress_ctx, a->shown_cycle ? a->shown_cycle : now))
		run_interrupt(r);
}

/* Takes the snapshots that are due now and returns the cycle of the next. */
static uint64_t keep_due(struct run *r, struct advance *a, uint64_t now)
{
	if (a->record && r->keeps_history) {
		uint64_t due = history_due(r);
		if (now < due)
			return due;
		/* If memory is out, or the budget drops the snapshot at once, history has a longer
		 * gap here. */
		due = history_keep_due(r) ? history_due(r) : 0;
		return due > now ? due : now + r->hist.spacing;
	}
	while (a->placed < a->places && now >= a->place[a->placed]) {
		history_keep(r, true);
		a->placed++;
	}
	return a->placed < a->places ? a->place[a->placed] : UINT64_MAX;
}

/* ---- callbacks on the way ---- */
static uint64_t look_due(const struct advance *a, uint64_t now)
{
	if (!a->each)
		return UINT64_MAX;
	return a->every ? now + a->every - (now - a->base) % a->every : now + 1;
}

static bool advance_is_callback_cycle(const struct advance *a, uint64_t now)
{
	return !a->every || now == a->until_cycle || (now - a->base) % a->every == 0;
}

/* The limit in the machine's count: firmware's instructions on the way only make it too early, and
 * the loop goes on. */
static uint64_t advance_insts_due(const struct advance *a, const struct machine *m)
{
	const uint64_t own = machine_insts(m), all = machine_committed(m);
	if (!a->until_own)
		return a->until_insts;
	return advance_min_u64(a->until_insts,
	                       a->until_own > own ? all + (a->until_own - own) : all);
}

static enum advance_end advance_run_loop(struct run *r, struct advance *a,
                                         struct run_stop_info *out)
{
	struct machine *m = r->m;
	struct watch *w = &r->watch;
	struct stall still;
	stall_begin(&still, m);
	for (;;) {
		uint64_t now = machine_cycle(m);
		uint64_t due = keep_due(r, a, now);
		timeline_pass(r);
		if (a->record) /* so that a cut on the way has points up to it */
			due = advance_min_u64(due, r->timeline.next);
		if (machine_status(m) == MACHINE_STARVED)
			return ADVANCE_INTERRUPT;
		if (machine_status(m) != MACHINE_RUNNING)
			return ADVANCE_STOPPED;
		const uint64_t insts = advance_insts_due(a, m);
		if (now >= a->until_cycle || machine_committed(m) >= insts)
			return ADVANCE_REACHED;
		if (a->record && now >= still.due && stall_stands(&still, m)) {
			*out = (struct run_stop_info){.waited = now - still.since};
			return ADVANCE_STALLED;
		}
		if (now >= r->poll_cycle)
			advance_poll_progress(r, a, now);
		bool stop = machine_interrupted(m);
		if (stop && (!a->record || now < r->hist.newest))
			return ADVANCE_INTERRUPT;
		watch_new_cycle(w);
		if (stop) /* one more cycle shows whether the guest waits for input */
			machine_step(m);
		else
			machine_run(m,
			            w->each_cycle ? now + 1
			                          : advance_min_u64(
							    advance_min_u64(
								    advance_min_u64(a->until_cycle,
			                                                            r->poll_cycle),
								    due),
							    look_due(a, now)),
			            insts);
		if (machine_cycle(m) == now) {
			if (stop && !machine_lacks(m))
				return ADVANCE_INPUT;
			continue;
		}
		if (a->each && advance_is_callback_cycle(a, machine_cycle(m)))
			a->each(a->each_ctx, m);
		run_changed(r);
		if (a->record && r->hist.newest < machine_cycle(m))
			r->hist.newest = machine_cycle(m);
		if ((w->pending || w->each_cycle || probes_changed(&m->pipe.probes)) &&
		    watch_hit(r, a->record, out))
			return ADVANCE_HIT;
		if (w->goal_met) {
			*out = (struct run_stop_info){.pc = w->goal_pc, .seq = w->goal_seq};
			return ADVANCE_GOAL;
		}
		if (stop)
			return ADVANCE_INTERRUPT;
		if (machine_stop_requested(m) && machine_status(m) == MACHINE_RUNNING)
			return ADVANCE_ASKED;
	}
}

enum advance_end advance(struct run *r, struct advance *a, struct run_stop_info *out)
{
	uint64_t from = machine_cycle(r->m);
	r->poll_cycle = r->metered = from; /* restored machines may be anywhere */
	if (a->record)
		r->heard_from = from;
	enum advance_end end =
		changes_catch_up(r->m) ? advance_run_loop(r, a, out) : ADVANCE_INTERRUPT;
	tell_meter(r, machine_cycle(r->m));
	if (!a->record)
		r->hist.reexecuted += machine_cycle(r->m) - from;
	return end;
}
