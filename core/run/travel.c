/* Goes to a recorded cycle: restores the snapshot before it and executes again from there. */
#include "core/base/alloc.h"
#include "core/machine/machine_priv.h"
#include "core/run/run_priv.h"

bool travel_possible(const struct run *r, struct err *err)
{
	if (r->keeps_history)
		return true;
	if (!r->options.history)
		return err_set(err,
		               "history is off, so there is no way back: start with history on");
	/* Views that repeat the run would be empty without an error. */
	alloc_note_failure();
	return err_set(err,
	               "host memory was too short for the first snapshot, so there is no way back");
}

void travel_back(struct run *r, const struct snapshot *s)
{
	machine_restore(r->m, s);
	interval_begin(r);
}

void travel_restore(struct run *r, size_t index)
{
	travel_back(r, r->hist.kept[index].s);
}

bool travel_to(struct run *r, uint64_t cycle)
{
	struct run_stop_info none;
	size_t at = history_at(r, cycle);
	uint64_t now = machine_cycle(r->m);
	if (now > cycle || now < r->hist.kept[at].cycle)
		travel_restore(r, at);
	struct advance a = {.until_cycle = cycle, .until_insts = UINT64_MAX};
	advance_place(&a, machine_cycle(r->m), cycle);
	machine_mute(r->m, true);
	advance(r, &a, &none);
	machine_mute(r->m, false);
	return machine_cycle(r->m) == cycle && !changes_due(r->m);
}

bool travel_depart(struct run *r, struct snapshot **here, struct err *err)
{
	if (!travel_possible(r, err) || !motion_begin(r, err))
		return false;
	interval_note(r);
	*here = history_copy(r);
	if (*here)
		return true;
	r->moving = false;
	alloc_note_failure();
	return err_set(err, "host memory is too short for going back");
}

bool travel_land(struct run *r, struct snapshot *here, uint64_t cycle, enum stop_reason reason,
                 struct run_stop_info *out)
{
	if (cycle == UINT64_MAX || !travel_to(r, cycle)) {
		travel_back(r, here);
		*out = (struct run_stop_info){0};
		reason = STOPPED_INTERRUPT;
	}
	snapshot_free(here);
	return motion_end(r, reason, out);
}
