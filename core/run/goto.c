/* Goes to a cycle or an instruction by number, in either direction. The recorded part of the way is
 * travelled by snapshots and muted; beyond the newest cycle the machine runs as in a forward
 * motion. */
#include "core/pipe/pipe.h"
#include "core/run/run_priv.h"

/* Runs forwards from the newest cycle, and ends the motion. */
static bool goto_run_forward(struct run *r, uint64_t cycle, uint64_t seq, struct run_stop_info *out,
                             struct err *err)
{
	struct advance a = {.until_cycle = cycle, .until_insts = UINT64_MAX, .record = true};
	r->watch = (struct watch){.seq = seq};
	*out = (struct run_stop_info){0};
	if (!watch_arm(r, err)) {
		r->moving = false;
		return false;
	}
	enum advance_end end = advance(r, &a, out);
	watch_disarm(r);
	return motion_end(r, motion_reason(end), out);
}

bool run_goto_cycle(struct run *r, uint64_t cycle, struct run_stop_info *out, struct err *err)
{
	struct snapshot *here;
	bool back = cycle < machine_cycle(r->m);
	if (back && !travel_possible(r, err))
		return false;
	if (back && cycle < r->hist.kept[0].cycle)
		return err_set(err, "cycle %llu is before the beginning of history, cycle %llu",
		               (unsigned long long)cycle,
		               (unsigned long long)r->hist.kept[0].cycle);
	if (!r->keeps_history)
		return motion_begin(r, err) && goto_run_forward(r, cycle, 0, out, err);
	if (!travel_depart(r, &here, err))
		return false;
	*out = (struct run_stop_info){0};
	if (cycle <= r->hist.newest)
		return travel_land(r, here, cycle, STOPPED_DONE, out);
	if (!travel_to(r, r->hist.newest))
		return travel_land(r, here, UINT64_MAX, STOPPED_INTERRUPT, out);
	snapshot_free(here);
	return goto_run_forward(r, cycle, 0, out, err);
}

/* Re-executes recorded history until the instruction is fetched; starts at the latest known place
 * before that. */
static bool replay_to_seq(struct run *r, uint64_t seq, enum advance_end *end,
                          struct run_stop_info *out, struct err *err)
{
	size_t at = r->hist.count - 1;
	while (r->hist.kept[at].next_seq > seq)
		at--;
	if (machine_pipe(r->m)->st->next_seq > seq || machine_cycle(r->m) < r->hist.kept[at].cycle)
		travel_restore(r, at);
	struct advance a = {.until_cycle = r->hist.newest, .until_insts = UINT64_MAX};
	r->watch = (struct watch){.seq = seq};
	machine_mute(r->m, true);
	bool armed = watch_arm(r, err);
	if (armed)
		*end = advance(r, &a, out);
	watch_disarm(r);
	machine_mute(r->m, false);
	return armed;
}

static bool seq_recorded(const struct run *r, uint64_t seq, struct err *err)
{
	if (!travel_possible(r, err))
		return false;
	if (seq >= r->hist.kept[0].next_seq)
		return true;
	return err_set(err,
	               "instruction %llu was fetched before the beginning of history, cycle %llu",
	               (unsigned long long)seq, (unsigned long long)r->hist.kept[0].cycle);
}

bool run_goto_seq(struct run *r, uint64_t seq, struct run_stop_info *out, struct err *err)
{
	struct snapshot *here;
	enum advance_end end;
	bool back = seq < machine_pipe(r->m)->st->next_seq;
	if (!seq)
		return err_set(err, "instructions are numbered from 1");
	if (back && !seq_recorded(r, seq, err))
		return false;
	if (!r->keeps_history)
		return motion_begin(r, err) && goto_run_forward(r, UINT64_MAX, seq, out, err);
	if (!travel_depart(r, &here, err))
		return false;
	*out = (struct run_stop_info){0};
	if (!replay_to_seq(r, seq, &end, out, err)) {
		travel_back(r, here);
		snapshot_free(here);
		r->moving = false;
		return false;
	}
	if (end == ADVANCE_INTERRUPT)
		return travel_land(r, here, UINT64_MAX, STOPPED_INTERRUPT, out);
	if (end == ADVANCE_GOAL)
		return travel_land(r, here, machine_cycle(r->m), STOPPED_DONE, out);
	snapshot_free(here);
	return goto_run_forward(r, UINT64_MAX, seq, out, err);
}

bool run_fetched(struct run *r, uint64_t seq, uint64_t *cycle, struct err *err)
{
	struct snapshot *here;
	struct run_stop_info none = {0};
	enum advance_end end = ADVANCE_INTERRUPT;
	if (!seq)
		return err_set(err, "instructions are numbered from 1");
	if (seq >= machine_pipe(r->m)->st->next_seq)
		return err_set(err, "instruction %llu has not been fetched yet",
		               (unsigned long long)seq);
	if (!seq_recorded(r, seq, err) || !travel_depart(r, &here, err))
		return false;
	const bool armed = replay_to_seq(r, seq, &end, &none, err);
	*cycle = machine_cycle(r->m) - 1;
	travel_land(r, here, UINT64_MAX, STOPPED_DONE, &none);
	if (armed && end != ADVANCE_GOAL)
		return err_set(err, "interrupted");
	return armed;
}
