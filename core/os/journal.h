/* The journal: what came from outside, in one append-only log keyed by cycle and order.
 *
 * An entry is an answer of the host, consumed when the guest asks the same question in the same
 * cycle, or a change by hand or by a listener, which the machine makes again at the end of its
 * cycle. Entries before the position were consumed; those behind it are the recorded future. New
 * ones are made only at the end: who makes one in the past cuts first.
 *
 * Invariants: cycles never decrease; the position, in the arena, is at most the number of entries;
 * state.changes is the number of changes before it. The log itself lies beside the machine: a
 * snapshot holds the position alone. A snapshot from a future that was cut must not be restored.
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
	bool forgets;             /* nobody goes back, saves, or restores */
	size_t gone;              /* of the entries, the first: forgotten; with forgets only */
	uint64_t *change;         /* owned; [changes], which entries are changes */
	size_t changes, change_cap;
};

void journal_place(struct journal *j, struct arena *a);
void journal_deinit(struct journal *j);

bool journal_is_change(uint32_t kind);
/* "a register set"; NULL if there is no such kind. */
const char *journal_kind_text(uint32_t kind);

/* NULL behind the end, and of those that are forgotten. Borrowed until the next journal_open() or
 * cut. */
const struct journal_entry *journal_at(const struct journal *j, uint64_t index);

static inline const void *journal_payload(const struct journal_entry *e)
{
	return e + 1;
}

/* ---- writing: only with the position at the end ---- */
/* What an entry takes with this many payload bytes. */
size_t journal_entry_bytes(size_t payload);
/* Makes the next so many entries, of so many journal_entry_bytes() together, safe from running out
 * of memory; false if it is out. */
bool journal_reserve(struct journal *j, size_t entries, size_t bytes);
/* Begins an entry with room for `room` payload bytes (ret, n zero); NULL if memory is short. It
 * exists only once journal_close() is called, and may be dropped by not doing so. Good until the
 * next journal_open(). */
struct journal_entry *journal_open(struct journal *j, enum journal_kind kind, uint32_t key,
                                   uint64_t cycle, size_t room);
/* Keeps the entry with its first e->n payload bytes, and consumes it. */
void journal_close(struct journal *j, struct journal_entry *e);
/* Drops what lies behind the position. */
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

/* What was answered from this entry on is asked again in another cycle. */
void journal_redate(struct journal *j, uint64_t from, uint64_t cycle);

/* Consumes the next entry, if it is a change of this cycle; else NULL. */
const struct journal_entry *journal_take_change(struct journal *j, uint64_t cycle);

/* With forgets: drops what has been consumed. Before a call that may ask again what it has asked,
 * not in its middle. */
void journal_forget(struct journal *j);

/* Host bytes of all that is kept. */
size_t journal_bytes(const struct journal *j);

/* ---- saving ---- */
/* What an entry is to be saved with: *n bytes, in *room if they are the owner's (NULL at first,
 * enlarged by realloc()). NULL: it can't be. */
typedef const void *journal_whole(void *ctx, const struct journal_entry *e, uint8_t **room,
                                  uint64_t *n);
/* The consumed part, of a journal that doesn't forget; whole == NULL: as the entries are. *bytes is
 * malloc'd, NULL if memory is short or an entry can't be saved. */
void journal_save(const struct journal *j, journal_whole *whole, void *ctx, void **bytes,
                  size_t *n);
/* Whether the owner of a kind can make sense of such an entry. */
typedef bool journal_check(const struct journal_entry *e, const void *payload);
/* Replaces what is kept by what was saved; the position must already be that of the machine it is
 * for. False with *err, and nothing changed, if the bytes are no journal, an entry is none that
 * `check` accepts, or the position is not in it. */
bool journal_load(struct journal *j, const void *bytes, size_t n, journal_check *check,
                  struct err *err);

#endif
