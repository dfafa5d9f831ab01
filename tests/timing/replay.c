/* Replay traps: which loads are replayed, and what each attempt costs (core/pipe/replay.h). The
 * programs run once; what counts is the cycle M in which each fetch of the load would go to memory:
 * its issue + lsq.agen_latency. */
#include "tests/timing/encode.h"
#include "tests/timing/harness.h"

#include <stdlib.h>

enum { UOPS = 900, ADDRESS = 12, KB = 1024 };

struct attempts {
	struct uop uops[UOPS];
	unsigned n;
	/* [count] fetches of the load, in this order; the last one committed */
	const struct uop *load[UOPS];
	unsigned count;
};

/* Runs p from cold; the load is its instruction number `index`. */
static struct attempts *attempts_of(struct bench *b, const char *options, const struct program *p,
                                    unsigned index)
{
	struct attempts *a = calloc(1, sizeof *a);
	a->n = trace(b, "wide", options, p, a->uops, UOPS);
	for (unsigned i = 0; i < a->n; i++)
		if (a->uops[i].pc == TEXT + 4 * index && (a->uops[i].flags & UF_EXECUTED))
			a->load[a->count++] = &a->uops[i];
	committed_at(a->uops, a->n, TEXT + 4 * index);
	return a;
}

static int64_t timing_replay_access_cycle(const struct uop *u, int agen)
{
	return (int64_t)u->when.issue + agen;
}

/* All fetches but the last end in a trap of this kind in M, with the same partner; M is `period`
 * cycles after the one before; the last is the first that is not before `free`. */
static void check_attempts(struct bench *b, const char *parameter, const char *options,
                           const char *what, const struct attempts *a, enum replay type,
                           uint64_t partner, int agen, int64_t period, int64_t from)
{
	const int64_t first = timing_replay_access_cycle(a->load[0], agen),
		      traps = first < from ? (from - first + period - 1) / period : 0;
	int64_t right = 0;
	check(b, parameter, options, with("%s: traps", what), traps, a->count - 1);
	check(b, parameter, options, with("%s: goes to memory", what), first + traps * period,
	      (int64_t)a->load[a->count - 1]->when.mem);
	check(b, parameter, options, with("%s: traps counted by the load that gets through", what),
	      traps, a->load[a->count - 1]->mem.replays);
	for (unsigned i = 0; i + 1 < a->count; i++) {
		const struct uop *u = a->load[i];
		right += uop_was_replayed(u) && u->mem.replay == type &&
		         uop_partner(u) == partner && u->mem.replays == i + 1 &&
		         timing_replay_access_cycle(u, agen) == first + (int64_t)i * period &&
		         (int64_t)u->when.end == timing_replay_access_cycle(u, agen);
	}
	check(b, parameter, options, with("%s: traps of that kind, partner and cycle", what), traps,
	      right);
}

/* ---- size ---- */

/* A store of 8 bytes whose data takes a division, and a load of 8 bytes `apart` after it. */
static struct attempts *beside_store(struct bench *b, const char *options, int apart)
{
	struct program *p = program_new();
	p->x[6] = 1;
	p->x[ADDRESS] = DATA;
	emit(p, rv_divu(5, 6, 6));
	emit(p, rv_sd(5, 0, X_DATA));
	emit(p, rv_ld(7, apart, ADDRESS));
	emit(p, rv_addi(7, 7, 1));
	emit_exit(p);
	struct attempts *a = attempts_of(b, options, p, 2);
	free(p);
	return a;
}

