/* Replay traps against a model written from the paper (Burrows and others, 3.2) and core/README.md:
 * which loads must be replayed, in which cycle, for which reason and because of which access.
 *
 * The model sees what was dispatched, issued, sent to memory and taken out, cycle by cycle, and
 * from that works out by itself which loads are about to go to memory, which stores in the queue
 * have addresses, and which lines are on their way. It reads three things from the machine that the
 * stream lacks: lines in L1D and bytes in the write buffer before each cycle, and, for stores,
 * which wait for a register inside the write buffer, from when to when their lines are on their
 * way. */
#ifndef CYCLOPS_TESTS_PREDICT_TRAPS_MODEL_H
#define CYCLOPS_TESTS_PREDICT_TRAPS_MODEL_H

#include "core/pipe/pipe.h"

enum { FLIGHT = 512, BATCH = 2048, MISSES = 256, WAYS = 16, COPIES = 128 };
#define NEVER UINT64_MAX

/* A load, store or atomic in flight. */
struct flight {
	uint64_t seq, pc, addr, size;
	uint64_t known, sent; /* cycles: its address is known; a load was sent on */
	uint64_t source;      /* the store that forwarded to a load; 0: none */
	unsigned replays;     /* how often it was fetched again for its own sake */
	bool load, store, atomic, writes;
};

/* A line on its way into L1D from `since` on, before `until`. */
struct miss {
	/* byte address of the line; whose access requested it */
	uint64_t line, since, until, seq, pc;
};

struct replay_trap {
	uint64_t seq, type, partner, partner_pc;
};

/* A set of L1D in the course of a cycle. */
struct set {
	uint64_t number, tag[WAYS], used[WAYS];
};

struct model {
	const struct config *cfg;
	const struct pipe *p;
	struct flight flight[FLIGHT]; /* oldest first */
	size_t count;
	struct event batch[BATCH];    /* of this cycle */
	size_t batch_count;
	struct miss miss[MISSES];     /* in the order of their beginnings */
	size_t misses;
	struct set set[COPIES];       /* entries changed by accesses of this cycle */
	size_t sets;
	struct wbuf wbuf;             /* before this cycle */
	struct cache_line *lines;     /* [sets * ways] before this cycle */
	uint64_t clock;
	unsigned replays;             /* of what is dispatched next */
	uint64_t traps[REPLAY_COUNT], again, different, causes, unmarked;
};

/* Contents of L1D and of the write buffer as a cycle begins. */
void traps_look(struct model *m);
/* Called for each event of the cycle. */
void traps_hear(void *ctx, const struct machine *machine, const struct event *ev);
/* Compares the cycle's traps, and goes on to the next. */
void traps_cycle_over(struct model *m, uint64_t cycle);

#endif
