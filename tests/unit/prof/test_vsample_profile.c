/* The value sampler's profile of a program, through hotlists, against the oracle's exact value
 * profile: the sampled instructions and the counts of each value, over many seeds. Also the purpose
 * of skipping before the first recorded instruction. */
#include <math.h>

#include "core/prof/oracle/oracle.h"
#include "core/prof/values/hotlist.h"
#include "loader/launch.h"

#include "tests/unit/prof/vsample_fixture.h"

enum { SEEDS_MAX = 64, PCS_MAX = 4096, TOP = 3, KIND = 0 };

/* Puts the results that a run recorded into the lists, as the daemon would. */
struct reader {
	struct hotlists *lists;
	uint64_t serial;
};

static void read_tuples(struct reader *r, struct machine *m)
{
	const struct vsample_tuple *t;
	while ((t = vsample_find(machine_pipe(m)->prof, r->serial + 1))) {
		assert_true(hotlists_add(r->lists, t->pc, KIND, t->result));
		r->serial++;
	}
	assert_int_equal(r->serial, machine_stats(m)->vsample_tuples);
}

static void run_and_read(struct reader *r, struct machine *m)
{
	while (machine_status(m) == MACHINE_RUNNING) {
		/* fewer than the queue's room */
		machine_run(m, UINT64_MAX, machine_insts(m) + 100);
		read_tuples(r, m);
	}
	assert_int_equal(machine_status(m), MACHINE_EXITED);
}

/* ---- a program and its exact profile ---- */
struct truth {
	unsigned n;
	uint64_t all; /* instructions */
	struct place {
		uint64_t pc, count, value[TOP], times[TOP];
		/* sums over seeds: samples of the instruction, and the list's estimates by value */
		double seen[SEEDS_MAX], said[SEEDS_MAX][TOP];
	} at[PCS_MAX];
};

static struct machine *program_with(const char *path, const struct config *cfg,
                                    struct program **program)
{
	static char name[256];
	static char *argv[] = {name, NULL}, *env[] = {NULL};
	struct err err;
	snprintf(name, sizeof name, "%s", path);
	const struct launch l = {
		.path = name, .argv = argv, .env = env, .stdin_fd = -1, .output = os_no_output};
	*program = launch_program(&l, &err);
	struct machine *m = *program ? launch_machine(&l, *program, cfg, &err) : NULL;
	if (!m)
		fail_msg("%s", err.msg);
	return m;
}

static void note_value(struct place *p, uint64_t value, uint64_t times)
{
	unsigned at = TOP;
	while (at && times > p->times[at - 1])
		at--;
	if (at == TOP)
		return;
	memmove(&p->times[at + 1], &p->times[at], (TOP - 1 - at) * sizeof p->times[0]);
	memmove(&p->value[at + 1], &p->value[at], (TOP - 1 - at) * sizeof p->value[0]);
	p->times[at] = times;
	p->value[at] = value;
}

/* Instructions with results, executed at least `least` times, each with its most frequent
 * values. */
static struct truth *truth_of(const char *path, uint64_t least)
{
	static const char *const how[] = {"oracle.enable=true", "oracle.values=all", NULL};
	const struct config cfg = vsample_fixture_config(how);
	struct program *program;
	struct machine *m = program_with(path, &cfg, &program);
	struct truth *t = calloc(1, sizeof *t);
	machine_run(m, UINT64_MAX, UINT64_MAX);
	const struct oracle *o = oracle_of(machine_pipe(m)->prof);
	t->all = machine_stats(m)->insts;
	assert_int_equal(o->head.lost_all, 0);
	for (uint32_t i = 0; i < oracle_entries(o, ORACLE_INSTS); i++) {
		const struct oracle_entry *e = oracle_entry(o, ORACLE_INSTS, i);
		if (e->count < least || t->n == PCS_MAX)
			continue;
		t->at[t->n].pc = e->key[0];
		t->at[t->n++].count = e->count;
	}
	for (uint32_t i = 0; i < oracle_entries(o, ORACLE_VALUES); i++) {
		const struct oracle_entry *e = oracle_entry(o, ORACLE_VALUES, i);
		for (unsigned k = 0; k < t->n; k++)
			if (t->at[k].pc == e->key[0])
				note_value(&t->at[k], e->key[1], e->count);
	}
	machine_free(m);
	program_free(program);
	return t;
}

