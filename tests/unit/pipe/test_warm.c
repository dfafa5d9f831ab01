/* Warming against its own single steps, bit by bit, and against the caches, TLBs and predictors
 * after a run with timing, entry by entry. */
#include <stdint.h>

#include <stdio.h>
#include <string.h>

#include "core/defs/config.h"
#include "core/machine/machine.h"
#include "core/machine/params.h"
#include "core/pipe/pipe.h"
#include "loader/launch.h"
#include "tests/cases.h"

struct guest {
	struct program *p;
	struct machine *m;
};

/* words: a demo and its arguments; options: NULL at the end. */
static struct guest warm_start_guest(char *const words[], const char *const options[])
{
	struct guest g;
	struct config cfg;
	struct err err = {""};
	struct launch l = {.path = words[0],
	                   .argv = (char **)(uintptr_t)words,
	                   .stdin_fd = -1,
	                   .output = os_no_output};
	while (words[l.argc])
		l.argc++;
	config_default(&cfg);
	for (; *options; options++)
		if (!config_set_assignment(&cfg, *options, &err))
			fail_msg("%s", err.msg);
	g.p = launch_program(&l, &err);
	g.m = g.p ? launch_machine(&l, g.p, &cfg, &err) : NULL;
	if (!g.m)
		fail_msg("%s", err.msg);
	return g;
}

static void warm_release_guest(struct guest *g)
{
	machine_free(g->m);
	program_free(g->p);
}

#define OPTIONS(...) ((const char *const[]){__VA_ARGS__, NULL})
static char *const sort[] = {"build/demos/sort", "demos/programs/input/words.txt", NULL};
static char *const lisp[] = {"build/demos/lisp", "demos/programs/input/queens.lisp", NULL};

/* ---- the fast loop and single steps ---- */
/* Budgets so small that all instructions are single steps. */
enum { STEPS = 5, FAR = 150000 };

static void same_as_steps(const char *const options[])
{
	struct guest fast = warm_start_guest(sort, options),
		     steps = warm_start_guest(sort, options);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(machine_run_functional(fast.m, FAR, true), FAR);
		for (int k = 0; k < FAR / STEPS; k++)
			assert_int_equal(machine_run_functional(steps.m, STEPS, true), STEPS);
		if (machine_hash(fast.m) != machine_hash(steps.m))
			fail_msg("%s: the fast loop and steps leave different machines",
			         options[0]);
	}
	warm_release_guest(&fast);
	warm_release_guest(&steps);
}

/* Groups of one: larger groups would train predictors at the end of each step. */
#define AT_FETCH "bpred.update=fetch", "pipe.fetch_width=1"

TEST(the_fast_loop_does_what_steps_do)
{
	same_as_steps(OPTIONS("l1d.size=64K", AT_FETCH));
	same_as_steps(OPTIONS("l1i.size=1K", "l1d.size=1K", "l1d.ways=4", "l2.size=16K",
	                      "itlb.sets=1", "dtlb.sets=2", AT_FETCH));
	same_as_steps(OPTIONS("l1i.line=8", "l1d.line=8", "l1d.size=2K", AT_FETCH));
	same_as_steps(
		OPTIONS("l1i.line=256", "l1d.line=128", "l2.line=256", "l1d.ways=1", AT_FETCH));
	same_as_steps(OPTIONS("l1d.replacement=tree-plru", "l1i.replacement=random",
	                      "l1d.size=2K", "l1i.size=1K", "l2.replacement=fifo", "l2.size=16K",
	                      AT_FETCH));
	same_as_steps(OPTIONS("l1i.prefetch=next-line", "l1i.size=1K", AT_FETCH));
	same_as_steps(OPTIONS("l1d.prefetch=next-line", "l1d.size=2K", AT_FETCH));
	same_as_steps(OPTIONS("l1d.prefetch=stride", "l2.prefetch=stride", "l1d.size=2K",
	                      "l2.size=16K", AT_FETCH));
	same_as_steps(OPTIONS("l1i.perfect=true", "l1d.perfect=true", AT_FETCH));
	same_as_steps(OPTIONS("bpred.kind=perceptron", AT_FETCH));
	same_as_steps(OPTIONS("bpred.kind=perfect"));
}

