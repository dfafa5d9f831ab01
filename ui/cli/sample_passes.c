#include "core/defs/config_fields.h"

#include "ui/cli/sample_passes_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/hash.h"
#include "core/machine/machine.h"
#include "core/run/estimate.h"
#include "core/run/live_points.h"
#include "loader/launch.h"
#include "ui/cli/sample_parts.h"

/* Minimum units of a pilot. */
enum { PILOT_LEAST = 300 };
/* Minimum units measured in the first execution to estimate their variance. */
enum { PILOT_ENOUGH = 100 };
/* Growth of the number of units in a pass, but for the last: the number needed, estimated from few
 * units, may be far too large, and a pass that turns out to be one more costs about as much as two
 * pilots' units. */
enum { GROWTH = 3 };
/* Cost of an instruction with timing, in units of COST_PLAIN. */
enum { COST_TIMED = 750 };
/* Cost of reading a live point, relative to measuring its unit. */
static const double READ_POINT = 0.02;

static uint64_t sample_passes_min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* ---- plans ---- */
struct sample_plan sample_plan_every(const struct sample_passes *p, uint64_t every, unsigned pass)
{
	struct sample_plan plan = {.unit = p->spec.unit, .warm = p->spec.warm};
	uint64_t random = p->spec.seed * SAMPLE_PASSES + pass;
	const uint64_t room = sample_room(&plan);
	plan.every = plan.finest = every < room ? room : every;
	plan.check = sample_passes_min(p->spec.check, plan.every - room + plan.warm);
	plan.seed = hash_splitmix64_next(&random);
	plan.pair_every = sample_pair_every(p->insts / plan.every);
	return plan;
}

double sample_cost(const struct sample_plan *plan)
{
	const double timed = (double)sample_room(plan) +
	                     (double)plan->check / (double)plan->pair_every;
	return COST_WARM + timed * COST_TIMED / (double)plan->every;
}

uint64_t sample_run_in(const struct sample_passes *p)
{
	const struct config *cfg = &p->session->cfg;
	return (uint64_t)(cfg->l2_size / cfg->l2_line) * RUN_IN;
}

uint64_t sample_warm_from(const struct sample_passes *p, const struct sample_plan *plan,
                          uint64_t k)
{
	const uint64_t begin = sample_position(plan, k), before = sample_run_in(p) + plan->warm;
	return begin > before ? begin - before : 0;
}

/* First unit of share k of n, such that all take the same time T, if skipping a unit costs the
 * fraction `pass` of measuring it: share k ends at x(k) = T + (1 - pass) * x(k-1), with x(n) = 1.
 */
static uint64_t even_begin(uint64_t units, unsigned share, unsigned shares, double pass)
{
	double x = 0, all = 0;
	for (unsigned k = 0; k < shares; k++)
		all = 1 + (1 - pass) * all;
	for (unsigned k = 0; k < share; k++)
		x = 1 + (1 - pass) * x;
	return share == shares ? units : (uint64_t)(x / all * (double)units);
}

/* First unit of a part; the part's process executes earlier instructions without timing. */
static uint64_t part_begin(const struct sample_plan *plan, uint64_t units, unsigned part,
                           unsigned parts)
{
	return even_begin(units, part, parts, COST_PLAIN / sample_cost(plan));
}

/* Context of the functions that measure the parts of a pass. */
struct stretch {
	struct sample_passes *p;
	unsigned pass, parts;
	unsigned shares; /* shares of each part's units, if points are kept */
};

struct units {
	uint64_t first, last, from; /* from: instruction at which to begin warming */
};

static struct units sample_passes_part_units(const struct stretch *s, unsigned part)
{
	const struct sample_plan *plan = &s->p->plan[s->pass];
	const uint64_t units = sample_fits(plan, s->p->insts);
	struct units u = {part_begin(plan, units, part, s->parts),
	                  part_begin(plan, units, part + 1, s->parts), 0};
	if (part)
		u.from = sample_warm_from(s->p, plan, u.first);
	return u;
}

