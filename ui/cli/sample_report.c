#include "ui/cli/sample_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/output_file.h"
#include "core/defs/config.h"
#include "core/defs/stats.h"
#include "ui/render/safe_print.h"
#include "ui/render/stats_out.h"

bool sample_report_begin(struct sample_report *r)
{
	const struct sample_passes *p = r->passes;
	r->rows = alloc_zeroed(stat_row_count, sizeof *r->rows);
	if (r->rows)
		estimate_all(&p->sample, p->insts, p->spec.confidence, r->rows);
	return r->rows;
}

void sample_report_end(struct sample_report *r)
{
	free(r->rows);
	r->rows = NULL;
}

static const struct config *config_of(const struct sample_report *r)
{
	return &r->passes->session->cfg;
}

static const struct estimate *sample_report_find_row(const struct sample_report *r,
                                                     const char *name)
{
	struct err err;
	const struct stat_row *at = stat_find(name, &err);
	return &r->rows[at - stat_rows];
}

/* EXACT: known for the whole program. NOT_SAMPLED: units don't have it. */
enum kind { ESTIMATED, EXACT, NOT_SAMPLED };

static enum kind sample_report_row_kind(const struct stat_row *at)
{
	static const char *const exact[] = {"sim.insts", "sim.syscalls"},
				 *const none[] = {"sim.functional_insts", "sim.functional_cycles",
	                                          "slots.in_flight", "dispatch.unresolved"};
	for (size_t i = 0; i < sizeof exact / sizeof *exact; i++)
		if (!strcmp(at->name, exact[i]))
			return EXACT;
	for (size_t i = 0; i < sizeof none / sizeof *none; i++)
		if (!strcmp(at->name, none[i]))
			return NOT_SAMPLED;
	return ESTIMATED;
}

static uint64_t sample_report_exact_value(const struct sample_report *r, const struct stat_row *at)
{
	return !strcmp(at->name, "sim.insts") ? r->passes->insts : r->syscalls;
}

/* The estimate of IPC, whose interval is not symmetric: [*low, *high]. */
static double sample_report_ipc(const struct sample_report *r, double *low, double *high)
{
	const struct estimate *cpi = sample_report_find_row(r, "sim.cpi");
	*low = cpi->value > 0 ? 1 / (cpi->value + cpi->half) : 0;
	*high = cpi->value > cpi->half ? 1 / (cpi->value - cpi->half) : INFINITY;
	return cpi->value > 0 ? 1 / cpi->value : 0;
}

/* Half the width of the CPI's interval relative to the CPI. */
static double sample_report_relative_error(const struct sample_report *r)
{
	const struct estimate *cpi = sample_report_find_row(r, "sim.cpi");
	return cpi->value > 0 ? cpi->half / cpi->value : INFINITY;
}

/* Rounds up to so many decimals: an interval's printed width holds its width, and is not 0. */
static double sample_report_up(double v, double decimals)
{
	const double unit = pow(10, -decimals);
	return ceil(v / unit * (1 - 1e-12)) * unit;
}

/* True if the CPI's interval is within the target. */
/* The share of the instructions of which nothing may have been measured. */
static double sample_report_unseen(const struct sample_report *r)
{
	return sample_unseen(&r->passes->sample, r->passes->spec.confidence);
}

static bool sample_report_met(const struct sample_report *r)
{
	const double target = r->passes->spec.target;
	return sample_report_relative_error(r) <= target && sample_report_unseen(r) <= target;
}

/* Relative difference between the CPI of all units together and the estimate. */
static double sample_report_cpi_bias(const struct sample_report *r)
{
	const struct sample *s = &r->passes->sample;
	double insts = 0, cycles = 0;
	for (size_t k = 0; k < s->count; k++) {
		insts += (double)STAT(sample_unit(s, k), insts);
		cycles += (double)STAT(sample_unit(s, k), cycles);
	}
	const double cpi = sample_report_find_row(r, "sim.cpi")->value;
	return cpi > 0 && insts > 0 ? cycles / insts / cpi - 1 : 0;
}

