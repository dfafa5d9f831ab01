/* Hotlists: what the paper says of them, as properties of many runs over made-up streams; and, step
 * by step, a model of each method that is written another way. */
#include "core/prof/values/hotlist.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/base/hash.h"

enum { LIST_MAX = 64 };

struct buffer {
	_Alignas(8) uint8_t bytes[sizeof(struct hotlist) + LIST_MAX * sizeof(struct hot_value)];
};

static struct hotlist *fresh(struct buffer *b)
{
	memset(b, 0, sizeof *b);
	return (struct hotlist *)(void *)b->bytes;
}

static uint64_t count_of(const struct hotlist *l, uint64_t value)
{
	for (uint64_t i = 0; i < l->used; i++)
		if (l->at[i].value == value)
			return l->at[i].count;
	return 0;
}

/* ---- streams ---- */
typedef uint64_t stream_fn(uint64_t i, uint64_t *random);

static uint64_t below(uint64_t *random, uint64_t n)
{
	return (uint64_t)((unsigned __int128)splitmix64(random) * n >> 64);
}

static uint64_t uniform(uint64_t i, uint64_t *random)
{
	(void)i;
	return below(random, 40);
}

/* Half of what there is is 1, a quarter 2, and so on. */
static uint64_t skewed(uint64_t i, uint64_t *random)
{
	(void)i;
	return 1 + (uint64_t)__builtin_ctzll(splitmix64(random) | UINT64_C(1) << 40);
}

/* One value in three is the same, the others never come again: all 64 bits of them count. */
static uint64_t wide(uint64_t i, uint64_t *random)
{
	const uint64_t v = splitmix64(random);
	return i % 3 ? v : UINT64_C(0x8000000000000001);
}

/* First one value, then another, each among others. */
static uint64_t phased(uint64_t i, uint64_t *random)
{
	return i % 4 ? below(random, 100) + 1000 : i < 3000 ? 1 : 2;
}

/* Against tables that throw out what is rare at the moment: a value always comes back when
 * seventeen others have been there. */
static uint64_t adversarial(uint64_t i, uint64_t *random)
{
	const uint64_t v = splitmix64(random);
	return i % 18 == 17 ? 7 : v;
}

static stream_fn *const streams[] = {uniform, skewed, wide, phased, adversarial};
static const char *const stream_names[] = {"uniform", "skewed", "wide", "phased", "adversarial"};
enum { STREAMS = 5, LENGTH = 6000 };

/* One stream, always the same, and how often a value is in it. */
static void make(unsigned which, uint64_t *out)
{
	uint64_t random = 1000 + which;
	for (uint64_t i = 0; i < LENGTH; i++)
		out[i] = streams[which](i, &random);
}

static uint64_t times_in(const uint64_t *stream, uint64_t value)
{
	uint64_t n = 0;
	for (unsigned i = 0; i < LENGTH; i++)
		n += stream[i] == value;
	return n;
}

/* ---- concise samples, as the paper says it ---- */
/* Another way to write section 2.2: a list of instances, each of which was counted. Draws as many
 * numbers of the generator in the same order, and so must come to the same. */
struct model {
	double p;
	struct {
		uint64_t value[LENGTH];
		unsigned n;
	} kept; /* instances; those of a value together, values in the order in which they came in
	         */
	uint64_t random;
};

static unsigned distinct(const struct model *m)
{
	unsigned n = 0;
	for (unsigned i = 0; i < m->kept.n; i++)
		n += !i || m->kept.value[i] != m->kept.value[i - 1];
	return n;
}

static double coin(struct model *m)
{
	return (double)splitmix64(&m->random) / 18446744073709551616.0;
}