struct machine *sample_machine(const struct sample_passes *p, int *stdin_fd, struct err *err)
{
	struct launch l = p->session->launch;
	l.stdin_fd = *stdin_fd = sample_input_open(p->input, err);
	l.output = os_no_output;
	l.warn = NULL; /* already reported */
	if (l.stdin_fd < 0)
		return NULL;
	struct machine *m = launch_machine(&l, p->session->program, &p->session->cfg, err);
	if (m)
		p->interruptible(m);
	else
		close(l.stdin_fd);
	return m;
}

void sample_machine_end(const struct sample_passes *p, struct machine *m, int stdin_fd)
{
	p->interruptible(NULL);
	machine_free(m);
	close(stdin_fd);
}

static bool measure_part(void *ctx, unsigned part, struct sample *out, enum sample_end *end,
                         struct err *err)
{
	const struct stretch *s = ctx;
	const struct units u = sample_passes_part_units(s, part);
	int fd;
	struct machine *m = sample_machine(s->p, &fd, err);
	if (!m)
		return false;
	*end = sample_units(m, &s->p->plan[s->pass], u.first, u.last, u.from, out);
	sample_machine_end(s->p, m, fd);
	return true;
}

static bool keep_part(void *ctx, unsigned part, struct sample *out, enum sample_end *end,
                      struct err *err)
{
	const struct stretch *s = ctx;
	const struct units u = sample_passes_part_units(s, part);
	struct output_file o;
	int fd;
	(void)out;
	if (!sample_points_begin(s->p->points, s->pass, part, &o, err))
		return false;
	struct machine *m = sample_machine(s->p, &fd, err);
	struct live_points *points = m ? live_points_new(m, o.f, true) : NULL;
	if (m)
		machine_forget_past(m);
	if (m && !points)
		err_set(err, "--checkpoints: out of memory for live points");
	if (points)
		*end = sample_keep(m, &s->p->plan[s->pass], u.first, u.last, u.from, points, err);
	live_points_free(points);
	if (m)
		sample_machine_end(s->p, m, fd);
	if (points && *end != SAMPLE_FAILED)
		return sample_points_end(s->p->points, s->pass, part, &o, err);
	output_drop(&o);
	return false;
}

/* Measures a share of a part's units, from its file. */
static bool measure_kept(void *ctx, unsigned k, struct sample *out, enum sample_end *end,
                         struct err *err)
{
	const struct stretch *s = ctx;
	const unsigned part = k / s->shares, share = k % s->shares;
	const struct units u = sample_passes_part_units(s, part);
	const uint64_t n = u.last - u.first,
		       begin = u.first + even_begin(n, share, s->shares, READ_POINT),
		       behind = u.first + even_begin(n, share + 1, s->shares, READ_POINT);
	int fd;
	FILE *f = sample_points_read(s->p->points, s->pass, part, err);
	struct machine *m = f ? sample_machine(s->p, &fd, err) : NULL;
	struct live_points *points = m ? live_points_new(m, f, false) : NULL;
	if (m && !points)
		err_set(err, "--checkpoints: out of memory for live points");
	if (points)
		*end = sample_kept(m, &s->p->plan[s->pass], u.first, begin, behind,
		                   share == s->shares - 1, points, out, err);
	live_points_free(points);
	if (m)
		sample_machine_end(s->p, m, fd);
	if (f)
		fclose(f);
	return points && (*end != SAMPLE_FAILED ||
	                  sample_points_say(s->p->points, s->pass, part, err));
}

