/* What the value sampler's daemon knows beside its lists of values, and the entries of the journal
 * that say what it learns: private to core/prof/values/value_daemon.c.
 *
 * An entry is a head, pairs, and behind them what modules remember, as pieces: new bytes, and bytes
 * of what they remembered before. So the journal grows by what has changed, whatever else there is
 * to remember. What modules remember is shared by snapshots, and counted in a ledger. */
#ifndef CYCLOPS_CORE_PROF_VALUES_VALUE_DATABASE_H
#define CYCLOPS_CORE_PROF_VALUES_VALUE_DATABASE_H

#include "core/base/memory_account.h"
#include "core/prof/values/value_answer.h"

/* What a module remembers, shared by snapshots. */
struct memory {
	struct memory_account *ledger; /* a reference */
	uint32_t refs;
	uint32_t n; /* bytes */
	uint8_t at[];
};

struct knowledge {
	struct value_totals totals;
	struct memory *memory[VALUE_MODULES]; /* a reference each, or NULL */
	struct memory_account *ledger; /* borrowed: of what is remembered from now on */
};

struct entry_head {
	uint64_t tuples, behind_gap, broken, refused, pairs;
};

struct entry_memory {
	uint64_t module, n; /* bytes */
	uint64_t pieces;    /* that follow */
};

/* New bytes, which follow, padded to words; then some of what was remembered before. */
struct entry_piece {
	uint32_t fresh, copied; /* bytes */
	uint32_t from, unused;  /* where those that are copied begin */
};

/* Nothing is known any more. */
void knowledge_forget(struct knowledge *k);
/* *to holds nothing before. */
void knowledge_copy(struct knowledge *to, const struct knowledge *from);
/* What an entry says. told, if not NULL, hears of each pair. */
void knowledge_apply(struct knowledge *k, const void *bytes, size_t n,
                     void (*told)(void *ctx, uint64_t pc, unsigned kind, uint64_t value),
                     void *ctx);
/* Appends that a module remembers n bytes from now on, and before->at before; NULL: nothing. */
void knowledge_put_memory(struct value_answer *a, unsigned module, const struct memory *before,
                          const void *bytes, size_t n);
/* Host bytes of all memories. */
size_t knowledge_bytes(const struct knowledge *k);
void knowledge_walk(const struct knowledge *k, const struct ledger_walk *w);
uint64_t knowledge_hash(const struct knowledge *k, unsigned modules);
/* In a checkpoint: the totals, then memories as in the journal, of new bytes alone. NULL: the host
 * has no memory. */
void *knowledge_pack(const struct knowledge *k, size_t *n);
/* False: it is not of a daemon, and nothing is known. */
bool knowledge_unpack(struct knowledge *k, const void *bytes, size_t n);

/* Bytes behind those that an answer has, padded to words. */
void value_answer_put(struct value_answer *a, const void *bytes, size_t n);

#endif