static void model_note(struct model *m, uint64_t value, unsigned most, double f)
{
	if (m->p < 1 && coin(m) >= m->p)
		return;
	unsigned at = m->kept.n;
	for (unsigned i = 0; i < m->kept.n; i++)
		if (m->kept.value[i] == value)
			at = i + 1;
	memmove(&m->kept.value[at + 1], &m->kept.value[at], (m->kept.n - at) * sizeof(uint64_t));
	m->kept.value[at] = value;
	m->kept.n++;
	while (distinct(m) > most) {
		unsigned n = 0;
		m->p /= f;
		for (unsigned i = 0; i < m->kept.n; i++)
			if (coin(m) < 1 / f)
				m->kept.value[n++] = m->kept.value[i];
		m->kept.n = n;
	}
}

static void samples_are_as_the_paper_says(void **state)
{
	(void)state;
	static struct model m;
	static uint64_t stream[LENGTH];
	static const struct hotlist_spec specs[] = {
		{HOTLIST_SAMPLES, 16, 16, 15, 0},
		{HOTLIST_SAMPLES, 1, 2, 1, 0},
		{HOTLIST_SAMPLES, 5, 10, 9, 0},
		{HOTLIST_SAMPLES, 64, 3, 2, 0},
	};
	for (unsigned k = 0; k < STREAMS * 4; k++) {
		const struct hotlist_spec *spec = &specs[k / STREAMS];
		struct buffer b;
		struct hotlist *l = fresh(&b);
		uint64_t random = m.random = 77 + k;
		m.p = 1;
		m.kept.n = 0;
		make(k % STREAMS, stream);
		for (unsigned i = 0; i < LENGTH; i++) {
			hotlist_note(spec, l, stream[i], &random);
			model_note(&m, stream[i], spec->entries, (double)spec->f_up / spec->f_down);
			assert_null(hotlist_check(spec, l));
			assert_true(fabs(hotlist_probability(l) / m.p - 1) < 1e-9);
			assert_int_equal(l->used, distinct(&m));
			for (unsigned at = 0, v = 0; at < m.kept.n; v++) {
				unsigned n = 1;
				while (at + n < m.kept.n &&
				       m.kept.value[at + n] == m.kept.value[at])
					n++;
				assert_int_equal(l->at[v].value, m.kept.value[at]);
				assert_int_equal(l->at[v].count, n);
				at += n;
			}
		}
		assert_int_equal(random, m.random);
		assert_int_equal(l->seen, LENGTH);
	}
}

/* ---- estimates ---- */
/* Over many seeds the mean of count / p of a value is how often it was there: within four and a
 * half standard errors, for the values that matter most and for one that does not. */
static void estimates_are_unbiased(void **state)
{
	(void)state;
	static uint64_t stream[LENGTH];
	enum { SEEDS = 3000 };
	for (unsigned k = 0; k < STREAMS; k++) {
		make(k, stream);
		const uint64_t watched[] = {stream[0],          stream[17], stream[LENGTH / 2],
		                            stream[LENGTH - 1], 7,          2};
		double sum[6] = {0}, squares[6] = {0};
		for (unsigned seed = 0; seed < SEEDS; seed++) {
			struct buffer b;
			struct hotlist *l = fresh(&b);
			uint64_t random = 0x1234567 * seed + k;
			for (unsigned i = 0; i < LENGTH; i++)
				hotlist_note(&hotlist_samples_paper, l, stream[i], &random);
			for (unsigned v = 0; v < 6; v++) {
				const double e =
					(double)count_of(l, watched[v]) / hotlist_probability(l);
				sum[v] += e;
				squares[v] += e * e;
			}
		}
		for (unsigned v = 0; v < 6; v++) {
			const double mean = sum[v] / SEEDS,
				     truth = (double)times_in(stream, watched[v]);
			const double variance = squares[v] / SEEDS - mean * mean,
				     error = sqrt(fmax(variance, 0) / SEEDS);
			/* A value that is hardly ever counted has no normal distribution: then the
			 * bound is coarse. */
			if (fabs(mean - truth) >
			    4.5 * error + 1e-9 * truth + (mean == 0 ? truth : 0))
				fail_msg("%s: %llu is estimated at %.2f +- %.2f, and was there "
				         "%.0f times",
				         stream_names[k], (unsigned long long)watched[v], mean,
				         error, truth);
		}
	}
}

