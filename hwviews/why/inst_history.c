#include "core/defs/event_fields.h"
#include "hwviews/why/inst_history.h"

#include "core/run/run.h"
#include "hwviews/machine/predictor.h"
#include "hwviews/session/session.h"
#include "hwviews/why/why_text.h"

struct gather {
	struct story *y;
	uint64_t seq;
	uint64_t cycle;        /* the instruction of the story */
	bool wanted;           /* squashed by a yet unknown culprit */
	/* CAUSE_DECODE: decode has redirected fetch in this cycle */
	enum inst_history_cause decode;
	/* CAUSE_FETCHED_AGAIN: an instruction committed after which everything is fetched again */
	enum inst_history_cause again;
	struct uop redirector, serial; /* the instructions that did so */
	bool replayed;         /* the last event but LEAVE was a replay trap */
	struct uop load;       /* its load */
	/* instructions that left the fetch queue since the last squash of this cycle */
	uint64_t unfetched;
};

static struct uop inst_history_copy_uop(const struct pipe *p, uint64_t seq)
{
	const struct uop *u = seq ? pipe_find(p, seq) : NULL;
	return u ? *u : (struct uop){0};
}

static enum believed inst_history_believed_predictor(const struct bpred *b, const struct uop *u)
{
	if (b->perfect)
		return u->mark.flags & BPM_FORESEEN ? BELIEVED_FORESEEN : BELIEVED_GUESS;
	if (!(u->op_flags & OPF_BRANCH))
		return u->mark.flags & BPM_FROM_RAS ? BELIEVED_RETURN_STACK : BELIEVED_TARGETS;
	return BELIEVED_PREDICTOR;
}

/* True if fetch did not continue sequentially. */
static bool went_away(const struct uop *u)
{
	return u->pred_next != u->pc + uop_len(u);
}

/* Fetch is a cycle's last stage, so the counters are still as at the look-up. */
static struct inst_history_prediction
inst_history_read_prediction(const struct pipe *p, const struct uop *u, const struct event *ev)
{
	const struct bpred *b = &p->bpred;
	const struct bpred_mark *mark = &u->mark;
	struct inst_history_prediction y = {
		.there = true,
		.cycle = ev->cycle,
		.next = ev->predict.target,
		.taken = ev->predict.taken,
		.target_known = (mark->flags & (BPM_BTB_HIT | BPM_FROM_RAS)) != 0 || went_away(u),
		.by = inst_history_believed_predictor(b, u),
	};
	if (!(u->op_flags & OPF_BRANCH))
		return y;
	/* The mark has the history if fetch has shifted it; only fetch shifts it before another
	 * look-up. */
	y.history = bpred_history_used(b, mark);
	y.parts = predictor_parts(b, mark, y.part);
	y.predictor = y.parts ? y.part[0].title : b->by->title;
	return y;
}

static void inst_history_set_culprit(struct gather *g, enum inst_history_cause cause,
                                     const struct uop *culprit)
{
	g->y->by = cause;
	g->y->culprit = culprit ? *culprit : (struct uop){0};
	g->wanted = false;
}

static void inst_history_end_cycle(struct gather *g)
{
	if (g->wanted)
		inst_history_set_culprit(g, g->again != CAUSE_NONE ? g->again : CAUSE_HAND,
		                         &g->serial);
	g->decode = g->again = CAUSE_NONE;
	g->serial = (struct uop){0};
	g->replayed = false;
	g->unfetched = 0;
}

/* Records that the instruction squashed `count` dispatched instructions. */
static void inst_history_record_own_squash(struct gather *g, enum inst_history_cause cause,
                                           uint64_t count)
{
	struct story *y = g->y;
	y->did = cause;
	y->squashed_at = g->cycle;
	y->squashed = count;
	y->unfetched = g->unfetched;
	y->goes_on = NO_CYCLE;
}

/* Handles events of other instructions that may concern the instruction. */
static void inst_history_on_other_inst_event(struct gather *g, const struct pipe *p,
                                             const struct event *ev)
{
	switch ((enum event_id)ev->id) {
	case EV_MISFETCH:
	case EV_PROFILE_MISFETCH:
	case EV_FLAG_MISPREDICT:
		g->decode = CAUSE_DECODE;
		g->redirector = inst_history_copy_uop(p, ev->seq);
		break;
	case EV_REPLAY:
		g->replayed = true;
		g->load = inst_history_copy_uop(p, ev->seq);
		break;
	case EV_SQUASH: {
		const enum inst_history_cause cause = !g->replayed             ? CAUSE_MISPREDICTION
		                               : g->load.seq == ev->seq ? CAUSE_REPLAY
		                                                        : CAUSE_ORDER;
		const struct uop by = inst_history_copy_uop(p, ev->seq);
		if (g->wanted)
			inst_history_set_culprit(g, cause, cause == CAUSE_ORDER ? &g->load : &by);
		if (ev->seq == g->seq || (g->replayed && g->load.seq == g->seq))
			inst_history_record_own_squash(g, cause, ev->squash.count);
		g->replayed = false;
		g->unfetched = 0;
		break;
	}
	case EV_INTERRUPT:
		if (g->wanted)
			inst_history_set_culprit(g, CAUSE_INTERRUPT, NULL);
		break;
	case EV_VSAMPLE:
		if (g->wanted)
			inst_history_set_culprit(g, CAUSE_VSAMPLE, NULL);
		break;
	case EV_COMMIT: {
		const struct uop by = inst_history_copy_uop(p, ev->seq);
		if (by.op_flags & OPF_SERIAL) {
			g->again = CAUSE_FETCHED_AGAIN;
			g->serial = by;
		}
		break;
	}
	case EV_LEAVE:
		if (ev->leave.retired || ev->leave.entered || ev->leave.dropped)
			break;
		g->unfetched++;
		g->y->dropped += g->decode != CAUSE_NONE && g->redirector.seq == g->seq;
		break;
	case EV_DISPATCH:
		if (g->y->did != CAUSE_NONE && g->y->goes_on == NO_CYCLE)
			g->y->goes_on = ev->cycle;
		break;
	default:
		break;
	}
}