/* ---- the sampler's ---- */
static void vsample_profile_sample_program(struct truth *t, const char *path,
                                           const char *const *how, unsigned seed,
                                           const struct hotlist_spec *spec)
{
	struct config cfg = vsample_fixture_config(how);
	struct program *program;
	struct err err;
	cfg.vsample_seed = (int64_t)seed * 7919 + 1;
	struct machine *m = program_with(path, &cfg, &program);
	struct reader r = {.lists = hotlists_new(spec, seed, UINT64_C(64) << 20, &err)};
	assert_non_null(r.lists);
	run_and_read(&r, m);
	assert_int_equal(machine_stats(m)->insts, t->all);
	assert_int_equal(machine_stats(m)->vsample_lost, 0);
	assert_null(hotlists_check(r.lists));
	for (unsigned k = 0; k < t->n; k++) {
		struct place *p = &t->at[k];
		struct hot_estimate top[HOTLIST_MAX];
		const uint32_t list = hotlists_find(r.lists, p->pc, KIND);
		if (list == UINT32_MAX)
			continue;
		p->seen[seed] = (double)hotlists_info(r.lists, list).seen;
		const unsigned n = hotlists_top(r.lists, list, top, HOTLIST_MAX);
		for (unsigned i = 0; i < n; i++)
			for (unsigned v = 0; v < TOP; v++)
				if (p->times[v] && top[i].value == p->value[v])
					p->said[seed][v] = top[i].estimate;
	}
	hotlists_free(r.lists);
	machine_free(m);
	program_free(program);
}

/* Distance of the mean of n differences from 0 in standard errors; 0 if unknown. */
static double vsample_profile_z_score(const double *d, unsigned n)
{
	double sum = 0, squares = 0;
	for (unsigned i = 0; i < n; i++)
		sum += d[i];
	for (unsigned i = 0; i < n; i++)
		squares += (d[i] - sum / n) * (d[i] - sum / n);
	return squares > 0 ? fabs(sum / n) / sqrt(squares / (n - 1) / n) : 0;
}

struct verdict {
	unsigned of, off; /* quantities; more than two standard errors away */
	double worst;
};

static void vsample_profile_count_z_score(struct verdict *v, double z)
{
	v->of++;
	v->off += z > 2;
	v->worst = z > v->worst ? z : v->worst;
}

/* Values' shares of each instruction, given how often it was sampled; and instructions' shares of
 * all samples. */
static void judge_all(const struct truth *t, unsigned seeds, struct verdict *values,
                      struct verdict *places)
{
	double total[SEEDS_MAX] = {0};
	uint64_t executed = 0;
	for (unsigned k = 0; k < t->n; k++) {
		executed += t->at[k].count;
		for (unsigned s = 0; s < seeds; s++)
			total[s] += t->at[k].seen[s];
	}
	for (unsigned k = 0; k < t->n; k++) {
		const struct place *p = &t->at[k];
		double d[SEEDS_MAX], sum = 0;
		for (unsigned s = 0; s < seeds; s++) {
			d[s] = p->seen[s] - total[s] * (double)p->count / (double)executed;
			sum += p->seen[s];
		}
		vsample_profile_count_z_score(places, vsample_profile_z_score(d, seeds));
		for (unsigned v = 0; v < TOP && p->times[v]; v++) {
			const double share = (double)p->times[v] / (double)p->count;
			for (unsigned s = 0; s < seeds; s++)
				d[s] = p->said[s][v] - share * p->seen[s];
			/* A normal distribution needs enough of both kinds. */
			if (sum * share >= 30 && (share == 1 || sum * (1 - share) >= 30))
				vsample_profile_count_z_score(values,
				                              vsample_profile_z_score(d, seeds));
		}
	}
}

#define CHEAP                                                                                      \
	"vsample.enable=true", "vsample.every=1", "vsample.interrupt_cycles=1",                    \
		"vsample.start_cycles=0", "vsample.inst_cycles=1", "vsample.tuple_cycles=0",       \
		"vsample.capture=result", "vsample.code_lines=0", "vsample.data_lines=0",          \
		"vsample.inst_lines=0", "vsample.service=1"

static unsigned seeds_to_run(void)
{
	const char *scale = getenv("CYCLOPS_TEST_SCALE");
	return !scale || strcmp(scale, "long") ? 16 : 48;
}