/* What the list is for: a value that is a third of a stream of others that never come twice is
 * found, whatever the order. */
static void what_is_hot_is_found(void **state)
{
	(void)state;
	static uint64_t stream[LENGTH];
	unsigned found = 0;
	make(2, stream);
	for (unsigned seed = 0; seed < 200; seed++) {
		struct buffer b;
		struct hotlist *l = fresh(&b);
		uint64_t random = seed, most = 0;
		for (unsigned i = 0; i < LENGTH; i++)
			hotlist_note(&hotlist_samples_paper, l, stream[i], &random);
		for (uint64_t i = 0; i < l->used; i++)
			most = l->at[i].count > most ? l->at[i].count : most;
		found += most > 1 && count_of(l, UINT64_C(0x8000000000000001)) == most;
	}
	assert_true(found >= 195);
}

/* ---- coins ---- */
/* A count of n becomes the number of heads of n coins, where heads come with 1 / f: each number as
 * often as the binomial distribution says, by a chi-square test whose statistic is beyond its bound
 * once in 10,000 times; with this seed it is not. */
static void each_instance_is_kept_with_one_over_f(void **state)
{
	(void)state;
	enum { N = 12, TRIALS = 40000, VALUES = 3 };
	static const struct hotlist_spec specs[] = {{HOTLIST_SAMPLES, 16, 16, 15, 0},
	                                            {HOTLIST_SAMPLES, 16, 2, 1, 0}};
	static const double bound[] = {25, 40}; /* for the numbers that come often enough */
	for (unsigned k = 0; k < 2; k++) {
		const double keep = (double)specs[k].f_down / specs[k].f_up;
		uint64_t seen[N + 1] = {0}, random = 5;
		for (unsigned t = 0; t < TRIALS; t++) {
			struct buffer b;
			struct hotlist *l = fresh(&b);
			uint64_t left = 0;
			for (uint64_t v = 0; v < VALUES; v++)
				for (unsigned i = 0; i < N; i++)
					hotlist_note(&specs[k], l, v, &random);
			hotlist_reduce(&specs[k], l, &random);
			assert_true(fabs(hotlist_probability(l) - keep) < 1e-12);
			for (uint64_t v = 0; v < VALUES; v++) {
				seen[count_of(l, v)]++;
				left += count_of(l, v) != 0;
			}
			assert_int_equal(l->used, left);
		}
		double chi = 0, p = pow(1 - keep, N);
		unsigned cells = 0;
		for (unsigned n = 0; n <= N; n++) {
			const double expected = p * TRIALS * VALUES;
			if (expected >= 10) {
				chi += ((double)seen[n] - expected) * ((double)seen[n] - expected) /
				       expected;
				cells++;
			}
			p *= keep / (1 - keep) * (N - n) / (n + 1);
		}
		assert_true(cells >= 6);
		if (chi > bound[k])
			fail_msg("heads of %d coins: chi-square %.1f over %u numbers", N, chi,
			         cells);
	}
}

/* ---- counting samples ---- */
/* Gibbons and Matias' section 3.2: what is in the sample is counted, what is not comes in with p;
 * when p falls, each value is asked whether it would have come in later. */
struct counting {
	double p;
	unsigned n;
	uint64_t value[LIST_MAX + 1], count[LIST_MAX + 1], random;
};

static double toss(struct counting *m)
{
	return (double)splitmix64(&m->random) / 18446744073709551616.0;
}