static void timing_replay_check_sizes(struct bench *b)
{
	for (int division = 10; division <= 47; division += 37)
		for (int penalty = 0; penalty <= 7; penalty += 7)
			for (int agen = 1; agen <= 3; agen += 2) {
				const char *options =
					with("lsq.replay_size=true lat.idiv=%d bpred.penalty=%d "
				             "lsq.agen_latency=%d tlb.penalty=0",
				             division, penalty, agen);
				struct attempts *a = beside_store(b, options, 4);
				const struct uop *store = committed_at(a->uops, a->n, TEXT + 4);
				/* The store leaves the queue in the cycle of its commit, after the
				 * loads of that cycle. Fetched again after the penalty, the load is
				 * decoded a cycle later and issues in the next. */
				check_attempts(b, "lsq.replay_size", options,
				               "a load over the end of a store", a, REPLAY_SIZE,
				               store->seq, agen, penalty + 1 + 1 + agen,
				               (int64_t)store->when.end + 1);
				free(a);
			}
	/* It waits in the queue instead: no trap. All of its bytes: a forward. None: nothing to
	 * wait for. */
	static const struct {
		const char *options, *what;
		int apart;
	} none[] = {
		{"lsq.replay_size=false", "a load over the end of a store that waits", 4},
		{"lsq.replay_size=true", "a load of all that a store wrote", 0},
		{"lsq.replay_size=true", "a load beside a store", 8},
	};
	for (int i = 0; i < 3; i++) {
		struct attempts *a = beside_store(b, none[i].options, none[i].apart);
		check(b, "lsq.replay_size", none[i].options, none[i].what, 1, a->count);
		free(a);
	}
}

/* ---- synonym ---- */

/* An access to a cold line (a store if `store`), `gap` dependent instructions, and a load `apart`
 * bytes after it. */
static struct attempts *two_lines(struct bench *b, const char *options, int gap, int apart,
                                  bool store)
{
	struct program *p = program_new();
	p->x[ADDRESS] = DATA + (uint64_t)apart;
	emit(p, store ? rv_sd(5, 0, X_DATA) : rv_ld(5, 0, X_DATA));
	for (int i = 0; i < gap; i++)
		emit(p, rv_addi(ADDRESS, ADDRESS, 0));
	emit(p, rv_ld(6, 0, ADDRESS));
	emit_exit(p);
	struct attempts *a = attempts_of(b, options, p, 1 + (unsigned)gap);
	free(p);
	return a;
}

static void timing_replay_check_synonyms(struct bench *b)
{
	for (int memory = 20; memory <= 60; memory += 40)
		for (int penalty = 0; penalty <= 7; penalty += 7)
			for (int gap = 0; gap <= 20; gap += 5) {
				const char *options = with("lsq.replay_synonym=32K mem.latency=%d "
				                           "bpred.penalty=%d tlb.penalty=0",
				                           memory, penalty);
				struct attempts *a = two_lines(b, options, gap, 32 * KB, false);
				const struct uop *first = committed_at(a->uops, a->n, TEXT);
				/* The line arrives in the cycle in which its requesting load
				 * completes. */
				check_attempts(b, "lsq.replay_synonym", options,
				               with("a load %d behind one to a synonym", gap), a,
				               REPLAY_SYNONYM, first->seq, 1, penalty + 1 + 1 + 1,
				               (int64_t)first->when.done);
				free(a);
			}
	/* A store requests its line after its commit; the line arrives after the latencies of L1D,
	 * L2, memory and two transfers. */
	for (int memory = 20; memory <= 60; memory += 40) {
		const char *options =
			with("lsq.replay_synonym=32K mem.latency=%d tlb.penalty=0", memory);
		struct attempts *a = two_lines(b, options, 12, 32 * KB, true);
		const struct uop *store = committed_at(a->uops, a->n, TEXT);
		check_attempts(b, "lsq.replay_synonym", options,
		               "a load behind a store to a synonym", a, REPLAY_SYNONYM, store->seq,
		               1, 3 + 3, (int64_t)store->when.end + 2 + 10 + memory + 1);
		free(a);
	}
	/* How far apart. */
	static const struct {
		int modulo, apart, traps;
	} rows[] = {
		{32, 32 * KB, 1}, {32, 64 * KB, 1}, {32, 96 * KB + 24, 1}, {32, 32 * KB + 64, 0},
		{32, 16 * KB, 0}, {32, 8, 0},       {32, 56, 0},           {16, 16 * KB, 1},
		{16, 32 * KB, 1}, {16, 8 * KB, 0},  {64, 32 * KB, 0},      {64, 64 * KB, 1},
		{0, 32 * KB, 0},  {0, 64 * KB, 0},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const char *options = with("lsq.replay_synonym=%dK tlb.penalty=0", rows[i].modulo);
		struct attempts *a = two_lines(b, options, 3, rows[i].apart, false);
		check(b, "lsq.replay_synonym", options,
		      with("a load %d bytes behind one that misses is replayed", rows[i].apart),
		      rows[i].traps, a->count > 1);
		free(a);
	}
}

