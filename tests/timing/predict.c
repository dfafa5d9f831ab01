/* Learning of the direction predictors. A branch follows a pattern of 64 outcomes, one a round, for
 * ever; the loop's own branch is taken each time and takes part in histories. Fetch delivers one
 * instruction at a time and decode takes it at once, so that with bpred.update=dispatch every
 * prediction sees all outcomes before it. */
#include "tests/timing/encode.h"
#include "tests/timing/harness.h"

#include <stdlib.h>

#include "core/machine/machine.h"
#include "core/pipe/pipe.h"

#define NARROW "pipe.fetch_width=1 pipe.fetch_queue=1 "

enum { PATTERN = 18 };

static const uint64_t ALTERNATING = 0xaaaaaaaaaaaaaaaa, THREE_OF_FOUR = 0x7777777777777777,
                      SEVEN_OF_EIGHT = 0x7f7f7f7f7f7f7f7f, TWO_AND_TWO = 0x3333333333333333,
                      IRREGULAR = 0x6b1d8f2c95e0a347;

/* Taken if bit 0 of the pattern is set; the pattern turns by one. */
static void patterned_branch(struct program *p)
{
	emit(p, rv_andi(13, PATTERN, 1));
	emit(p, rv_bne(13, 0, 8));
	emit(p, rv_nop());
}

static void turn_pattern(struct program *p)
{
	emit(p, rv_srli(14, PATTERN, 1));
	emit(p, rv_slli(15, PATTERN, 63));
	emit(p, rv_add(PATTERN, 14, 15));
}

static void one_branch(struct program *p, int64_t pattern)
{
	p->x[PATTERN] = (uint64_t)pattern;
	patterned_branch(p);
	turn_pattern(p);
}

/* The loop's own branch is 28 bytes further, so it uses another of the 4 histories, whose index
 * begins at bit 1 of the address. */
static void one_branch_apart(struct program *p, int64_t pattern)
{
	one_branch(p, pattern);
	nops(p, 1);
}

/* The second branch goes the first one's way. */
static void two_alike(struct program *p, int64_t pattern)
{
	p->x[PATTERN] = (uint64_t)pattern;
	patterned_branch(p);
	patterned_branch(p);
	turn_pattern(p);
}

/* A branch that is always taken, and a never taken one `apart` bytes after it. */
static void timing_predict_emit_opposites(struct program *p, int64_t apart)
{
	emit(p, rv_beq(0, 0, 8));
	nops(p, apart / 4 - 1);
	emit(p, rv_bne(0, 0, 8));
	nops(p, 2);
}

/* Mispredictions of ROUNDS rounds. */
static int64_t timing_predict_mispredictions(struct bench *b, const char *options, body_fn *body,
                                             int64_t arg)
{
	return rounds_stat(b, "wide", with(NARROW "%s", options), body, arg, "bpred.mispredicts");
}

/* Mispredictions of one 2-bit counter for the outcomes ROUNDS..2 * ROUNDS - 1 of a pattern. */
static int64_t counter_wrong(uint64_t pattern, int counter)
{
	int64_t count = 0;
	for (int i = 0; i < 2 * ROUNDS; i++) {
		bool taken = pattern >> i % 64 & 1;
		count += i >= ROUNDS && taken != (counter >= 2);
		if (taken && counter < 3)
			counter++;
		if (!taken && counter > 0)
			counter--;
	}
	return count;
}

