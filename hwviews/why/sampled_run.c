#include "hwviews/why/sampled_run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/machine/machine.h"
#include "core/run/run.h"
#include "core/run/sample.h"
#include "hwviews/session/rerun_check.h"

/* LONGEST: longer runs are sampled up to there. PIECE: instructions between calls of goes_on. */
#define LONGEST UINT64_C(4000000000)
enum { PIECE = 1 << 22, SEED = 1 };

struct asking {
	sampled_goes_on *goes_on;
	void *ctx;
};

static bool sampled_run_check_may_continue(const struct asking *a, struct err *err)
{
	return !a->goes_on || a->goes_on(a->ctx) || err_set(err, "interrupted");
}

/* A machine at the program's beginning, started like the session's but without listeners. NULL with
 * *err. */
static struct machine *sampled_run_create_machine(const struct session *s, int input,
                                                  struct err *err)
{
	struct launch l = s->launch;
	l.output = os_no_output;
	l.warn = NULL;
	l.input = NULL;
	l.values = NULL;
	l.stdin_fd = input;
	return launch_machine(&l, s->program, machine_config(s->machine), err);
}

/* Executes n instructions without timing; *done: how many were executed. */
static bool sampled_run_advance_functional(struct machine *m, uint64_t n, bool warm,
                                           const struct asking *a, uint64_t *done, struct err *err)
{
	for (*done = 0; *done < n;) {
		const uint64_t some = n - *done < PIECE ? n - *done : PIECE,
			       went = machine_run_functional(m, some, warm);
		*done += went;
		if (!sampled_run_check_may_continue(a, err))
			return false;
		if (went < some)
			break;
	}
	return true;
}

/* ---- passes ---- */
static bool sampled_run_measure_length(struct machine *m, struct sampled_run *r,
                                       const struct asking *a, struct err *err)
{
	if (!sampled_run_advance_functional(m, LONGEST, false, a, &r->insts, err))
		return false;
	r->cut = machine_status(m) == MACHINE_RUNNING;
	return true;
}

static bool find_phases(struct machine *m, struct sampled_run *r, unsigned k,
                        const struct asking *a, struct err *err)
{
	struct phases p = {0};
	bool ok = true;
	for (uint64_t done = 0; ok && done < r->insts; done += r->every)
		ok = (phases_collect(&p, m, r->every, r->every) ||
		      err_set(err, "out of memory for phases")) &&
		     sampled_run_check_may_continue(a, err);
	ok = ok && (phases_group(&p, k, SEED) || err_set(err, "out of memory for phases"));
	/* Numbers phases in the order of their first interval. */
	unsigned number[PHASES_MAX] = {0};
	bool seen[PHASES_MAX] = {false};
	for (size_t i = 0; ok && i < p.count && i < r->count; i++) {
		const unsigned was = p.phase[i];
		if (!seen[was]) {
			seen[was] = true;
			number[was] = r->phases++;
			r->phase[number[was]] = (struct sampled_phase){
				.weight = p.weight[was], .spread = p.spread[was],
				.middle = p.middle[was] < r->count ? p.middle[was] : i,
			};
		}
		r->unit[i].phase = number[was];
	}
	phases_deinit(&p);
	return ok;
}

static struct sample_plan sampled_run_plan(const struct sampled_run *r)
{
	return (struct sample_plan){.unit = SAMPLED_UNIT, .warm = SAMPLED_WARM, .every = r->every,
	                            .finest = r->every, .seed = SEED};
}

uint64_t sampled_run_position(const struct sampled_run *r, size_t i)
{
	const struct sample_plan plan = sampled_run_plan(r);
	return sample_position(&plan, i);
}

static bool sampled_run_measure_units(struct machine *m, struct sampled_run *r,
                                      const struct asking *a, struct err *err)
{
	const struct sample_plan plan = sampled_run_plan(r);
	struct sample s = {0};
	bool ok = true;
	for (size_t i = 0; ok && i < r->count; i++) {
		const enum sample_end end = sample_units(m, &plan, i, i + 1, 0, &s);
		ok = (end == SAMPLE_DONE ||
		      err_set(err, end == SAMPLE_NO_MEMORY
		                           ? "out of memory for units"
		                           : "executed again, the program ended early: it needs "
		                             "its input to repeat the run")) &&
		     sampled_run_check_may_continue(a, err);
		if (!ok)
			break;
		const struct stats *u = sample_unit(&s, i);
		struct sampled_unit *to = &r->unit[i];
		to->at = s.at[i];
		to->insts = STAT(u, insts);
		to->cycles = STAT(u, cycles);
		to->l1d_misses = STAT(u, l1d_misses);
		to->l2_misses = STAT(u, l2_misses);
		to->mispredicts = STAT(u, bpred_mispredicts);
		to->pc = machine_pc(m);
	}
	sample_deinit(&s);
	return ok;
}