static void counting_note(struct counting *m, uint64_t value, unsigned most, double f)
{
	for (unsigned i = 0; i < m->n; i++)
		if (m->value[i] == value) {
			m->count[i]++;
			return;
		}
	if (m->p < 1 && toss(m) >= m->p)
		return;
	m->value[m->n] = value;
	m->count[m->n++] = 1;
	while (m->n > most) {
		unsigned n = 0;
		m->p /= f;
		for (unsigned i = 0; i < m->n; i++) {
			double heads = 1 / f;
			while (m->count[i] && toss(m) >= heads) {
				m->count[i]--;
				heads = m->p;
			}
			if (m->count[i]) {
				m->value[n] = m->value[i];
				m->count[n++] = m->count[i];
			}
		}
		m->n = n;
	}
}

static void counting_samples_are_as_they_should(void **state)
{
	(void)state;
	static uint64_t stream[LENGTH];
	static const struct hotlist_spec specs[] = {{HOTLIST_COUNTING, 16, 16, 15, 0},
	                                            {HOTLIST_COUNTING, 1, 2, 1, 0},
	                                            {HOTLIST_COUNTING, 5, 10, 9, 0},
	                                            {HOTLIST_COUNTING, 64, 3, 2, 0}};
	for (unsigned k = 0; k < STREAMS * 4; k++) {
		const struct hotlist_spec *spec = &specs[k / STREAMS];
		struct buffer b;
		struct hotlist *l = fresh(&b);
		uint64_t random = 177 + k;
		struct counting m = {.p = 1, .random = random};
		make(k % STREAMS, stream);
		for (unsigned i = 0; i < LENGTH; i++) {
			hotlist_note(spec, l, stream[i], &random);
			counting_note(&m, stream[i], spec->entries,
			              (double)spec->f_up / spec->f_down);
			assert_null(hotlist_check(spec, l));
			assert_true(fabs(hotlist_probability(l) / m.p - 1) < 1e-9);
			assert_int_equal(l->used, m.n);
			for (unsigned v = 0; v < m.n; v++)
				assert_true(l->at[v].value == m.value[v] &&
				            l->at[v].count == m.count[v]);
		}
	}
}

/* The estimate of a value that comes in a third of a stream of others is right on average with
 * both, and less up to chance if what is known is counted. */
static void counting_samples_know_better(void **state)
{
	(void)state;
	enum { SEEDS = 400 };
	static uint64_t stream[LENGTH];
	const uint64_t hot = UINT64_C(0x8000000000000001);
	double deviation[2];
	make(2, stream);
	const double truth = (double)times_in(stream, hot);
	for (unsigned method = 0; method < 2; method++) {
		const struct hotlist_spec *spec =
			method ? &hotlist_counting : &hotlist_samples_paper;
		double sum = 0, squares = 0;
		for (unsigned seed = 0; seed < SEEDS; seed++) {
			struct buffer b;
			struct hotlist *l = fresh(&b);
			uint64_t random = 1000 + seed;
			for (unsigned i = 0; i < LENGTH; i++)
				hotlist_note(spec, l, stream[i], &random);
			const uint64_t n = count_of(l, hot);
			const double estimate = n ? hotlist_estimate(spec, l, n) : 0;
			sum += estimate;
			squares += (estimate - truth) * (estimate - truth);
		}
		deviation[method] = sqrt(squares / SEEDS);
		if (fabs(sum / SEEDS - truth) > 4 * deviation[method] / sqrt(SEEDS))
			fail_msg("method %u: %.1f on average, not %.1f", method, sum / SEEDS,
			         truth);
	}
	if (deviation[1] > 0.6 * deviation[0])
		fail_msg("standard deviations of %.1f and %.1f for %.0f", deviation[0],
		         deviation[1], truth);
	print_message("standard deviations of %.1f and %.1f for %.0f\n", deviation[0], deviation[1],
	              truth);
}

/* ---- Calder's table ---- */
/* The same from its description: sorted by counts with each value, the last one replaced, the lower
 * half emptied. */
struct top {
	struct hot_value at[LIST_MAX];
	unsigned n;
	uint64_t since;
};