static void inst_history_on_leave_event(struct gather *g, const struct uop *u,
                                        const struct event *ev)
{
	struct story *y = g->y;
	y->left = true;
	y->uop = *u;
	if (ev->leave.retired || ev->leave.dropped)
		return;
	if (g->decode != CAUSE_NONE && !ev->leave.entered)
		inst_history_set_culprit(g, g->decode, &g->redirector);
	else
		g->wanted = true; /* the culprit's event follows */
}

/* Handles its own events. */
static void inst_history_on_own_event(struct gather *g, const struct pipe *p,
                                      const struct event *ev)
{
	struct story *y = g->y;
	const struct uop *u = pipe_find(p, g->seq);
	if (!u)
		return;
	switch ((enum event_id)ev->id) {
	case EV_PREDICT:
		y->prediction = inst_history_read_prediction(p, u, ev);
		break;
	case EV_MISFETCH:
		y->corrected = ev->cycle;
		y->right = ev->misfetch.right;
		break;
	case EV_MEM:
		y->accessed = ev->cycle;
		y->latency = ev->mem.latency;
		if (ev->mem.level == LEVEL_FORWARD)
			y->store = inst_history_copy_uop(p, u->mem.wait_seq);
		break;
	case EV_RESOLVE:
		y->resolved = ev->cycle;
		break;
	case EV_LEAVE:
		inst_history_on_leave_event(g, u, ev);
		break;
	default:
		break;
	}
}

static void inst_history_on_event(void *ctx, const struct machine *m, const struct event *ev)
{
	struct gather *g = ctx;
	const struct story *y = g->y;
	const struct pipe *p = machine_pipe(m);
	if (ev->cycle != g->cycle)
		inst_history_end_cycle(g);
	g->cycle = ev->cycle;
	inst_history_on_other_inst_event(g, p, ev);
	if (ev->seq == g->seq)
		inst_history_on_own_event(g, p, ev);
	const bool stands = y->left && (y->uop.state == UOP_RETIRED || y->culprit.seq == g->seq);
	const bool waits = stands && y->did != CAUSE_NONE && y->goes_on == NO_CYCLE;
	if (y->left && !g->wanted && !waits)
		machine_request_stop(m);
}

bool inst_history_gather(const struct session *s, uint64_t seq, struct story *out, struct err *err)
{
	static const struct event_filter filter = {
		.mask = EV_BIT(PREDICT) | EV_BIT(MISFETCH) | EV_BIT(PROFILE_MISFETCH) |
	                EV_BIT(FLAG_MISPREDICT) | EV_BIT(DISPATCH) | EV_BIT(MEM) | EV_BIT(RESOLVE) |
	                EV_BIT(SQUASH) | EV_BIT(REPLAY) | EV_BIT(COMMIT) | EV_BIT(LEAVE) |
	                EV_BIT(INTERRUPT) | EV_BIT(VSAMPLE)};
	const struct uop *u = pipe_find(machine_pipe(s->machine), seq);
	struct gather g = {.y = out, .seq = seq};
	uint64_t from;
	*out = (struct story){.corrected = NO_CYCLE, .accessed = NO_CYCLE, .resolved = NO_CYCLE,
	                      .goes_on = NO_CYCLE};
	if (u)
		from = u->when.fetch;
	else if (!run_fetched(s->run, seq, &from, err))
		return false;
	g.cycle = from;
	if (!run_replay(s->run, from, machine_cycle(s->machine), &filter, inst_history_on_event, &g,
	                err))
		return false;
	inst_history_end_cycle(&g);
	if (u)
		out->uop = *u;
	return true;
}

struct line {
	const struct session *s;
	uint64_t seq;
	char *buf;
	size_t n;
};

static void write_line(void *ctx, const struct machine *m)
{
	const struct line *l = ctx;
	const struct uop *u = pipe_find(machine_pipe(m), l->seq);
	if (u)
		why_line(l->s, u, l->buf, l->n);
}

bool inst_history_line(const struct session *s, const struct story *y, char *buf, size_t n,
                struct err *err)
{
	struct line l = {s, y->uop.seq, buf, n};
	*buf = '\0';
	if (y->left)
		return run_look(s->run, y->uop.when.end + 1, write_line, &l, err);
	write_line(&l, s->machine);
	return true;
}