/* ---- accesses that are not repeated ---- */
/* So that every access of the next instruction is looked up. */
static void look_up_all(const struct hierarchy *h)
{
	h->recent->clock = h->st->clock + 1;
	h->st->last_l1i.ready = h->st->last_l1d.ready = UINT64_MAX;
	h->st->last_ipage.tag = h->st->last_dpage.tag = 0;
}

static unsigned used_before(const struct cache *c, const struct cache_line *set, uint32_t way)
{
	unsigned n = 0;
	for (uint32_t w = 0; w < c->ways; w++)
		n += set[w].used < set[way].used;
	return n;
}

static void same_lines(const char *options, const struct cache *a, const struct cache *b)
{
	for (uint32_t i = 0; i < a->sets * a->ways; i++) {
		const uint32_t set = i / a->ways * a->ways, way = i % a->ways;
		if (a->lines[i].tag != b->lines[i].tag || a->lines[i].flags != b->lines[i].flags ||
		    used_before(a, &a->lines[set], way) != used_before(b, &b->lines[set], way))
			fail_msg("%s: cache %d, line %u of set %u differs", options, a->id, way,
			         i / a->ways);
	}
}

static void same_pages(const char *options, const struct tlb *a, const struct tlb *b)
{
	for (uint32_t i = 0; i < a->sets * a->ways; i++) {
		const uint32_t set = i / a->ways * a->ways;
		assert_int_equal(a->entries[i].tag, b->entries[i].tag);
		for (uint32_t w = set; w < set + a->ways; w++)
			if ((a->entries[i].used < a->entries[w].used) !=
			    (b->entries[i].used < b->entries[w].used))
				fail_msg("%s: page %u of set %u differs", options, i % a->ways,
				         i / a->ways);
	}
}

static void same_as_all_looked_up(const char *const options[])
{
	struct guest fast = warm_start_guest(lisp, options), all = warm_start_guest(lisp, options);
	const struct hierarchy *a = &machine_pipe(fast.m)->mem, *b = &machine_pipe(all.m)->mem;
	assert_int_equal(machine_run_functional(fast.m, FAR, true), FAR);
	for (int k = 0; k < FAR; k++) {
		look_up_all(b);
		assert_int_equal(machine_run_functional(all.m, 1, true), 1);
	}
	same_lines(options[0], &a->l1i, &b->l1i);
	same_lines(options[0], &a->l1d, &b->l1d);
	same_lines(options[0], &a->l2, &b->l2);
	same_pages(options[0], &a->itlb, &b->itlb);
	same_pages(options[0], &a->dtlb, &b->dtlb);
	warm_release_guest(&fast);
	warm_release_guest(&all);
}

TEST(what_is_not_looked_up_changes_nothing)
{
	same_as_all_looked_up(OPTIONS("l1d.size=64K"));
	same_as_all_looked_up(OPTIONS("l1d.size=2K", "l1d.ways=4", "l1i.size=1K", "l2.size=16K",
	                              "itlb.sets=1", "dtlb.sets=2"));
	same_as_all_looked_up(OPTIONS("l1d.ways=1", "l1d.size=1K", "l1i.ways=1", "l1i.size=1K",
	                              "l1i.line=8", "l1d.line=64", "dtlb.ways=1"));
	same_as_all_looked_up(OPTIONS("l1d.prefetch=stride", "l1d.size=2K", "l2.size=16K",
	                              "l2.prefetch=next-line"));
	same_as_all_looked_up(OPTIONS("l1d.prefetch=stride", "l1d.size=256", "l1d.ways=8"));
	same_as_all_looked_up(OPTIONS("l1d.prefetch=next-line", "l1i.prefetch=next-line",
	                              "l1d.size=2K", "l1i.size=1K"));
	same_as_all_looked_up(OPTIONS("l1d.replacement=tree-plru", "l1d.size=2K", "l1d.ways=4",
	                              "l2.replacement=fifo", "l2.size=16K"));
}