/* ---- text ---- */
static void sample_report_print_head(FILE *f, const struct sample_report *r)
{
	const struct sample_passes *p = r->passes;
	const struct sample *s = &p->sample;
	char buf[32], units[32];
	say(f, "%s, %s, sampled:\n", r->program, r->config);
	fprintf(f, "  %-28s %16s\n", "instructions", stats_grouped(p->insts, buf));
	fprintf(f, "  %-28s %16s  of %s instructions, after %" PRIu64 " of detailed warming\n",
	        "units", stats_grouped(s->count, buf), stats_grouped(p->spec.unit, units),
	        p->spec.warm);
	fprintf(f, "  %-28s %15.2f%%  in %u pass%s, seed %" PRIu64 ", %u part%s\n", "with timing",
	        100.0 * (double)s->detailed / (double)p->insts, p->passes,
	        p->passes == 1 ? "" : "es", p->spec.seed, p->spec.parts,
	        p->spec.parts == 1 ? "" : "s");
	fprintf(f, "  %-28s %16.3f  coefficient of variation of the units' CPI\n", "variation",
	        sample_variation(s));
	if (s->pairs >= ESTIMATE_PAIRS)
		fprintf(f,
		        "  %-28s %15.2f%%  of the CPI, subtracted from all: the bias of %zu units "
		        "measured after %" PRIu64 "\n",
		        "bias of warming", 100 * sample_report_cpi_bias(r), s->pairs,
		        p->plan[0].check);
	const double periodic = sample_periodicity(s, 0, p->plan[0].every);
	if (periodic > 0)
		fprintf(f,
		        "  %-28s %15.2f%%  of the units' variance is explained by their phase: the "
		        "CPI has a period near %s instructions, or a fraction of that\n",
		        "periodic", 100 * periodic, stats_grouped(p->plan[0].every, buf));
}

static void put_target(FILE *f, const struct sample_report *r)
{
	const struct sample_passes *p = r->passes;
	const double now = sample_report_up(100 * sample_report_relative_error(r), 2),
		     target = 100 * p->spec.target, confidence = 100 * p->spec.confidence;
	if (sample_report_met(r)) {
		fprintf(f, "  %-28s %15.2f%%  of the CPI, with %g%% confidence: within %g%%\n",
		        "interval", now, confidence, target);
		return;
	}
	const uint64_t needed = estimate_needed(&p->sample, sample_report_relative_error(r),
	                                        p->spec.target, p->spec.confidence);
	char buf[32];
	fprintf(f,
	        "  %-28s %15.2f%%  of the CPI, with %g%% confidence: NOT within %g%%%s, which "
	        "takes %s units%s\n",
	        "interval", now, confidence, target,
	        now <= target ? " while a larger part is unseen" : "", stats_grouped(needed, buf),
	        p->spec.n                      ? "; n sets their number"
	        : p->end == SAMPLE_INTERRUPTED ? "; it was interrupted"
	        : needed > p->sample.count + p->sample.count / 4
	                ? "; more do not fit: a smaller U or W, or a larger target"
	                : "");
}

/* Prints the CPI stack; its rows are slots, shown as cycles per instruction. */
static void sample_report_print_cpi_stack(FILE *f, const struct sample_report *r)
{
	const double width = (double)CONFIG(config_of(r), commit_width),
		     insts = (double)r->passes->insts;
	fputs("CPI stack  cycles per instruction\n", f);
	for (size_t i = 0; i < stat_row_count; i++) {
		const struct estimate *e = &r->rows[i];
		if (strncmp(stat_rows[i].name, "cpi.", 4) != 0 ||
		    !stat_exists(config_of(r), &stat_rows[i]) || e->value == 0)
			continue;
		fprintf(f, "  %-28s %16.4f  ± %.4f\n", stat_rows[i].name + 4,
		        e->value / width / insts, sample_report_up(e->half / width / insts, 4));
	}
}

