#include "ui/cli/sample_first.h"

#include <errno.h>
#include <string.h>

#include "core/host/process.h"
#include "core/machine/machine.h"
#include "ui/cli/sample_parts.h"
#include "ui/cli/sample_passes_priv.h"

/* Most snapshots kept, and initial distance between them in instructions. */
enum { KEPT_MOST = 32, KEPT_EVERY = 8000000 };

/* Shared by the process that measures the first part and the process that finds the part's end. */
struct first_part {
	uint64_t until; /* instruction at which the first part ends */
	struct sample_plan plan; /* of its units */
};

struct first_pass {
	struct sample_passes *p;
	struct machine *m;        /* borrowed: executes the program */
	struct first_part *first; /* shared memory */
	struct snapshot *kept[KEPT_MOST]; /* owned; [count] */
	uint64_t kept_at[KEPT_MOST];
	size_t count;
	/* once the length is known: first unit of each part, then the number of units */
	uint64_t begin[SAMPLE_PARTS_MAX + 1];
	struct sample_part part[SAMPLE_PARTS_MAX]; /* running ones: begun - ended */
	unsigned begun, ended;
};

bool sample_first_measures(const struct sample_passes *p)
{
	return !p->spec.n && !p->points;
}

/* ---- executing ---- */
/* Keeps a snapshot; drops every second snapshot if there are too many. */
static void sample_first_store_snapshot(struct first_pass *f, uint64_t *every)
{
	if (f->count == KEPT_MOST) {
		for (size_t i = 0; i < KEPT_MOST; i++)
			if (i % 2) {
				snapshot_free(f->kept[i]);
			} else {
				f->kept[i / 2] = f->kept[i];
				f->kept_at[i / 2] = f->kept_at[i];
			}
		f->count = KEPT_MOST / 2;
		*every *= 2;
	}
	/* without memory, parts begin at an earlier snapshot */
	if ((f->kept[f->count] = machine_snapshot(f->m)))
		f->kept_at[f->count++] = machine_committed(f->m);
}

static enum sample_end sample_first_execute_until(struct first_pass *f, uint64_t until)
{
	uint64_t every = KEPT_EVERY;
	struct machine *m = f->m;
	while (machine_status(m) == MACHINE_RUNNING && machine_committed(m) < until) {
		const uint64_t now = machine_committed(m),
			       next = until - now < every ? until : now + every;
		sample_first_store_snapshot(f, &every);
		machine_run_functional(m, next - now, false);
		if (machine_committed(m) < next && machine_status(m) == MACHINE_RUNNING)
			return SAMPLE_INTERRUPTED;
	}
	return SAMPLE_DONE;
}

/* ---- dividing ---- */
/* Final length of strata of sample_all() in a program of this length. */
static uint64_t sample_first_unit_distance(struct sample_plan plan, uint64_t insts)
{
	plan.every = plan.finest;
	while (sample_fits(&plan, insts) > PILOT_MOST)
		plan.every *= 2;
	return plan.every;
}

/* Divides the program so that the measurements of all parts end at the same time. The first part is
 * measured before the program's length is known, with as many units as a whole program would have;
 * the others start only after the program's execution, and warm up before their first unit. */
static void sample_first_divide_parts(struct first_pass *f)
{
	struct sample_passes *p = f->p;
	struct sample_plan *plan = &p->plan[0], fine = *plan;
	const double insts = (double)p->insts, others = p->spec.parts - 1,
		     before = insts * COST_PLAIN + (double)sample_run_in(p) * COST_WARM;
	plan->every = sample_first_unit_distance(*plan, p->insts);
	const uint64_t units = sample_fits(plan, p->insts);
	plan->pair_every = fine.pair_every = sample_pair_every(units);
	const double cost = sample_cost(plan) / others;
	double first = insts / p->spec.parts;
	for (int i = 0; i < 2; i++) {
		fine.every = sample_first_unit_distance(*plan, (uint64_t)first);
		first = (before + insts * cost) / (sample_cost(&fine) + cost);
	}
	const double share = first < insts ? first / insts : 1;
	for (unsigned k = 1; k < p->spec.parts; k++)
		f->begin[k] = (uint64_t)((double)units *
		                         (share + (1 - share) * (k - 1) / others));
	f->begin[p->spec.parts] = units;
	__atomic_store_n(&f->first->until,
	                 f->begin[1] ? sample_position_end(plan, f->begin[1] - 1) : 0,
	                 __ATOMIC_RELAXED);
}

