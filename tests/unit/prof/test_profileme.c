/* ProfileMe on small guests: a model of its own, which uses the pipeline's events and no taps, must
 * find the same counts. */
#include "tests/unit/prof/profileme_fixture.h"

/* ---- a model of its own ---- */
struct model {
	const struct machine *m;
	bool handler;         /* the value sampler's handler reads it */
	uint64_t random, least, lengths, left, seq, squashed, squashed_last, events, delay, last,
		last_handler;
	uint64_t interrupts, records;
	bool holds;
	uint64_t pc, fate;
	struct {
		uint64_t fetch, dispatch, issue, mem, writeback, level, tlb_miss, mispredicted;
	} at;
	uint64_t latency[PROFILEME_LATENCY_COUNT];
	struct profileme_counts counts[PCS]; /* by code word */
	uint64_t truth[PCS], truth_delay[PCS]; /* of all retired instructions */
	double square[PCS];
	uint64_t fetched[1 << 14]; /* by seq */
};

static void model_arm(struct model *d)
{
	d->left =
		d->least +
		(uint64_t)((unsigned __int128)hash_splitmix64_next(&d->random) * d->lengths >> 64);
	d->seq = 0;
	d->holds = false;
}

static void model_take(struct model *d)
{
	struct profileme_counts *c = &d->counts[(d->pc - CODE) / 4];
	c->fates[d->fate]++;
	for (unsigned i = 0; i < PROFILEME_EVENT_COUNT; i++)
		c->events[i] += d->events >> i & 1;
	if (d->fate == PROFILEME_FATE_RETIRED) {
		c->delay += d->delay;
		for (unsigned i = 0; i < PROFILEME_LATENCY_COUNT; i++)
			c->latency[i] += d->latency[i];
	}
	d->records++;
	model_arm(d);
}

static void model_done(struct model *d, enum profileme_fate fate, uint64_t end)
{
	const struct uop *u = NULL;
	for (uint32_t i = 0; i < profileme_fixture_prof(d->m)->pool_size; i++)
		if (profileme_fixture_prof(d->m)->pool[i].seq == d->seq)
			u = &profileme_fixture_prof(d->m)->pool[i];
	if (!u)
		fail_msg("#%llu is nowhere", (unsigned long long)d->seq);
	d->fate = fate;
	/* Facts without an event: operands' arrival, and fetch. */
	const uint64_t ready = u ? u->when.ready : 0, fetched = u ? u->fetched : 0;
	d->events |= (uint64_t)((fetched & FETCHED_LEVEL) > LEVEL_L1) << PROFILEME_ICACHE_MISS |
	             (fetched >> 8 & 1) << PROFILEME_ITLB_MISS;
	d->events |= (uint64_t)(d->at.mispredicted != 0) << PROFILEME_MISPREDICTED;
	if (d->at.mem) {
		const bool delayed = u && u->mem.delayed; /* it has no event */
		d->events |= (uint64_t)(d->at.level >= LEVEL_L2 && !delayed)
		                     << PROFILEME_DCACHE_MISS |
		             (uint64_t)delayed << PROFILEME_DCACHE_DELAYED |
		             (uint64_t)(d->at.level >= LEVEL_MEMORY && !delayed)
		                     << PROFILEME_L2_MISS |
		             (uint64_t)(d->at.level == LEVEL_FORWARD ||
		                        d->at.level == LEVEL_BUFFER)
		                     << PROFILEME_FORWARDED |
		             (uint64_t)(d->at.tlb_miss != 0) << PROFILEME_DTLB_MISS;
	}
	if (fate == PROFILEME_FATE_RETIRED) {
		d->latency[PROFILEME_LATENCY_FETCH] = d->at.dispatch - d->at.fetch;
		d->latency[PROFILEME_LATENCY_OPERANDS] = ready - d->at.dispatch;
		d->latency[PROFILEME_LATENCY_ISSUE] = d->at.issue - ready;
		d->latency[PROFILEME_LATENCY_EXECUTE] = d->at.writeback - d->at.issue;
		d->latency[PROFILEME_LATENCY_RETIRE] = end - d->at.writeback;
		d->latency[PROFILEME_LATENCY_LOAD] = d->at.mem ? d->at.writeback - d->at.mem : 0;
	}
	d->squashed = 0;
	if (d->handler) {
		d->holds = true;
		d->seq = 0;
	} else {
		model_take(d);
	}
}

