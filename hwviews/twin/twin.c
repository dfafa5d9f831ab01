#include "hwviews/twin/twin.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/defs/stats.h"
#include "core/pipe/pipe.h"
#include "hwviews/machine/pipe_rows.h"
#include "hwviews/session/rerun_check.h"
#include "hwviews/session/view_text.h"
#include "hwviews/twin/pairing.h"
#include "hwviews/twin/gap.h"
#include "hwviews/twin/twin_code.h"
#include "loader/edit/same_program.h"

static bool twin_is_interrupted(void *ctx, uint64_t cycle)
{
	(void)cycle;
	return machine_interrupted(ctx);
}

static void free_twin(struct twin *t)
{
	if (!t)
		return;
	session_free(t->session);
	gap_free(t->gap);
	twin_code_free(t->code);
	pairing_free(t->pairing);
	free(t);
}

/* True if the run can be repeated, on that program. */
static bool twin_check_rerun_possible(const struct session *s, const struct program *other,
                                      struct err *err)
{
	if (s->adopted)
		return err_set(err, "a twin runs from the beginning, and this run began with a "
		                    "checkpoint: `run` begins anew");
	if (other && s->fast_forward)
		return err_set(err, "functional execution is counted in instructions, and the twin "
		                    "has more of them; leave --ff out");
	return rerun_possible(s, err) &&
	       (!other || program_laid_out_from(other, s->program, err));
}

bool twin_open(struct session *s, const struct config *cfg, struct program *other,
               const struct plugins *plugins, const char *what, struct err *err)
{
	struct twin *t = NULL;
	if (!twin_check_rerun_possible(s, other, err)) {
		program_free(other);
		return false;
	}
	t = alloc_zeroed(1, sizeof *t);
	if (t) {
		t->gap = gap_new();
		t->code = other ? twin_code_new(other) : NULL;
		t->pairing = t->code ? pairing_new(t->code) : NULL;
	}
	if (!t || !t->gap || (other && (!t->code || !t->pairing))) {
		free_twin(t);
		program_free(other);
		return err_set(err, "out of memory for a twin");
	}
	t->session = session_beside(s, cfg, other, plugins, rerun_input(s), err);
	if (!t->session) {
		free_twin(t);
		return false;
	}
	snprintf(t->what, sizeof t->what, "%s", what);
	run_set_progress(t->session->run, twin_is_interrupted, s->machine);
	run_share_meter(t->session->run, s->run);
	twin_close(s);
	s->twin = t;
	return true;
}

void twin_close(struct session *s)
{
	free_twin(s->twin);
	s->twin = NULL;
}

uint64_t twin_was(const struct twin *t, unsigned machine, uint64_t pc)
{
	return machine == TWIN_B && t->code ? twin_code_was(t->code, pc) : pc;
}

/* Instructions committed since the beginning, except those without timing. */
static uint64_t twin_committed_insts(const struct session *s)
{
	return STAT(machine_stats(s->machine), insts);
}

/* ---- in step ---- */
static bool twin_report_early_end(const struct session *b, const char *what, uint64_t at,
                                  uint64_t aim, struct err *err)
{
	if (machine_status(b->machine) == MACHINE_BROKEN)
		return err_set(err, "the twin can't follow to %s %" PRIu64 ": %s", what, aim,
		               machine_failure(b->machine));
	return err_set(err,
	               "the twin can't follow to %s %" PRIu64 ": it ended at %" PRIu64
	               ", in cycle %" PRIu64
	               ", since the program depends on time: `twin off`, or go back",
	               what, aim, at, machine_cycle(b->machine));
}

