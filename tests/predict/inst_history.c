/* `why`'s stories of instructions that have left, against the machine's state while they were in
 * flight.
 *
 * A first run looks at the window after each cycle, and at events only for the predictor's model;
 * the stories are gathered from history afterwards. The cause of a squash is found by the window's
 * own rules: the oldest misprediction that completed in that cycle, or a load that was replayed in
 * it. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/defs/events.h"
#include "core/pipe/pipe.h"
#include "core/run/run.h"
#include "hwviews/grid/grid.h"
#include "hwviews/why/inst_history.h"
#include "tests/predict/bench.h"
#include "tests/predict/follow.h"

enum { CYCLES = 12000, SEQS = 1 << 18 };

/* One instruction's life. */
struct fact {
	struct uop uop;            /* as it left; seq 0: it hasn't */
	struct uop culprit;        /* of a squash; seq 0: unknown */
	bool predicted;
	uint64_t next;
	bool taken;
	struct looked_at looked_at;
	/* the youngest older store whose bytes the load reads, when it went to memory */
	uint64_t store;
	bool squashes;
	uint64_t squashed, unfetched;
	uint64_t corrected;        /* out of the fetch queue, as decode sent fetch elsewhere */
};

struct test {
	struct bench *bench;
	const char *options;
	struct model *model;
	struct fact *fact;         /* [SEQS] */
	uint64_t from;             /* looked at [from, from + CYCLES) */
	uint8_t dispatched[CYCLES + 1];
	uint64_t seen[8];          /* number of stories of each kind */
};

static void inst_history_test_on_event(void *ctx, const struct machine *m, const struct event *ev)
{
	struct test *t = ctx;
	const struct uop *u = &machine_pipe(m)->pool[ev->slot];
	if (!(u->op_flags & OPF_CONTROL))
		return;
	if (ev->id != EV_PREDICT) {
		follow(t->model, u, ev);
		return;
	}
	const struct branch b = branch_of(u);
	struct fact *f = &t->fact[ev->seq];
	f->next = model_predict(t->model, &b, &f->taken);
	f->looked_at = model_looked_at(t->model);
	f->predicted = true;
}

static bool inst_history_test_leaves_at(const struct uop *u, uint64_t cycle)
{
	return u->seq && (u->state == UOP_SQUASHED || u->state == UOP_RETIRED) &&
	       u->when.end == cycle;
}

static bool inst_history_test_was_executed(const struct uop *u)
{
	return u->flags & UF_EXECUTED;
}

/* The instruction that squashed u in this cycle. */
static const struct uop *inst_history_test_squash_cause(const struct pipe *p, const struct uop *u,
                                                        uint64_t cycle)
{
	const struct uop *branch = NULL, *load = NULL, *decoded = NULL, *serial = NULL;
	for (uint32_t i = 0; i < p->pool_size; i++) {
		const struct uop *q = &p->pool[i];
		if (!q->seq || q->seq > u->seq)
			continue;
		if (inst_history_test_was_executed(q) && (q->flags & UF_MISPREDICT) &&
		    q->when.done == cycle && q->state != UOP_SQUASHED && q->seq < u->seq &&
		    (!branch || q->seq < branch->seq))
			branch = q;
		if (uop_was_replayed(q) && q->when.end == cycle)
			load = q;
		if ((q->flags & UF_MISFETCH) && q->when.dispatch == cycle)
			decoded = q;
		if (q->state == UOP_RETIRED && q->when.end == cycle && (q->op_flags & OPF_SERIAL))
			serial = q;
	}
	return load                                            ? load
	       : branch                                        ? branch
	       : decoded && !inst_history_test_was_executed(u) ? decoded
	                                                       : serial;
}

/* Commit comes after the load's access in a cycle. */
static uint64_t youngest_store(const struct pipe *p, const struct uop *load, uint64_t cycle)
{
	uint64_t best = 0;
	for (uint32_t i = 0; i < p->pool_size; i++) {
		const struct uop *q = &p->pool[i];
		if ((uop_in_window(q) || (q->state == UOP_RETIRED && q->when.end == cycle)) &&
		    q->seq < load->seq && q->seq > best && (q->op_flags & OPF_STORE) &&
		    (q->flags & UF_ADDR_KNOWN) &&
		    q->exec.addr < load->exec.addr + load->exec.size &&
		    load->exec.addr < q->exec.addr + q->exec.size)
			best = q->seq;
	}
	return best;
}