/* ---- the state after a run with timing ---- */
struct difference {
	uint64_t all, other; /* entries that the run with timing has; of them, warming has not */
};

static void compare_lines(const struct cache *a, const struct cache *b, struct difference *d)
{
	for (uint32_t i = 0; i < a->sets * a->ways; i++) {
		const struct cache_line *set = &b->lines[i / a->ways * a->ways];
		bool there = false;
		if (!a->lines[i].tag)
			continue;
		for (uint32_t w = 0; w < a->ways; w++)
			there |= set[w].tag == a->lines[i].tag;
		d->all++;
		d->other += !there;
	}
}

static void compare_pages(const struct tlb *a, const struct tlb *b, struct difference *d)
{
	for (uint32_t i = 0; i < a->sets * a->ways; i++) {
		const struct tlb_entry *set = &b->entries[i / a->ways * a->ways];
		bool there = false;
		if (!a->entries[i].tag)
			continue;
		for (uint32_t w = 0; w < a->ways; w++)
			there |= set[w].tag == a->entries[i].tag;
		d->all++;
		d->other += !there;
	}
}

static void compare_targets(const struct bpred *a, const struct bpred *b, struct difference *d)
{
	for (uint32_t i = 0; i < (a->btb_mask + 1) * a->btb_ways; i++) {
		const struct btb_entry *set = &b->btb[i / a->btb_ways * a->btb_ways];
		bool there = false;
		if (!a->btb[i].tag)
			continue;
		for (uint32_t w = 0; w < a->btb_ways; w++)
			there |= set[w].tag == a->btb[i].tag && set[w].target == a->btb[i].target;
		d->all++;
		d->other += !there;
	}
}

/* The directions of a table of counters. */
static void compare_counters(const uint8_t *a, const uint8_t *b, uint32_t mask,
                             struct difference *d)
{
	for (uint32_t i = 0; i <= mask; i++) {
		if (a[i] == (i & 1 ? 2 : 1))
			continue; /* as at reset: most likely unused */
		d->all++;
		d->other += a[i] >> 1 != b[i] >> 1;
	}
}

static void warm_expect_difference_at_most(const char *what, const struct difference *d,
                                           double percent)
{
	const double is = d->all ? 100.0 * (double)d->other / (double)d->all : 0;
	printf("  %-16s %6llu entries, %5.2f %% differ, at most %g %%\n", what,
	       (unsigned long long)d->all, is, percent);
	if (is > percent)
		fail_msg("%s: %.2f %% of the entries differ, at most %g %% should", what, is,
		         percent);
}

/* In percent of the entries. */
struct bounds {
	double l1i, l1d, l2, itlb, dtlb, btb, bimodal, second, meta;
	double strides;
	bool ras;
};

/* Warming has no write buffer, which otherwise takes stores to its lines without a report. */
static void compare_strides(const struct prefetcher *a, const struct prefetcher *b,
                            struct difference *d)
{
	for (uint32_t i = 0; a->table && i <= a->mask; i++) {
		const size_t bytes = a->bytes / (a->mask + 1), at = i * bytes;
		const char *x = a->table, *y = b->table;
		uint64_t pc; /* first */
		memcpy(&pc, x + at, sizeof pc);
		d->all += pc != 0;
		d->other += memcmp(x + at, y + at, bytes) != 0;
	}
}