static void timing_predict_check_kinds(struct bench *b)
{
	check(b, "bpred.kind", "bpred.kind=bimodal", "3 taken of 4: the fourth is wrong",
	      ROUNDS / 4,
	      timing_predict_mispredictions(b, "bpred.kind=bimodal", one_branch,
	                                    (int64_t)THREE_OF_FOUR));
	check(b, "bpred.kind", "bpred.kind=bimodal", "7 taken of 8: the eighth is wrong",
	      ROUNDS / 8,
	      timing_predict_mispredictions(b, "bpred.kind=bimodal", one_branch,
	                                    (int64_t)SEVEN_OF_EIGHT));
	check(b, "bpred.kind", "bpred.kind=bimodal", "irregular: as one counter",
	      counter_wrong(IRREGULAR, 1),
	      timing_predict_mispredictions(b, "bpred.kind=bimodal", one_branch,
	                                    (int64_t)IRREGULAR));
	check(b, "bpred.kind", "bpred.kind=bimodal", "two branches alike: twice one counter",
	      2 * counter_wrong(IRREGULAR, 1),
	      timing_predict_mispredictions(b, "bpred.kind=bimodal", two_alike,
	                                    (int64_t)IRREGULAR));
	check(b, "bpred.kind", "bpred.kind=twolevel", "alternating: learnt", 0,
	      timing_predict_mispredictions(b, "bpred.kind=twolevel", one_branch,
	                                    (int64_t)ALTERNATING));
	check(b, "bpred.kind", "bpred.kind=gshare", "alternating: learnt", 0,
	      timing_predict_mispredictions(b, "bpred.kind=gshare", one_branch,
	                                    (int64_t)ALTERNATING));
	check(b, "bpred.kind", "bpred.kind=perceptron bpred.update=commit", "alternating: learnt",
	      0,
	      timing_predict_mispredictions(b, "bpred.kind=perceptron bpred.update=commit",
	                                    one_branch, (int64_t)ALTERNATING));
	check(b, "bpred.kind", "bpred.kind=taken", "3 taken of 4", ROUNDS / 4,
	      timing_predict_mispredictions(b, "bpred.kind=taken", one_branch,
	                                    (int64_t)THREE_OF_FOUR));
	check(b, "bpred.kind", "bpred.kind=nottaken", "3 taken of 4, and the loop's branch",
	      ROUNDS * 3 / 4 + ROUNDS,
	      timing_predict_mispredictions(b, "bpred.kind=nottaken", one_branch,
	                                    (int64_t)THREE_OF_FOUR));
	check(b, "bpred.kind", "bpred.kind=perfect", "irregular: never wrong", 0,
	      timing_predict_mispredictions(b, "bpred.kind=perfect", one_branch,
	                                    (int64_t)IRREGULAR));
	check(b, "bpred.kind", "bpred.kind=perfect", "two branches alike: never wrong", 0,
	      timing_predict_mispredictions(b, "bpred.kind=perfect", two_alike,
	                                    (int64_t)IRREGULAR));
	/* With one outcome of history the second branch depends on the first: only the first is
	 * irregular. */
	static const char *const correlating[] = {"twolevel", "gshare"};
	for (int i = 0; i < 2; i++)
		check(b, "bpred.kind", with("bpred.kind=%s bpred.history=1", correlating[i]),
		      "two branches alike: one counter", counter_wrong(IRREGULAR, 1),
		      timing_predict_mispredictions(
			      b, with("bpred.kind=%s bpred.history=1", correlating[i]), two_alike,
			      (int64_t)IRREGULAR));
	/* The chooser follows the better predictor. */
	check(b, "bpred.kind", "bpred.kind=combined", "alternating: the two-level side", 0,
	      timing_predict_mispredictions(b, "bpred.kind=combined", one_branch,
	                                    (int64_t)ALTERNATING));
	check(b, "bpred.kind", "bpred.kind=combined bpred.history=1",
	      "irregular, two alike: best of both", counter_wrong(IRREGULAR, 1),
	      timing_predict_mispredictions(b, "bpred.kind=combined bpred.history=1", two_alike,
	                                    (int64_t)IRREGULAR));
}

/* The length of history that distinguishes a pattern's places: with the loop's own branch
 * between them, k outcomes of the branch take 2 k - 1 bits. Too short by one, and two places with
 * different outcomes share a counter: at least one in each turn of the pattern is wrong. */
