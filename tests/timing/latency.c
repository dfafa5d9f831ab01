/* From a load's issue to the issue of its user, for every place of the data. */
#include "tests/timing/encode.h"
#include "tests/timing/harness.h"

enum { LOADS = 8, PAGE = 8192, APART = PAGE + 64 /* a page and a set further */ };

/* Follows a ring of n pointers; loads are LOADS a round. */
static void timing_latency_emit_load_ring(struct program *p, int64_t n, int64_t stride)
{
	p->x[10] = DATA;
	set_ring(p, n, stride);
	for (int i = 0; i < LOADS; i++)
		emit(p, rv_ld(10, 0, 10));
}

static void one_word(struct program *p, int64_t arg)
{
	(void)arg;
	timing_latency_emit_load_ring(p, 1, 8);
}

static void timing_latency_emit_line_ring(struct program *p, int64_t n)
{
	timing_latency_emit_load_ring(p, n, 64);
}

static void timing_latency_emit_page_ring(struct program *p, int64_t n)
{
	timing_latency_emit_load_ring(p, n, APART);
}

/* Each pointer lies across two lines. */
static void across_lines(struct program *p, int64_t offset)
{
	p->x[10] = DATA + (uint64_t)offset;
	set_word(p, DATA + (uint64_t)offset, DATA + (uint64_t)offset);
	for (int i = 0; i < LOADS; i++)
		emit(p, rv_ld(10, 0, 10));
}

/* n jumps from page to page, the loop's own included. */
static void code_pages(struct program *p, int64_t n)
{
	for (int64_t i = 1; i < n; i++) {
		emit(p, rv_jal(0, APART));
		p->size += APART - 4;
	}
}

static void timing_latency_check_data(struct bench *b)
{
	for (int latency = 1; latency <= 6; latency += 2)
		check_rounds(b, "l1d.latency", "wide", with("l1d.latency=%d", latency), one_word, 0,
		             "8 loads in a chain", LOADS * (1 + latency));
	for (int agen = 1; agen <= 4; agen++)
		check_rounds(b, "lsq.agen_latency", "wide", with("lsq.agen_latency=%d", agen),
		             one_word, 0, "8 loads in a chain", LOADS * (agen + 2));
	for (int offset = 24; offset <= 28; offset += 4)
		check_rounds(b, "l1d.line", "wide", "l1d.line=32", across_lines, offset,
		             offset == 28 ? "8 loads across two lines"
		                          : "8 loads up to a line's end",
		             LOADS * (1 + 2));
	/* 64 lines in turn: too many for the L1D, few for the L2. */
	for (int latency = 10; latency <= 40; latency += 15)
		check_rounds(b, "l2.latency", "wide", with("l2.latency=%d l1d.size=1K", latency),
		             timing_latency_emit_line_ring, 64, "8 loads in a chain, from L2",
		             LOADS * (1 + 2 + latency));
	check_rounds(b, "l1d.latency", "wide", "l1d.latency=5 l1d.size=1K",
	             timing_latency_emit_line_ring, 64, "8 loads in a chain, from L2",
	             LOADS * (1 + 5 + 10));
	check_rounds(b, "l1d.perfect", "wide", "l1d.perfect=true l1d.size=1K",
	             timing_latency_emit_line_ring, 64, "8 loads in a chain, 64 lines",
	             LOADS * (1 + 2));
	check_rounds(b, "l1d.perfect", "wide", "l1d.perfect=true dtlb.sets=1",
	             timing_latency_emit_page_ring, 8, "8 loads in a chain, 8 pages",
	             LOADS * (50 + 1 + 2));
	check_rounds(b, "l2.perfect", "small caches", "l2.perfect=true",
	             timing_latency_emit_line_ring, 64, "8 loads in a chain, from L2",
	             LOADS * (1 + 2 + 10));
	/* The same for a small L2. The last must pass the wheel of completions several times. */
	for (int latency = 60; latency <= 1500; latency *= 5)
		check_rounds(b, "mem.latency", "small caches", with("mem.latency=%d", latency),
		             timing_latency_emit_line_ring, 64, "8 loads in a chain, from memory",
		             LOADS * (1 + 2 + 10 + latency + 1));
	for (int bytes = 8; bytes <= 64; bytes *= 2)
		check_rounds(b, "bus.bytes", "small caches", with("bus.bytes=%d", bytes),
		             timing_latency_emit_line_ring, 64, "8 loads in a chain, from memory",
		             LOADS * (1 + 2 + 10 + 100 + 64 / bytes));
	for (int cycles = 1; cycles <= 7; cycles += 3)
		check_rounds(b, "bus.cycles", "small caches",
		             with("bus.cycles=%d bus.bytes=16", cycles),
		             timing_latency_emit_line_ring, 64, "8 loads in a chain, from memory",
		             LOADS * (1 + 2 + 10 + 100 + 4 * cycles));
}

