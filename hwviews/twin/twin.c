#include "hwviews/twin/twin.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/defs/stats.h"
#include "core/pipe/pipe.h"
#include "hwviews/machine/pipe_rows.h"
#include "hwviews/session/rerun_check.h"
#include "hwviews/session/view_text.h"

static bool interrupted(void *ctx, uint64_t cycle)
{
	(void)cycle;
	return machine_interrupted(ctx);
}

bool twin_open(struct session *s, const struct config *cfg, const char *what, struct err *err)
{
	if (s->adopted)
		return err_set(err, "a twin does the run from its beginning, and this one began "
		                    "with a checkpoint: `run` begins anew");
	if (!rerun_possible(s, err))
		return false;
	struct twin *t = calloc(1, sizeof *t);
	if (!t)
		return err_set(err, "out of memory for a twin");
	t->session = session_beside(s, cfg, rerun_input(s), err);
	if (!t->session) {
		free(t);
		return false;
	}
	snprintf(t->what, sizeof t->what, "%s", what);
	run_set_progress(t->session->run, interrupted, s->machine);
	run_share_meter(t->session->run, s->run);
	twin_close(s);
	s->twin = t;
	return true;
}

void twin_close(struct session *s)
{
	if (!s->twin)
		return;
	session_free(s->twin->session);
	if (s->twin->gap)
		s->twin->gap_free(s->twin->gap);
	free(s->twin);
	s->twin = NULL;
}

uint64_t twin_insts(const struct session *s)
{
	return STAT(machine_stats(s->machine), insts);
}

/* ---- in step ---- */
static bool ended(const struct session *b, const char *what, uint64_t at, uint64_t aim,
                  struct err *err)
{
	return err_set(err,
	               "the twin can't follow to %s %" PRIu64 ": it ended at %" PRIu64
	               ", in cycle %" PRIu64
	               ", since what the program does depends on time: `twin off`, or go back",
	               what, aim, at, machine_cycle(b->machine));
}

static bool arrived(const struct session *b, const struct run_stop_info *info, const char *what,
                    uint64_t at, uint64_t aim, struct err *err)
{
	switch (info->reason) {
	case STOPPED_INTERRUPT:
	case STOPPED_INPUT:
		return err_set(err,
		               "interrupted: the twin is at %s %" PRIu64 " of %" PRIu64
		               "; whoever asks again goes on",
		               what, at, aim);
	case STOPPED_STARVED:
		return err_set(err, "the twin can't follow: %s", machine_lacks(b->machine));
	case STOPPED_STALLED:
		return err_set(
			err, "the twin can't follow to %s %" PRIu64 ": it stands still at %" PRIu64,
			what, aim, at);
	default:
		return true;
	}
}

/* To the first cycle at whose end so many have committed. */
static bool to_instruction(struct twin *t, uint64_t aim, struct err *err)
{
	struct session *b = t->session;
	struct run_stop_info info = {.reason = STOPPED_DONE};
	if (t->aim == aim && t->arrived == machine_cycle(b->machine) && (aim || !t->arrived))
		return true;
	if (!aim && machine_cycle(b->machine) && !run_goto_cycle(b->run, 0, &info, err))
		return false;
	if (aim && twin_insts(b) >= aim &&
	    !run_back_insts(b->run, twin_insts(b) - aim + 1, &info, err))
		return false;
	if (!arrived(b, &info, "instruction", twin_insts(b), aim, err))
		return false;
	if (twin_insts(b) < aim && !run_insts(b->run, aim - twin_insts(b), false, &info, err))
		return false;
	if (twin_insts(b) < aim)
		return arrived(b, &info, "instruction", twin_insts(b), aim, err) &&
		       ended(b, "instruction", twin_insts(b), aim, err);
	t->aim = aim;
	t->arrived = machine_cycle(b->machine);
	return true;
}

/* A program that has ended stays where it is. */
static bool to_cycle(struct twin *t, uint64_t aim, struct err *err)
{
	struct session *b = t->session;
	struct run_stop_info info;
	t->aim = 0;
	t->arrived = UINT64_MAX;
	if (machine_cycle(b->machine) == aim ||
	    (machine_cycle(b->machine) < aim && machine_has_ended(b->machine)))
		return true;
	return run_goto_cycle(b->run, aim, &info, err) &&
	       arrived(b, &info, "cycle", machine_cycle(b->machine), aim, err);
}

static bool there(const struct session *s, struct err *err)
{
	if (!s->twin)
		return err_set(err, "there is no twin: `twin PARAMETER=VALUE` opens one");
	if (run_moving(s->run))
		return err_set(err, "the machine is moving: the twin follows when it stands");
	if (s->adopted || !rerun_possible(s, err))
		return false;
	machine_clear_interrupt(s->machine);
	return true;
}

