/* Replay traps: the cases in which the load/store queue squashes a load that issued too early
 * (Burrows and others, 3.2; Alpha 21264).
 *
 * The load and all younger instructions are squashed, and fetched again from the load on,
 * bpred.penalty later: as after a misprediction, but including the load itself. Each failed attempt
 * is a trap with its whole cost; no trap is remembered, except order traps by lsq.predictor.
 *
 *   order    when a store's address becomes known: replays the oldest younger load that accessed
 *            some of its bytes, and did not take them from a store in between (lsq.speculate)
 *   size     when a load would access memory: the youngest older store in the queue with an address
 *            that touches its bytes lacks some of them (lsq.replay_size; else the load waits in the
 *            queue)
 *   synonym  when a load would access memory and begin a miss of L1D: a miss of another line that
 *            is equal modulo lsq.replay_synonym is in flight (else both continue)
 *
 * Loads only: atomics issue when they are the oldest. Stores go to L1D after they commit, which
 * can't be undone: the store in a synonym trap is one in the write buffer whose line is in flight.
 *
 * Why every load completes eventually. A trap squashes no instruction older than its load, and no
 * older one waits for a younger one, so all older instructions complete and commit. Order: the
 * store's address is known by then, and stays the same. Size: the stores that touch the load's
 * bytes are older than it, so finitely many; each commits and leaves the queue. Synonym: a miss
 * ends in a cycle that is known when it begins. New misses are begun by older instructions, which
 * are finitely many, or by younger ones that access memory first; but the load is the first
 * instruction to be fetched and dispatched again and, once no older one holds it back, issued
 * again, and in each cycle the oldest access memory first: from then on no younger one is before
 * it. */
#ifndef CYCLOPS_CORE_PIPE_REPLAY_H
#define CYCLOPS_CORE_PIPE_REPLAY_H

/* id, name */
#define REPLAYS(R) \
	R(NONE, none) \
	R(ORDER, order) \
	R(SIZE, size) \
	R(SYNONYM, synonym)

enum replay {
#define R(id, name) REPLAY_##id,
	REPLAYS(R)
#undef R
	REPLAY_COUNT
};

/* "size"; "none". */
extern const char *const replay_name[REPLAY_COUNT];

#endif
