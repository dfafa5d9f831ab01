/* Replay traps: the ways in which the load/store queue gives up on a load that issued too early
 * (Burrows and others, 3.2; Alpha 21264).
 *
 * The load and everything younger is squashed, and fetched again from the load on, bpred.penalty
 * later: what a misprediction does, but for the load itself. Each attempt that fails is a trap with
 * its whole cost; nothing remembers it (but lsq.predictor, an order trap).
 *
 *   order    when a store's address becomes known: replays the oldest younger load that accessed
 *            some of its bytes, and did not take them from a store in between (lsq.speculate)
 *   size     when a load would access memory: the youngest older store in the queue with an address
 *            that touches its bytes lacks some of them (lsq.replay_size; else the load waits in the
 *            queue)
 *   synonym  when a load would access memory and begin a miss of L1D: a miss of another line that
 *            is equal modulo lsq.replay_synonym is in flight (else both continue)
 *
 * Loads only: atomics issue when they are the oldest. Stores go to L1D when they have committed,
 * which can't be taken back: as a partner of a synonym trap a store is one in the write buffer
 * whose line is on its way.
 *
 * Why every load gets there in the end. A trap squashes nothing older than its load, and nothing
 * older waits for anything younger, so all older instructions complete and commit. Order: the store
 * has an address then, and no older store can get another. Size: the stores that touch the load's
 * bytes are older than it, so finitely many; each commits and leaves the queue. Synonym: a miss
 * ends in a cycle that is known when it begins. New ones are begun by older instructions, which are
 * finitely many, or by younger ones that go to memory first; but the load is the first instruction
 * to be fetched, dispatched and, once older ones hold it back no more, issued again, and in each
 * cycle the oldest go to memory first: from then on none that is younger is there before it. */
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