/* Looks at the cycle that has just been done. */
static void inst_history_test_observe_cycle(struct test *t, const struct pipe *p)
{
	const uint64_t cycle = p->st->cycle - 1;
	for (uint32_t i = 0; i < p->pool_size; i++) {
		const struct uop *u = &p->pool[i];
		if (u->seq >= SEQS)
			give_up("too many instructions");
		if (!u->seq)
			continue;
		struct fact *f = &t->fact[u->seq];
		t->dispatched[cycle - t->from] |=
			inst_history_test_was_executed(u) && u->when.dispatch == cycle;
		if (inst_history_test_was_executed(u) && u->mem.level == LEVEL_FORWARD &&
		    u->when.mem == cycle && uop_in_flight(u))
			f->store = youngest_store(p, u, cycle);
		if (!inst_history_test_leaves_at(u, cycle))
			continue;
		f->uop = *u;
		const struct uop *who = u->state == UOP_SQUASHED
		                                ? inst_history_test_squash_cause(p, u, cycle)
		                                : NULL;
		if (!who)
			continue;
		f->culprit = *who;
		struct fact *doer = &t->fact[who->seq];
		doer->squashes = true;
		doer->squashed += inst_history_test_was_executed(u);
		if (who->when.dispatch == cycle)
			doer->corrected++;
		else
			doer->unfetched += !inst_history_test_was_executed(u);
	}
}

static void inst_history_test_check_fact(struct test *t, bool ok, uint64_t seq, const char *what,
                                         uint64_t told, uint64_t expected)
{
	char text[128];
	if (ok) {
		t->bench->passed++;
		return;
	}
	snprintf(text, sizeof text, "story of #%" PRIu64 ", %s", seq, what);
	check(t->bench, false, t->options, text, told, expected);
}

static void same_number(struct test *t, uint64_t seq, const char *what, uint64_t told,
                        uint64_t expected)
{
	inst_history_test_check_fact(t, told == expected, seq, what, told, expected);
}

static void check_prediction(struct test *t, const struct fact *f, const struct story *y)
{
	const struct inst_history_prediction *k = &y->prediction;
	const uint64_t seq = f->uop.seq;
	same_number(t, seq, "predicted", k->there, f->predicted);
	if (!f->predicted)
		return;
	t->seen[0]++;
	same_number(t, seq, "cycle of the prediction", k->cycle, f->uop.when.fetch);
	same_number(t, seq, "predicted next", k->next, f->next);
	same_number(t, seq, "predicted direction", k->taken, f->taken);
	same_number(t, seq, "target known", k->target_known,
	            f->looked_at.found || f->looked_at.from_stack);
	if (branch_of(&f->uop).class != CONDITIONAL) {
		same_number(t, seq, "believed", k->by,
		            f->looked_at.from_stack ? BELIEVED_RETURN_STACK : BELIEVED_TARGETS);
		return;
	}
	const struct model_part *part = f->looked_at.part;
	same_number(t, seq, "believed", k->by, BELIEVED_PREDICTOR);
	for (unsigned i = 0; i < k->parts || part[i].name; i++) {
		const bool named = i < k->parts && part[i].name &&
		                   !strcmp(part[i].name, k->part[i].name);
		inst_history_test_check_fact(t, named, seq, "part of the prediction", i, k->parts);
		if (!named)
			break;
		same_number(t, seq, part[i].name, (uint64_t)(int64_t)k->part[i].value,
		            (uint64_t)(int64_t)part[i].value);
		if (k->part[i].by_history)
			same_number(t, seq, "history", k->history, f->looked_at.history);
	}
}

static uint64_t next_dispatch(const struct test *t, uint64_t cycle)
{
	for (cycle++; cycle < t->from + CYCLES; cycle++)
		if (t->dispatched[cycle - t->from])
			return cycle;
	return NO_CYCLE;
}

