/* Hotlists of the paper: properties over many runs on artificial streams. */
#include "tests/unit/prof/hotlist_fixture.h"

static const char *const stream_names[] = {"uniform", "skewed", "wide", "phased", "adversarial"};

/* ---- concise samples, by the paper ---- */
/* Section 2.2 in another form: a list of the counted instances. Draws the same random numbers in
 * the same order, so the results must be equal. */
struct model {
	double p;
	struct {
		uint64_t value[LENGTH];
		unsigned n;
	} kept; /* instances, grouped by value; values in order of arrival
	         */
	uint64_t random;
};

static unsigned hotlist_count_distinct(const struct model *m)
{
	unsigned n = 0;
	for (unsigned i = 0; i < m->kept.n; i++)
		n += !i || m->kept.value[i] != m->kept.value[i - 1];
	return n;
}

static double hotlist_random_fraction(struct model *m)
{
	return (double)hash_splitmix64_next(&m->random) / 18446744073709551616.0;
}

static void model_note(struct model *m, uint64_t value, unsigned most, double f)
{
	if (m->p < 1 && hotlist_random_fraction(m) >= m->p)
		return;
	unsigned at = m->kept.n;
	for (unsigned i = 0; i < m->kept.n; i++)
		if (m->kept.value[i] == value)
			at = i + 1;
	memmove(&m->kept.value[at + 1], &m->kept.value[at], (m->kept.n - at) * sizeof(uint64_t));
	m->kept.value[at] = value;
	m->kept.n++;
	while (hotlist_count_distinct(m) > most) {
		unsigned n = 0;
		m->p /= f;
		for (unsigned i = 0; i < m->kept.n; i++)
			if (hotlist_random_fraction(m) < 1 / f)
				m->kept.value[n++] = m->kept.value[i];
		m->kept.n = n;
	}
}

