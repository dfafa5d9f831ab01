#include "ui/cli/simpoint_run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/output_file.h"
#include "core/base/sort.h"
#include "core/defs/stats.h"
#include "core/machine/machine.h"
#include "core/run/sample.h"
#include "loader/launch.h"
#include "ui/render/safe_print.h"
#include "ui/render/stats_out.h"

/* Instructions with timing before an interval; and between the last interval and the program's end.
 */
enum { WARM = 2000, TAIL = 64 };

struct point {
	unsigned phase;
	uint64_t start, insts;
};

struct result {
	struct point point[PHASES_MAX]; /* [count], in the order of the program */
	unsigned count;
	struct sample sample;           /* owned; [count] units */
	uint64_t insts, syscalls;
	struct stats *whole;            /* owned; estimated counters of the whole program */
};

bool simpoint_execute(struct phases *p, const struct session *s, const struct options *o,
                      struct err *err)
{
	return phases_collect(p, s->machine, o->simpoint.interval, o->max_insts) ||
	       err_set(err, "--simpoint: out of memory for the intervals");
}

static int by_start(const void *a, const void *b)
{
	const struct point *x = a, *y = b;
	return x->start < y->start ? -1 : x->start > y->start;
}

static void simpoint_run_select_points(struct result *r, const struct phases *p)
{
	for (r->count = 0; r->count < p->k; r->count++) {
		struct point *at = &r->point[r->count];
		*at = (struct point){.phase = r->count,
		                     .insts = p->interval[p->middle[r->count]].insts};
		for (size_t i = 0; i < p->middle[r->count]; i++)
			at->start += p->interval[i].insts;
	}
	sort_stable(r->point, r->count, sizeof *r->point, by_start);
}

/* Measures the points. Caches and predictors are warmed from the program's beginning. */
static bool simpoint_run_measure_points(struct result *r, const struct session *s,
                                        const struct sample_input *in,
                                        void (*interruptible)(struct machine *m), struct err *err)
{
	enum sample_end end = SAMPLE_DONE;
	struct launch l = s->launch;
	l.stdin_fd = sample_input_open(in, err);
	l.output = os_no_output;
	l.warn = NULL; /* already reported */
	struct machine *m =
		l.stdin_fd >= 0 ? launch_machine(&l, s->program, &s->cfg, err) : NULL;
	if (m)
		machine_forget_past(m);
	interruptible(m);
	for (unsigned i = 0; m && i < r->count && end == SAMPLE_DONE; i++) {
		const struct point *at = &r->point[i];
		const uint64_t left = r->insts - at->start;
		const struct sample_plan plan = {
			.unit = at->insts + TAIL < left ? at->insts
		                : left > TAIL           ? left - TAIL
		                                        : 1,
			.warm = WARM,
			.every = UINT64_MAX / 2, /* no unit follows */
			.offset = at->start};
		end = sample_units(m, &plan, 0, 1, 0, &r->sample);
	}
	interruptible(NULL);
	machine_free(m);
	if (l.stdin_fd >= 0)
		close(l.stdin_fd);
	if (!m)
		return false;
	return end == SAMPLE_DONE ||
	       err_set(err, "--simpoint: %s",
	               end == SAMPLE_INTERRUPTED ? "interrupted"
	               : end == SAMPLE_NO_MEMORY ? "out of memory for the intervals"
	                                         : "the program ended before the last interval: a "
	                                           "second execution differs from the first");
}

/* Sums the points' counters, weighted by the length of their phases. */
static bool simpoint_run_sum_weighted_stats(struct result *r, const struct phases *p,
                                            struct err *err)
{
	uint64_t *whole = alloc_zeroed(sample_words(), sizeof *whole);
	r->whole = (struct stats *)(void *)whole;
	if (!whole)
		return err_set(err, "--simpoint: out of memory");
	for (size_t w = 0; w < sample_words(); w++) {
		double sum = 0;
		for (unsigned i = 0; i < r->count; i++) {
			const struct stats *unit = sample_unit(&r->sample, i);
			const double all = p->weight[r->point[i].phase] * (double)r->insts;
			sum += (double)((const int64_t *)(const void *)unit)[w] * all /
			       (double)STAT(unit, insts);
		}
		whole[w] = sum > 0 ? (uint64_t)(sum + 0.5) : 0;
	}
	return true;
}

/* ---- printing ---- */
static bool simpoint_run_stat_is_shown(const struct session *s, const struct stat_row *at)
{
	static const char *const none[] = {"sim.functional_insts", "sim.functional_cycles",
	                                   "slots.in_flight", "dispatch.unresolved"};
	for (size_t i = 0; i < sizeof none / sizeof *none; i++)
		if (!strcmp(at->name, none[i]))
			return false;
	return stat_exists(&s->cfg, at);
}

static double simpoint_run_cpi(const struct stats *s)
{
	return (double)STAT(s, cycles) / (double)STAT(s, insts);
}

