#include "core/run/estimate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/defs/stats_fields.h"
#include "core/run/sample.h"

/* ---- quantiles ---- */
/* Bisection: the C library's distribution function is exact to the last digits, and a run needs few
 * quantiles. */
double normal_quantile(double p)
{
	double low = -40, high = 40;
	for (int i = 0; i < 200 && low < high; i++) {
		const double middle = low + (high - low) / 2;
		if (erfc(-middle / sqrt(2)) / 2 < p)
			low = middle;
		else
			high = middle;
	}
	return high;
}

/* Continued fraction of the incomplete beta function (Lentz). */
static double beta_fraction(double a, double b, double x)
{
	const double tiny = 1e-300;
	double c = 1, d = 1 - (a + b) * x / (a + 1);
	d = 1 / (fabs(d) < tiny ? tiny : d);
	double h = d;
	for (int m = 1; m < 500; m++) {
		const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
			     odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		d = 1 + even * d;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = 1 + even / c;
		c = fabs(c) < tiny ? tiny : c;
		h *= d * c;
		d = 1 + odd * d;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = 1 + odd / c;
		c = fabs(c) < tiny ? tiny : c;
		h *= d * c;
		if (fabs(d * c - 1) < 1e-15)
			break;
	}
	return h;
}

/* Regularized incomplete beta function. */
static double beta_share(double a, double b, double x)
{
	if (x <= 0 || x >= 1)
		return x >= 1;
	const double front =
		exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
	return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a
	                                 : 1 - front * beta_fraction(b, a, 1 - x) / b;
}

static double student_below(double t, double n)
{
	const double tail = beta_share(n / 2, 0.5, n / (n + t * t)) / 2;
	return t < 0 ? tail : 1 - tail;
}

double student_quantile(double p, double n)
{
	if (p < 0.5)
		return -student_quantile(1 - p, n);
	double low = 0, high = 1;
	while (student_below(high, n) < p && high < 1e12)
		high *= 2;
	for (int i = 0; i < 200 && low < high; i++) {
		const double middle = low + (high - low) / 2;
		if (middle <= low || middle >= high)
			break;
		if (student_below(middle, n) < p)
			low = middle;
		else
			high = middle;
	}
	return high;
}

/* ---- sums ---- */
static void estimate_add_counters(struct stats *sum, const struct stats *unit)
{
	uint64_t *to = (uint64_t *)(void *)sum;
	const uint64_t *from = (const uint64_t *)(const void *)unit;
	for (size_t i = 0; i < sample_words(); i++)
		to[i] += from[i];
}

static struct stats estimate_subtract_unit(const struct stats *sum, const struct stats *unit)
{
	struct stats rest = *sum;
	uint64_t *to = (uint64_t *)(void *)&rest;
	const uint64_t *from = (const uint64_t *)(const void *)unit;
	for (size_t i = 0; i < sample_words(); i++)
		to[i] -= from[i];
	return rest;
}

bool estimate_is_total(const struct stat_row *row)
{
	if (!row->derived)
		return true;
	/* Doubling all counters doubles a sum, but not a ratio. */
	struct stats once, twice;
	for (size_t i = 0; i < sample_words(); i++) {
		((uint64_t *)(void *)&once)[i] = 1000 + 7 * i * i;
		((uint64_t *)(void *)&twice)[i] = 2000 + 14 * i * i;
	}
	const double a = stat_value(&once, row), b = stat_value(&twice, row);
	return fabs(b - 2 * a) < fabs(b - a);
}

/* Value of row i for these counters; a total is scaled to a program of `insts` instructions. */
static double estimate_row_value(const struct stats *s, size_t i, bool total, double insts)
{
	/* a counter that may fall is negative in some units */
	const double v = stat_rows[i].derived
	                         ? stat_value(s, &stat_rows[i])
	                         : (double)*(const int64_t *)(const void *)((const char *)s +
	                                                                    stat_rows[i].offset);
	return !total ? v : s->insts ? v / (double)s->insts * insts : 0;
}

/* ---- units in the order of the program ---- */
struct place {
	uint64_t at;
	size_t unit;
};

static int estimate_compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	return x->at < y->at ? -1 : x->at > y->at;
}

/* malloc'd; NULL if memory is out. Needed because the sample's passes are stored one after the
 * other. */
static struct place *estimate_sorted_places(const struct sample *s)
{
	struct place *p = alloc_zeroed(s->count + 1, sizeof *p);
	for (size_t i = 0; p && i < s->count; i++)
		p[i] = (struct place){s->at[i], i};
	if (p)
		qsort(p, s->count, sizeof *p, estimate_compare_places);
	return p;
}

/* Per-row accumulators of estimate_all(). */
struct rows {
	double *last, *squares, *mean, *pair_squares; /* [stat_row_count]; the first owned */
	bool *total; /* owned */
};

static bool rows_new(struct rows *r)
{
	*r = (struct rows){.last = alloc_zeroed(4 * stat_row_count, sizeof *r->last),
	                   .total = alloc_zeroed(stat_row_count, sizeof *r->total)};
	r->squares = r->last + stat_row_count;
	r->mean = r->squares + stat_row_count;
	r->pair_squares = r->mean + stat_row_count;
	if (r->last && r->total)
		return true;
	free(r->last);
	free(r->total);
	return false;
}

