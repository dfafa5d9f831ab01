/* Branches: the cost of a wrong prediction and of a missing target, and the contents of target
 * buffer and return stack. All machines fetch a line in a cycle; a group of instructions up to a
 * taken branch takes one. */
#include "tests/timing/encode.h"
#include "tests/timing/harness.h"

enum { N = 8 };

/* Taken branches, each to the instruction after the next. */
static void timing_branch_emit_taken(struct program *p, int64_t arg)
{
	(void)arg;
	for (int i = 0; i < N; i++) {
		emit(p, rv_beq(0, 0, 8));
		emit(p, rv_nop());
	}
}

static void untaken_branches(struct program *p, int64_t arg)
{
	(void)arg;
	for (int i = 0; i < N; i++) {
		emit(p, rv_bne(0, 0, 8));
		emit(p, rv_nop());
	}
}

/* n jumps of `stride` bytes each. */
static void timing_branch_emit_jumps(struct program *p, int64_t arg)
{
	int64_t n = arg >> 32, stride = arg & 0xffffffff;
	for (int64_t i = 0; i < n; i++) {
		emit(p, rv_jal(0, (int32_t)stride));
		p->size += (uint32_t)stride - 4;
	}
}

static int64_t jumps_of(int n, int stride)
{
	return (int64_t)n << 32 | stride;
}

/* 2-byte jumps side by side: the even ones in turn, then the odd ones, up to number n - 1, then to
 * the loop's own two, so placed that its branch takes the last entry of a target buffer of 16 sets.
 */
static void dense_jumps(struct program *p, int64_t n)
{
	const int32_t end = 90;
	for (int32_t i = 0; i < n; i++) {
		int32_t next = 2 * (i + 2);
		if (i + 2 >= n)
			next = i % 2 ? end : 2;
		emit16(p, rv_c_j(next - 2 * i));
	}
	p->size = (uint32_t)end;
}

/* An indirect jump over a nop, to the same place each time, or by turns to the nop. */
static void timing_branch_emit_indirect(struct program *p, int64_t changing)
{
	p->x[12] = TEXT + 12;
	p->x[13] = changing ? 4 : 0;
	emit(p, rv_xor(12, 12, 13));
	emit(p, rv_jalr(0, 12));
	emit(p, rv_nop());
}

/* A call of function 1, which calls function 2, and so on to n, which returns. */
static void timing_branch_emit_calls(struct program *p, int64_t n)
{
	const unsigned saved = 16; /* registers from here on hold return addresses; n <= 12 */
	emit(p, rv_jal(1, 64));
	emit(p, rv_jal(0, (int32_t)(64 * (n + 1)) - 4));
	for (unsigned i = 1; i < n; i++) {
		p->size = 64 * i;
		emit(p, rv_addi(saved + i, 1, 0));
		emit(p, rv_jal(1, 60));
		emit(p, rv_addi(1, saved + i, 0));
		emit(p, rv_jalr(0, 1));
	}
	p->size = (uint32_t)(64 * n);
	emit(p, rv_jalr(0, 1));
	p->size = (uint32_t)(64 * (n + 1));
}

/* A function whose first branch is mispredicted, with a return or a call after it on the wrong
 * path. */
static void wrong_path_call(struct program *p, int64_t call)
{
	emit(p, rv_jal(1, 64));
	emit(p, rv_jal(0, 128 - 4));
	p->size = 64;
	emit(p, rv_beq(0, 0, 8));
	emit(p, call ? rv_jal(1, 4) : rv_jalr(0, 1));
	emit(p, rv_jalr(0, 1));
	p->size = 128;
}

/* Fetch to decode l1i.latency, decode to issue 1, issue to result lat.int, then the penalty: 3
 * cycles and the penalty with both at 1. The loop's own branch waits for the count first, and lies
 * in another line. */
static void timing_branch_check_mispredictions(struct bench *b)
{
	for (int penalty = 0; penalty <= 10; penalty += 5) {
		check_rounds(b, "bpred.penalty", "wide",
		             with("bpred.kind=nottaken bpred.penalty=%d", penalty),
		             timing_branch_emit_taken, 0, "9 branches taken, not predicted",
		             9 * (3 + penalty) + 1);
		check_rounds(b, "bpred.penalty", "wide",
		             with("bpred.kind=taken bpred.penalty=%d", penalty), untaken_branches,
		             0, "8 branches predicted, not taken", 8 * (3 + penalty) + 2);
		check_rounds(b, "bpred.penalty", "wide",
		             with("bpred.update=commit bpred.penalty=%d", penalty),
		             timing_branch_emit_indirect, 1, "indirect, another target each time",
		             (4 + penalty) + 1);
	}
	for (int latency = 1; latency <= 4; latency += 3) {
		check_rounds(b, "l1i.latency", "wide",
		             with("bpred.kind=nottaken l1i.latency=%d", latency),
		             timing_branch_emit_taken, 0, "9 branches taken, not predicted",
		             9 * (2 + 3 + latency) + 1);
		check_rounds(b, "lat.int", "wide", with("bpred.kind=nottaken lat.int=%d", latency),
		             timing_branch_emit_taken, 0, "9 branches taken, not predicted",
		             9 * (2 + 3 + latency) + latency);
	}
	check_rounds(b, "bpred.kind", "wide", "bpred.kind=taken", timing_branch_emit_taken, 0,
	             "9 branches taken, predicted", 9);
	check_rounds(b, "bpred.kind", "wide", "bpred.kind=nottaken", untaken_branches, 0,
	             "8 branches not taken, predicted", 2 + (4 + 3) - 1);
}

