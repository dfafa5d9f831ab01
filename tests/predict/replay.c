/* Compares the machine's predictors with models, count by count; and on unpredictable branches.
 *
 * 1. Replay: the model sees what the machine did in the machine's order (fetch, dispatch,
 * completion, commit, squash) and must make every prediction that the machine made, on wrong paths
 * too, and end with the same statistics. 2. Stream: on a machine so narrow that each branch is
 * dispatched before the next is fetched, the committed branches alone, in program order, must give
 * the same statistics: nothing else has taught the predictor. 3. Floor: of N fair coins no
 * predictor gets more than half right, but for luck. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/defs/events.h"
#include "core/defs/kinds.h"
#include "core/pipe/pipe.h"
#include "tests/predict/bench.h"
#include "tests/predict/follow.h"
#include "tests/predict/model.h"

struct test {
	struct model *model;
	bool stream;       /* only committed branches, each predicted at its commit */
	uint64_t different; /* predictions */
	uint64_t coins_lo, coins_hi; /* the branches that toss coins are in between */
	uint64_t coins, coins_wrong;
};

static void predict_replay_on_event(void *ctx, const struct machine *m, const struct event *ev)
{
	struct test *t = ctx;
	const struct uop *u = &machine_pipe(m)->pool[ev->slot];
	bool taken;
	if (ev->slot == EVENT_NO_SLOT)
		give_up("an instruction is gone before its events were heard");
	if (!(u->op_flags & OPF_CONTROL))
		return;
	struct branch b = branch_of(u);
	if (ev->id == EV_LEAVE && ev->leave.retired) {
		if (t->stream) {
			(void)model_predict(t->model, &b, &taken);
			model_dispatch(t->model, &b);
		}
		model_commit(t->model, &b);
		bool coin = b.pc >= t->coins_lo && b.pc < t->coins_hi;
		t->coins += coin;
		t->coins_wrong += coin && (u->flags & UF_MISPREDICT);
	} else if (t->stream) {
		return;
	} else if (ev->id == EV_PREDICT) {
		uint64_t next = model_predict(t->model, &b, &taken);
		t->different += next != ev->predict.target || taken != ev->predict.taken;
	} else {
		follow(t->model, u, ev);
	}
}

static void predict_replay_compare_stats(struct bench *b, const struct test *t,
                                         const struct stats *s, const char *options)
{
	const struct counts *c = model_counts(t->model);
	check(b, s->commit_branches == c->branches && c->branches > 1000, options, "branches",
	      s->commit_branches, c->branches);
	check(b, s->bpred_dir_hits == c->direction_hits, options, "direction hits",
	      s->bpred_dir_hits, c->direction_hits);
	check(b, s->bpred_mispredicts == c->mispredicts, options, "mispredictions",
	      s->bpred_mispredicts, c->mispredicts);
	check(b, s->commit_indirect == c->indirect, options, "indirect jumps", s->commit_indirect,
	      c->indirect);
	check(b, s->bpred_ind_hits == c->indirect_hits, options, "indirect hits", s->bpred_ind_hits,
	      c->indirect_hits);
	check(b, s->commit_returns == c->returns, options, "returns", s->commit_returns,
	      c->returns);
	check(b, s->ras_hits == c->return_hits, options, "return-stack hits", s->ras_hits,
	      c->return_hits);
	if (t->stream)
		return;
	check(b, t->different == 0, options, "predictions that differ", t->different, 0);
	check(b, s->btb_lookups == c->lookups, options, "BTB look-ups", s->btb_lookups, c->lookups);
	check(b, s->btb_hits == c->hits, options, "BTB hits", s->btb_hits, c->hits);
}

/* Four standard deviations below half: one in 30,000 honest predictors fails, and the coins are
 * always the same. */
static void above_floor(struct bench *b, const struct test *t, const struct stats *s,
                        const char *options, bool taken_back)
{
	uint64_t floor = t->coins / 2 - (uint64_t)(2 * sqrt((double)t->coins));
	check(b, t->coins > 4000, options, "coins", t->coins, 4800);
	check(b, t->coins_wrong >= floor, options, "coins guessed wrong, at least", t->coins_wrong,
	      floor);
	if (taken_back) /* or the squashes that this is about did not happen */
		check(b, s->order_violations > t->coins / 2, options,
		      "memory order violations, at least", s->order_violations, t->coins / 2);
}

static uint64_t predict_replay_symbol_addr(const struct session *s, const char *name)
{
	const struct symbol *sym = program_symbol_by_name(s->program, name);
	if (!sym)
		give_up(name);
	return sym->addr;
}