/* Adds to r->squares half the squared differences of neighbouring leave-one-out values. */
static void estimate_neighbour_squares(const struct sample *s, const struct stats *sum,
                                       const struct place *place, double insts, struct rows *r)
{
	for (size_t k = 0; k < s->count; k++) {
		const struct stats rest =
			estimate_subtract_unit(sum, sample_unit(s, place[k].unit));
		for (size_t i = 0; i < stat_row_count; i++) {
			const double v = estimate_row_value(&rest, i, r->total[i], insts),
				     away = v - r->last[i];
			r->squares[i] += k ? away * away / 2 : 0;
			r->last[i] = v;
		}
	}
}

/* Adds each row's bias to out[].value, and fills pair_squares with the squares of the jackknife
 * over pairs. */
static void estimate_pair_bias(const struct sample *s, double insts, struct rows *r,
                               struct estimate *out)
{
	struct stats as_all = {0}, checked = {0};
	for (size_t k = 0; k < s->pairs; k++) {
		estimate_add_counters(&as_all, sample_unit(s, s->pair_unit[k]));
		estimate_add_counters(&checked, sample_pair(s, k));
	}
	for (size_t i = 0; i < stat_row_count; i++)
		out[i].value += estimate_row_value(&checked, i, r->total[i], insts) -
		                estimate_row_value(&as_all, i, r->total[i], insts);
	for (size_t k = 0; k < s->pairs; k++) {
		const struct stats a = estimate_subtract_unit(&as_all,
		                                              sample_unit(s, s->pair_unit[k])),
				   c = estimate_subtract_unit(&checked, sample_pair(s, k));
		for (size_t i = 0; i < stat_row_count; i++) {
			const double v = estimate_row_value(&c, i, r->total[i], insts) -
			                 estimate_row_value(&a, i, r->total[i], insts),
				     away = v - r->mean[i];
			r->mean[i] += away / (double)(k + 1);
			r->pair_squares[i] += away * (v - r->mean[i]);
		}
	}
}

/* Degrees of freedom of the sum of variances a and b (Welch and Satterthwaite). */
static double estimate_degrees_of_freedom(double a, double free_a, double b, double free_b)
{
	const double of = a * a / free_a + (b > 0 ? b * b / free_b : 0);
	return of > 0 ? (a + b) * (a + b) / of : free_a;
}

void estimate_all(const struct sample *s, uint64_t insts, double confidence, struct estimate *out)
{
	const double n = (double)s->count, m = (double)s->pairs, all = (double)insts;
	struct stats sum = {0};
	struct rows r;
	for (size_t k = 0; k < s->count; k++)
		estimate_add_counters(&sum, sample_unit(s, k));
	for (size_t i = 0; i < stat_row_count; i++)
		out[i] = (struct estimate){
			estimate_row_value(&sum, i, estimate_is_total(&stat_rows[i]), all),
			INFINITY};
	struct place *place = s->count >= 2 ? estimate_sorted_places(s) : NULL;
	if (!place || !rows_new(&r)) {
		free(place);
		return; /* without memory there are no intervals */
	}
	for (size_t i = 0; i < stat_row_count; i++)
		r.total[i] = estimate_is_total(&stat_rows[i]);
	estimate_neighbour_squares(s, &sum, place, all, &r);
	if (s->pairs >= ESTIMATE_PAIRS)
		estimate_pair_bias(s, all, &r, out);
	/* Many rows have the same degrees of freedom, and the quantile is slow: reuse the last
	 * one. */
	double last = 0, t = 0;
	for (size_t i = 0; i < stat_row_count; i++) {
		const double of_units = (n - 1) / n * r.squares[i],
			     of_pairs = m ? (m - 1) / m * r.pair_squares[i] : 0,
			     degrees = fmax(1, round(estimate_degrees_of_freedom(
						       of_units, fmax(1, (n - 1) * 2 / 3), of_pairs,
						       m - 1)));
		if (degrees != last)
			t = student_quantile(1 - (1 - confidence) / 2, degrees);
		last = degrees;
		out[i].half = t * sqrt(of_units + of_pairs);
	}
	free(place);
	free(r.last);
	free(r.total);
}

static double estimate_unit_cpi(const struct stats *s)
{
	return s->insts ? (double)s->cycles / (double)s->insts : 0;
}

static double sample_mean_cpi(const struct sample *s)
{
	double sum = 0;
	for (size_t k = 0; k < s->count; k++)
		sum += estimate_unit_cpi(sample_unit(s, k));
	return s->count ? sum / (double)s->count : 0;
}

double sample_variation(const struct sample *s)
{
	const double mean = sample_mean_cpi(s);
	double squares = 0;
	if (s->count < 2 || mean <= 0)
		return 0;
	for (size_t k = 0; k < s->count; k++) {
		const double away = estimate_unit_cpi(sample_unit(s, k)) - mean;
		squares += away * away;
	}
	return sqrt(squares / (double)(s->count - 1)) / mean;
}

uint64_t estimate_needed(const struct sample *s, double reached, double target, double confidence)
{
	const double p = 1 - (1 - confidence) / 2;
	/* The error shrinks with the square root of the number of units, pairs among them; and with
	 * few units Student's interval shrinks, too. */
	double n = (double)s->count * pow(reached / target, 2);
	if (s->count > 1 && s->count < 100)
		n *= pow(normal_quantile(p) /
		                 student_quantile(p, fmax(1, (double)s->count * 2 / 3)),
		         2);
	return !(n >= 30) ? 30 : n > 1e15 ? (uint64_t)1e15 : (uint64_t)ceil(n);
}
