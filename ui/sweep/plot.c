#include "ui/sweep/plot.h"

#include <math.h>
#include <stdlib.h>

#include "core/machine/params.h"
#include "scripting/svg.h"

/* A point of the chart: the sum over its jobs. */
struct spot {
	double sum; /* of values, their logarithms or reciprocals */
	size_t count;
};

/* Finds the job with configuration `name` that equals this job otherwise. */
static size_t job_of_config(const struct plan *p, size_t job, const char *name)
{
	size_t each = p->job_count / p->config_count;
	for (size_t c = 0; c < p->config_count; c++)
		if (p->configs[c].name == name)
			return job % each + c * each;
	return job;
}

/* A job's value, NaN if none. */
static double plot_job_value(const struct sweep *s, const struct plan_plot *q, size_t job)
{
	const json_t *v = record_stat(&s->records[job], q->y);
	double value = v ? json_number_value(v) : NAN;
	if (!q->relative)
		return value;
	v = record_stat(&s->records[job_of_config(s->plan, job, q->relative)], q->y);
	double base = v ? json_number_value(v) : NAN;
	return base != 0 ? value / base : NAN;
}

static void plot_accumulate_mean(struct spot *to, enum plot_mean mean, double v)
{
	if (isnan(v))
		return;
	to->count++;
	to->sum += mean == MEAN_GEOMETRIC ? log(v) : mean == MEAN_HARMONIC ? 1 / v : v;
}

static double mean_of(const struct spot *at, enum plot_mean mean)
{
	double v = at->sum / (double)at->count;
	if (!at->count)
		return NAN;
	return mean == MEAN_GEOMETRIC ? exp(v) : mean == MEAN_HARMONIC ? 1 / v : v;
}

static const char *const *value_names(struct plan *p, int dim)
{
	size_t n = plan_dim_count(p, dim);
	if (dim == DIM_NONE)
		return NULL;
	const char **names = plan_alloc(p, n * sizeof *names);
	for (size_t i = 0; i < n; i++)
		names[i] = plan_dim_value(p, dim, i);
	return names;
}

static const char *x_label(struct plan *p, int x)
{
	const struct param *row = x >= 0 ? param_find(p->axes[x].name, NULL) : NULL;
	if (row && row->type == PARAM_INT && *row->unit)
		return plan_text(p, "%s, %s", row->name, row->unit);
	return plan_dim_name(p, x);
}

static const char *y_label(struct plan *p, const struct plan_plot *q)
{
	static const char *const means[] = {"", ", arithmetic mean", ", geometric mean",
	                                    ", harmonic mean"};
	if (q->relative)
		return plan_text(p, "%s, relative to %s%s", q->y->name, q->relative,
		                 means[q->mean]);
	return plan_text(p, "%s, %s%s", q->y->name, q->y->unit, means[q->mean]);
}

void plot_write(FILE *f, const struct sweep *s, const struct plan_plot *q)
{
	struct plan *p = s->plan;
	struct svg_chart c = {
		.title = q->title ? q->title : q->y->help,
		.x_label = x_label(p, q->x),
		.y_label = y_label(p, q),
		.lines = q->kind == PLOT_LINES,
		.panels = value_names(p, q->panels),
		.series = value_names(p, q->series),
		.places = value_names(p, q->x),
		.panel_count = plan_dim_count(p, q->panels),
		.series_count = plan_dim_count(p, q->series),
		.place_count = plan_dim_count(p, q->x),
	};
	size_t n = c.panel_count * c.series_count * c.place_count;
	struct spot *spots = plan_alloc(p, n * sizeof *spots);
	double *values = plan_alloc(p, n * sizeof *values);
	for (size_t i = 0; i < p->job_count; i++) {
		const struct plan_job *j = &p->jobs[i];
		size_t at = plan_dim_of(j, q->panels);
		at = at * c.series_count + plan_dim_of(j, q->series);
		at = at * c.place_count + plan_dim_of(j, q->x);
		plot_accumulate_mean(&spots[at], q->mean, plot_job_value(s, q, i));
	}
	for (size_t i = 0; i < n; i++)
		values[i] = mean_of(&spots[i], q->mean);
	c.values = values;
	svg_write(f, &c);
}
