/* Loads and older stores: forwarding, waiting, guessing. */
#include "tests/timing/encode.h"
#include "tests/timing/harness.h"

#include <stdlib.h>

enum { PAIRS = 8, ADDRESS = 10 };

/* A value goes through memory PAIRS times a round; each load takes some bytes of the store before it. */
static void through_memory(struct program *p, int64_t offset)
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

/* A store whose address takes a division, and a load behind it whose address is known at once: from the
 * bytes that the store writes, or `apart` bytes away. The load's value is the next round's address. */
static void behind_late_store(struct program *p, int64_t apart)
{
	p->x[ADDRESS] = DATA;
	p->x[6] = 1;
	set_word(p, DATA, DATA);
	emit(p, rv_divu(12, ADDRESS, 6));
	emit(p, rv_sd(ADDRESS, (int32_t)apart, 12));
	emit(p, rv_ld(ADDRESS, 0, ADDRESS));
}

static void forwarding(struct bench *b)
{
	for (int latency = 1; latency <= 5; latency += 2) {
		check_rounds(b, "lsq.forward_latency", "wide", with("lsq.forward_latency=%d", latency), through_memory, 0,
		             "8 values through memory", PAIRS * latency);
		check_rounds(b, "lsq.forward_latency", "wide", with("lsq.forward_latency=%d", latency), through_half, 4,
		             "8 values, a half of each", PAIRS * latency);
	}
	/* A load that needs bytes of the store and others waits until the store has gone to the cache: commit_delay
	 * and a cycle behind the store's data, then an L1D hit. */
	for (int delay = 0; delay <= 3; delay += 3)
		for (int latency = 2; latency <= 5; latency += 3)
			check_rounds(b, delay ? "pipe.commit_delay" : "l1d.latency", "wide",
			             with("pipe.commit_delay=%d l1d.latency=%d", delay, latency), through_memory, 4,
			             "8 values, partial overlap", PAIRS * (delay + 1 + latency));
}

static void speculation(struct bench *b)
{
	for (int division = 20; division <= 40; division += 20) {
		/* It waits for the address: the division, the store's address, then its own and an L1D hit. */
		check_rounds(b, "lsq.speculate", "wide", with("lsq.speculate=false lat.idiv=%d occ.idiv=1", division),
		             behind_late_store, 64, "a load behind an unknown address", division + 1 + (1 + 2));
		/* It does not: only the chain of loads remains. */
		check_rounds(b, "lsq.speculate", "wide", with("lsq.speculate=true lat.idiv=%d occ.idiv=1", division),
		             behind_late_store, 64, "a load that may pass it, rightly", 1 + 2);
		/* The same bytes. It waits, and is forwarded. */
		check_rounds(b, "lsq.speculate", "wide", with("lsq.speculate=false lat.idiv=%d occ.idiv=1", division),
		             behind_late_store, 0, "a load behind its own store", division + 1 + (1 + 1));
	}
	/* Wrongly: when the store's address is known, the load and all behind it are fetched again after the penalty;
	 * fetch, decode, issue, address and an L1D hit follow, for the store has gone to the cache meanwhile. */
	for (int penalty = 0; penalty <= 10; penalty += 5) {
		const char *options = with("lsq.speculate=true bpred.penalty=%d", penalty);
		check_rounds(b, "lsq.speculate", "wide", options, behind_late_store, 0, "a load that passes its own store",
		             20 + 1 + penalty + (1 + 1 + 1 + 2));
		check(b, "lsq.speculate", options, "order violations", ROUNDS,
		      rounds_stat(b, "wide", options, behind_late_store, 0, "lsq.order_violations"));
	}
}

/* One miss register. B waits for it behind A; C's address becomes known in the very cycle in which A frees
 * it: the older goes first. A is on its way 113 cycles from its address on, a division of as many begins with A. */
static void turns(struct bench *b)
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
	const struct uop *a = committed_at(uops, n, TEXT), *second = committed_at(uops, n, TEXT + 8),
	                 *c = committed_at(uops, n, TEXT + 12);
	check(b, "l1d.mshrs", "l1d.mshrs=1", "the last load's address is known as the register frees",
	      (int64_t)a->when.done, (int64_t)c->when.issue + 1);
	check(b, "l1d.mshrs", "l1d.mshrs=1", "the load that waited takes the register", (int64_t)a->when.done,
	      (int64_t)second->when.mem);
	check(b, "l1d.mshrs", "l1d.mshrs=1", "the last load has its turn after that", (int64_t)second->when.done,
	      (int64_t)c->when.mem);
	free(uops);
	free(p);
}

void group_order(struct bench *b)
{
	forwarding(b);
	speculation(b);
	turns(b);
}
