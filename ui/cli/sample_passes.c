#include "ui/cli/sample_passes.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/hash.h"
#include "core/machine/machine.h"
#include "core/run/estimate.h"
#include "loader/launch.h"

/* The fewest and the most units of a pilot, and instructions of the program for each between. */
enum { PILOT_LEAST = 300, PILOT_MOST = 3000, PILOT_EVERY = 100000 };
/* Instructions that a part is warmed for before its first unit could need it. */
enum { RUN_IN = 5000000 };
/* What an instruction costs, roughly, in one unit: without timing, warming, with timing. */
enum { COST_PLAIN = 15, COST_WARM = 60, COST_TIMED = 900 };

static uint64_t lesser(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* ---- plans ---- */
/* So many units, or as many as fit. */
static struct sample_plan plan(const struct sample_passes *p, uint64_t n, unsigned pass)
{
	struct sample_plan plan = {.unit = p->spec.unit, .warm = p->spec.warm};
	uint64_t random = p->spec.seed * 2 + pass;
	plan.every = p->insts / n;
	if (plan.every < sample_room(&plan))
		plan.every = sample_room(&plan);
	plan.offset = splitmix64(&random) % plan.every;
	/* The first unit's warming, and the last one's end, are to lie in the program. */
	if (plan.offset + sample_room(&plan) > p->insts)
		plan.offset = 0;
	return plan;
}

/* The unit with which a part begins: so that all parts take the same time, and each has the
 * instructions before it executed without timing. */
static uint64_t part_begin(const struct sample_plan *plan, uint64_t units, unsigned part,
                           unsigned parts)
{
	const double sampled = COST_WARM +
	                       (double)sample_room(plan) * COST_TIMED / (double)plan->every,
		     rest = 1 - COST_PLAIN / sampled;
	/* part k ends at x(k) = (T + rest * x(k-1) * sampled) / sampled, with x(parts) = 1 */
	double x = 0, all = 0, at = 0;
	for (unsigned k = 0; k < parts; k++)
		all = 1 + rest * all;
	for (unsigned k = 0; k < part; k++)
		x = 1 + rest * x;
	at = part == parts ? 1 : x / all;
	return (uint64_t)(at * (double)units);
}

/* ---- one part ---- */
static void discard(void *ctx, int fd, const void *bytes, size_t n)
{
	(void)ctx;
	(void)fd;
	(void)bytes;
	(void)n;
}

static bool run_part(const struct sample_passes *p, const struct sample_plan *plan, unsigned part,
                     unsigned parts, struct sample *out, enum sample_end *end, struct err *err)
{
	const uint64_t units = sample_fits(plan, p->insts),
		       first = part_begin(plan, units, part, parts),
		       last = part_begin(plan, units, part + 1, parts),
		       begin = plan->offset + first * plan->every;
	struct launch l = p->session->launch;
	l.stdin_fd = sample_input_open(p->input, err);
	l.output = discard;
	l.warn = NULL; /* heard already */
	if (l.stdin_fd < 0)
		return false;
	struct machine *m = launch_machine(&l, p->session->program, &p->session->cfg, err);
	if (m) {
		const uint64_t before = RUN_IN + plan->warm;
		p->interruptible(m);
		machine_forget_past(m);
		*end = sample_units(m, plan, first, last,
		                    part && begin > before ? begin - before : 0, out);
		p->interruptible(NULL);
		machine_free(m);
	}
	close(l.stdin_fd);
	return m;
}

/* ---- parts as processes ---- */
struct part {
	pid_t pid;
	int fd; /* its result comes from here */
};

struct part_result {
	uint64_t count, detailed;
	uint32_t end, ok;
	struct err err;
};

static bool move_bytes(int fd, void *bytes, size_t n, bool out)
{
	char *at = bytes;
	while (n) {
		const ssize_t k = out ? write(fd, at, n) : read(fd, at, n);
		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			return false;
		at += k;
		n -= (size_t)k;
	}
	return true;
}

static void tell_result(int fd, struct sample *s, struct part_result *r)
{
	r->count = s->count;
	r->detailed = s->detailed;
	const bool told = move_bytes(fd, r, sizeof *r, true) &&
	                  move_bytes(fd, s->at, s->count * sizeof *s->at, true) &&
	                  move_bytes(fd, s->counters,
	                             s->count * sample_words() * sizeof *s->counters, true);
	_exit(!told);
}

static bool begin_part(const struct sample_passes *p, const struct sample_plan *plan, unsigned k,
                       unsigned parts, struct part *part, struct err *err)
{
	int fds[2];
	if (pipe(fds) != 0)
		return err_set(err, "--sample: no pipe for a part of the program: %s",
		               strerror(errno));
	part->pid = fork();
	if (part->pid == 0) {
		struct sample s = {0};
		struct part_result r = {0};
		enum sample_end end = SAMPLE_DONE;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(fds[0]);
		r.ok = run_part(p, plan, k, parts, &s, &end, &r.err);
		r.end = end;
		tell_result(fds[1], &s, &r);
	}
	close(fds[1]);
	part->fd = fds[0];
	if (part->pid > 0)
		return true;
	close(fds[0]);
	return err_set(err, "--sample: no process for a part of the program: %s",
	               strerror(errno));
}

/* A part that we have started ourselves: what it says is as good as our own. */
static bool end_part(struct part *part, struct sample *out, enum sample_end *end, struct err *err)
{
	struct part_result r = {0};
	struct sample s = {0};
	bool ok = move_bytes(part->fd, &r, sizeof r, false);
	if (ok && r.count) {
		ok = sample_reserve(&s, r.count) &&
		     move_bytes(part->fd, s.at, r.count * sizeof *s.at, false) &&
		     move_bytes(part->fd, s.counters,
		                r.count * sample_words() * sizeof *s.counters, false);
	}
	close(part->fd);
	while (waitpid(part->pid, NULL, 0) < 0 && errno == EINTR)
		;
	s.count = ok ? r.count : 0;
	s.detailed = r.detailed;
	if (ok && r.ok && r.end > *end)
		*end = (enum sample_end)r.end;
	if (ok && !r.ok)
		*err = r.err;
	if (!ok)
		err_set(err, "--sample: a part of the program came to nothing: its process ended "
		             "early, or memory is out");
	ok = ok && r.ok && (sample_append(out, &s) || err_set(err, "--sample: out of memory"));
	sample_deinit(&s);
	return ok;
}

static bool run_parts(struct sample_passes *p, const struct sample_plan *plan, unsigned parts,
                      struct err *err)
{
	struct part part[SAMPLE_PARTS_MAX];
	unsigned begun = 0, ended = 0;
	bool ok = true;
	while (ok && ended < parts) {
		while (ok && begun < parts && begun - ended < p->jobs)
			ok = begin_part(p, plan, begun, parts, &part[begun], err) && ++begun;
		if (ok)
			ok = end_part(&part[ended++], &p->sample, &p->end, err);
	}
	for (; ended < begun; ended++) {
		kill(part[ended].pid, SIGKILL);
		close(part[ended].fd);
		waitpid(part[ended].pid, NULL, 0);
	}
	return ok;
}

static bool run_pass(struct sample_passes *p, uint64_t n, struct err *err)
{
	const struct sample_plan *plan_now = &p->plan[p->passes];
	p->plan[p->passes] = plan(p, n, p->passes);
	const uint64_t units = sample_fits(plan_now, p->insts);
	const unsigned parts = (unsigned)lesser(p->spec.parts, units ? units : 1);
	p->passes++;
	return parts > 1 ? run_parts(p, plan_now, parts, err)
	                 : run_part(p, plan_now, 0, 1, &p->sample, &p->end, err);
}

/* ---- passes ---- */
bool sample_passes_run(struct sample_passes *p, struct err *err)
{
	const struct sample_spec *s = &p->spec;
	const struct sample_plan shape = {.unit = s->unit, .warm = s->warm};
	/* As many as fit if nothing is left out: beyond that, detail of all is no dearer. */
	const uint64_t most = p->insts / sample_room(&shape);
	if (most < 2)
		return err_set(err,
		               "--sample: the program executes %llu instructions, too few for two "
		               "units of U=%llu behind W=%llu; run it without --sample",
		               (unsigned long long)p->insts, (unsigned long long)s->unit,
		               (unsigned long long)s->warm);
	uint64_t pilot = p->insts / PILOT_EVERY;
	pilot = pilot < PILOT_LEAST ? PILOT_LEAST : lesser(pilot, PILOT_MOST);
	if (!run_pass(p, lesser(most, s->n ? s->n : pilot), err))
		return false;
	while (!s->n && p->passes < SAMPLE_PASSES && p->end == SAMPLE_DONE) {
		const uint64_t needed = estimate_needed(&p->sample, s->target, s->confidence),
			       have = p->sample.count;
		if (needed <= have || have >= most)
			break;
		/* a little more, for the variance is an estimate, too */
		const uint64_t more = needed + needed / 10 - have;
		if (!run_pass(p, lesser(more, most - have), err))
			return false;
	}
	return true;
}

void sample_passes_deinit(struct sample_passes *p)
{
	sample_deinit(&p->sample);
}