/* 8 pages in turn; those that are not translated cost the penalty before the cache. */
static void timing_latency_check_translation(struct bench *b)
{
	static const struct {
		const char *parameter, *options;
		int misses; /* of LOADS */
	} reach[] = {
		{"dtlb.ways", "dtlb.sets=1 dtlb.ways=4", 8},
		{"dtlb.ways", "dtlb.sets=1 dtlb.ways=8", 0},
		{"dtlb.sets", "dtlb.sets=2 dtlb.ways=4", 0},
		{"dtlb.sets", "dtlb.sets=2 dtlb.ways=2", 8},
		{"dtlb.sets", "dtlb.sets=4 dtlb.ways=2", 0},
		/* two of the ring's pages in one */
		{"tlb.page", "tlb.page=16K dtlb.sets=1 dtlb.ways=4", 0},
		{"tlb.page", "tlb.page=16K dtlb.sets=1 dtlb.ways=2", 4},
		{"tlb.page", "tlb.page=4K dtlb.sets=1 dtlb.ways=8", 0},
	};
	for (int penalty = 0; penalty <= 60; penalty += 30)
		check_rounds(b, "tlb.penalty", "wide", with("tlb.penalty=%d dtlb.sets=1", penalty),
		             timing_latency_emit_page_ring, 8, "8 loads in a chain, 8 pages",
		             LOADS * (penalty + 1 + 2));
	for (size_t i = 0; i < sizeof reach / sizeof *reach; i++)
		check_rounds(b, reach[i].parameter, "wide", reach[i].options,
		             timing_latency_emit_page_ring, 8, "8 loads in a chain, 8 pages",
		             LOADS * (1 + 2) + 50 * reach[i].misses);
	check_rounds(b, "dtlb.ways", "wide", "dtlb.sets=1 dtlb.ways=4",
	             timing_latency_emit_page_ring, 4, "8 loads in a chain, 4 pages",
	             LOADS * (1 + 2));
}

/* 6 pieces of code on as many pages: a cycle to fetch each, and the penalty for those not
 * translated. */
static void instruction_translation(struct bench *b)
{
	static const struct {
		const char *parameter, *options;
		int misses; /* of 6 */
	} reach[] = {
		{"itlb.ways", "itlb.sets=1 itlb.ways=4", 6},
		{"itlb.ways", "itlb.sets=1 itlb.ways=6", 0},
		{"itlb.sets", "itlb.sets=2 itlb.ways=2", 6},
		{"itlb.sets", "itlb.sets=2 itlb.ways=3", 0},
		{"itlb.sets", "itlb.sets=4 itlb.ways=2", 0},
		{"tlb.page", "tlb.page=16K itlb.sets=1 itlb.ways=3", 0},
		{"tlb.page", "tlb.page=16K itlb.sets=1 itlb.ways=2", 3},
	};
	for (int penalty = 0; penalty <= 60; penalty += 30)
		check_rounds(b, "tlb.penalty", "wide",
		             with("tlb.penalty=%d itlb.sets=1 bpred.kind=nottaken", penalty),
		             code_pages, 6, "6 jumps, 6 pages", 6 * (penalty + 1));
	for (size_t i = 0; i < sizeof reach / sizeof *reach; i++)
		check_rounds(b, reach[i].parameter, "wide",
		             with("%s bpred.kind=nottaken", reach[i].options), code_pages, 6,
		             "6 jumps, 6 pages", 6 + 50 * reach[i].misses);
}

void group_latency(struct bench *b)
{
	timing_latency_check_data(b);
	timing_latency_check_translation(b);
	instruction_translation(b);
}