static void warm_compare_with_timed(char *const words[], const char *const options[],
                                    uint64_t insts, const struct bounds *most)
{
	struct guest timed = warm_start_guest(words, options),
		     warm = warm_start_guest(words, options);
	struct difference d[11] = {{0}};
	machine_run(timed.m, UINT64_MAX, insts);
	machine_run_functional(warm.m, machine_insts(timed.m), true);
	const struct pipe *a = machine_pipe(timed.m), *b = machine_pipe(warm.m);
	compare_lines(&a->mem.l1i, &b->mem.l1i, &d[0]);
	compare_lines(&a->mem.l1d, &b->mem.l1d, &d[1]);
	compare_lines(&a->mem.l2, &b->mem.l2, &d[2]);
	compare_pages(&a->mem.itlb, &b->mem.itlb, &d[3]);
	compare_pages(&a->mem.dtlb, &b->mem.dtlb, &d[4]);
	compare_targets(&a->bpred, &b->bpred, &d[5]);
	compare_counters(a->bpred.bimodal, b->bpred.bimodal, a->bpred.bimodal_mask, &d[6]);
	compare_counters(a->bpred.l2, b->bpred.l2, a->bpred.l2_mask, &d[7]);
	compare_counters(a->bpred.meta, b->bpred.meta, a->bpred.meta_mask, &d[8]);
	printf("%s, %s:\n", words[0], options[0]);
	warm_expect_difference_at_most("L1I", &d[0], most->l1i);
	warm_expect_difference_at_most("L1D", &d[1], most->l1d);
	warm_expect_difference_at_most("L2", &d[2], most->l2);
	warm_expect_difference_at_most("ITLB", &d[3], most->itlb);
	warm_expect_difference_at_most("DTLB", &d[4], most->dtlb);
	warm_expect_difference_at_most("targets", &d[5], most->btb);
	warm_expect_difference_at_most("bimodal", &d[6], most->bimodal);
	warm_expect_difference_at_most("second level", &d[7], most->second);
	warm_expect_difference_at_most("chooser", &d[8], most->meta);
	if (most->ras) {
		assert_int_equal(a->bpred.st->ras_count, b->bpred.st->ras_count);
		assert_int_equal(a->bpred.st->ras_top, b->bpred.st->ras_top);
		assert_memory_equal(a->bpred.ras, b->bpred.ras,
		                    a->bpred.ras_size * sizeof *a->bpred.ras);
	}
	compare_strides(&a->mem.l1d.prefetcher, &b->mem.l1d.prefetcher, &d[9]);
	compare_strides(&a->mem.l2.prefetcher, &b->mem.l2.prefetcher, &d[10]);
	warm_expect_difference_at_most("strides of L1D", &d[9], most->strides);
	warm_expect_difference_at_most("strides of L2", &d[10], most->strides);
	warm_release_guest(&timed);
	warm_release_guest(&warm);
}

/* One instruction after the other, each done before the next is fetched, and no wrong path. */
TEST(in_order_nothing_differs)
{
	const struct bounds none = {.ras = false}, strides = {.strides = 8};
	warm_compare_with_timed(sort,
	                        OPTIONS("pipe.in_order=true", "pipe.fetch_width=1",
	                                "pipe.fetch_queue=1", "pipe.decode_width=1",
	                                "pipe.issue_width=1", "pipe.commit_width=1",
	                                "pipe.rob_size=2", "bpred.kind=perfect", "l1i.size=2K",
	                                "l1d.size=4K", "l2.size=64K", "dtlb.sets=4", "itlb.sets=1"),
	                        400000, &none);
	warm_compare_with_timed(
		sort,
		OPTIONS("pipe.in_order=true", "pipe.fetch_width=1", "pipe.fetch_queue=1",
	                "pipe.decode_width=1", "pipe.issue_width=1", "pipe.commit_width=1",
	                "pipe.rob_size=2", "bpred.kind=perfect", "l1i.size=2K", "l1d.size=4K",
	                "l2.size=64K", "dtlb.sets=4", "itlb.sets=1", "l1d.prefetch=stride",
	                "l1i.prefetch=next-line", "l2.prefetch=stride", "l1d.mshrs=0"),
		400000, &strides);
}

/* Wrong paths bring lines and pages in, and take out others. */
TEST(out_of_order_little_differs)
{
	static const struct bounds most = {.l1i = 15, .l1d = 1, .l2 = 2, .itlb = 5, .dtlb = 2,
	                                   .btb = 3, .bimodal = 1, .second = 8, .meta = 6};
	warm_compare_with_timed(sort, OPTIONS("l1d.size=16K", "l2.size=256K"), 1500000, &most);
	warm_compare_with_timed(lisp, OPTIONS("l1d.size=16K", "l2.size=256K"), 1500000, &most);
}