TEST(samples_are_as_the_paper_says)
{
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
		struct hotlist *l = hotlist_fixture_init_list(&b);
		uint64_t random = m.random = 77 + k;
		m.p = 1;
		m.kept.n = 0;
		hotlist_fixture_make_stream(k % STREAMS, stream);
		for (unsigned i = 0; i < LENGTH; i++) {
			hotlist_note(spec, l, stream[i], &random);
			model_note(&m, stream[i], spec->entries, (double)spec->f_up / spec->f_down);
			assert_null(hotlist_check(spec, l));
			if (i + 1 == LENGTH && l->used > 2) {
				const uint64_t last = l->at[l->used - 1].value;
				l->at[l->used - 1].value = l->at[l->used - 2].value;
				assert_string_equal(hotlist_check(spec, l),
				                    "a hotlist has a value twice");
				l->at[l->used - 1].value = last;
			}
			assert_true(fabs(hotlist_probability(l) / m.p - 1) < 1e-9);
			assert_int_equal(l->used, hotlist_count_distinct(&m));
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
/* Over many seeds, the mean of a value's count / p is its frequency: within four and a half
 * standard errors, for the most frequent values and a rare one. */
TEST(estimates_are_unbiased)
{
	static uint64_t stream[LENGTH];
	enum { SEEDS = 3000 };
	for (unsigned k = 0; k < STREAMS; k++) {
		hotlist_fixture_make_stream(k, stream);
		const uint64_t watched[] = {stream[0],          stream[17], stream[LENGTH / 2],
		                            stream[LENGTH - 1], 7,          2};
		double sum[6] = {0}, squares[6] = {0};
		for (unsigned seed = 0; seed < SEEDS; seed++) {
			struct buffer b;
			struct hotlist *l = hotlist_fixture_init_list(&b);
			uint64_t random = 0x1234567 * seed + k;
			for (unsigned i = 0; i < LENGTH; i++)
				hotlist_note(&hotlist_samples_paper, l, stream[i], &random);
			for (unsigned v = 0; v < 6; v++) {
				const double e =
					(double)hotlist_fixture_count_of_value(l, watched[v]) /
					hotlist_probability(l);
				sum[v] += e;
				squares[v] += e * e;
			}
		}
		for (unsigned v = 0; v < 6; v++) {
			const double mean = sum[v] / SEEDS,
				     truth = (double)times_in(stream, watched[v]);
			const double variance = squares[v] / SEEDS - mean * mean,
				     error = sqrt(fmax(variance, 0) / SEEDS);
			/* A rarely counted value is not normally distributed: its bound is
			 * coarse. */
			if (fabs(mean - truth) >
			    4.5 * error + 1e-9 * truth + (mean == 0 ? truth : 0))
				fail_msg("%s: %llu is estimated at %.2f +- %.2f, and was there "
				         "%.0f times",
				         stream_names[k], (unsigned long long)watched[v], mean,
				         error, truth);
		}
	}
}

/* The list's purpose: it finds a value that is a third of a stream whose other values never recur,
 * in any order. */
TEST(what_is_hot_is_found)
{
	static uint64_t stream[LENGTH];
	unsigned found = 0;
	hotlist_fixture_make_stream(2, stream);
	for (unsigned seed = 0; seed < 200; seed++) {
		struct buffer b;
		struct hotlist *l = hotlist_fixture_init_list(&b);
		uint64_t random = seed, most = 0;
		for (unsigned i = 0; i < LENGTH; i++)
			hotlist_note(&hotlist_samples_paper, l, stream[i], &random);
		for (uint64_t i = 0; i < l->used; i++)
			most = l->at[i].count > most ? l->at[i].count : most;
		found += most > 1 &&
		         hotlist_fixture_count_of_value(l, UINT64_C(0x8000000000000001)) == most;
	}
	assert_true(found >= 195);
}

/* ---- coins ---- */
/* A count of n becomes the number of heads of n coins with probability 1 / f. Numbers of heads
 * follow the binomial distribution, by a chi-square test that fails once in 10,000 times; with this
 * seed it passes. */
TEST(each_instance_is_kept_with_one_over_f)
{
	enum { N = 12, TRIALS = 40000, VALUES = 3 };
	static const struct hotlist_spec specs[] = {{HOTLIST_SAMPLES, 16, 16, 15, 0},
	                                            {HOTLIST_SAMPLES, 16, 2, 1, 0}};
	static const double bound[] = {25, 40}; /* for numbers expected often enough */
	for (unsigned k = 0; k < 2; k++) {
		const double keep = (double)specs[k].f_down / specs[k].f_up;
		uint64_t seen[N + 1] = {0}, random = 5;
		for (unsigned t = 0; t < TRIALS; t++) {
			struct buffer b;
			struct hotlist *l = hotlist_fixture_init_list(&b);
			uint64_t left = 0;
			for (uint64_t v = 0; v < VALUES; v++)
				for (unsigned i = 0; i < N; i++)
					hotlist_note(&specs[k], l, v, &random);
			hotlist_reduce(&specs[k], l, &random);
			assert_true(fabs(hotlist_probability(l) - keep) < 1e-12);
			for (uint64_t v = 0; v < VALUES; v++) {
				seen[hotlist_fixture_count_of_value(l, v)]++;
				left += hotlist_fixture_count_of_value(l, v) != 0;
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

/* Both estimates of a value that is a third of the stream are right on average; counting the known
 * part reduces the variance. */
TEST(counting_samples_know_better)
{
	enum { SEEDS = 400 };
	static uint64_t stream[LENGTH];
	const uint64_t hot = UINT64_C(0x8000000000000001);
	double deviation[2];
	hotlist_fixture_make_stream(2, stream);
	const double truth = (double)times_in(stream, hot);
	for (unsigned method = 0; method < 2; method++) {
		const struct hotlist_spec *spec =
			method ? &hotlist_counting : &hotlist_samples_paper;
		double sum = 0, squares = 0;
		for (unsigned seed = 0; seed < SEEDS; seed++) {
			struct buffer b;
			struct hotlist *l = hotlist_fixture_init_list(&b);
			uint64_t random = 1000 + seed;
			for (unsigned i = 0; i < LENGTH; i++)
				hotlist_note(spec, l, stream[i], &random);
			const uint64_t n = hotlist_fixture_count_of_value(l, hot);
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