static void top_note(struct top *t, uint64_t value, const struct hotlist_spec *spec)
{
	unsigned i = 0;
	while (i < t->n && t->at[i].value != value)
		i++;
	if (i == t->n) {
		if (t->n == spec->entries)
			i--;
		else
			t->n++;
		t->at[i] = (struct hot_value){value, 0};
	}
	t->at[i].count++;
	const struct hot_value moved = t->at[i];
	unsigned to = 0;
	while (to < i && t->at[to].count >= moved.count)
		to++;
	memmove(&t->at[to + 1], &t->at[to], (i - to) * sizeof *t->at);
	t->at[to] = moved;
	if (spec->clear && ++t->since == spec->clear) {
		t->since = 0;
		if (t->n > (spec->entries + 1) / 2)
			t->n = (spec->entries + 1) / 2;
	}
}

static void top_values_are_as_calder_says(void **state)
{
	(void)state;
	static uint64_t stream[LENGTH];
	static const struct hotlist_spec specs[] = {{HOTLIST_TOP, 16, 0, 0, 2000},
	                                            {HOTLIST_TOP, 1, 0, 0, 10},
	                                            {HOTLIST_TOP, 7, 0, 0, 100},
	                                            {HOTLIST_TOP, 16, 0, 0, 0}};
	for (unsigned k = 0; k < STREAMS * 4; k++) {
		const struct hotlist_spec *spec = &specs[k / STREAMS];
		struct buffer b;
		struct hotlist *l = fresh(&b);
		struct top t = {.n = 0};
		uint64_t random = 1;
		make(k % STREAMS, stream);
		for (unsigned i = 0; i < LENGTH; i++) {
			hotlist_note(spec, l, stream[i], &random);
			top_note(&t, stream[i], spec);
			assert_null(hotlist_check(spec, l));
			assert_int_equal(l->used, t.n);
			assert_memory_equal(l->at, t.at, t.n * sizeof *t.at);
		}
		assert_int_equal(random, 1); /* nothing is left to chance */
		for (uint64_t v = 0; v < l->used; v++)
			assert_true(l->at[v].count <= times_in(stream, l->at[v].value));
	}
}

/* What clearing is for, and why the paper would rather do without: in a stream of two phases the
 * second one's value gets in; without clearing a table that is full of the first phase keeps it
 * out. */
static void clearing_lets_later_values_in(void **state)
{
	(void)state;
	struct hotlist_spec spec = {HOTLIST_TOP, 4, 0, 0, 500};
	for (unsigned k = 0; k < 2; k++, spec.clear = 0) {
		struct buffer b;
		struct hotlist *l = fresh(&b);
		uint64_t random = 0;
		for (uint64_t i = 0; i < 4000; i++)
			hotlist_note(&spec, l, i % 4, &random);
		/* Two later values in turn: each takes the other's place. Not up to a clearing,
		 * which takes both. */
		for (uint64_t i = 0; i < 3900; i++)
			hotlist_note(&spec, l, 100 + i % 2, &random);
		assert_int_equal(count_of(l, 100) > 100 && count_of(l, 101) > 100, spec.clear != 0);
	}
}

/* ---- lists by instruction and kind ---- */
static struct hotlists *lists(const struct hotlist_spec *spec, uint64_t memory)
{
	struct err err;
	struct hotlists *h = hotlists_new(spec, 42, memory, &err);
	if (!h)
		fail_msg("%s", err.msg);
	return h;
}

