#include "core/run/estimate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/sort.h"
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

/* Per-row accumulators of estimate_all(). */
struct rows {
	/* [stat_row_count]; `first` owned */
	double *first, *second, *before, *last, *squares, *cubes, *mean, *pair_squares;
	bool *total; /* owned */
};

static bool rows_new(struct rows *r)
{
	*r = (struct rows){.first = alloc_zeroed(8 * stat_row_count, sizeof *r->first),
	                   .total = alloc_zeroed(stat_row_count, sizeof *r->total)};
	r->second = r->first + stat_row_count;
	r->before = r->second + stat_row_count;
	r->last = r->before + stat_row_count;
	r->squares = r->last + stat_row_count;
	r->cubes = r->squares + stat_row_count;
	r->mean = r->cubes + stat_row_count;
	r->pair_squares = r->mean + stat_row_count;
	if (r->first && r->total)
		return true;
	free(r->first);
	free(r->total);
	return false;
}

/* Returns the end of the pass that begins at this unit. A single unit has no neighbour, and belongs
 * to the pass before it; a single first unit to the pass after it. */
static size_t estimate_pass_end(const struct sample *s, size_t begin)
{
	for (size_t i = 0; i < s->passes; i++) {
		const size_t end = s->pass_end[i];
		if (end >= begin + 2 && end + 2 <= s->count &&
		    (i + 1 == s->passes || s->pass_end[i + 1] >= end + 2))
			return end;
	}
	return s->count;
}

/* Cube of the distance of a value from those of its neighbours: on average 6 times the third
 * moment. */
static double estimate_cube(double value, double before, double after)
{
	const double away = 2 * value - before - after;
	return away * away * away;
}

/* Adds to r->squares half the squared differences of leave-one-out values of neighbouring units,
 * and to r->cubes their third moments; the first and the last of a pass are neighbours. */
static void estimate_neighbour_squares(const struct sample *s, const struct stats *sum,
                                       double insts, struct rows *r)
{
	size_t begin = 0, end = estimate_pass_end(s, 0);
	for (size_t k = 0; k < s->count; k++) {
		if (k == end) {
			begin = k;
			end = estimate_pass_end(s, k);
		}
		const struct stats rest = estimate_subtract_unit(sum, sample_unit(s, k));
		for (size_t i = 0; i < stat_row_count; i++) {
			const double v = estimate_row_value(&rest, i, r->total[i], insts);
			if (k == begin)
				r->first[i] = r->last[i] = v;
			if (k == begin + 1)
				r->second[i] = v;
			double squares = (v - r->last[i]) * (v - r->last[i]);
			double cubes = k > begin + 1
			                       ? estimate_cube(r->last[i], r->before[i], v)
			                       : 0;
			if (k + 1 == end) {
				squares += (v - r->first[i]) * (v - r->first[i]);
				cubes += estimate_cube(v, r->last[i], r->first[i]) +
				         estimate_cube(r->first[i], v, r->second[i]);
			}
			r->squares[i] += squares / 2;
			r->cubes[i] += cubes / 6;
			r->before[i] = r->last[i];
			r->last[i] = v;
		}
	}
}