static void check_squashes(struct test *t, const struct fact *f, const struct story *y)
{
	const uint64_t seq = f->uop.seq;
	const bool replayed = uop_was_replayed(&f->uop), squashed = f->uop.state == UOP_SQUASHED;
	/* On other machines, a store squashes a load that was too early; the story names the load
	 * and the store. */
	if (y->did != CAUSE_ORDER || replayed) {
		const bool branch = (f->uop.flags & UF_MISPREDICT) &&
		                    inst_history_test_was_executed(&f->uop) &&
		                    f->uop.when.done != NO_CYCLE &&
		                    (!squashed || f->uop.when.done < f->uop.when.end);
		same_number(t, seq, "squashes others", y->did != CAUSE_NONE, replayed || branch);
		if (y->did != CAUSE_NONE) {
			t->seen[replayed ? 2 : 1]++;
			same_number(t, seq, "cycle of its squash", y->squashed_at,
			            replayed ? f->uop.when.end : f->uop.when.done);
			same_number(t, seq, "squashed", y->squashed, f->squashed);
			same_number(t, seq, "out of the fetch queue", y->unfetched, f->unfetched);
			if (!squashed || replayed)
				same_number(t, seq, "dispatch goes on", y->goes_on,
				            next_dispatch(t, y->squashed_at));
		}
	}
	same_number(t, seq, "squashed by somebody", y->by != CAUSE_NONE, squashed);
	if (!squashed)
		return;
	same_number(t, seq, "squashed by", y->culprit.seq, f->culprit.seq);
	const enum inst_history_cause by =
		uop_was_replayed(&f->culprit)
			? f->culprit.mem.replay == REPLAY_ORDER ? CAUSE_ORDER : CAUSE_REPLAY
		: f->culprit.flags & UF_MISPREDICT && f->culprit.when.done == f->uop.when.end
			? CAUSE_MISPREDICTION
		: f->culprit.flags & UF_MISFETCH ? CAUSE_DECODE
						 : CAUSE_FETCHED_AGAIN;
	same_number(t, seq, "squashed because of", y->by, by);
	t->seen[3] += by == CAUSE_MISPREDICTION;
	t->seen[4] += by == CAUSE_DECODE;
	t->seen[5] += by == CAUSE_FETCHED_AGAIN;
}

static void check_inst_history(struct test *t, const struct session *s, const struct fact *f)
{
	struct story y;
	struct err err;
	const struct uop *u = &f->uop;
	if (!inst_history_gather(s, u->seq, &y, &err))
		give_up(err.msg);
	same_number(t, u->seq, "left", y.left, true);
	inst_history_test_check_fact(t, !memcmp(&y.uop.when, &u->when, sizeof u->when), u->seq,
	                             "stamps, that of its end", y.uop.when.end, u->when.end);
	check_prediction(t, f, &y);
	same_number(t, u->seq, "corrected by decode", y.corrected != NO_CYCLE,
	            inst_history_test_was_executed(u) && (u->flags & UF_MISFETCH));
	if (y.corrected != NO_CYCLE) {
		same_number(t, u->seq, "cycle of its correction", y.corrected, u->when.dispatch);
		same_number(t, u->seq, "out of the queue behind it", y.dropped, f->corrected);
	}
	const bool done = inst_history_test_was_executed(u) && u->when.done != NO_CYCLE &&
	                  (u->state == UOP_RETIRED || u->when.done < u->when.end);
	if ((u->op_flags & OPF_REDIRECT) && (done || y.resolved != NO_CYCLE))
		same_number(t, u->seq, "resolved", y.resolved, u->when.done);
	if (inst_history_test_was_executed(u) && (u->op_flags & OPF_LOAD)) {
		same_number(t, u->seq, "went to memory", y.accessed, u->when.mem);
		same_number(t, u->seq, "forwarded by", y.store.seq, f->store);
		t->seen[6] += f->store != 0;
	}
	check_squashes(t, f, &y);
	if (u->seq % 16 == 0) { /* each looks into the past */
		char line[300], end[60], digits[32];
		if (!inst_history_line(s, &y, line, sizeof line, &err))
			give_up(err.msg);
		const char *how = u->state == UOP_RETIRED ? "committed"
		                  : uop_was_replayed(u)   ? "was replayed"
		                                          : "was squashed";
		snprintf(end, sizeof end, " %s in cycle %s", how,
		         group_digits(u->when.end, digits));
		const char *found = strstr(line, end);
		inst_history_test_check_fact(t,
		                             found && found[strlen(end)] != ',' &&
		                                     !isdigit((unsigned char)found[strlen(end)]),
		                             u->seq, line, y.uop.when.end, u->when.end);
	}
}