static void put_derived(FILE *f, const struct sample_report *r)
{
	fprintf(f, "Statistics  with %g%% confidence\n", 100 * r->passes->spec.confidence);
	for (size_t i = 0; i < stat_row_count; i++) {
		const struct stat_row *at = &stat_rows[i];
		const struct estimate *e = &r->rows[i];
		if (!at->derived || !stat_exists(config_of(r), at) || estimate_is_total(at) ||
		    e->half == 0 || !strcmp(at->name, "sim.ipc"))
			continue;
		fprintf(f, "  %-28s %16.4f  ± %-10.4f %s\n", at->name, e->value,
		        sample_report_up(e->half, 4), at->unit);
	}
}

void sample_report_text(FILE *f, const struct sample_report *r)
{
	double low, high;
	const double ipc = sample_report_ipc(r, &low, &high);
	sample_report_print_head(f, r);
	fprintf(f, "  %-28s %16.4f  %.4f to %.4f\n", "instructions per cycle", ipc,
	        -sample_report_up(-low, 4), sample_report_up(high, 4));
	put_target(f, r);
	fprintf(f,
	        "  %-28s %15.2f%%  of the instructions: a smaller part of the program may be "
	        "without a unit, with %g%% confidence no larger one\n",
	        "unseen",
	        sample_report_up(100 * sample_report_unseen(r), 2),
	        100 * r->passes->spec.confidence);
	sample_report_print_cpi_stack(f, r);
	put_derived(f, r);
	if (r->processor_seconds > 0)
		fprintf(f, "  %-28s %16.2f  seconds\n", "processor", r->processor_seconds);
}

/* ---- files ---- */
/* Writes a number; JSON has no infinity. An interval of no width is none, and written as null. */
static void put_json_number(FILE *f, double v)
{
	if (isfinite(v))
		fprintf(f, "%.17g", v);
	else
		fputs("null", f);
}

/* Returns a row's value; *low and *high receive its interval. */
static double sample_report_row_interval(const struct sample_report *r, size_t i, double *low,
                                         double *high)
{
	const struct estimate *e = &r->rows[i];
	if (!strcmp(stat_rows[i].name, "sim.ipc"))
		return sample_report_ipc(r, low, high);
	*low = e->value - e->half;
	*high = e->value + e->half;
	return e->value;
}

static void put_interval(FILE *f, const struct sample_report *r, size_t i)
{
	double low, high;
	const double value = sample_report_row_interval(r, i, &low, &high);
	fputs("{\"value\": ", f);
	put_json_number(f, value);
	fputs(", \"low\": ", f);
	put_json_number(f, low < high ? low : NAN);
	fputs(", \"high\": ", f);
	put_json_number(f, low < high ? high : NAN);
	fputs("}", f);
}

