#include "core/run/trial.h"

#include <stdlib.h>

#include "core/machine/machine_priv.h"
#include "core/run/run_priv.h"

struct snapshot *trial_begin(struct run *r, struct err *err)
{
	if (!travel_possible(r, err))
		return NULL;
	struct snapshot *from = history_copy(r);
	if (!from)
		err_set(err, "host memory is too short for going back");
	return from;
}

void trial_undo(struct run *r, const struct snapshot *to)
{
	machine_undo(r->m, to);
	const uint64_t cycle = machine_cycle(r->m);
	r->m->changed_cycle = UINT64_MAX;
	hook_position_cut(r, cycle);
	/* A snapshot of this cycle may have the trial's changes, unless it is the first. */
	if (r->hist.kept[0].cycle < cycle)
		history_cut(r, cycle - 1);
	history_cut(r, cycle);
	timeline_cut(r, cycle);
	interval_begin(r);
}

void trial_revived(struct run *r, uint64_t cut)
{
	struct history *h = &r->hist;
	hook_position_cut(r, cut);
	history_cut(r, h->kept[0].cycle < cut ? cut - 1 : cut);
	timeline_cut(r, cut);
	struct kept *last = &h->kept[h->count - 1];
	free(last->summary);
	last->summary = NULL;
	interval_begin(r);
	history_keep(r, false);
	h->newest = machine_cycle(r->m);
	timeline_rest(r);
}

void trial_end(struct run *r, struct snapshot *from, bool undo)
{
	if (undo)
		trial_undo(r, from);
	snapshot_free(from);
}