/* The greatest change of a row's value if one of the sample's counts were larger by one. */
static double estimate_resolution(const struct stats *sum, size_t i, bool total, double insts)
{
	struct stats more = *sum;
	uint64_t *count = (uint64_t *)(void *)&more;
	const double value = estimate_row_value(sum, i, total, insts);
	double most = 0;
	for (size_t w = 0; w < sample_words(); w++) {
		count[w]++;
		const double v = estimate_row_value(&more, i, total, insts);
		if (isfinite(v))
			most = fmax(most, fabs(v - value));
		count[w]--;
	}
	return most;
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

/* Factor by which skewness of n units widens an interval of t standard errors, on its longer side.
 */
static double estimate_skew(double squares, double cubes, double n, double t)
{
	const double skewness = squares > 0 ? fabs(cubes / n) / pow(squares / n, 1.5) : 0;
	return 1 + skewness * (2 * t * t + 1) / (6 * t * sqrt(n));
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
	if (s->count < 2 || !rows_new(&r))
		return; /* without memory there are no intervals */
	for (size_t i = 0; i < stat_row_count; i++)
		r.total[i] = estimate_is_total(&stat_rows[i]);
	estimate_neighbour_squares(s, &sum, all, &r);
	if (s->pairs >= ESTIMATE_PAIRS)
		estimate_pair_bias(s, all, &r, out);
	/* Many rows have the same degrees of freedom, and the quantile is slow: reuse the last
	 * one. */
	double last = 0, t = 0;
	for (size_t i = 0; i < stat_row_count; i++) {
		const double of_units = (n - 1) / n * (n - 1) / n * r.squares[i],
			     of_pairs = m > 0 ? (m - 1) / m * r.pair_squares[i] : 0,
			     degrees = fmax(1, round(estimate_degrees_of_freedom(
						       of_units, n * 2 / 3, of_pairs, m - 1)));
		if (degrees != last)
			t = student_quantile(1 - (1 - confidence) / 2, degrees);
		last = degrees;
		const double skew = estimate_skew(r.squares[i], r.cubes[i], n, t);
		out[i].half = t * sqrt(skew * skew * of_units + of_pairs);
		if (!(out[i].half > 0))
			out[i].half = estimate_resolution(&sum, i, r.total[i], all);
	}
	free(r.first);
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

double sample_unseen(const struct sample *s, double confidence)
{
	return s->count ? -expm1(log1p(-confidence) / (double)s->count) : 1;
}

/* Sums, over all units, of the second and third moments of the CPI around that of their neighbours.
 */
static void sample_neighbour_moments(const struct sample *s, double *squares, double *cubes)
{
	for (size_t k = 0; k < s->count; k++) {
		const double before = estimate_unit_cpi(
				     sample_unit(s, k ? k - 1 : s->count - 1)),
			     cpi = estimate_unit_cpi(sample_unit(s, k)),
			     after = estimate_unit_cpi(
				     sample_unit(s, k + 1 < s->count ? k + 1 : 0));
		*squares += (cpi - before) * (cpi - before) / 2;
		*cubes += estimate_cube(cpi, before, after) / 6;
	}
}

/* A unit by its phase. */
struct phase_cpi {
	uint64_t phase;
	double cpi;
};

static int estimate_compare_phases(const void *a, const void *b)
{
	const struct phase_cpi *x = a, *y = b;
	return x->phase < y->phase ? -1 : x->phase > y->phase;
}

double sample_periodicity(const struct sample *s, size_t pass, uint64_t period)
{
	/* standard deviations: a chance of 3 in 100,000 */
	const double certain = 4;
	const size_t begin = pass ? s->pass_end[pass - 1] : 0, n = s->pass_end[pass] - begin;
	struct phase_cpi *unit = n >= 20 ? alloc_zeroed(n, sizeof *unit) : NULL;
	double mean = 0, variance = 0, steps = 0;
	if (!unit)
		return 0;
	for (size_t k = 0; k < n; k++) {
		unit[k] = (struct phase_cpi){s->at[begin + k] % period,
		                             estimate_unit_cpi(sample_unit(s, begin + k))};
		mean += unit[k].cpi / (double)n;
	}
	sort_stable(unit, n, sizeof *unit, estimate_compare_phases);
	for (size_t k = 0; k < n; k++) {
		const double step = unit[k].cpi - unit[k ? k - 1 : n - 1].cpi;
		variance += (unit[k].cpi - mean) * (unit[k].cpi - mean);
		steps += step * step / 2;
	}
	free(unit);
	/* the share's standard deviation without a period is 1 / sqrt(n) */
	const double share = variance > (double)n * mean * mean * 1e-18 ? 1 - steps / variance : 0;
	return share * sqrt((double)n) > certain ? share : 0;
}

uint64_t estimate_needed(const struct sample *s, double reached, double target, double confidence)
{
	const double p = 1 - (1 - confidence) / 2, t = normal_quantile(p), now = (double)s->count;
	double squares = 0, cubes = 0;
	sample_neighbour_moments(s, &squares, &cubes);
	/* The error shrinks with the square root of the number of units, pairs among them; its
	 * part that is skewness shrinks with the number. */
	const double even = now * pow(reached / target / estimate_skew(squares, cubes, now, t), 2),
		     per_root = (estimate_skew(squares, cubes, now, t) - 1) * sqrt(now);
	double n = even;
	for (int i = 0; i < 50 && n > 0; i++)
		n = even * pow(1 + per_root / sqrt(n), 2);
	/* With few units Student's interval shrinks, too. */
	if (s->count > 1 && s->count < 100)
		n *= pow(t / student_quantile(p, fmax(1, now * 2 / 3)), 2);
	/* so many that sample_unseen() is at most the target */
	n = fmax(n, target < 1 ? log1p(-confidence) / log1p(-target) : 0);
	return !(n >= 30) ? 30 : n > 1e15 ? (uint64_t)1e15 : (uint64_t)ceil(n);
}
