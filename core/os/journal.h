/* The journal: everything from outside, in one append-only log keyed by cycle and order.
 *
 * An entry is an answer of the host, consumed when the guest asks the same question in the same
 * cycle, or a change by hand or by a listener, which the machine repeats at the end of its cycle.
 * Entries before the position were consumed; the others are the recorded future. New entries are
 * made only at the end: to make one in the past, cut first.
 *
 * Invariants: cycles never decrease; the position, in the arena, is at most the number of entries;
 * state.changes is the number of changes before it. The log itself is not part of the machine: a
 * snapshot holds the position alone. Never restore a snapshot from a future that was cut.
 *
 * Lifetime: zeroed storage of the owner's, journal_place(), use, journal_deinit(). */
#ifndef CYCLOPS_CORE_OS_JOURNAL_H
#define CYCLOPS_CORE_OS_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/base/err.h"

enum journal_kind {
	JOURNAL_NONE,
#define ANSWER(id, text) JOURNAL_##id,
#define CHANGE(id, function, text, a, b, bytes) JOURNAL_##id,
#include "core/os/journal.def"
#undef ANSWER
#undef CHANGE
	JOURNAL_KINDS
};

/* n payload bytes follow, padded with zeros to a multiple of 8. */
struct journal_entry {
	uint32_t kind;  /* enum journal_kind */
	uint32_t key;   /* of an answer: digest of the question */
	/* guest's, as rdcycle counts: fast-forwarded instructions are a cycle each */
	uint64_t cycle;
	int64_t ret;    /* of an answer: >= 0, or -errno */
	uint64_t n;     /* bytes */
};

/* In the arena. */
struct journal_state {
	uint64_t pos;     /* entries consumed */
	uint64_t changes; /* of them, changes */
};

struct journal {
	struct journal_state *st; /* borrowed from the arena */
	uint8_t *bytes;           /* owned; the entries, each with its payload */
	size_t used, cap;
	uint64_t *at;             /* owned; [entries - gone], byte offset of each */
	size_t entries, at_cap;
	bool forgets;             /* no going back, saving or restoring */
	/* answers fit a question in any cycle: for a machine that repeats another's run with other
	 * timing */
	bool undated;
	size_t gone;              /* entries forgotten, always the first ones; only if forgets */
	uint64_t *change;         /* owned; [changes], which entries are changes */
	size_t changes, change_cap;
};

void journal_place(struct journal *j, struct arena *a);
void journal_deinit(struct journal *j);

bool journal_is_change(uint32_t kind);
/* "a register set"; NULL if there is no such kind. */
const char *journal_kind_text(uint32_t kind);

/* NULL if the index is past the end or forgotten. Borrowed until the next journal_open() or
 * cut. */
const struct journal_entry *journal_at(const struct journal *j, uint64_t index);

static inline const void *journal_payload(const struct journal_entry *e)
{
	return e + 1;
}

/* ---- writing: only with the position at the end ---- */
/* Bytes of an entry with this payload. */
size_t journal_entry_bytes(size_t payload);
/* Reserves memory for `entries` entries, whose journal_entry_bytes() sum to `bytes`; false if there
 * is none. */
bool journal_reserve(struct journal *j, size_t entries, size_t bytes);
/* Begins an entry with room for `room` payload bytes (ret, n zero); NULL if memory is short. The
 * entry exists only after journal_close(); to drop it, don't call that. The pointer is valid until
 * the next journal_open(). */
struct journal_entry *journal_open(struct journal *j, enum journal_kind kind, uint32_t key,
                                   uint64_t cycle, size_t room);
/* Keeps the entry with its first e->n payload bytes, and consumes it. */
void journal_close(struct journal *j, struct journal_entry *e);
/* Drops the entries after the position. */
void journal_cut(struct journal *j);

/* ---- reading again ---- */
/* Consumes the answer to this question. NULL with *strayed false: the journal is at its end, so ask
 * the host; with *strayed true: something else was recorded here. */
const struct journal_entry *journal_answer(struct journal *j, enum journal_kind kind, uint32_t key,
                                           uint64_t cycle, bool *strayed);
/* Guest cycle of the first change ahead, UINT64_MAX if there is none. */
static inline uint64_t journal_next_change(const struct journal *j)
{
	if (__builtin_expect(j->st->changes >= j->changes, 1))
		return UINT64_MAX;
	return journal_at(j, j->change[j->st->changes])->cycle;
}

/* Moves entry `from` and those after it to another cycle, in which a repeated call needs them. */
void journal_redate(struct journal *j, uint64_t from, uint64_t cycle);

/* Consumes the next entry, if it is a change of this cycle; else NULL. */
const struct journal_entry *journal_take_change(struct journal *j, uint64_t cycle);

/* With forgets: drops the consumed entries. Call it before a system call, not within one: a
 * repeated call asks for its answers again. */
void journal_forget(struct journal *j);

/* Host bytes that the journal takes. */
size_t journal_bytes(const struct journal *j);

/* ---- saving ---- */
/* Returns the payload to save an entry with, *n bytes. *room is the caller's buffer for it (NULL at
 * first, enlarged by realloc()). NULL: not possible. */
typedef const void *journal_whole(void *ctx, const struct journal_entry *e, uint8_t **room,
                                  uint64_t *n);
/* Saves the consumed entries of a journal that doesn't forget; whole == NULL: with their own
 * payloads. *bytes is malloc'd, NULL if memory is short or an entry can't be saved. */
void journal_save(const struct journal *j, journal_whole *whole, void *ctx, void **bytes,
                  size_t *n);
/* Whether an entry is valid for the owner of its kind. */
typedef bool journal_check(const struct journal_entry *e, const void *payload);
/* Replaces the journal by a saved one; the position must already be that of its machine. False with
 * *err, and nothing changed, if the bytes are no journal, `check` rejects an entry, or the position
 * is not in it. */
bool journal_load(struct journal *j, const void *bytes, size_t n, journal_check *check,
                  struct err *err);

#endif
