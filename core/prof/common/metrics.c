#include "core/prof/common/metrics.h"

#include <math.h>

const struct metric_selection metric_sastry = {1000, 0.10, 0.40};

static double share(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

double metric_manhattan(const struct metric_point *p, size_t n)
{
	double exact = 0, estimate = 0, distance = 0;
	for (size_t i = 0; i < n; i++) {
		exact += p[i].exact;
		estimate += p[i].estimate;
	}
	if (!(exact > 0) || !(estimate > 0))
		return exact > 0 || estimate > 0 ? 2 : 0;
	for (size_t i = 0; i < n; i++)
		distance += fabs(share(p[i].exact, exact) - share(p[i].estimate, estimate));
	return distance;
}

double metric_accuracy(const struct metric_point *p, size_t n)
{
	return 1 - metric_manhattan(p, n) / 2;
}

double metric_invariance(uint64_t hits, uint64_t total)
{
	return share((double)hits, (double)total);
}

static double error_of(const struct metric_value *v)
{
	return fabs(metric_invariance(v->exact_hits, v->exact_total) -
	            metric_invariance(v->estimate_hits, v->estimate_total));
}

double metric_invariance_rms(const struct metric_value *v, size_t n)
{
	double weight = 0, sum = 0;
	for (size_t i = 0; i < n; i++) {
		double e = error_of(&v[i]), f = (double)v[i].exact_hits;
		weight += f;
		sum += f * e * e;
	}
	return sqrt(share(sum, weight));
}

static bool invariant(const struct metric_value *v, const struct metric_selection *how)
{
	return metric_invariance(v->exact_hits, v->exact_total) >= how->least_invariance;
}

/* Whether the instruction whose values are v[0..n) is one to look at. */
static bool chosen(const struct metric_value *v, size_t n, const struct metric_selection *how)
{
	double covered = 0;
	if (v->exact_total < how->least_executions)
		return false;
	for (size_t i = 0; i < n; i++)
		if (invariant(&v[i], how))
			covered += metric_invariance(v[i].exact_hits, v[i].exact_total);
	return covered >= how->least_coverage;
}

double metric_invariance_error(const struct metric_value *v, size_t n,
                               const struct metric_selection *how, size_t *selected)
{
	double weight = 0, sum = 0;
	size_t picked = 0;
	for (size_t from = 0, to; from < n; from = to) {
		for (to = from + 1; to < n && v[to].pc == v[from].pc;)
			to++;
		if (!chosen(v + from, to - from, how))
			continue;
		for (size_t i = from; i < to; i++) {
			if (!invariant(&v[i], how))
				continue;
			weight += (double)v[i].exact_hits;
			sum += (double)v[i].exact_hits * error_of(&v[i]);
			picked++;
		}
	}
	if (selected)
		*selected = picked;
	return share(sum, weight);
}