static void simpoint_run_print_text(FILE *f, const struct result *r, const struct phases *p,
                                    const struct session *s, const struct options *o)
{
	char buf[32];
	say(f, "%s, %s, by SimPoint:\n", program_path(s->program), o->config_name);
	fprintf(f, "  %-28s %16s\n", "instructions", stats_grouped(r->insts, buf));
	fprintf(f, "  %-28s %16u  of %zu intervals of %s instructions, seed %" PRIu64 "\n",
	        "phases", p->k, p->count, stats_grouped(o->simpoint.interval, buf),
	        o->simpoint.seed);
	fprintf(f,
	        "  %-28s %16.4f  without a confidence interval: its error is unknown; --sample has "
	        "one\n",
	        "instructions per cycle", 1 / simpoint_run_cpi(r->whole));
	fprintf(f, "Phases  %12s %12s %8s %9s %8s\n", "begins at", "instructions", "weight",
	        "CPI", "spread");
	for (unsigned i = 0; i < r->count; i++) {
		const struct point *at = &r->point[i];
		fprintf(f, "  %4u  %12" PRIu64 " %12" PRIu64 " %7.2f%% %9.4f %8.4f\n",
		        at->phase + 1, at->start, STAT(sample_unit(&r->sample, i), insts),
		        100 * p->weight[at->phase], simpoint_run_cpi(sample_unit(&r->sample, i)),
		        p->spread[at->phase]);
	}
}

static void simpoint_run_write_json(FILE *f, const struct result *r, const struct phases *p,
                                    const struct session *s, const struct options *o)
{
	fprintf(f,
	        "{\n  \"simpoint\": {\"k\": %u, \"interval\": %" PRIu64 ", \"seed\": %" PRIu64
	        ", \"intervals\": %zu, \"confidence\": null},\n  \"exact\": {\"sim.insts\": "
	        "%" PRIu64 ", \"sim.syscalls\": %" PRIu64 "},\n  \"estimated\": {",
	        p->k, o->simpoint.interval, o->simpoint.seed, p->count, r->insts, r->syscalls);
	const char *separator = "";
	for (size_t i = 0; i < stat_row_count; i++) {
		const struct stat_row *at = &stat_rows[i];
		if (!simpoint_run_stat_is_shown(s, at) || !strcmp(at->name, "sim.insts") ||
		    !strcmp(at->name, "sim.syscalls"))
			continue;
		fprintf(f, "%s\n    \"%s\": {\"value\": %.17g}", separator, at->name,
		        stat_value(r->whole, at));
		separator = ",";
	}
	fputs("\n  },\n  \"points\": [", f);
	for (unsigned i = 0; i < r->count; i++)
		fprintf(f, "%s\n    [%u, %" PRIu64 ", %" PRIu64 ", %" PRIu64 ", %.17g]",
		        i ? "," : "", r->point[i].phase + 1, r->sample.at[i],
		        STAT(sample_unit(&r->sample, i), insts),
		        STAT(sample_unit(&r->sample, i), cycles), p->weight[r->point[i].phase]);
	fputs("\n  ],\n  \"phases\": [", f);
	for (size_t i = 0; i < p->count; i++)
		fprintf(f, "%s%u", i ? ", " : "", p->phase[i] + 1);
	fputs("]\n}\n", f);
}

static void simpoint_run_write_rows(FILE *f, const struct result *r, const struct session *s,
                                    bool csv)
{
	if (csv)
		fputs("name,value,unit\n", f);
	for (size_t i = 0; i < stat_row_count; i++)
		if (simpoint_run_stat_is_shown(s, &stat_rows[i]))
			fprintf(f, csv ? "%s,%.17g,%s\n" : "%-24s %16.10g  # %s\n",
			        stat_rows[i].name, stat_value(r->whole, &stat_rows[i]),
			        stat_rows[i].unit);
}

static bool write_stats(const char *path, const struct result *r, const struct phases *p,
                        const struct session *s, const struct options *o, struct err *err)
{
	struct output_file f;
	struct err why;
	if (!strcmp(path, "-")) {
		simpoint_run_write_rows(stderr, r, s, false);
		return true;
	}
	if (!output_begin(&f, path, OUTPUT_FILE_ANY, &why))
		return err_set(err, "--stats %s", why.msg);
	if (output_ends_in(path, ".json"))
		simpoint_run_write_json(f.f, r, p, s, o);
	else
		simpoint_run_write_rows(f.f, r, s, output_ends_in(path, ".csv"));
	return output_end(&f, path, &why) || err_set(err, "--stats %s", why.msg);
}

bool simpoint_run(struct phases *p, const struct session *s, const struct options *o,
                  const struct sample_input *in, uint64_t syscalls,
                  void (*interruptible)(struct machine *m), struct err *err)
{
	struct result r = {.syscalls = syscalls};
	for (size_t i = 0; i < p->count; i++)
		r.insts += p->interval[i].insts;
	if (p->count < 2)
		return err_set(err,
		               "--simpoint: the program executes %" PRIu64
		               " instructions, which is one interval; use a smaller one, "
		               "interval=%" PRIu64,
		               r.insts, r.insts / 100 > 1000 ? r.insts / 100 : 1000);
	if (!phases_group(p, o->simpoint.k, o->simpoint.seed))
		return err_set(err, "--simpoint: out of memory for the phases");
	simpoint_run_select_points(&r, p);
	bool ok = simpoint_run_measure_points(&r, s, in, interruptible, err) &&
	          simpoint_run_sum_weighted_stats(&r, p, err);
	if (ok) {
		simpoint_run_print_text(stderr, &r, p, s, o);
		ok = !o->stats || write_stats(o->stats, &r, p, s, o, err);
	}
	sample_deinit(&r.sample);
	free(r.whole);
	return ok;
}