/* Runs the guest with so many arguments. */
static void predict_replay_run_guest(struct bench *b, const char *options, int arguments,
                                     bool stream)
{
	struct config cfg;
	struct session *s = open_guest("build/tests/predict/guest", arguments, options, &cfg);
	struct test t = {.model = model_of(&cfg), .stream = stream};
	t.coins_lo =
		predict_replay_symbol_addr(s, arguments == 2 ? "late_coins_begin" : "coins_begin");
	t.coins_hi = predict_replay_symbol_addr(s, arguments == 2 ? "late_coins_end" : "coins_end");
	struct event_filter filter = {.mask = EV_BIT(PREDICT) | EV_BIT(DISPATCH) | EV_BIT(RESOLVE) |
	                                      EV_BIT(LEAVE)};
	if (!machine_listen(s->machine, &filter, predict_replay_on_event, &t))
		give_up("no listener");
	machine_run(s->machine, 20000000, UINT64_MAX);
	if (machine_status(s->machine) != MACHINE_EXITED)
		give_up("the guest did not end");
	if (!arguments)
		predict_replay_compare_stats(b, &t, machine_stats(s->machine), options);
	else
		above_floor(b, &t, machine_stats(s->machine), options,
		            arguments == 2 && cfg.lsq_speculate);
	model_free(t.model);
	session_free(s);
}

/* Predictors with a model. */
static const struct {
	const char *choice;
	enum kind_learns learns;
} kinds[] = {
#define KIND(id, name, choice, help, learns) {choice, learns},
#define APART(...)
	BPRED_ROWS(KIND, APART)
};
static const char *const updates[] = {"dispatch", "commit", "fetch"};
/* Geometries: the default's; small tables, where branches meet; none at all. */
static const char *const shapes[] = {
	"",
	"bpred.bimodal_size=64 bpred.l1_size=8 bpred.l2_size=256 bpred.meta_size=32 "
        "bpred.history=5 btb.sets=4 btb.ways=3 "
	"bpred.perceptrons=16 ras.size=3",
	"btb.sets=0 ras.size=0 bpred.history=12",
};
/* Machines: the default, one that guesses about memory, in order, five stages. */
static const char *const machines[] = {
	"",
	"lsq.speculate=true",
	"pipe.in_order=true pipe.fetch_width=2 pipe.decode_width=2 pipe.fetch_past_taken=true",
};
#define COUNT(a) (sizeof(a) / sizeof *(a))

int main(void)
{
	struct bench b = {0, 0};
	const char *scale = getenv("CYCLOPS_TEST_SCALE");
	bool small = !scale || strcmp(scale, "long");
	for (size_t k = 0; k < COUNT(kinds); k++)
		for (size_t u = 0; u < COUNT(updates); u++) {
			char options[512];
			if (kinds[k].learns == LATE && !u)
				continue;
			/* One case in three in all machines, the other cases only with small
			 * tables. */
			const bool brief = small && k % 3;
			for (size_t s = brief; s < (brief ? 2 : COUNT(shapes)); s++)
				for (size_t m = 0; m < (brief ? 1 : COUNT(machines)); m++) {
					snprintf(options, sizeof options,
					         "bpred.kind=%s bpred.update=%s %s %s",
					         kinds[k].choice, updates[u], shapes[s], machines[m]);
					predict_replay_run_guest(&b, options, 0, false);
				}
			if (brief)
				continue;
			for (int guess = 0; guess <= 1; guess++) {
				snprintf(options, sizeof options,
				         "bpred.kind=%s bpred.update=%s lsq.speculate=%s",
				         kinds[k].choice, updates[u], guess ? "true" : "false");
				predict_replay_run_guest(&b, options, 1, false);
				predict_replay_run_guest(&b, options, 2, false);
			}
			if (u)
				continue;
			/* Targets and return stack as large as it takes: wrong paths change their
			 * order of use. */
			for (int guess = 0; guess <= 1; guess++) {
				snprintf(options, sizeof options,
				         "bpred.kind=%s pipe.fetch_width=1 pipe.fetch_queue=1 "
				         "btb.sets=4096 btb.ways=4 lsq.speculate=%s",
				         kinds[k].choice, guess ? "true" : "false");
				predict_replay_run_guest(&b, options, 0, true);
			}
		}
	printf("%d passed, %d failed\n", b.passed, b.failed);
	return b.failed != 0;
}