/* ---- measuring ---- */
static bool measure_first(void *ctx, unsigned part, struct sample *out, enum sample_end *end,
                          struct err *err)
{
	struct first_pass *f = ctx;
	struct sample_plan plan = sample_plan_every(f->p, PILOT_EVERY, 0);
	int fd;
	struct machine *m = sample_machine(f->p, &fd, err);
	(void)part;
	if (!m)
		return false;
	*end = sample_all(m, &plan, PILOT_MOST, &f->first->until, out);
	f->first->plan = plan;
	sample_machine_end(f->p, m, fd);
	return true;
}

static bool measure_other(void *ctx, unsigned part, struct sample *out, enum sample_end *end,
                          struct err *err)
{
	struct first_pass *f = ctx;
	const struct sample_plan *plan = &f->p->plan[0];
	const uint64_t from = sample_warm_from(f->p, plan, f->begin[part]);
	size_t i = f->count - 1;
	(void)err;
	while (i && f->kept_at[i] > from)
		i--;
	f->p->interruptible(f->m);
	*end = sample_units_from(f->m, f->kept[i], plan, f->begin[part], f->begin[part + 1], from,
	                         out);
	return true;
}

static bool sample_first_begin_part(struct first_pass *f, struct err *err)
{
	const unsigned k = f->begun;
	f->begun += sample_part_begin(k ? measure_other : measure_first, f, k, &f->part[k], err);
	return f->begun > k;
}

static bool sample_first_end_part(struct first_pass *f, struct err *err)
{
	struct sample_passes *p = f->p;
	const unsigned k = f->ended++;
	if (!sample_part_end(&f->part[k], &p->sample, &p->end, err))
		return false;
	if (k)
		return true;
	struct sample_plan *plan = &f->first->plan;
	while (plan->every < p->plan[0].every)
		sample_thin(&p->sample, plan);
	sample_thin_pairs(&p->sample, plan, p->plan[0].pair_every);
	sample_shorten(&p->sample, f->begin[1]); /* it may already have passed the end */
	return true;
}

static bool run_parts(struct first_pass *f, uint64_t until, struct err *err)
{
	struct sample_passes *p = f->p;
	if (p->jobs > 1 && !sample_first_begin_part(f, err))
		return false;
	p->end = sample_first_execute_until(f, until);
	p->insts = machine_committed(f->m);
	if (p->end != SAMPLE_DONE)
		return true;
	if (!f->count)
		return err_set(err, "--sample: out of memory for the program's state");
	sample_first_divide_parts(f);
	while (f->ended < p->spec.parts) {
		const bool room = f->begun < p->spec.parts && f->begun - f->ended < p->jobs;
		if (room ? !sample_first_begin_part(f, err) : !sample_first_end_part(f, err))
			return false;
	}
	return true;
}

bool sample_first_run(struct sample_passes *p, struct machine *m, uint64_t until, struct err *err)
{
	static struct first_pass f;
	p->plan[0] = sample_plan_every(p, PILOT_EVERY, 0);
	p->passes = 1;
	if (p->spec.parts == 1) {
		p->end = sample_all(m, &p->plan[0], PILOT_MOST, &until, &p->sample);
		p->insts = machine_committed(m);
		sample_end_pass(&p->sample);
		return true;
	}
	f = (struct first_pass){.p = p, .m = m};
	f.first = process_share(sizeof *f.first);
	if (!f.first)
		return err_set(err, "--sample: no memory for several processes: %s",
		               strerror(errno));
	f.first->until = until;
	const bool ok = run_parts(&f, until, err);
	while (f.ended < f.begun)
		sample_part_kill(&f.part[f.ended++]);
	while (f.count)
		snapshot_free(f.kept[--f.count]);
	process_unshare(f.first, sizeof *f.first);
	sample_end_pass(&p->sample);
	return ok;
}