static void lists_are_kept_apart(void **state)
{
	(void)state;
	const struct hotlist_spec *const specs[] = {&hotlist_samples_paper, &hotlist_top_calder,
	                                            &hotlist_all, &hotlist_counting};
	for (unsigned k = 0; k < 4; k++) {
		struct hotlists *h = lists(specs[k], 1 << 20);
		for (uint64_t i = 0; i < 9000; i++)
			assert_true(hotlists_add(h, 0x10000 + 4 * (i % 50), (unsigned)(i % 3),
			                         i % 150 + (i & 1024)));
		assert_int_equal(hotlists_count(h), 150);
		assert_null(hotlists_check(h));
		for (uint64_t i = 0; i < 150; i++) {
			const uint32_t at =
				hotlists_find(h, 0x10000 + 4 * (i % 50), (unsigned)(i % 3));
			const struct hotlist_info info = hotlists_info(h, at);
			struct hot_estimate top[3];
			assert_int_equal(at, i); /* as they came */
			assert_int_equal(info.pc, 0x10000 + 4 * (i % 50));
			assert_int_equal(info.kind, i % 3);
			assert_int_equal(info.seen, 60);
			assert_int_equal(info.used, 2);
			assert_true(info.probability == 1);
			assert_int_equal(hotlists_top(h, at, top, 3), 2);
			assert_int_equal(hotlists_top(h, at, top, 1), 1);
			assert_true(top[0].estimate == (double)top[0].count &&
			            top[0].count >= top[1].count);
			assert_int_equal(top[0].count + top[1].count, 60);
			assert_int_equal(top[0].value % 1024, i);
		}
		assert_int_equal(hotlists_find(h, 0x10000, 3), UINT32_MAX);
		assert_int_equal(hotlists_find(h, 0x10002, 0), UINT32_MAX);
		hotlists_clear(h);
		assert_int_equal(hotlists_count(h), 0);
		hotlists_free(h);
	}
}

static void exact_counts_are_exact(void **state)
{
	(void)state;
	static uint64_t stream[LENGTH];
	for (unsigned k = 0; k < STREAMS; k++) {
		struct hotlists *h = lists(&hotlist_all, 4 << 20);
		struct hot_estimate top[8];
		make(k, stream);
		for (unsigned i = 0; i < LENGTH; i++)
			assert_true(hotlists_add(h, 4, 1, stream[i]));
		assert_null(hotlists_check(h));
		const unsigned n = hotlists_top(h, 0, top, 8);
		for (unsigned i = 0; i < n; i++) {
			assert_int_equal(top[i].count, times_in(stream, top[i].value));
			assert_true(!i || top[i - 1].count > top[i].count ||
			            (top[i - 1].count == top[i].count &&
			             top[i - 1].value < top[i].value));
		}
		/* Nothing that is not among them is more frequent. */
		for (unsigned i = 0; i < LENGTH; i += 7)
			assert_true(times_in(stream, stream[i]) <= top[0].count);
		hotlists_free(h);
	}
}

static void memory_is_bounded(void **state)
{
	(void)state;
	const struct hotlist_spec *const specs[] = {&hotlist_samples_paper, &hotlist_top_calder,
	                                            &hotlist_all, &hotlist_counting};
	for (unsigned k = 0; k < 4; k++) {
		struct hotlists *h = lists(specs[k], HOTLIST_MEMORY_MIN);
		uint64_t random = 3, lost = 0;
		for (unsigned i = 0; i < 200000; i++)
			lost += !hotlists_add(h, splitmix64(&random) >> 45 << 1, 0,
			                      splitmix64(&random));
		assert_true(lost > 0 && lost < 200000);
		assert_int_equal(h->head.lost, lost);
		assert_int_equal(h->head.starved, 0);
		assert_null(hotlists_check(h));
		assert_true(cow_bytes(h->store.cow) <= HOTLIST_MEMORY_MIN + HOTLIST_MEMORY_MIN / 4);
		/* What is there goes on being counted. */
		const struct hotlist_info first = hotlists_info(h, 0);
		struct hot_estimate top;
		assert_int_equal(hotlists_top(h, 0, &top, 1), 1);
		assert_true(hotlists_add(h, first.pc, 0, top.value));
		assert_int_equal(hotlists_info(h, 0).seen, first.seen + 1);
		hotlists_free(h);
	}
}

