/* Loads and older stores: forwarding, waiting, guessing. */
#include "tests/timing/encode.h"
#include "tests/timing/harness.h"

#include <stdlib.h>

enum { PAIRS = 8, ADDRESS = 10 };

/* A value passes through memory PAIRS times a round; each load takes some bytes of the store
 * before. */
static void timing_order_emit_through_memory(struct program *p, int64_t offset)
{
	for (int i = 0; i < PAIRS; i++) {
		emit(p, rv_sd(10, 0, X_DATA));
		emit(p, rv_ld(10, (int32_t)offset, X_DATA));
	}
}

static void through_half(struct program *p, int64_t offset)
{
	for (int i = 0; i < PAIRS; i++) {
		emit(p, rv_sd(10, 0, X_DATA));
		emit(p, rv_lw(10, (int32_t)offset, X_DATA));
	}
}

/* A store whose address takes a division, and a load after it whose address is known at once: from
 * the bytes that the store writes, or `apart` bytes away. The load's value is the next round's
 * address. */
static void behind_late_store(struct program *p, int64_t apart)
{
	p->x[ADDRESS] = DATA;
	p->x[6] = 1;
	set_word(p, DATA, DATA);
	emit(p, rv_divu(12, ADDRESS, 6));
	emit(p, rv_sd(ADDRESS, (int32_t)apart, 12));
	emit(p, rv_ld(ADDRESS, 0, ADDRESS));
}

/* The same with an amoswap in the store's place, or a store conditional, which fails. */
static void behind_late_atomic(struct program *p, int64_t op)
{
	p->x[ADDRESS] = DATA;
	p->x[6] = 1;
	set_word(p, DATA, DATA);
	emit(p, rv_divu(12, ADDRESS, 6));
	emit(p, enc_r((enum op)op, 14, 12, op == OP_LR_D ? 0 : ADDRESS));
	emit(p, rv_ld(ADDRESS, 0, ADDRESS));
}

static void timing_order_check_forwarding(struct bench *b)
{
	for (int latency = 1; latency <= 5; latency += 2) {
		check_rounds(b, "lsq.forward_latency", "wide",
		             with("lsq.forward_latency=%d", latency),
		             timing_order_emit_through_memory, 0, "8 values through memory",
		             PAIRS * latency);
		check_rounds(b, "lsq.forward_latency", "wide",
		             with("lsq.forward_latency=%d", latency), through_half, 4,
		             "8 values, a half of each", PAIRS * latency);
	}
	/* A load that needs bytes of the store and others waits until the store has gone to the
	 * cache: commit_delay and a cycle after the store's data, then an L1D hit. */
	for (int delay = 0; delay <= 3; delay += 3)
		for (int latency = 2; latency <= 5; latency += 3)
			check_rounds(b, delay ? "pipe.commit_delay" : "l1d.latency", "wide",
			             with("pipe.commit_delay=%d l1d.latency=%d", delay, latency),
			             timing_order_emit_through_memory, 4,
			             "8 values, partial overlap", PAIRS * (delay + 1 + latency));
}