static void sample_report_write_json(FILE *f, const struct sample_report *r)
{
	const struct sample_passes *p = r->passes;
	const struct sample *s = &p->sample;
	fprintf(f,
	        "{\n  \"sample\": {\"U\": %" PRIu64 ", \"W\": %" PRIu64 ", \"check\": %" PRIu64
	        ", \"units\": %zu, "
	        "\"passes\": %u, \"parts\": %u, \"seed\": %" PRIu64 ", \"target\": %.17g, "
	        "\"confidence\": %.17g, \"met\": %s, \"reached\": ",
	        p->spec.unit, p->spec.warm, p->plan[0].check, s->count, p->passes, p->spec.parts,
	        p->spec.seed, p->spec.target, p->spec.confidence,
	        sample_report_met(r) ? "true" : "false");
	put_json_number(f, sample_report_relative_error(r));
	fprintf(f,
	        ", \"unseen\": %.17g, \"periodic\": %.17g, \"variation\": %.17g, "
	        "\"insts\": %" PRIu64 ", \"detailed_insts\": %" PRIu64 ",\n    \"strata\": ",
	        sample_report_unseen(r), sample_periodicity(s, 0, p->plan[0].every),
	        sample_variation(s), p->insts, s->detailed);
	const char *separator = "[";
	for (unsigned i = 0; i < p->passes; i++, separator = ", ")
		fprintf(f,
		        "%s{\"every\": %" PRIu64 ", \"finest\": %" PRIu64 ", \"seed\": %" PRIu64
		        ", \"pair_every\": %" PRIu64 ", \"units\": %zu}",
		        separator, p->plan[i].every, p->plan[i].finest, p->plan[i].seed,
		        p->plan[i].pair_every, s->pass_end[i] - (i ? s->pass_end[i - 1] : 0));
	fputs("]},\n", f);
	separator = "  \"exact\": {";
	for (size_t i = 0; i < stat_row_count; i++)
		if (sample_report_row_kind(&stat_rows[i]) == EXACT) {
			fprintf(f, "%s\"%s\": %" PRIu64, separator, stat_rows[i].name,
			        sample_report_exact_value(r, &stat_rows[i]));
			separator = ", ";
		}
	fputs("},\n", f);
	separator = "  \"estimated\": {";
	for (size_t i = 0; i < stat_row_count; i++) {
		if (!stat_exists(config_of(r), &stat_rows[i]) ||
		    sample_report_row_kind(&stat_rows[i]) != ESTIMATED)
			continue;
		fprintf(f, "%s\n    \"%s\": ", separator, stat_rows[i].name);
		put_interval(f, r, i);
		separator = ",";
	}
	fputs("\n  },\n", f);
	separator = "  \"units\": [";
	for (size_t k = 0; k < s->count; k++) {
		fprintf(f, "%s[%" PRIu64 ", %" PRIu64 ", %" PRIu64 "]", separator, s->at[k],
		        STAT(sample_unit(s, k), insts), STAT(sample_unit(s, k), cycles));
		separator = k % 8 == 7 ? ",\n    " : ", ";
	}
	fputs(s->count ? "],\n  \"pairs\": [" : "  \"units\": [],\n  \"pairs\": [", f);
	for (size_t k = 0; k < s->pairs; k++)
		fprintf(f, "%s[%" PRIu64 ", %" PRIu64 ", %" PRIu64 "]", k ? ", " : "",
		        s->pair_unit[k], STAT(sample_pair(s, k), insts),
		        STAT(sample_pair(s, k), cycles));
	fputs("]\n}\n", f);
}

/* Writes all rows as text or CSV. */
static void sample_report_write_rows(FILE *f, const struct sample_report *r, bool csv)
{
	if (csv)
		fputs("name,value,low,high,unit,kind\n", f);
	for (size_t i = 0; i < stat_row_count; i++) {
		const struct stat_row *at = &stat_rows[i];
		const struct estimate *e = &r->rows[i];
		const enum kind kind = sample_report_row_kind(at);
		double low, high;
		const double value = sample_report_row_interval(r, i, &low, &high);
		if (!stat_exists(config_of(r), at) || kind == NOT_SAMPLED)
			continue;
		const uint64_t n = kind == EXACT ? sample_report_exact_value(r, at) : 0;
		if (csv && kind == EXACT)
			fprintf(f, "%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%s,exact\n", at->name, n,
			        n, n, at->unit);
		else if (csv)
			fprintf(f, "%s,%.17g,%.17g,%.17g,%s,estimated\n", at->name, value, low,
			        high, at->unit);
		else if (kind == EXACT)
			fprintf(f, "%-24s %16" PRIu64 "  exact            # %s (%s)\n", at->name, n,
			        at->help, at->unit);
		else
			fprintf(f, "%-24s %16.*f  ± %-14.*f # %s (%s)\n", at->name,
			        estimate_is_total(at) ? 0 : 4, value,
			        estimate_is_total(at) ? 0 : 4, e->half, at->help, at->unit);
	}
}

bool sample_report_write(const char *path, const struct sample_report *r, struct err *err)
{
	struct output_file o;
	struct err why;
	if (!strcmp(path, "-")) {
		sample_report_write_rows(stderr, r, false);
		return true;
	}
	if (!output_begin(&o, path, OUTPUT_FILE_ANY, &why))
		return err_set(err, "--stats %s", why.msg);
	if (output_ends_in(path, ".json"))
		sample_report_write_json(o.f, r);
	else
		sample_report_write_rows(o.f, r, output_ends_in(path, ".csv"));
	return output_end(&o, path, &why) || err_set(err, "--stats %s", why.msg);
}
