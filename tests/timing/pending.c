/* No access profits from a line that has not arrived: in every filled structure, a younger access
 * during a fill waits for the fill, and not longer. The programs run once, from a cold start; the
 * measure is the cycle in which an instruction is served. */
#include "tests/timing/encode.h"
#include "tests/timing/harness.h"

#include <stdlib.h>

#include "core/defs/stats_fields.h"

enum {
	UOPS = 128,
	LINE = 10 + 100 + 1, /* from memory, after an L1's latency: L2, memory, one transfer */
	ADDRESS = 12
};

struct traced {
	struct uop uops[UOPS];
	unsigned n;
};

static const struct uop *timing_pending_uop_at(const struct traced *t, unsigned index)
{
	return committed_at(t->uops, t->n, TEXT + 4 * index);
}

/* A load in instruction 0, `gap` dependent instructions, and a load `apart` bytes after it; a
 * store instead of the first load if `store`. Instruction 1 + gap is the second load. */
static struct traced *two_accesses(struct bench *b, const char *options, int gap, int apart,
                                   bool store)
{
	struct traced *t = calloc(1, sizeof *t);
	struct program *p = program_new();
	p->x[ADDRESS] = DATA;
	emit(p, store ? rv_sd(5, 0, X_DATA) : rv_ld(5, 0, X_DATA));
	for (int i = 0; i < gap; i++)
		emit(p, rv_addi(ADDRESS, ADDRESS, 0));
	emit(p, rv_ld(6, apart, ADDRESS));
	emit_exit(p);
	t->n = trace(b, "wide", options, p, t->uops, UOPS);
	free(p);
	return t;
}

/* Cycle in which the second load's data is there, after the first access's. */
static int64_t second_after_first(struct bench *b, const char *options, int gap, int apart)
{
	struct traced *t = two_accesses(b, options, gap, apart, false);
	int64_t apart_cycles = (int64_t)(timing_pending_uop_at(t, 1 + (unsigned)gap)->when.done -
	                                 timing_pending_uop_at(t, 0)->when.done);
	free(t);
	return apart_cycles;
}

static void timing_pending_check_data(struct bench *b)
{
	/* Another line of a page during its page walk: both lines are requested at the end of the
	 * walk, and take turns on the bus. */
	for (int penalty = 30; penalty <= 60; penalty += 30)
		for (int gap = 0; gap <= 12; gap += 4)
			check(b, "tlb.penalty", with("tlb.penalty=%d", penalty),
			      with("a load %d cycles behind one to the same page: later by", gap),
			      1, second_after_first(b, with("tlb.penalty=%d", penalty), gap, 512));
	/* The same line of L1D; and the other half of an L2 line. */
	for (int line = 32; line <= 64; line += 32)
		for (int gap = 0; gap <= 12; gap += 4)
			check(b, "l1d.line", with("tlb.penalty=0 l1d.line=%d", line),
			      with("a load %d cycles behind one to 32 bytes before: later by", gap),
			      0,
			      second_after_first(b, with("tlb.penalty=0 l1d.line=%d", line), gap,
			                         32));
}

/* A store misses; a load after it, after the store's commit. */
static void write_buffer(struct bench *b)
{
	for (int latency = 1; latency <= 4; latency += 3) {
		const char *options = with("lsq.forward_latency=%d", latency);
		struct traced *t = two_accesses(b, options, 12, 0, true);
		const struct uop *store = timing_pending_uop_at(t, 0),
				 *load = timing_pending_uop_at(t, 13);
		check(b, "lsq.forward_latency", options,
		      "a store misses, commits, and is loaded back in", latency,
		      (int64_t)(load->when.done - load->when.mem));
		check(b, "lsq.forward_latency", options, "it has committed by then", 1,
		      store->when.end < load->when.mem);
		free(t);
	}
	/* Its neighbour is not in the buffer: it comes with the line, which was requested at the
	 * store's commit. */
	for (int penalty = 0; penalty <= 50; penalty += 50) {
		const char *options = with("tlb.penalty=%d", penalty);
		struct traced *t = two_accesses(b, options, 12, 8, true);
		check(b, "tlb.penalty", options,
		      "the bytes beside a store that misses: after its commit by",
		      penalty + 2 + LINE,
		      (int64_t)(timing_pending_uop_at(t, 13)->when.done -
		                timing_pending_uop_at(t, 0)->when.end));
		free(t);
	}
}

/* A branch at the end of a page, taken but not predicted so. The wrong path begins on the next page
 * and requests its first line; the right path is `apart` bytes into it. Returns the cycle in which
 * its first instruction is fetched, after the branch was. */
static int64_t fetched_after(struct bench *b, const char *options, int apart)
{
	enum { PAGE = 8192 };
	struct program *p = program_new();
	struct uop *uops = calloc(UOPS, sizeof *uops);
	uint64_t branch = TEXT + PAGE - 4, target = TEXT + PAGE + (unsigned)apart;
	emit(p, rv_jal(0, (int32_t)(branch - TEXT)));
	p->size = PAGE - 4;
	emit(p, rv_beq(0, 0, 4 + apart));
	p->size = (uint32_t)(target - TEXT);
	emit_exit(p);
	unsigned n = trace(b, "wide", with("bpred.kind=nottaken %s", options), p, uops, UOPS);
	int64_t after = (int64_t)(committed_at(uops, n, target)->when.fetch -
	                          committed_at(uops, n, branch)->when.fetch);
	free(uops);
	free(p);
	return after;
}