static void timing_order_check_speculation(struct bench *b)
{
	for (int division = 20; division <= 40; division += 20) {
		/* It waits for the address: the division, the store's address, then its own and an
		 * L1D hit. */
		check_rounds(b, "lsq.speculate", "wide",
		             with("lsq.speculate=false lat.idiv=%d occ.idiv=1", division),
		             behind_late_store, 64, "a load behind an unknown address",
		             division + 1 + (1 + 2));
		/* It does not: only the chain of loads remains. */
		check_rounds(b, "lsq.speculate", "wide",
		             with("lsq.speculate=true lat.idiv=%d occ.idiv=1", division),
		             behind_late_store, 64, "a load that may pass it, rightly", 1 + 2);
		/* The same bytes. It waits, and is forwarded. */
		check_rounds(b, "lsq.speculate", "wide",
		             with("lsq.speculate=false lat.idiv=%d occ.idiv=1", division),
		             behind_late_store, 0, "a load behind its own store",
		             division + 1 + (1 + 1));
	}
	/* Wrongly: when the store's address is known, the load and all later instructions are
	 * fetched again after the penalty; fetch, decode, issue, address and an L1D hit follow, for
	 * the store has gone to the cache meanwhile. */
	for (int penalty = 0; penalty <= 10; penalty += 5) {
		const char *options = with("lsq.speculate=true bpred.penalty=%d", penalty);
		check_rounds(b, "lsq.speculate", "wide", options, behind_late_store, 0,
		             "a load that passes its own store",
		             20 + 1 + penalty + (1 + 1 + 1 + 2));
		check(b, "lsq.speculate", options, "order violations", ROUNDS,
		      rounds_stat(b, "wide", options, behind_late_store, 0,
		                  "lsq.order_violations"));
		/* A store-conditional or AMO counts, too, whether it will write or not. */
		check(b, "lsq.speculate", options, "order violations behind amoswap", ROUNDS,
		      rounds_stat(b, "wide", options, behind_late_atomic, OP_AMOSWAP_D,
		                  "lsq.order_violations"));
		check(b, "lsq.speculate", options, "order violations behind sc", ROUNDS,
		      rounds_stat(b, "wide", options, behind_late_atomic, OP_SC_D,
		                  "lsq.order_violations"));
		check(b, "lsq.speculate", options, "order violations behind lr", 0,
		      rounds_stat(b, "wide", options, behind_late_atomic, OP_LR_D,
		                  "lsq.order_violations"));
	}
}

/* A store and a load of one address in each round, and a store with a later address that no load
 * reads. */
static void a_pair_and_a_stranger(struct program *p, int64_t arg)
{
	(void)arg;
	p->x[ADDRESS] = DATA;
	p->x[6] = 1;
	set_word(p, DATA, DATA);
	emit(p, rv_divu(12, ADDRESS, 6));
	emit(p, rv_mul(13, ADDRESS, 6));
	emit(p, rv_sd(0, 256, 12));
	emit(p, rv_sd(ADDRESS, 0, 13));
	emit(p, rv_ld(ADDRESS, 0, ADDRESS));
}

/* A load of the late store's address, and a load of another. */
static void two_loads(struct program *p, int64_t arg)
{
	(void)arg;
	behind_late_store(p, 0);
	emit(p, rv_ld(16, 64, X_DATA));
}

/* Two pairs of a store and a load of its bytes; the first store's address takes a division, the
 * second's a multiplication, and the second pair's value is the next round's address. */
static void two_pairs(struct program *p, int64_t arg)
{
	(void)arg;
	p->x[ADDRESS] = DATA;
	p->x[6] = 1;
	set_word(p, DATA, DATA);
	emit(p, rv_divu(12, ADDRESS, 6));
	emit(p, rv_mul(13, ADDRESS, 6));
	emit(p, rv_sd(0, 256, 12));
	emit(p, rv_ld(14, 256, X_DATA));
	emit(p, rv_sd(ADDRESS, 0, 13));
	emit(p, rv_ld(ADDRESS, 0, ADDRESS));
}

/* A pair violates once; then the load waits until its store has an address, and takes the store's
 * data. */