/* The paper's hotlists, which forget and toss coins, and exact lists are unbiased: about 5 in 100
 * may be two standard errors away. */
TEST(profiles_agree_with_the_oracle)
{
	static const char path[] = "build/demos/longjmp";
	static const char *const how[][14] = {
		{CHEAP, "vsample.interval_min=20", "vsample.interval_max=60"},
		{CHEAP, "vsample.interval_min=5", "vsample.interval_max=90"},
	};
	const struct hotlist_spec *specs[] = {&hotlist_samples_paper, &hotlist_all};
	const unsigned seeds = seeds_to_run();
	FILE *f = fopen(path, "r");
	if (!f)
		skip(); /* make demos */
	fclose(f);
	for (unsigned i = 0; i < 2; i++) {
		const char *with[20] = {NULL};
		unsigned n = 0;
		while (how[i][n]) {
			with[n] = how[i][n];
			n++;
		}
		with[n] = i ? "vsample.length=9" : "vsample.length=1";
		struct truth *t = truth_of(path, 150);
		for (unsigned s = 0; s < seeds; s++)
			vsample_profile_sample_program(t, path, with, s, specs[i]);
		struct verdict values = {0}, places = {0};
		judge_all(t, seeds, &values, &places);
		if (values.of < 60 || places.of < 100 || values.off * 10 > values.of ||
		    places.off * 8 > places.of || values.worst > 5 || places.worst > 5)
			fail_msg("of %u shares of values %u are off, by up to %.2f standard "
			         "errors; of %u instructions' %u, by up to %.2f",
			         values.of, values.off, values.worst, places.of, places.off,
			         places.worst);
		free(t);
	}
}

/* ---- bias ---- */
/* The share of the most frequent instruction among the samples of a loop whose instructions are
 * executed equally often. */
static double largest_share(const char *const *how, unsigned *places)
{
	enum { SEEDS = 20 };
	double seen[LOOP_WORDS] = {0}, all = 0, most = 0;
	for (unsigned seed = 1; seed <= SEEDS; seed++) {
		char option[32];
		const char *with[20];
		unsigned n = 0;
		snprintf(option, sizeof option, "vsample.seed=%u", seed);
		for (; how[n]; n++)
			with[n] = how[n];
		with[n] = option;
		with[n + 1] = NULL;
		struct machine *m = vsample_fixture_loop_machine(with);
		const struct vsample_tuple *t;
		uint64_t serial = 0;
		while (machine_status(m) == MACHINE_RUNNING) {
			machine_run(m, UINT64_MAX, machine_insts(m) + 100);
			for (; (t = vsample_find(machine_pipe(m)->prof, serial + 1)); serial++)
				seen[(t->pc - CODE) / 4]++;
		}
		assert_int_equal(serial, machine_stats(m)->vsample_tuples);
		machine_free(m);
	}
	*places = 0;
	for (unsigned i = LOOP_BEFORE; i < LOOP_WORDS; i++) {
		all += seen[i];
		most = seen[i] > most ? seen[i] : most;
		*places += seen[i] > 0;
	}
	return most / all;
}

/* Interrupts in step with a loop always see the same instruction; skipping a random number before
 * the first recorded instruction prevents that (section 5), and so does a random interval. */
TEST(skipping_is_against_bias)
{
	static const char *const step[] = {CHEAP, "vsample.interval_min=41",
	                                   "vsample.interval_max=41", "vsample.length=1", NULL};
	static const char *const skips[] = {CHEAP,
	                                    "vsample.interval_min=28",
	                                    "vsample.interval_max=28",
	                                    "vsample.length=1",
	                                    "vsample.skip=13",
	                                    NULL};
	static const char *const random[] = {CHEAP, "vsample.interval_min=35",
	                                     "vsample.interval_max=48", "vsample.length=1", NULL};
	unsigned places;
	const double in_step = largest_share(step, &places);
	assert_true(in_step > 0.97);
	assert_in_range(places, 1, 2);
	const double skipping = largest_share(skips, &places);
	assert_true(skipping < 1.25 / LOOP_ROUND);
	assert_in_range(places, LOOP_ROUND, LOOP_ROUND + 3); /* and its end */
	const double drawn = largest_share(random, &places);
	assert_true(drawn < 1.25 / LOOP_ROUND);
	assert_in_range(places, LOOP_ROUND, LOOP_ROUND + 3); /* and its end */
}