/* `kinds`: which kinds of stories there must have been, bit k for seen[k]. */
static void inst_history_test_run_guest(struct bench *b, const char *guest, const char *options,
                                        uint64_t from, uint32_t every, unsigned kinds)
{
	static const struct event_filter filter = {.mask = EV_BIT(PREDICT) | EV_BIT(DISPATCH) |
	                                                   EV_BIT(RESOLVE) | EV_BIT(LEAVE)};
	static const struct run_options history = {.history = true};
	struct config cfg;
	struct session *s = open_guest(guest, 2, options, &cfg);
	struct test *t = calloc(1, sizeof *t);
	struct run_stop_info info;
	struct err err;
	if (!t || !(t->fact = calloc(SEQS, sizeof *t->fact)))
		give_up("no memory");
	run_free(s->run);
	s->run = run_new(s->machine, &history);
	t->bench = b;
	t->options = options;
	t->model = model_of(&cfg);
	if (!s->run || !machine_listen(s->machine, &filter, inst_history_test_on_event, t))
		give_up("no memory");
	t->from = from;
	if (!run_cycles(s->run, from, false, &info, &err))
		give_up(err.msg);
	for (uint64_t i = 0; i < CYCLES && machine_status(s->machine) == MACHINE_RUNNING; i++) {
		if (!run_cycles(s->run, 1, false, &info, &err))
			give_up(err.msg);
		inst_history_test_observe_cycle(t, machine_pipe(s->machine));
	}
	uint64_t hash = machine_hash(s->machine), last = machine_cycle(s->machine);
	for (uint64_t seq = 1, n = 0; seq < SEQS; seq++) {
		const struct fact *f = &t->fact[seq];
		/* The next dispatch after the event must be known. Checks many stories of squashed
		 * instructions, fewer of others. */
		if (f->uop.seq && f->uop.when.fetch >= from && f->uop.when.end + 200 < last &&
		    n++ % (f->uop.state == UOP_SQUASHED ? 1 + every / 4 : every) == 0)
			check_inst_history(t, s, f);
	}
	for (unsigned k = 0; k < 7; k++)
		if (kinds >> k & 1)
			check(b, t->seen[k] > 0, options, "stories of a kind, which is", t->seen[k],
			      k);
	check(b, machine_hash(s->machine) == hash, options, "the machine afterwards",
	      machine_hash(s->machine), hash);
	model_free(t->model);
	free(t->fact);
	free(t);
	session_free(s);
}

int main(void)
{
	static const struct {
		const char *guest, *options;
		unsigned kinds;
		uint64_t from;
	} runs[] = {
		{"build/tests/predict/guest", "", 0x1b, 0},
		{"build/tests/predict/guest", "bpred.update=commit bpred.kind=gshare", 0xb, 0},
		{"build/tests/predict/guest", "bpred.update=fetch lsq.speculate=true", 0xf, 0},
		{"build/tests/predict/guest",
	         "bpred.update=fetch bpred.kind=perceptron btb.sets=4 btb.ways=1", 0x1b, 0},
		{"build/tests/predict/guest", "bpred.kind=bimodal ras.size=2", 0x4b, 0},
		{"build/tests/predict/traps_guest",
	         "lsq.speculate=true lsq.replay_size=true lsq.replay_synonym=4096", 4, 0},
		{"build/demos/selfmod", "", 0x29, 26000},
	};
	const char *scale = getenv("CYCLOPS_TEST_SCALE");
	const uint32_t every = !scale || strcmp(scale, "long") ? 97 : 23;
	struct bench b = {0, 0};
	for (unsigned i = 0; i < sizeof runs / sizeof *runs; i++)
		inst_history_test_run_guest(&b, runs[i].guest, runs[i].options, runs[i].from, every,
		                            runs[i].kinds);
	printf("%d passed, %d failed\n", b.passed, b.failed);
	return b.failed != 0;
}