static bool twin_check_stop_reason(const struct session *b, const struct run_stop_info *info,
                                   const char *what, uint64_t at, uint64_t aim, struct err *err)
{
	switch (info->reason) {
	case STOPPED_INTERRUPT:
	case STOPPED_INPUT:
		return err_set(err,
		               "interrupted: the twin is at %s %" PRIu64 " of %" PRIu64
		               "; the next request goes on",
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

/* Runs to the first cycle at whose end `aim` instructions of b's own program have committed. */
static bool go_insts(struct session *b, uint64_t aim, struct run_stop_info *info, struct err *err)
{
	*info = (struct run_stop_info){.reason = STOPPED_DONE};
	if (!aim)
		return !machine_cycle(b->machine) || run_goto_cycle(b->run, 0, info, err);
	if (twin_committed_insts(b) >= aim &&
	    !run_back_insts(b->run, twin_committed_insts(b) - aim + 1, info, err))
		return false;
	return twin_check_stop_reason(b, info, "instruction", twin_committed_insts(b), aim, err) &&
	       (twin_committed_insts(b) >= aim ||
	        run_insts(b->run, aim - twin_committed_insts(b), false, info, err));
}

static bool twin_count_own_insts(struct twin *t, struct err *err)
{
	struct session *b = t->session;
	uint64_t own;
	bool alone;
	if (!t->code) {
		t->insts = twin_committed_insts(b);
		return true;
	}
	if (!twin_code_count(t->code, b->run, b->machine, &own, err))
		return false;
	t->insts = pairing_a(t->pairing, own, &alone);
	return true;
}

/* The same for a number of A's. */
static bool go_code(const struct session *s, uint64_t aim, struct run_stop_info *info,
                    struct err *err)
{
	const struct twin *t = s->twin;
	bool alone;
	*info = (struct run_stop_info){.reason = STOPPED_DONE};
	return pairing_take(t->pairing, s, aim, err) &&
	       twin_code_to(t->code, t->session->run, t->session->machine,
	                    pairing_b(t->pairing, aim, &alone), info, err);
}

/* True if B has reached A's number. */
static bool has_come(const struct twin *t, uint64_t aim)
{
	bool alone;
	return t->insts >= aim ||
	       (t->pairing && t->code->now.own >= pairing_b(t->pairing, aim, &alone) && alone);
}

static bool to_instruction(const struct session *s, uint64_t aim, struct err *err)
{
	struct twin *t = s->twin;
	struct session *b = t->session;
	struct run_stop_info info;
	if (t->aim == aim && t->arrived == machine_cycle(b->machine) && (aim || !t->arrived))
		return true;
	t->arrived = UINT64_MAX;
	if (!(t->code ? go_code(s, aim, &info, err) : go_insts(b, aim, &info, err)) ||
	    !twin_count_own_insts(t, err))
		return false;
	if (!has_come(t, aim))
		return twin_check_stop_reason(b, &info, "instruction", t->insts, aim, err) &&
		       twin_report_early_end(b, "instruction", t->insts, aim, err);
	t->aim = aim;
	t->arrived = machine_cycle(b->machine);
	return true;
}

/* A program that has ended stays at its end. */
static bool to_cycle(const struct session *s, uint64_t aim, struct err *err)
{
	struct twin *t = s->twin;
	struct session *b = t->session;
	struct run_stop_info info;
	if (t->pairing && !pairing_take(t->pairing, s, twin_committed_insts(s), err))
		return false;
	t->aim = 0;
	t->arrived = UINT64_MAX;
	if (machine_cycle(b->machine) == aim ||
	    (machine_cycle(b->machine) < aim && machine_has_ended(b->machine)))
		return true;
	return run_goto_cycle(b->run, aim, &info, err) &&
	       twin_check_stop_reason(b, &info, "cycle", machine_cycle(b->machine), aim, err);
}

static bool twin_check_available(const struct session *s, struct err *err)
{
	if (!s->twin)
		return err_set(err, "there is no twin: `twin PARAMETER=VALUE` opens one");
	if (run_moving(s->run))
		return err_set(err, "the machine is moving: the twin follows after its stop");
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

/* Several views request the same place. */
static void twin_cache_place(struct twin *t, const struct twin_place *p)
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
	if (!twin_check_available(s, err))
		return false;
	struct twin *t = s->twin;
	const uint64_t cycle = machine_cycle(s->machine), insts = twin_committed_insts(s);
	if (!(t->by_cycle ? to_cycle(s, cycle, err) && twin_count_own_insts(t, err)
	                  : to_instruction(s, insts, err))) {
		machine_clear_interrupt(s->machine); /* the interrupt has been handled */
		return false;
	}
	const struct machine *b = t->session->machine;
	*out = (struct twin_place){.insts = {insts, t->insts}, .cycle = {cycle, machine_cycle(b)},
	                           .by_cycle = t->by_cycle};
	out->common = out->insts[TWIN_B] < insts ? out->insts[TWIN_B] : insts;
	out->at[TWIN_A] = t->by_cycle ? cycle
	                  : insts ? machine_pipe(s->machine)->st->last_commit_cycle + 1 : 0;
	out->at[TWIN_B] = out->cycle[TWIN_B];
	twin_cache_place(t, out);
	return true;
}

/* ---- one instruction in both ---- */
/* A machine's instructions in program order. */
struct listing {
	const struct twin *twin;
	unsigned machine;
	uint64_t first, last;
	uint64_t own, number; /* passed so far: own number, and A's */
	struct twin_inst *out;
	size_t count, max;
};

/* A's number of the instruction; alone: A has no counterpart, and it is the last number before. */
static uint64_t twin_inst_number(const struct listing *l, bool *alone)
{
	*alone = false;
	return l->twin->pairing && l->machine == TWIN_B ? pairing_a(l->twin->pairing, l->own, alone)
	                                              : l->own;
}

static void twin_list_uop(struct listing *l, const struct uop *u)
{
	const bool own = twin_was(l->twin, l->machine, u->pc) != 0;
	bool alone = !own;
	l->own += own;
	if (own)
		l->number = twin_inst_number(l, &alone);
	if (l->number < l->first || l->number + alone > l->last)
		return;
	if (l->count < l->max)
		l->out[l->count++] = (struct twin_inst){u, alone ? 0 : l->number};
}

static void pass_in_flight(struct listing *l, const struct pipe *p)
{
	for (uint32_t i = 0; i < p->st->rob_count + p->st->fetchq_count; i++) {
		const struct uop *u = i < p->st->rob_count
		                              ? pipe_rob_at(p, i)
		                              : pipe_fetchq_at(p, i - p->st->rob_count);
		if (uop_on_wrong_path(p, u))
			return;
		twin_list_uop(l, u);
	}
}

size_t twin_insts(const struct session *s, unsigned machine, uint64_t first, uint64_t last,
                  struct twin_inst *out, size_t max)
{
	const struct session *of = machine == TWIN_B ? s->twin->session : s;
	struct listing l = {.twin = s->twin,
	                    .machine = machine,
	                    .first = first,
	                    .last = last,
	                    .own = machine == TWIN_A ? twin_committed_insts(s)
	                           : s->twin->code   ? s->twin->code->now.own
	                                             : s->twin->insts,
	                    .out = out,
	                    .max = max};
	struct pipe_rows r;
	if (!pipe_rows_init(&r, machine_pipe(of->machine), NULL, 0))
		return 0;
	for (size_t i = 0; i < r.count; i++)
		l.own -= r.uops[i]->state == UOP_RETIRED &&
		            twin_was(l.twin, machine, r.uops[i]->pc) != 0;
	for (size_t i = 0; i < r.count; i++)
		if (r.uops[i]->state == UOP_RETIRED)
			twin_list_uop(&l, r.uops[i]);
	pass_in_flight(&l, machine_pipe(of->machine));
	pipe_rows_deinit(&r);
	return l.count;
}

const struct uop *twin_uop(const struct session *s, unsigned machine, uint64_t number)
{
	struct twin_inst found;
	return twin_insts(s, machine, number, number, &found, 1) ? found.u : NULL;
}

struct search {
	uint64_t seq, number, pc;
	bool found;
};

static void twin_on_commit_event(void *ctx, const struct machine *m, const struct event *ev)
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
	bool alone;
	if (!twin_check_available(s, err))
		return false;
	if (!run_fetched(s->run, seq, &fetched, err) ||
	    !run_look(s->run, fetched, count_before, &a, err) ||
	    !run_replay(s->run, fetched, machine_cycle(s->machine), &commits, twin_on_commit_event,
	                &a, err))
		return false;
	if (!a.found)
		return err_set(err,
		               "#%" PRIu64 " has not committed yet: the twin has counterparts of "
		               "committed instructions only",
		               seq);
	if (!to_instruction(s, a.number, err))
		return false;
	if (s->twin->pairing && (pairing_b(s->twin->pairing, a.number, &alone), alone))
		return err_set(err,
		               "the twin does not execute #%" PRIu64
		               ": there the two differ for a while; expected one of those that "
		               "`view gap` lists",
		               seq);
	const struct uop *u = twin_uop(s, TWIN_B, a.number);
	if (!u)
		return err_set(err, "the twin no longer has instruction %" PRIu64, a.number);
	if (twin_was(s->twin, TWIN_B, u->pc) != a.pc)
		return err_set(err,
		               "instruction %" PRIu64
		               " differs in the twin: the program depends on time, and the two "
		               "have diverged: `view gap` shows where",
		               a.number);
	*number = a.number;
	*twin_seq = u->seq;
	return true;
}