/* Measures the units of a planned pass. */
static bool run_plan(struct sample_passes *p, unsigned pass, struct err *err)
{
	const uint64_t units = sample_fits(&p->plan[pass], p->insts);
	const unsigned parts = (unsigned)sample_passes_min(p->spec.parts, units ? units : 1);
	/* each share executes from the beginning: use no more shares than needed */
	struct stretch s = {p, pass, parts, (p->jobs + parts - 1) / parts};
	bool ok = true;
	if (!p->points) {
		ok = sample_parts_run(measure_part, &s, s.parts, p->jobs, &p->sample, &p->end, err);
	} else {
		if (!p->points->there)
			ok = sample_parts_run(keep_part, &s, s.parts, p->jobs, &p->sample, &p->end,
			                      err);
		/* an interrupted pass keeps no points */
		if (ok && p->end != SAMPLE_INTERRUPTED)
			ok = sample_parts_run(measure_kept, &s, s.parts * s.shares, p->jobs,
			                      &p->sample, &p->end, err);
	}
	sample_end_pass(&p->sample);
	return ok;
}

static bool run_pass(struct sample_passes *p, uint64_t n, struct err *err)
{
	p->plan[p->passes] = sample_plan_every(p, p->insts / n, p->passes);
	return run_plan(p, p->passes++, err);
}

/* Measures the passes in the folder. */
static bool run_kept(struct sample_passes *p, struct err *err)
{
	memcpy(p->plan, p->points->plan, sizeof p->plan);
	for (bool ok = true; p->passes < p->points->passes; p->passes++) {
		ok = ok && p->end != SAMPLE_INTERRUPTED && run_plan(p, p->passes, err);
		if (!ok)
			return p->end == SAMPLE_INTERRUPTED;
	}
	return true;
}

/* ---- passes ---- */
/* Half the width of the CPI's interval relative to the CPI; INFINITY: none. */
static double sample_passes_reached(const struct sample_passes *p)
{
	struct err none;
	const struct stat_row *cpi = stat_find("sim.cpi", &none);
	struct estimate *e = alloc_zeroed(stat_row_count, sizeof *e), is = {0, INFINITY};
	if (e) {
		estimate_all(&p->sample, p->insts, p->spec.confidence, e);
		is = e[cpi - stat_rows];
	}
	free(e);
	return is.value > 0 ? is.half / is.value : INFINITY;
}

bool sample_passes_run(struct sample_passes *p, struct err *err)
{
	const struct sample_spec *s = &p->spec;
	const struct sample_plan shape = {.unit = s->unit, .warm = s->warm};
	if (p->points && p->points->there)
		return run_kept(p, err);
	/* As many units as fit without gaps: more would cost no less than timing everything. */
	const uint64_t most = p->insts / sample_room(&shape);
	if (most < 2)
		return err_set(err,
		               "--sample: the program executes %llu instructions, too few for two "
		               "units of U=%llu after W=%llu; run it without --sample",
		               (unsigned long long)p->insts, (unsigned long long)s->unit,
		               (unsigned long long)s->warm);
	uint64_t pilot = p->insts / PILOT_EVERY;
	pilot = pilot < PILOT_LEAST ? PILOT_LEAST : sample_passes_min(pilot, PILOT_MOST);
	const uint64_t first = sample_passes_min(most, s->n ? s->n : pilot),
		       measured = p->sample.count;
	if ((!p->passes || (p->end == SAMPLE_DONE && measured < PILOT_ENOUGH)) &&
	    measured < first &&
	    !run_pass(p, first - measured, err))
		return false;
	while (!s->n && p->passes < SAMPLE_PASSES && p->end == SAMPLE_DONE) {
		const uint64_t needed = estimate_needed(&p->sample, sample_passes_reached(p),
		                                        s->target, s->confidence),
			       have = p->sample.count;
		if (needed <= have || have >= most)
			break;
		/* 10 % more, because the variance is an estimate, too; half as many again if no
		 * other pass can follow */
		const bool last = p->passes + 1 == SAMPLE_PASSES;
		uint64_t wanted = sample_passes_min(needed + needed / (last ? 2 : 10), most);
		if (!last)
			wanted = sample_passes_min(wanted, GROWTH * have);
		if (!run_pass(p, wanted - have, err))
			return false;
	}
	return true;
}

void sample_passes_deinit(struct sample_passes *p)
{
	sample_deinit(&p->sample);
}