static void timing_order_check_dependence(struct bench *b)
{
	static const char *const kinds[] = {"wait-table", "store-sets"};
	for (int i = 0; i < 2; i++) {
		const char *options =
			with("lsq.speculate=true lsq.predictor_clear=0 lsq.predictor=%s", kinds[i]);
		check(b, "lsq.predictor", options, "violations of a pair that meets each round", 1,
		      whole_run(b, "wide", options, behind_late_store, 0, 2 * ROUNDS,
		                "lsq.order_violations"));
		check(b, "lsq.predictor", options, "violations that taught", 1,
		      whole_run(b, "wide", options, behind_late_store, 0, 2 * ROUNDS,
		                "lsq.predictor_learnt"));
		/* In a store set the stores wait for each other as well. */
		check(b, "lsq.predictor", options, "loads and stores that wait, of 24 each",
		      (1 + i) * ROUNDS,
		      rounds_stat(b, "wide", options, behind_late_store, 0, "lsq.predicted_waits"));
		check_rounds(b, "lsq.predictor", "wide", options, behind_late_store, 0,
		             "a load behind its own store", 20 + 1 + (1 + 1));
		check(b, "lsq.predictor", options, "a load that never meets its store waits", 0,
		      whole_run(b, "wide", options, behind_late_store, 64, 2 * ROUNDS,
		                "lsq.predicted_waits"));
		/* The wait table has loads, a store set pairs: only the former waits for the
		 * stranger's division. */
		check_rounds(b, "lsq.predictor", "wide", options, a_pair_and_a_stranger, 0,
		             "its store's address is there before a stranger's",
		             (i ? 3 : 20) + 1 + (1 + 1));
		/* A load that shares an entry waits as well. */
		for (int size = 1; size <= 1024; size *= 1024) {
			const char *sized = with("%s lsq.predictor_size=%d", options, size);
			check(b, "lsq.predictor_size", sized, "loads, of 48, and stores that wait",
			      (i + (size == 1 ? 2 : 1)) * ROUNDS,
			      rounds_stat(b, "wide", sized, two_loads, 0, "lsq.predicted_waits"));
		}
		/* Forgotten, it violates again: once in each interval. */
		for (int clear = 250; clear <= 1000; clear *= 4) {
			const char *cleared = with("pipe.rob_size=8 lsq.speculate=true "
			                           "lsq.predictor=%s lsq.predictor_clear=%d",
			                           kinds[i], clear);
			int64_t cycles = whole_run(b, "wide", cleared, behind_late_store, 0,
			                           4 * ROUNDS, "sim.cycles");
			check_within(b, "lsq.predictor_clear", cleared,
			             "violations, one an interval", cycles / clear - 1,
			             cycles / clear + 1,
			             whole_run(b, "wide", cleared, behind_late_store, 0, 4 * ROUNDS,
			                       "lsq.order_violations"));
		}
	}
	/* Two pairs of one set wait in sequence: the second store for the first. */
	for (int sets = 1; sets <= 128; sets *= 128)
		check_rounds(b, "lsq.store_sets", "wide",
		             with("lsq.speculate=true lsq.predictor_clear=0 "
		                  "lsq.predictor=store-sets lsq.store_sets=%d",
		                  sets),
		             two_pairs, 0, "two pairs, one late",
		             (sets == 1 ? 20 + 1 : 3) + 1 + (1 + 1));
}

/* One miss register. B waits for it after A; C's address becomes known in the very cycle in which
 * A frees it: the older goes first. A is on its way 113 cycles from its address on, a division of
 * as many begins with A. */
static void timing_order_check_mshr_turns(struct bench *b)
{
	struct program *p = program_new();
	struct uop *uops = calloc(64, sizeof *uops);
	p->x[6] = 1;
	p->x[12] = DATA;
	emit(p, rv_ld(15, 256, X_DATA));
	emit(p, rv_divu(12, 12, 6));
	emit(p, rv_ld(15, 512, X_DATA));
	emit(p, rv_ld(15, 1024, 12));
	emit_exit(p);
	unsigned n = trace(b, "wide", "l1d.mshrs=1 tlb.penalty=0 lat.idiv=113", p, uops, 64);
	const struct uop *a = committed_at(uops, n, TEXT),
			 *second = committed_at(uops, n, TEXT + 8),
			 *c = committed_at(uops, n, TEXT + 12);
	check(b, "l1d.mshrs", "l1d.mshrs=1",
	      "the last load's address is known as the register frees", (int64_t)a->when.done,
	      (int64_t)c->when.issue + 1);
	check(b, "l1d.mshrs", "l1d.mshrs=1", "the load that waited takes the register",
	      (int64_t)a->when.done, (int64_t)second->when.mem);
	check(b, "l1d.mshrs", "l1d.mshrs=1", "the last load has its turn after that",
	      (int64_t)second->when.done, (int64_t)c->when.mem);
	free(uops);
	free(p);
}

void group_order(struct bench *b)
{
	timing_order_check_forwarding(b);
	timing_order_check_speculation(b);
	timing_order_check_dependence(b);
	timing_order_check_mshr_turns(b);
}