static void timing_pending_check_code(struct bench *b)
{
	enum { RESOLVES = 3 + 3 }; /* fetch, dispatch, issue, complete; then the penalty */
	for (int penalty = 20; penalty <= 80; penalty += 60) {
		/* One line: it is there when the wrong path's request, a cycle after the branch, is
		 * served. */
		check(b, "tlb.penalty", with("tlb.penalty=%d", penalty),
		      "the right path in a line that the wrong one asked for", 1 + penalty + LINE,
		      fetched_after(b, with("tlb.penalty=%d", penalty), 16));
		/* Another line of its page, requested when the walk has ended; the bus serves the
		 * wrong path's first. */
		check(b, "tlb.penalty", with("tlb.penalty=%d", penalty),
		      "the right path on a page that the wrong one asked for",
		      1 + penalty + LINE + 1,
		      fetched_after(b, with("tlb.penalty=%d", penalty), 1024));
	}
	/* Nothing to wait for. */
	check(b, "l1i.line", "tlb.penalty=0", "another line, no walk", RESOLVES + LINE,
	      fetched_after(b, "tlb.penalty=0", 1024));
	check(b, "l1i.line", "l1i.line=32 tlb.penalty=0", "the other half of an L2 line on its way",
	      1 + LINE, fetched_after(b, "l1i.line=32 tlb.penalty=0", 32));
}

/* A jump goes round while a division keeps it from committing. Decode must correct fetch until the
 * target buffer has learnt the target: at the first one's dispatch, or not before any has
 * committed. */
static void timing_pending_check_targets(struct bench *b)
{
	enum { TURNS = 4 };
	struct program *p = program_new();
	emit(p, rv_divu(10, 10, 11));
	p->x[X_COUNT] = TURNS;
	emit(p, rv_jal(0, 8));
	emit(p, rv_nop());
	emit(p, rv_addi(X_COUNT, X_COUNT, -1));
	emit(p, rv_beq(X_COUNT, 0, 8));
	emit(p, rv_jal(0, -16));
	emit_exit(p);
	for (int commit = 0; commit <= 1; commit++) {
		const char *options = with("bpred.kind=nottaken bpred.update=%s lat.idiv=100",
		                           commit ? "commit" : "dispatch");
		struct uop *uops = calloc(UOPS, sizeof *uops);
		unsigned n = trace(b, "wide", options, p, uops, UOPS), misfetched = 0;
		for (unsigned i = 0; i < n; i++)
			misfetched += uops[i].state == UOP_RETIRED && (uops[i].flags & UF_MISFETCH);
		/* With update at commit, misfetched: the first jump in each turn, and the jump back
		 * in all turns except the last. */
		check(b, "bpred.update", options,
		      with("jumps of %d turns that are misfetched", TURNS),
		      commit ? TURNS + TURNS - 1 : 2, misfetched);
		free(uops);
	}
	free(p);
}

/* Number of refusals of a load: in one run, where a refused load is only counted until something
 * changes, or cycle by cycle, where each refusal is made anew. */
static int64_t refused_times(struct bench *b, const char *options, const struct program *p,
                             bool by_cycle)
{
	struct machine *m = machine_for(b, "wide", options, p);
	do
		machine_run(m, by_cycle ? machine_cycle(m) + 1 : UINT64_MAX, UINT64_MAX);
	while (machine_status(m) == MACHINE_RUNNING);
	const int64_t times = (int64_t)machine_stats(m)->mshr_full;
	machine_free(m);
	return times;
}

/* A load needs the only miss register, until an older store commits, whose line it then joins. */
static void timing_pending_check_refusals(struct bench *b)
{
	enum { OTHER = DATA + 4096, DIVISION = 40 };
	const char *options = with("l1d.mshrs=1 tlb.penalty=0 lat.idiv=%d", DIVISION);
	struct program *p = program_new();
	p->x[ADDRESS] = OTHER;
	emit(p, rv_divu(5, 6, 7));
	emit(p, rv_sd(10, 0, X_DATA));
	emit(p, rv_ld(11, 0, ADDRESS));
	emit(p, rv_ld(13, 8, X_DATA));
	emit_exit(p);
	const int64_t times = refused_times(b, options, p, true);
	check_within(b, "l1d.mshrs", options, "refusals of a load until a store commits",
	             DIVISION - 10, DIVISION, times);
	check(b, "l1d.mshrs", options, "refusals, in a run of all cycles", times,
	      refused_times(b, options, p, false));
	free(p);
}

void group_pending(struct bench *b)
{
	timing_pending_check_refusals(b);
	timing_pending_check_data(b);
	write_buffer(b);
	timing_pending_check_code(b);
	timing_pending_check_targets(b);
}
