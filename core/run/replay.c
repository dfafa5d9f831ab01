/* Executes recorded history again for a listener added later. */
#include "core/run/run_priv.h"

static bool replay_check_recorded(const struct run *r, uint64_t cycle, struct err *err)
{
	uint64_t first = r->hist.kept[0].cycle, newest = r->hist.newest;
	if (cycle >= first && cycle <= newest)
		return true;
	return err_set(err, "cycle %llu is not recorded: history reaches from %llu to %llu",
	               (unsigned long long)cycle, (unsigned long long)first,
	               (unsigned long long)newest);
}

/* Returns to the present; `whole`: the way was not interrupted. */
static bool replay_return_to_present(struct run *r, struct snapshot *here, bool whole,
                                     struct err *err)
{
	struct run_stop_info none = {0};
	travel_back(r, here);
	snapshot_free(here);
	motion_end(r, STOPPED_DONE, &none);
	if (whole)
		return true;
	if (machine_lacks(r->m))
		return err_set(err, "%s", machine_lacks(r->m));
	return err_set(err, "interrupted");
}

bool run_look(struct run *r, uint64_t cycle, run_look_fn *fn, void *ctx, struct err *err)
{
	struct snapshot *here;
	if (!travel_possible(r, err) || !replay_check_recorded(r, cycle, err) ||
	    !travel_depart(r, &here, err))
		return false;
	bool whole = travel_to(r, cycle);
	if (whole)
		fn(ctx, r->m);
	return replay_return_to_present(r, here, whole, err);
}

bool run_replay_cycles(struct run *r, uint64_t from, uint64_t to, const struct event_filter *filter,
                       event_fn *fn, run_look_fn *each, void *ctx, struct err *err)
{
	struct snapshot *here;
	struct run_stop_info none = {0};
	if (!travel_possible(r, err) || !replay_check_recorded(r, from, err) ||
	    !travel_depart(r, &here, err))
		return false;
	uint64_t newest = r->hist.newest;
	bool whole = travel_to(r, from);
	int id = 0;
	if (whole) {
		struct advance a = {.until_cycle = to < newest ? to : newest,
		                    .until_insts = UINT64_MAX,
		                    .each = each,
		                    .each_ctx = ctx};
		machine_mute(r->m, true);
		id = machine_listen(r->m, filter, fn, ctx);
		if (each)
			each(ctx, r->m);
		if (id)
			whole = advance(r, &a, &none) != ADVANCE_INTERRUPT;
		machine_unlisten(r->m, id);
		machine_mute(r->m, false);
	}
	return replay_return_to_present(r, here, whole, err) &&
	       (id || err_set(err, "out of memory for replaying history"));
}

bool run_sample(struct run *r, uint64_t from, uint64_t to, uint64_t width, run_look_fn *fn,
                void *ctx, struct err *err)
{
	struct snapshot *here;
	struct run_stop_info none = {0};
	if (!travel_possible(r, err) || !replay_check_recorded(r, from, err) ||
	    !replay_check_recorded(r, to, err) || !travel_depart(r, &here, err))
		return false;
	bool whole = travel_to(r, from);
	if (whole) {
		struct advance a = {.until_cycle = to,
		                    .until_insts = UINT64_MAX,
		                    .each = fn,
		                    .every = width,
		                    .base = r->timeline.first,
		                    .each_ctx = ctx};
		machine_mute(r->m, true);
		fn(ctx, r->m);
		whole = advance(r, &a, &none) != ADVANCE_INTERRUPT && machine_cycle(r->m) == to;
		machine_mute(r->m, false);
	}
	return replay_return_to_present(r, here, whole, err);
}

bool run_replay(struct run *r, uint64_t from, uint64_t to, const struct event_filter *filter,
                event_fn *fn, void *ctx, struct err *err)
{
	return run_replay_cycles(r, from, to, filter, fn, NULL, ctx, err);
}