static void timing_predict_check_histories(struct bench *b)
{
	static const struct {
		uint64_t pattern;
		int period, bits; /* enough */
	} rows[] = {{ALTERNATING, 2, 2},
	            {TWO_AND_TWO, 4, 4},
	            {THREE_OF_FOUR, 4, 6},
	            {SEVEN_OF_EIGHT, 8, 14}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const char *enough =
			with("bpred.kind=twolevel bpred.history=%d bpred.l2_size=1M", rows[i].bits);
		const char *fewer = with("bpred.kind=twolevel bpred.history=%d bpred.l2_size=1M",
		                         rows[i].bits - 1);
		check(b, "bpred.history", enough, with("pattern of %d: learnt", rows[i].period), 0,
		      timing_predict_mispredictions(b, enough, one_branch,
		                                    (int64_t)rows[i].pattern));
		check_within(b, "bpred.history", fewer,
		             with("pattern of %d: not learnt", rows[i].period),
		             ROUNDS / rows[i].period, ROUNDS,
		             timing_predict_mispredictions(b, fewer, one_branch,
		                                           (int64_t)rows[i].pattern));
	}
	/* A history of its own holds only the branch's own outcomes: half the bits do. */
	for (int size = 1; size <= 4; size *= 4) {
		const char *options =
			with("bpred.kind=twolevel bpred.history=3 bpred.l1_size=%d", size);
		check_within(b, "bpred.l1_size", options,
		             size == 1 ? "3 taken of 4, shared history"
		                       : "3 taken of 4, own history",
		             size == 1 ? ROUNDS / 4 : 0, size == 1 ? ROUNDS : 0,
		             timing_predict_mispredictions(b, options, one_branch_apart,
		                                           (int64_t)THREE_OF_FOUR));
	}
}

/* Branches with opposite outcomes that share a counter: at least one of them mispredicts each
 * round. Tables are indexed from address bit 1, so `size` counters repeat every 2 * size bytes;
 * with history in the low bits, sooner. */
static void timing_predict_check_tables(struct bench *b)
{
	for (int size = 64; size <= 256; size *= 2) {
		const char *options = with("bpred.kind=bimodal bpred.bimodal_size=%d", size);
		bool shared = size <= 128;
		check_within(b, "bpred.bimodal_size", options, "opposites 256 bytes apart",
		             shared ? ROUNDS : 0, shared ? 2 * ROUNDS : 0,
		             timing_predict_mispredictions(b, options,
		                                           timing_predict_emit_opposites, 256));
	}
	for (int size = 128; size <= 512; size *= 2) {
		const char *options =
			with("bpred.kind=twolevel bpred.history=1 bpred.l2_size=%d", size);
		bool shared = size <= 256;
		check_within(b, "bpred.l2_size", options, "opposites 256 bytes apart",
		             shared ? ROUNDS : 0, shared ? 2 * ROUNDS : 0,
		             timing_predict_mispredictions(b, options,
		                                           timing_predict_emit_opposites, 256));
	}
	/* With one outcome of history both branches see the same: the loop's branch, or the first
	 * branch, was taken. */
	for (int size = 64; size <= 256; size *= 2) {
		const char *options = with("bpred.kind=perceptron bpred.update=fetch "
		                           "bpred.history=1 bpred.perceptrons=%d",
		                           size);
		bool shared = size <= 128;
		check_within(b, "bpred.perceptrons", options, "opposites 256 bytes apart",
		             shared ? ROUNDS : 0, shared ? 2 * ROUNDS : 0,
		             timing_predict_mispredictions(b, options,
		                                           timing_predict_emit_opposites, 256));
	}
	/* The chooser's entry, as the branch remembers it. */
	struct program *p = program_new();
	struct uop *uops = calloc(64, sizeof *uops);
	go_to(p, 4, 0);
	emit(p, rv_jal(0, 1000));
	p->size = 1000;
	emit(p, rv_beq(0, 0, 4));
	emit_exit(p);
	for (int size = 64; size <= 1024; size *= 4) {
		unsigned n = trace(b, "wide", with("bpred.kind=combined bpred.meta_size=%d", size),
		                   p, uops, 64);
		check(b, "bpred.meta_size", with("bpred.meta_size=%d", size),
		      "chooser of the branch at 1000", (TEXT + 1000) / 2 % size,
		      committed_at(uops, n, TEXT + 1000)->mark.meta);
	}
	free(uops);
	free(p);
}

/* When the counter of a taken branch moves: steps until it does. A division before the branch keeps
 * dispatch and commit apart. */