/* ---- order ---- */

/* A store whose address depends on a division, and a load of its bytes that does not wait for the
 * address. */
static void timing_replay_check_orders(struct bench *b)
{
	for (int division = 10; division <= 47; division += 37)
		for (int penalty = 0; penalty <= 7; penalty += 7) {
			const char *options = with(
				"lsq.speculate=true lat.idiv=%d bpred.penalty=%d tlb.penalty=0",
				division, penalty);
			struct program *p = program_new();
			p->x[6] = 1;
			p->x[10] = DATA;
			emit(p, rv_divu(12, 10, 6));
			emit(p, rv_sd(6, 0, 12));
			emit(p, rv_ld(7, 4, X_DATA));
			emit_exit(p);
			struct attempts *a = attempts_of(b, options, p, 2);
			const struct uop *store = committed_at(a->uops, a->n, TEXT + 4);
			check(b, "lsq.speculate", options,
			      "a load that passes its store is replayed as the store has its "
			      "address",
			      (int64_t)store->when.issue + 1, (int64_t)a->load[0]->when.end);
			check(b, "lsq.speculate", options, "and fetched again",
			      (int64_t)a->load[0]->when.end + penalty,
			      (int64_t)a->load[1]->when.fetch);
			check(b, "lsq.speculate", options, "by an order trap of that store",
			      REPLAY_ORDER * 1000 + (int64_t)store->seq,
			      a->load[0]->mem.replay * 1000 + (int64_t)uop_partner(a->load[0]));
			free(a);
			free(p);
		}
}

/* ---- the charged rows ---- */

/* The same pair each round: size traps between two stores of a chain. */
static void timing_replay_emit_pairs(struct program *p, int64_t apart)
{
	emit(p, rv_sd(10, 0, X_DATA));
	emit(p, rv_ld(10, (int32_t)apart, X_DATA));
	emit(p, rv_addi(10, 10, 1));
}

static void timing_replay_check_costs(struct bench *b)
{
	const char *options = "lsq.replay_size=true pipe.commit_width=4";
	const int64_t cycles = rounds(b, "wide", options, timing_replay_emit_pairs, 4),
		      traps = rounds_stat(b, "wide", options, timing_replay_emit_pairs, 4,
	                                  "lsq.size_replays");
	check(b, "lsq.replay_size", options, "traps of rounds: each is of a load that gets through",
	      ROUNDS,
	      traps - rounds_stat(b, "wide", options, timing_replay_emit_pairs, 4,
	                          "lsq.replays_again"));
	check(b, "lsq.replay_size", options, "slots behind them are bad speculation",
	      rounds_stat(b, "wide", options, timing_replay_emit_pairs, 4, "cpi.bad_speculation"),
	      rounds_stat(b, "wide", options, timing_replay_emit_pairs, 4, "lsq.size_slots"));
	check(b, "lsq.replay_size", options, "and slots of all kinds are those of all cycles",
	      cycles * 4,
	      rounds_stat(b, "wide", options, timing_replay_emit_pairs, 4, "cpi.base") +
	              rounds_stat(b, "wide", options, timing_replay_emit_pairs, 4,
	                          "cpi.bad_speculation") +
	              rounds_stat(b, "wide", options, timing_replay_emit_pairs, 4,
	                          "cpi.dependency") +
	              rounds_stat(b, "wide", options, timing_replay_emit_pairs, 4, "cpi.l1d") +
	              rounds_stat(b, "wide", options, timing_replay_emit_pairs, 4, "cpi.frontend") +
	              rounds_stat(b, "wide", options, timing_replay_emit_pairs, 4,
	                          "cpi.memory_order"));
}

void group_replay(struct bench *b)
{
	timing_replay_check_sizes(b);
	timing_replay_check_synonyms(b);
	timing_replay_check_orders(b);
	timing_replay_check_costs(b);
}