/* Decode computes the target of a jump that fetch went past, and fetch is there in the next
 * cycle. */
static void timing_branch_check_targets(struct bench *b)
{
	static const struct {
		const char *parameter, *options;
		int misses;
	} rows[] = {
		{"btb.sets", "btb.sets=0", 5}, /* the loop's branch as well */
		{"btb.sets", "btb.sets=32 btb.ways=2", 4}, /* 4 in one set */
		{"btb.sets", "btb.sets=64 btb.ways=2", 0},
		{"btb.ways", "btb.sets=32 btb.ways=4", 0},
		{"btb.ways", "btb.sets=32 btb.ways=3", 4},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		check_rounds(b, rows[i].parameter, "wide", rows[i].options,
		             timing_branch_emit_jumps, jumps_of(4, 64),
		             with("4 jumps, %d targets unknown", rows[i].misses),
		             5 + rows[i].misses);
	for (int latency = 1; latency <= 3; latency += 2)
		check_rounds(b, "l1i.latency", "wide", with("btb.sets=0 l1i.latency=%d", latency),
		             timing_branch_emit_jumps, jumps_of(8, 8), "9 targets unknown",
		             9 * (1 + latency));
	/* 32 entries; one target more than they hold, and three meet in a set of two. */
	check_rounds(b, "btb.sets", "wide", "btb.sets=16 btb.ways=2", dense_jumps, 31,
	             "32 targets in 32 entries", 32);
	check_rounds(b, "btb.sets", "wide", "btb.sets=16 btb.ways=2", dense_jumps, 32,
	             "33 targets in 32 entries", 33 + 3);
	check_rounds(b, "btb.sets", "wide", "btb.sets=8 btb.ways=2", dense_jumps, 31,
	             "32 targets in 16 entries", 32 + 32);
	check_rounds(b, "btb.ways", "wide", "btb.sets=8 btb.ways=4", dense_jumps, 31,
	             "32 targets in 32 entries", 32);
	check_rounds(b, "btb.ways", "wide", "btb.sets=16 btb.ways=1", dense_jumps, 31,
	             "32 targets in 16 entries", 32 + 32);
	/* An indirect jump's target is only in the buffer; decode does not know it, and without the
	 * buffer it waits. */
	check_rounds(b, "btb.sets", "wide", "btb.sets=64", timing_branch_emit_indirect, 0,
	             "indirect, one target", 2);
	check_rounds(b, "btb.sets", "wide", "btb.sets=0", timing_branch_emit_indirect, 0,
	             "indirect, target unknown", (4 + 3) + 2);
	/* An alternating target never equals the last target; and the next round's jump, reached on
	 * a wrong path, trains nothing. */
	for (int commit = 0; commit <= 1; commit++)
		check_rounds(b, "bpred.update", "wide",
		             commit ? "bpred.update=commit" : "bpred.update=dispatch",
		             timing_branch_emit_indirect, 1, "indirect, two targets by turns",
		             (4 + 3) + 1);
}

/* Without a target buffer the call costs 2 cycles, as do 9 calls more and the jump and branch at
 * the end; 10 returns a cycle each. Returns beyond the stack's size wait for their address: 1 cycle
 * to copy it, 3 as for any misprediction, and the penalty. */
static void timing_branch_check_returns(struct bench *b)
{
	enum { DEPTH = 10, ALL_RIGHT = 10 * 2 + 10 + 2 + 2 };
	for (int size = 1; size <= 16; size += size < 4 ? 3 : 6) {
		int right = size < DEPTH ? size : DEPTH;
		const char *options = with("btb.sets=0 ras.size=%d", size);
		check_rounds(b, "ras.size", "wide", options, timing_branch_emit_calls, DEPTH,
		             with("calls 10 deep, %d returns right", right),
		             ALL_RIGHT + (DEPTH - right) * (3 + 3));
		check(b, "ras.size", options, "returns predicted right", ROUNDS * right,
		      rounds_stat(b, "wide", options, timing_branch_emit_calls, DEPTH, "ras.hits"));
	}
	/* The deepest return copies nothing. */
	check_rounds(b, "ras.size", "wide", "btb.sets=0 ras.size=0", timing_branch_emit_calls,
	             DEPTH, "calls 10 deep, no return right",
	             ALL_RIGHT + (DEPTH - 1) * (3 + 3) + (2 + 3));
	/* The target buffer stands in for the stack while each function has one caller. */
	check_rounds(b, "ras.size", "wide", "btb.sets=1024 ras.size=0", timing_branch_emit_calls,
	             DEPTH, "calls 10 deep, targets in the buffer", 10 + 10 + 2);
	/* The wrong path's pushes and pops are taken back: the return is right. Call, function,
	 * return, jump, branch. */
	for (int call = 0; call <= 1; call++)
		check_rounds(b, "ras.size", "wide", "bpred.kind=nottaken ras.size=2",
		             wrong_path_call, call,
		             call ? "a call on the wrong path" : "a return on the wrong path",
		             1 + (3 + 3) + 1 + 1 + (4 + 3));
}

void group_branch(struct bench *b)
{
	timing_branch_check_mispredictions(b);
	timing_branch_check_targets(b);
	timing_branch_check_returns(b);
}
