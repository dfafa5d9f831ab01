/* Derived statistics, from their help: (plus + also - less) / by, times 1000 where it has "per
 * 1000"; of less there may be several. */
#include "tests/stats/recount.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/defs/stats.h"

#define IS(row, top, bottom, ...) {.name = (row), .plus = (top), .by = (bottom), __VA_ARGS__}
static const struct formula {
	const char *name, *plus, *by, *also, *less;
	double times;
} formulas[] = {
	IS("sim.ipc", "sim.insts", "sim.cycles", ),
	IS("sim.cpi", "sim.cycles", "sim.insts", ),
	IS("firmware.share", "firmware.cycles", "sim.cycles", ),
	IS("sampler.compression", "sampler.selected", "sampler.messages",
           .less = "sampler.dropped"),
	IS("sampler.model_overhead", "sampler.model_cycles", "sim.cycles", ),
	IS("cop.words_per_cycle", "cop.words", "sim.cycles", ),
	IS("cop.clocks_per_sample", "cop.clocks", "cop.samples", ),
	IS("vsample.share", "vsample.cycles", "sim.cycles", .also = "vsample.refill_cycles"),
	IS("rob.occupancy", "rob.occupancy_sum", "sim.cycles", ),
	IS("lsq.occupancy", "lsq.occupancy_sum", "sim.cycles", ),
	IS("fetchq.occupancy", "fetchq.occupancy_sum", "sim.cycles", ),
	IS("slots.retired", "sim.insts", NULL, .less = "vsample.insts"),
	IS("slots.in_flight", "dispatch.insts", NULL, .also = "dispatch.unresolved",
           .less = "dispatch.waited dispatch.aside slots.retired slots.wrong_path "
                   "slots.replayed slots.interrupted"),
	IS("bpred.dir_rate", "bpred.dir_hits", "commit.branches", ),
	IS("bpred.mpki", "bpred.mispredicts", "sim.insts", .times = 1000),
	IS("ras.hit_rate", "ras.hits", "ras.returns", ),
	IS("l1i.miss_rate", "l1i.misses", "l1i.accesses", ),
	IS("l1d.miss_rate", "l1d.misses", "l1d.accesses", ),
	IS("l2.miss_rate", "l2.misses", "l2.accesses", ),
	IS("dtlb.miss_rate", "dtlb.misses", "dtlb.accesses", ),
	IS("l1i.prefetch_accuracy", "l1i.prefetch_useful", "l1i.prefetches", ),
	IS("l1d.prefetch_accuracy", "l1d.prefetch_useful", "l1d.prefetches", ),
	IS("l2.prefetch_accuracy", "l2.prefetch_useful", "l2.prefetches", ),
};

static double formulas_stat_value(const struct stats *s, const char *name)
{
	const struct stat_row *row = name ? stat_find(name, NULL) : NULL;
	return row ? stat_value(s, row) : 0;
}

static double formulas_compute_formula(const struct formula *f, const struct stats *s)
{
	double less = 0;
	char names[256];
	snprintf(names, sizeof names, "%s", f->less ? f->less : "");
	for (char *save, *name = strtok_r(names, " ", &save); name;
	     name = strtok_r(NULL, " ", &save))
		less += formulas_stat_value(s, name);
	return (f->times ? f->times : 1) *
	       (formulas_stat_value(s, f->plus) + formulas_stat_value(s, f->also) - less) /
	       (f->by ? formulas_stat_value(s, f->by) : 1);
}

static const struct formula *formula_of(const char *name)
{
	for (size_t i = 0; i < sizeof formulas / sizeof *formulas; i++)
		if (!strcmp(formulas[i].name, name))
			return &formulas[i];
	return NULL;
}

/* With counters whose sums and quotients are all different. */
void check_formulas(struct bench *b)
{
	struct stats s;
	uint64_t *words = (uint64_t *)&s;
	for (size_t i = 0; i < sizeof s / sizeof *words; i++)
		words[i] = 1000003 + 7919 * i + i * i * i;
	for (size_t i = 0; i < stat_row_count; i++) {
		const struct stat_row *row = &stat_rows[i];
		const struct formula *f = formula_of(row->name);
		if (!row->derived)
			continue;
		const double got = stat_value(&s, row),
			     right = f ? formulas_compute_formula(f, &s) : NAN;
		const bool ok = fabs(got - right) <= 1e-12 * fabs(right);
		if (!f)
			printf("FAIL   %s has no formula: write one into tests/stats/formulas.c, "
			       "from what help says\n",
			       row->name);
		else if (!ok)
			printf("FAIL   %s is %.12g, by its description %.12g\n", row->name, got,
			       right);
		b->passed += ok;
		b->failed += !ok;
	}
}
