/* State of the value sampler's daemon beside its hotlists, and the journal's entries that change
 * it: private to core/run/value_daemon.c.
 *
 * An entry is a head, pairs, then modules' memories, as pieces: new bytes, and bytes copied from
 * the memory before. So the journal grows only by changes. Memories are shared by snapshots, and
 * counted in a ledger. */
#ifndef CYCLOPS_CORE_PROF_VALUES_VALUE_DATABASE_H
#define CYCLOPS_CORE_PROF_VALUES_VALUE_DATABASE_H

#include "core/base/memory_account.h"
#include "core/prof/values/value_answer.h"

/* A module's memory, shared by snapshots. */
struct memory {
	struct memory_account *ledger; /* a reference */
	uint32_t refs;
	uint32_t n; /* bytes */
	uint8_t at[];
};

struct knowledge {
	struct value_totals totals;
	struct memory *memory[VALUE_MODULES]; /* a reference each, or NULL */
	struct memory_account *ledger; /* borrowed: counts new memories */
};

struct entry_head {
	uint64_t tuples, behind_gap, broken, refused, pairs;
};

struct entry_memory {
	uint64_t module, n; /* bytes */
	uint64_t pieces;    /* that follow */
};

/* A piece: new bytes, which follow, padded to words; then bytes copied from the memory before. */
struct entry_piece {
	uint32_t fresh, copied; /* bytes */
	uint32_t from, unused;  /* from: where the copied bytes begin */
};

/* Empties *k, except for its ledger. */
void knowledge_forget(struct knowledge *k);
/* Copies to *to, whose contents are overwritten, not released. */
void knowledge_copy(struct knowledge *to, const struct knowledge *from);
/* Applies an entry. told, if not NULL, is called for each pair; place: see hotlists_place(). */
void knowledge_apply(struct knowledge *k, const void *bytes, size_t n,
                     void (*told)(void *ctx, uint64_t place, unsigned kind, uint64_t value),
                     void *ctx);
/* Appends a module's new memory of n bytes, as pieces relative to `before` (NULL: it had none). */
void knowledge_put_memory(struct value_answer *a, unsigned module, const struct memory *before,
                          const void *bytes, size_t n);
/* Host bytes of all memories. */
size_t knowledge_bytes(const struct knowledge *k);
void knowledge_walk(const struct knowledge *k, const struct ledger_walk *w);
uint64_t knowledge_hash(const struct knowledge *k, unsigned modules);
/* Packs for a checkpoint: the totals, then the memories as in the journal, with new bytes only.
 * NULL: the host's memory is out. */
void *knowledge_pack(const struct knowledge *k, size_t *n);
/* False if the bytes are invalid; *k is empty then. */
bool knowledge_unpack(struct knowledge *k, const void *bytes, size_t n);

/* Appends bytes to an answer, padded to words; sets a->lost if memory is out. */
void value_answer_put(struct value_answer *a, const void *bytes, size_t n);

#endif