static void model_retired(struct model *d, const struct event *ev)
{
	/* the handler runs in the cycle, or a commit happens */
	const uint64_t handler = machine_stats(d->m)->vsample_cycles;
	const uint64_t word = (ev->pc - CODE) / 4,
		       delay = ev->cycle - d->last - (handler - d->last_handler);
	if (ev->leave.entered) {
		d->truth[word]++;
		d->truth_delay[word] += delay;
		d->square[word] += (double)(delay * delay);
	}
	d->last = ev->cycle;
	d->last_handler = handler;
	if (d->seq != ev->seq)
		return;
	d->delay = delay;
	model_done(d, PROFILEME_FATE_RETIRED, ev->cycle);
}

/* Updates the model after a cycle that entered the handler. */
static void model_interrupted(struct model *d)
{
	if (d->interrupts == machine_stats(d->m)->vsample_interrupts)
		return;
	d->interrupts = machine_stats(d->m)->vsample_interrupts;
	if (d->squashed)
		model_done(d, PROFILEME_FATE_INTERRUPT, 0);
	if (d->holds)
		model_take(d);
}

static void profileme_model_on_event(void *ctx, const struct machine *m, const struct event *ev)
{
	struct model *d = ctx;
	(void)m;
	if (ev->id == EV_FETCH)
		d->fetched[ev->seq % (1 << 14)] = ev->cycle;
	if (ev->id == EV_DISPATCH && !d->seq && !d->holds && !--d->left) {
		d->seq = ev->seq;
		d->pc = ev->pc;
		memset(&d->at, 0, sizeof d->at);
		memset(d->latency, 0, sizeof d->latency);
		d->events = 0;
		d->at.fetch = d->fetched[ev->seq % (1 << 14)];
		d->at.dispatch = ev->cycle;
		return;
	}
	if (ev->id == EV_LEAVE && ev->leave.retired) {
		model_retired(d, ev);
		return;
	}
	if (ev->id == EV_LEAVE && ev->leave.entered)
		d->squashed_last = ev->seq;
	/* squashed by a branch, or by the store that it overtook */
	if (ev->id == EV_SQUASH && d->squashed) {
		const bool replay = op_info[ev->op].flags & OPF_STORE;
		if (replay && d->squashed == d->squashed_last) /* the oldest of them */
			d->events |= UINT64_C(1) << PROFILEME_REPLAY_ORDER;
		model_done(d, replay ? PROFILEME_FATE_REPLAY : PROFILEME_FATE_BRANCH, 0);
		return;
	}
	if (!d->seq || ev->seq != d->seq)
		return;
	switch (ev->id) {
	case EV_ISSUE:
		d->at.issue = ev->cycle;
		break;
	case EV_MEM:
		d->at.mem = ev->cycle;
		d->at.level = ev->mem.level;
		d->at.tlb_miss = ev->mem.tlb_miss;
		break;
	case EV_WRITEBACK:
		d->at.writeback = ev->cycle;
		break;
	case EV_RESOLVE:
		d->at.mispredicted = ev->resolve.mispredicted;
		break;
	case EV_LEAVE:
		d->squashed = ev->seq;
		break;
	default:
		break;
	}
}

/* Runs the machine to its end beside the model. */
static void run_beside(struct machine *m, struct model *d)
{
	const struct config *cfg = machine_config(m);
	const uint64_t most = (uint64_t)(cfg->profileme_interval_max ? cfg->profileme_interval_max
	                                                             : cfg->vsample_interval_min);
	const struct event_filter f = {.mask = EV_BIT(FETCH) | EV_BIT(DISPATCH) | EV_BIT(ISSUE) |
	                                       EV_BIT(MEM) | EV_BIT(WRITEBACK) | EV_BIT(RESOLVE) |
	                                       EV_BIT(LEAVE) | EV_BIT(SQUASH)};
	memset(d, 0, sizeof *d);
	d->m = m;
	d->handler = cfg->vsample && !cfg->profileme_reader;
	d->random = (uint64_t)cfg->profileme_seed;
	d->least = (uint64_t)cfg->profileme_interval_min;
	d->lengths = most - d->least + 1;
	model_arm(d);
	assert_true(machine_listen(m, &f, profileme_model_on_event, d) > 0);
	while (machine_step(m))
		model_interrupted(d);
	assert_int_equal(machine_status(m), MACHINE_EXITED);
	assert_null(prof_check(profileme_fixture_prof(m)));
	assert_null(profileme_check(profileme_fixture_prof(m)->profileme->table));
}

static struct model model;

