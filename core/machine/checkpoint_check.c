#include "core/machine/checkpoint_check.h"

#include "core/machine/machine_priv.h"
#include "core/pipe/checkpoint_check.h"

void machine_ranges(const struct machine *m, struct ranges *rs)
{
	RANGE(rs, "journal", m->journal.st, 1, pos, RANGE_MOST, RANGE_TIME);
	RANGE(rs, "journal", m->journal.st, 1, changes, RANGE_MOST, RANGE_TIME);
	os_ranges(m->os, rs);
	thread_stats_ranges(m, rs);
	pipe_ranges(&m->pipe, rs);
	pipe_fill_ranges(&m->pipe, rs);
	prof_ranges(&m->prof, rs);
}

bool machine_is_within_ranges(const struct machine *m, struct err *err)
{
	struct range_search s = range_search(err);
	machine_ranges(m, &s.rs);
	return s.ok;
}

/* A checkpoint's journal ends at the machine's position: no entry is to be repeated. */
static const char *journal_state_error(const struct machine *m)
{
	const struct journal *j = &m->journal;
	if (j->st->pos != j->entries || j->st->changes != j->changes)
		return "the journal goes on after the machine's place in it";
	return j->entries && journal_at(j, j->entries - 1)->cycle > machine_guest_cycle(m)
	               ? "the journal reaches into the future"
	               : NULL;
}

/* The pipeline must check for signals no later than the system has one due. */
static const char *signals_state_error(const struct machine *m)
{
	const struct pipe_state *st = m->pipe.st;
	if (st->outcome.status != MACHINE_RUNNING)
		return NULL;
	return st->signals_at > machine_pipe_cycle(m, os_signals_due(m->os))
	               ? "a signal is due, but its cycle is not watched"
	               : NULL;
}

bool machine_state_is_valid(const struct machine *m, struct err *err)
{
	const char *wrong = pipe_state_error(&m->pipe);
	wrong = wrong ? wrong : plugins_state_error(&m->pipe.plugins);
	wrong = wrong ? wrong : journal_state_error(m);
	wrong = wrong ? wrong : os_state_error(m->os);
	wrong = wrong ? wrong : signals_state_error(m);
	wrong = wrong ? wrong : os_beside_state_error(m->os);
	wrong = wrong ? wrong : prof_state_error(&m->prof);
	return !wrong || err_set(err, "an impossible machine: %s", wrong);
}