/* Chooses the interval: about `units` intervals, each long enough for one unit. */
static bool sampled_run_space_units(struct sampled_run *r, unsigned units, struct err *err)
{
	const struct sample_plan shape = {.unit = SAMPLED_UNIT, .warm = SAMPLED_WARM};
	const uint64_t least = 2 * sample_room(&shape);
	r->every = r->insts / units;
	if (r->every < least)
		r->every = least;
	const struct sample_plan plan = sampled_run_plan(r);
	r->count = (size_t)sample_fits(&plan, r->insts);
	return r->count >= 2 ||
	       err_set(err,
	               "the program executes %" PRIu64
	               " instructions, too few for a sample: `continue` runs it all",
	               r->insts);
}

struct sampled_run *sampled_run_make(const struct session *s, unsigned units, unsigned phases,
                                     sampled_goes_on *goes_on, void *ctx, struct err *err)
{
	const struct asking a = {goes_on, ctx};
	struct sampled_run *r = alloc_zeroed(1, sizeof *r + (units + 1) * sizeof *r->unit);
	if (!r)
		return err_set(err, "out of memory"), NULL;
	bool ok = rerun_possible(s, err);
	for (int pass = 0; ok && pass < 3; pass++) {
		const int input = rerun_input(s);
		struct machine *m = sampled_run_create_machine(s, input, err);
		ok = m;
		if (m && pass < 2) /* only measuring goes back, between near units */
			machine_forget_past(m);
		if (ok)
			ok = pass == 0 ? sampled_run_measure_length(m, r, &a, err) &&
			                         sampled_run_space_units(r, units, err)
			     : pass == 1 ? find_phases(m, r, phases, &a, err)
			                 : sampled_run_measure_units(m, r, &a, err);
		machine_free(m);
		if (input >= 0)
			close(input);
	}
	session_watch_symbols(s);
	if (ok)
		return r;
	free(r);
	return NULL;
}

bool sampled_run_go(struct session *s, size_t i, sampled_goes_on *goes_on, void *ctx,
                    struct err *err)
{
	const struct asking a = {goes_on, ctx};
	const struct sampled_run *r = s->sampled;
	const uint64_t start = sampled_run_position(r, i),
		       begin = start > SAMPLED_WARM ? start - SAMPLED_WARM : 0;
	struct run_stop_info stop;
	uint64_t done;
	/* From here on the input is the session's own. */
	if (!rerun_possible(s, err))
		return false;
	struct machine *m =
		sampled_run_create_machine(s, s->launch.input ? -1 : s->launch.stdin_fd, err);
	if (!m || !sampled_run_advance_functional(m, begin, true, &a, &done, err) ||
	    (done < begin && !err_set(err, "executed again, the program ended early: it needs its "
	                                   "input to repeat the run"))) {
		machine_free(m);
		session_watch_symbols(s);
		return false;
	}
	session_adopt(s, m);
	return run_insts(s->run, start - begin, false, &stop, err);
}

/* ---- statistics of units ---- */
double sampled_cpi(const struct sampled_unit *u)
{
	return u->insts ? (double)u->cycles / (double)u->insts : 0;
}

double sampled_phase_cpi(const struct sampled_run *r, unsigned phase)
{
	uint64_t insts = 0, cycles = 0;
	for (size_t i = 0; i < r->count; i++) {
		insts += r->unit[i].phase == phase ? r->unit[i].insts : 0;
		cycles += r->unit[i].phase == phase ? r->unit[i].cycles : 0;
	}
	return insts ? (double)cycles / (double)insts : 0;
}

char sampled_letter(unsigned phase)
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+*";
	static_assert(sizeof letters == PHASES_MAX + 1, "one each");
	return letters[phase % PHASES_MAX];
}
