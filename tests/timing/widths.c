/* Number of instructions that each stage moves in a cycle. */
#include "tests/timing/encode.h"
#include "tests/timing/harness.h"

/* 32 instructions a round with the loop's own: two lines of 64 bytes. */
static void widths_emit_nops(struct program *p, int64_t n)
{
	nops(p, n - 2);
}

/* n jumps, each over a nop: n + 2 executed instructions of 2n + 2. */
static void widths_emit_hops(struct program *p, int64_t n)
{
	for (int64_t i = 0; i < n; i++) {
		emit(p, rv_jal(0, 8));
		emit(p, rv_nop());
	}
}

/* A division whose only consumer is the following addition. */
static void division_and_use(struct program *p, int64_t arg)
{
	(void)arg;
	emit(p, rv_divu(10, 5, 6));
	emit(p, rv_addi(11, 10, 1));
}

static void widths_emit_csr_reads(struct program *p, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		emit(p, rv_rdfflags(10));
}

static void widths_emit_fences(struct program *p, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		emit(p, rv_fence_i());
}

/* Atomics on n words, so that no atomic waits for another's store. */
static void widths_emit_atomics(struct program *p, int64_t n)
{
	for (unsigned i = 0; i < n; i++) {
		p->x[16 + i] = DATA + 16 * i;
		emit(p, rv_amoadd(10, 11, 16 + i));
	}
}

static void widths_check_front_end(struct bench *b)
{
	for (int width = 1; width <= 16; width *= 2)
		check_rounds(b, "pipe.fetch_width", "wide", with("pipe.fetch_width=%d", width),
		             widths_emit_nops, 32, "32 instructions", 32 / width);
	/* A line of 16: five fetches of 3 and one of 1. */
	check_rounds(b, "pipe.fetch_width", "wide", "pipe.fetch_width=3", widths_emit_nops, 32,
	             "32 instructions, two lines", 12);
	for (int queue = 1; queue <= 8; queue *= 2)
		check_rounds(b, "pipe.fetch_queue", "wide", with("pipe.fetch_queue=%d", queue),
		             widths_emit_nops, 32, "32 instructions", 32 / queue);
	/* One line a cycle, however wide fetch is. */
	for (int line = 8; line <= 64; line *= 2)
		check_rounds(b, "l1i.line", "wide", with("l1i.line=%d", line), widths_emit_nops, 32,
		             "32 instructions, one line a cycle", 128 / line);
	/* Or so many in a row: with lines of 8 bytes two instructions each. */
	for (int lines = 1; lines <= 8; lines *= 2)
		check_rounds(b, "pipe.fetch_lines", "wide",
		             with("l1i.line=8 mem.latency=1 pipe.fetch_lines=%d", lines),
		             widths_emit_nops, 32, "32 instructions in 16 lines", 16 / lines);
	check_rounds(b, "pipe.fetch_lines", "wide",
	             "l1i.line=8 mem.latency=1 pipe.fetch_lines=4 pipe.fetch_width=4",
	             widths_emit_nops, 32, "32 instructions, 4 a cycle", 8);
	check_rounds(b, "pipe.fetch_lines", "wide", "pipe.fetch_lines=16 l1i.line=16",
	             widths_emit_hops, 6, "6 hops in 4 lines", 7);
	/* Fetch ends at each taken branch: 6 hops, and the rest, including the loop's branch. */
	check_rounds(b, "pipe.fetch_past_taken", "wide", "pipe.fetch_past_taken=false",
	             widths_emit_hops, 6, "6 hops in one line", 7);
	/* Fetch continues within the line: 8 instructions an iteration, 4 a cycle. */
	check_rounds(b, "pipe.fetch_past_taken", "wide",
	             "pipe.fetch_past_taken=true pipe.fetch_width=4", widths_emit_hops, 6,
	             "6 hops in one line, 4 a cycle", 2);
	/* In lines of 16 bytes two hops are 4 words: the hop to the next line ends the cycle. */
	check_rounds(b, "pipe.fetch_past_taken", "wide", "pipe.fetch_past_taken=true l1i.line=16",
	             widths_emit_hops, 6, "6 hops in 4 lines", 4);
}

static void widths_check_window(struct bench *b)
{
	static const char *const stages[] = {"pipe.decode_width", "pipe.issue_width",
	                                     "pipe.commit_width"};
	for (int s = 0; s < 3; s++)
		for (int width = 1; width <= 6; width++)
			if (96 % width == 0)
				check(b, stages[s], with("%s=%d", stages[s], width),
				      "32 instructions", ROUNDS * 32 / width,
				      rounds(b, "wide", with("%s=%d", stages[s], width),
				             widths_emit_nops, 32));
	/* Out of order, rounds overlap: one a cycle is fetched. In order, the addition holds back
	 * all that follows, of which the loop's branch waits a cycle for the count. */
	check_rounds(b, "pipe.in_order", "wide", "pipe.in_order=false occ.idiv=1", division_and_use,
	             0, "a division and its use, overlapping", 1);
	for (int latency = 10; latency <= 20; latency += 10)
		check_rounds(b, "pipe.in_order", "wide",
		             with("pipe.in_order=true lat.idiv=%d", latency), division_and_use, 0,
		             "a division and its use, in order", latency + 1);
}

/* A serialising instruction is dispatched into an empty window and blocks dispatch until it
 * commits: one cycle to issue, one to execute, then commit's delay; the next is dispatched in the
 * cycle of its commit. At the round's end count-down and branch need 1 + 2 cycles (the branch waits
 * for the count), and commit's delay again. */
static void widths_check_commit(struct bench *b)
{
	for (int delay = 0; delay <= 4; delay += 2)
		check_rounds(b, "pipe.commit_delay", "wide", with("pipe.commit_delay=%d", delay),
		             widths_emit_csr_reads, 8, "8 CSR reads", 8 * (2 + delay) + 3 + delay);
	for (int stage = 1; stage <= 3; stage += 2)
		check_rounds(b, "pipe.memory_stage", "wide", with("pipe.memory_stage=%d", stage),
		             widths_emit_csr_reads, 8, "8 CSR reads",
		             8 * (2 + 1 + stage) + 3 + 1 + stage);
	/* fence.i fetches anew in the cycle in which it commits: decode is one cycle later, with a
	 * slower L1I more. */
	for (int latency = 1; latency <= 3; latency += 2)
		check_rounds(b, "l1i.latency", "wide", with("l1i.latency=%d", latency),
		             widths_emit_fences, 8, "8 fence.i", 8 * (2 + 1 + latency) + 3 + 1);
	/* An atomic issues when it is the oldest: in the cycle in which its predecessor commits.
	 * Loads and atomics pass the memory stage while they access the cache. */
	for (int latency = 2; latency <= 6; latency += 4)
		check_rounds(b, "l1d.latency", "wide",
		             with("l1d.latency=%d pipe.memory_stage=1", latency),
		             widths_emit_atomics, 8, "8 atomics", 8 * (1 + latency + 1));
}

void group_widths(struct bench *b)
{
	widths_check_front_end(b);
	widths_check_window(b);
	widths_check_commit(b);
}