/* The same stream gives the same lists, another seed others; and they come back as a companion's
 * state does. */
static void states_come_back(void **state)
{
	(void)state;
	struct err err;
	struct hotlists *a = lists(&hotlist_samples_paper, 1 << 20),
			*b = lists(&hotlist_samples_paper, 1 << 20);
	struct hotlists *c = hotlists_new(&hotlist_samples_paper, 43, 1 << 20, &err);
	uint64_t random = 9;
	size_t n;
	for (unsigned i = 0; i < 20000; i++) {
		const uint64_t pc = 2 * below(&random, 20), value = below(&random, 30);
		hotlists_add(a, pc, 0, value);
		hotlists_add(b, pc, 0, value);
		hotlists_add(c, pc, 0, value);
	}
	const uint64_t then = hotlists_hash(a);
	assert_int_equal(hotlists_hash(b), then);
	assert_int_not_equal(hotlists_hash(c), then);
	void *kept = hotlists_companion.save(a), *bytes = hotlists_companion.pack(a, &n);
	for (uint64_t i = 0; i < 1000; i++)
		hotlists_add(a, 2 * (i % 50), 0, i);
	const uint64_t later = hotlists_hash(a);
	assert_int_not_equal(later, then);
	hotlists_companion.restore(a, kept);
	assert_int_equal(hotlists_hash(a), then);
	assert_true(hotlists_companion.unpack(b, bytes, n, &err));
	assert_int_equal(hotlists_hash(b), then);
	for (uint64_t i = 0; i < 1000; i++)
		hotlists_add(a, 2 * (i % 50), 0, i);
	assert_int_equal(hotlists_hash(a), later); /* the coins are the same again */
	assert_false(hotlists_companion.unpack(b, bytes, n - 9, &err));
	hotlists_companion.free(kept);
	free(bytes);
	hotlists_free(a);
	hotlists_free(b);
	hotlists_free(c);
}

static void nonsense_is_refused(void **state)
{
	(void)state;
	static const struct {
		struct hotlist_spec spec;
		uint64_t memory;
		const char *says;
	} cases[] = {
		{{HOTLIST_SAMPLES, 0, 16, 15, 0},
	         1 << 20,
	         "a hotlist of 0 values: 1 to 256 would be right"},
		{{HOTLIST_TOP, 257, 0, 0, 0},
	         1 << 20,
	         "a hotlist of 257 values: 1 to 256 would be right"},
		{{HOTLIST_SAMPLES, 16, 15, 15, 0},
	         1 << 20,
	         "a hotlist whose f is 15/15: f must be greater than 1, such as 16/15"},
		{{HOTLIST_SAMPLES, 16, 15, 0, 0},
	         1 << 20,
	         "a hotlist whose f is 15/0: f must be greater than 1, such as 16/15"},
		{{HOTLIST_EXACT, 0, 0, 0, 0},
	         1000,
	         "hotlists can't have 1000 bytes: 262144 or more would be right"},
	};
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct err err = {""};
		assert_null(hotlists_new(&cases[i].spec, 1, cases[i].memory, &err));
		assert_string_equal(err.msg, cases[i].says);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_are_as_the_paper_says),
		cmocka_unit_test(estimates_are_unbiased),
		cmocka_unit_test(what_is_hot_is_found),
		cmocka_unit_test(each_instance_is_kept_with_one_over_f),
		cmocka_unit_test(counting_samples_are_as_they_should),
		cmocka_unit_test(counting_samples_know_better),
		cmocka_unit_test(top_values_are_as_calder_says),
		cmocka_unit_test(clearing_lets_later_values_in),
		cmocka_unit_test(lists_are_kept_apart),
		cmocka_unit_test(exact_counts_are_exact),
		cmocka_unit_test(memory_is_bounded),
		cmocka_unit_test(states_come_back),
		cmocka_unit_test(nonsense_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