static void update_time(struct bench *b)
{
	struct program *p = program_new();
	emit(p, rv_divu(10, 10, 11));
	emit(p, rv_beq(0, 0, 4));
	emit_exit(p);
	for (int commit = 0; commit <= 2; commit++) {
		const char *options =
			with("bpred.kind=bimodal bpred.update=%s", commit == 2 ? "fetch"
		                                                   : commit    ? "commit"
		                                                               : "dispatch");
		struct machine *m = machine_for(b, "wide", options, p);
		const struct pipe *pipe = machine_pipe(m);
		uint64_t index = (TEXT + 4) / 2 & pipe->bpred.bimodal_mask;
		int before = pipe->bpred.bimodal[index];
		uint64_t cycle;
		do
			cycle = machine_cycle(m);
		while (machine_step(m) && pipe->bpred.bimodal[index] == before);
		const struct uop *branch = pipe_find(pipe, 2);
		check(b, "bpred.update", options,
		      commit ? "learns at commit" : "learns at dispatch",
		      (int64_t)(commit ? branch->when.end : branch->when.dispatch), (int64_t)cycle);
		machine_free(m);
	}
	free(p);
}

/* Outcomes of branches on the wrong path leave no trace in the history, which ends with the
 * program's last outcomes. */
static void history_repair(struct bench *b)
{
	enum { BRANCHES = 8 };
	static const char *const kinds_with_history[] = {"twolevel", "gshare", "combined"};
	struct program *p = program_new();
	uint32_t expected = 0;
	for (int i = 0; i < BRANCHES; i++) {
		bool taken = 0x5a >> i & 1;
		emit(p, taken ? rv_beq(0, 0, 16) : rv_bne(0, 0, 16));
		emit(p, rv_beq(0, 0, 8)); /* on the wrong path if the first is taken */
		emit(p, rv_nop());
		emit(p, rv_bne(0, 0, 8));
		expected = expected << 1 | taken;
		if (!taken)
			expected = expected << 2 | 2;
	}
	emit_exit(p);
	for (int i = 0; i < 6; i++) {
		const char *options = with("bpred.kind=%s bpred.history=16 bpred.update=%s",
		                           kinds_with_history[i / 2], i % 2 ? "fetch" : "dispatch");
		struct machine *m = machine_for(b, "wide", options, p);
		while (machine_step(m))
			;
		check(b, "bpred.update", options, "history after wrong paths", expected & 0xffff,
		      machine_pipe(m)->bpred.history[0]);
		machine_free(m);
	}
	free(p);
}

/* When a history has the outcome of a branch that is predicted correctly, after a division. */
static void history_time(struct bench *b)
{
	struct program *p = program_new();
	emit(p, rv_divu(10, 10, 11));
	emit(p, rv_beq(0, 0, 4));
	emit_exit(p);
	static const char *const updates[] = {"fetch", "dispatch", "commit"};
	for (int i = 0; i < 3; i++) {
		/* An untrained perceptron predicts taken. */
		const char *options = with("bpred.kind=%s bpred.update=%s",
		                           i == 1 ? "gshare" : "perceptron", updates[i]);
		struct machine *m = machine_for(b, "wide", options, p);
		const struct pipe *pipe = machine_pipe(m);
		uint64_t cycle;
		do
			cycle = machine_cycle(m);
		while (machine_step(m) && !pipe->bpred.history[0]);
		const struct uop *branch = pipe_find(pipe, 2);
		const uint64_t when[] = {branch->when.fetch, branch->when.dispatch,
		                         branch->when.end};
		check(b, "bpred.update", options, with("history has it at %s", updates[i]),
		      (int64_t)when[i], (int64_t)cycle);
		machine_free(m);
	}
	free(p);
}

/* 128 jumps, 8 bytes apart, with the loop's own in one of the sets between. */
static void timing_predict_emit_jumps_apart(struct program *p, int64_t jumps)
{
	while (jumps-- > 0) {
		emit(p, rv_jal(0, 8));
		emit(p, rv_nop());
	}
}

static void index_bits(struct bench *b)
{
	for (int shift = 1; shift <= 3; shift++)
		check(b, "bpred.index_shift", with("bpred.index_shift=%d", shift),
		      "128 jumps 8 bytes apart in 128 sets of 2: misfetches",
		      shift == 1 ? 128 * ROUNDS : 0,
		      rounds_stat(b, "wide", with("bpred.index_shift=%d", shift),
		                  timing_predict_emit_jumps_apart, 128, "fetch.misfetches"));
}

void group_predict(struct bench *b)
{
	index_bits(b);
	timing_predict_check_kinds(b);
	timing_predict_check_histories(b);
	timing_predict_check_tables(b);
	update_time(b);
	history_repair(b);
	history_time(b);
}