TEST(test_profileme_matches_model)
{
	static const char *const machines[][4] = {
		{"profileme.interval_max=40"},
		{"profileme.interval_max=7", "lsq.speculate=true", "mem.latency=90"},
		{"profileme.interval_max=1", "lsq.speculate=true", "profileme.seed=5"},
		{"profileme.interval_min=20", "profileme.interval_max=20", "pipe.commit_width=1",
	         "bpred.kind=taken"},
		{"profileme.interval_max=60", "vsample.enable=true", "vsample.interval_min=100",
	         "vsample.interval_max=150"},
		{"profileme.interval_max=0", "vsample.enable=true", "vsample.interval_min=30",
	         "vsample.interval_max=90"},
		{"profileme.reader=daemon", "vsample.enable=true", "vsample.interval_min=30",
	         "vsample.interval_max=90"},
	};
	uint64_t fates[PROFILEME_FATE_COUNT] = {0}, events[PROFILEME_EVENT_COUNT] = {0};
	for (size_t k = 0; k < sizeof machines / sizeof *machines; k++) {
		const char *how[] = {"vsample.interrupt_cycles=30",
		                     "vsample.inst_cycles=5",
		                     "profileme.enable=true",
		                     NULL,
		                     NULL,
		                     NULL,
		                     NULL,
		                     NULL};
		for (unsigned i = 0; i < 4 && machines[k][i]; i++)
			how[3 + i] = machines[k][i];
		struct machine *m = profileme_fixture_busy_machine(how),
			       *alone = profileme_fixture_busy_machine(how);
		run_beside(m, &model);
		const struct prof *d = profileme_fixture_prof(m);
		assert_int_equal(machine_stats(m)->profileme_records, model.records);
		assert_true(model.records > 50);
		uint64_t pcs = 0;
		for (uint64_t i = 0; i < PCS; i++) {
			const struct profileme_counts *c = profileme_find(d, CODE + 4 * i);
			const bool any = profileme_samples(&model.counts[i]);
			assert_int_equal(c != NULL, any);
			pcs += any;
			if (!c)
				continue;
			if (memcmp(c, &model.counts[i], sizeof *c) != 0) /* all words, no padding */
				fail_msg("machine %zu, word %llu: other counts than the model's", k,
				         (unsigned long long)i);
			for (unsigned n = 0; n < PROFILEME_FATE_COUNT; n++)
				fates[n] += c->fates[n];
			for (unsigned n = 0; n < PROFILEME_EVENT_COUNT; n++)
				events[n] += c->events[n];
		}
		assert_int_equal(pcs, profileme_entries(d));
		/* It was not sampled. */
		vsample_fixture_run_to_end(alone);
		assert_int_equal(profileme_fixture_hash_table(alone),
		                 profileme_fixture_hash_table(m));
		assert_int_equal(machine_hash(alone), machine_hash(m));
		machine_free(m);
		machine_free(alone);
	}
	for (unsigned n = 0; n < PROFILEME_FATE_OTHER; n++)
		if (!fates[n])
			fail_msg("nothing was %s", profileme_fate_name[n]);
	for (unsigned n = 0; n < PROFILEME_REPLAY_SIZE; n++)
		if (!events[n])
			fail_msg("nothing had a %s", profileme_event_name[n]);
}

/* ---- estimates ---- */
/* Each estimate within five standard deviations of the truth; the truth's retire delays are all of
 * the cycles. */
TEST(estimates_are_near_the_truth)
{
	static const char *const how[] = {"profileme.enable=true", "profileme.interval_max=20",
	                                  "oracle.enable=true", "lsq.speculate=true", NULL};
	uint64_t all = 0;
	struct machine *m = profileme_fixture_busy_machine(how);
	run_beside(m, &model);
	const struct prof *d = profileme_fixture_prof(m);
	const double scale = profileme_scale(d), n = (double)machine_stats(m)->profileme_records;
	unsigned looked_at = 0;
	for (uint64_t i = 0; i < PCS; i++) {
		const uint64_t pc = CODE + 4 * i;
		const struct profileme_counts *c = profileme_find(d, pc);
		all += model.truth_delay[i];
		assert_int_equal(model.truth[i], oracle_count(d, pc));
		if (!c || c->fates[PROFILEME_FATE_RETIRED] < 20)
			continue;
		looked_at++;
		const double truth = (double)model.truth[i],
			     count = (double)c->fates[PROFILEME_FATE_RETIRED],
			     p = truth / (scale * n);
		if (fabs(count - n * p) > 5 * sqrt(n * p * (1 - p)))
			fail_msg("word %llu: estimated %.0f, truth %.0f", (unsigned long long)i,
			         count * scale, truth);
		const double mean = (double)model.truth_delay[i] / truth,
			     variance = model.square[i] / truth - mean * mean;
		double delay = 0;
		assert_true(profileme_delay(d, pc, &delay));
		if (fabs(delay - mean) > 5 * sqrt(variance / count) + 1e-9)
			fail_msg("word %llu: retire delay %.2f, truth %.2f", (unsigned long long)i,
			         delay, mean);
	}
	assert_in_range(looked_at, 15, 16);
	assert_in_range(machine_stats(m)->cycles - all, 0, 3);
	machine_free(m);
}