int64_t twin_behind(const struct twin_place *p)
{
	return p->by_cycle ? (int64_t)(p->insts[TWIN_A] - p->insts[TWIN_B])
	                   : (int64_t)(p->at[TWIN_B] - p->at[TWIN_A]);
}

/* Several views ask at the same place. */
static void remember(struct twin *t, const struct twin_place *p)
{
	const bool same = t->known && t->place.cycle[TWIN_A] == p->cycle[TWIN_A],
		   way = t->known && t->place.by_cycle == p->by_cycle;
	if (!same && way) {
		t->behind_before = twin_behind(&t->place);
		t->known = 2;
	} else if (!way) {
		t->known = 1;
	}
	t->place = *p;
}

bool twin_bring(const struct session *s, struct twin_place *out, struct err *err)
{
	if (!there(s, err))
		return false;
	struct twin *t = s->twin;
	const uint64_t cycle = machine_cycle(s->machine), insts = twin_insts(s);
	if (!(t->by_cycle ? to_cycle(t, cycle, err) : to_instruction(t, insts, err))) {
		machine_clear_interrupt(s->machine); /* it was heard */
		return false;
	}
	const struct machine *b = t->session->machine;
	*out = (struct twin_place){.insts = {insts, twin_insts(t->session)},
	                           .cycle = {cycle, machine_cycle(b)},
	                           .by_cycle = t->by_cycle};
	out->common = out->insts[TWIN_B] < insts ? out->insts[TWIN_B] : insts;
	out->at[TWIN_A] = t->by_cycle ? cycle
	                  : insts     ? machine_pipe(s->machine)->st->last_commit_cycle + 1
	                              : 0;
	out->at[TWIN_B] = out->cycle[TWIN_B];
	remember(t, out);
	return true;
}

/* ---- one instruction in both ---- */
const struct uop *twin_uop(const struct session *s, uint64_t number)
{
	const struct pipe *p = machine_pipe(s->machine);
	const uint64_t done = twin_insts(s);
	const struct uop *found = NULL;
	if (number > done) {
		const uint64_t ahead = number - done - 1, rob = p->st->rob_count;
		if (ahead < rob)
			found = pipe_rob_at(p, (uint32_t)ahead);
		else if (ahead - rob < p->st->fetchq_count)
			found = pipe_fetchq_at(p, (uint32_t)(ahead - rob));
		return found && !uop_on_wrong_path(p, found) ? found : NULL;
	}
	struct pipe_rows r;
	if (!pipe_rows_init(&r, p, NULL, 0))
		return NULL;
	uint64_t back = done - number;
	for (size_t i = r.count; i-- > 0 && !found;)
		if (r.uops[i]->state == UOP_RETIRED && back-- == 0)
			found = r.uops[i];
	pipe_rows_deinit(&r);
	return found;
}

struct search {
	uint64_t seq, number, pc;
	bool found;
};

static void count(void *ctx, const struct machine *m, const struct event *ev)
{
	struct search *a = ctx;
	a->number += !a->found;
	if (ev->seq != a->seq)
		return;
	a->found = true;
	a->pc = ev->pc;
	machine_request_stop(m);
}

static void count_before(void *ctx, const struct machine *m)
{
	((struct search *)ctx)->number = STAT(machine_stats(m), insts);
}

bool twin_same(const struct session *s, uint64_t seq, uint64_t *number, uint64_t *twin_seq,
               struct err *err)
{
	const struct event_filter commits = {.mask = EVENT_BIT(commit)};
	struct search a = {.seq = seq};
	uint64_t fetched;
	if (!there(s, err))
		return false;
	if (!run_fetched(s->run, seq, &fetched, err) ||
	    !run_look(s->run, fetched, count_before, &a, err) ||
	    !run_replay(s->run, fetched, machine_cycle(s->machine), &commits, count, &a, err))
		return false;
	if (!a.found)
		return err_set(err,
		               "#%" PRIu64 " has not committed by now: the twin has the same only "
		                           "of what this machine has committed",
		               seq);
	if (!to_instruction(s->twin, a.number, err))
		return false;
	const struct uop *u = twin_uop(s->twin->session, a.number);
	if (!u)
		return err_set(err, "the twin remembers nothing of instruction %" PRIu64, a.number);
	if (u->pc != a.pc)
		return err_set(err,
		               "instruction %" PRIu64
		               " is another in the twin: what the program does depends on time, "
		               "and the two have parted: `view gap` says where",
		               a.number);
	*number = a.number;
	*twin_seq = u->seq;
	return true;
}
