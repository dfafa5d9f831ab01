/* The block descriptor table (Vaswani, IV.A): which instructions begin a block of profile
 * instructions, where the block ends, and whether it is likely to be dropped.
 *
 * A block is a run of adjacent profile instructions of one type; its leader is the first, its
 * follow the address after the last. Decode writes the table, on wrong paths, too, and fetch reads
 * it; squashes undo nothing. An entry is made only while the block's flag is off, and is locked
 * until decode meets the leader again: by then its follow is known. An entry whose block is cut off
 * by a squash is dropped. */
#ifndef CYCLOPS_CORE_PIPE_XPROF_BDT_H
#define CYCLOPS_CORE_PIPE_XPROF_BDT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/base/state_ranges.h"

struct config;

enum bdt_replacement { BDT_LRU, BDT_FIFO };

struct bdt_entry {
#define STATE STATE_FIELD
#include "core/pipe/xprof/bdt_entry.def"
#undef STATE
};

struct bdt_state {
	uint64_t clock;
};

struct bdt {
	uint32_t mask, ways; /* sets - 1; 0 ways: there is no table */
	uint32_t least;      /* instructions that a block must have to be skipped */
	enum bdt_replacement replacement;
	struct bdt_state *st;
	struct bdt_entry *entry; /* [sets * ways], ways of a set adjacent */
};

void bdt_place(struct bdt *t, const struct config *cfg, struct arena *a);

static inline uint32_t bdt_set(const struct bdt *t, uint64_t leader)
{
	return (uint32_t)(leader >> 1) & t->mask;
}

/* The entry of a leader, NULL if there is none. Changes nothing. */
struct bdt_entry *bdt_find(const struct bdt *t, uint64_t leader);

/* Fetch: the entry if the block at `leader` may be skipped while its flag is off (regardless of the
 * entry's prediction bit), else NULL. A hit counts as use. */
struct bdt_entry *bdt_known(struct bdt *t, uint64_t leader, uint64_t now);

/* A profile instruction at decode. */
struct bdt_seen {
	uint64_t pc, end;  /* byte addresses of its first byte and after its last */
	uint64_t leader;   /* of its block */
	uint32_t count;    /* instructions of the block from the leader to it */
	bool on;           /* its flag */
};

/* Predictor of flags at fetch: prediction bits, of blocks and of types, or a plug-in
 * (core/pipe/plugin.h). */
enum xprof_predictor { XPROF_BITS, XPROF_EXTERNAL };

#define BDT_ACTIONS(A) \
	A(NOTHING, "nothing") \
	A(MADE, "made") \
	A(GREW, "grew") \
	A(UNLOCKED, "unlocked") \
	A(UPDATED, "updated") /* its prediction bit */ \
	A(STALE, "stale")     /* dropped: pblen differs in length */ \
	A(CUT, "cut")         /* dropped: a squash cut its block off */ \
	A(WRITTEN, "written") /* dropped: its code was written by hand */ \
	A(CLEARED, "cleared") /* fence.i, or a system call that makes code new */

enum bdt_action {
#define A(id, name) BDT_##id,
	BDT_ACTIONS(A)
#undef A
	BDT_ACTION_COUNT
};

extern const char *const bdt_action_name[BDT_ACTION_COUNT];

/* Updates the table with a decoded profile instruction. Returns the most important action; *entry
 * receives the entry (NULL: none). */
enum bdt_action bdt_learn(struct bdt *t, const struct bdt_seen *seen, uint64_t now,
                          struct bdt_entry **entry);

/* The entry if its block's length differs from the length that pblen announces, else NULL. Changes
 * nothing. */
struct bdt_entry *bdt_stale(const struct bdt *t, uint64_t leader, uint64_t follow);
/* Invalidates an entry. */
void bdt_drop(struct bdt_entry *e);
/* The next entry after `e` (NULL: the first) whose block includes some of these bytes; NULL: no
 * more. */
struct bdt_entry *bdt_next_within(const struct bdt *t, const struct bdt_entry *e, uint64_t at,
                                  size_t n);
/* Empties the table: the code may have changed. */
void bdt_clear(struct bdt *t);

#endif
