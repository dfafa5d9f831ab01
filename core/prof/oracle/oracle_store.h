/* A store for counts that are right when the machine goes back: tables in chunks that snapshots
 * share (oracle_table.h), and a head of plain words. An attachment that counts
 * (core/prof/common/attachment.h) has one of these as its first member, so that the functions below
 * can be its attachment_ops.
 *
 * Bounded by the memory that it is given; nothing else is allocated in a cycle. */
#ifndef CYCLOPS_CORE_PROF_ORACLE_ORACLE_STORE_H
#define CYCLOPS_CORE_PROF_ORACLE_ORACLE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/prof/common/attachment.h"
#include "core/prof/oracle/oracle_table.h"

struct oracle_store {
	struct cow *cow;         /* owned */
	struct oracle_hit *hits; /* owned; [tables][ORACLE_HITS] */
	unsigned tables;
	/* borrowed: all of its owner's state but the chunks; no padding */
	void *head;
	const void *blank;       /* borrowed: the head at the beginning */
	size_t head_bytes;
	const char *what;        /* for messages: "the oracle" */
	const char *memory;      /* the parameter that bounds it */
	const char *(*check)(const void *owner); /* NULL, or the invariant broken */
};

/* Allocates cow and hits; the caller has set the rest. False with *err if memory is out; call
 * oracle_store_deinit() then, too. */
bool oracle_store_init(struct oracle_store *s, uint32_t chunks, struct err *err);
void oracle_store_deinit(struct oracle_store *s);
uint64_t oracle_store_hash(const struct oracle_store *s);

/* Functions of struct attachment_ops; ctx is the owner, whose first member is the store. */
void *oracle_store_save(void *ctx);
void oracle_store_restore(void *ctx, const void *state);
void oracle_store_release(void *state);
size_t oracle_store_bytes(const void *state);
size_t oracle_store_shared_bytes(const void *ctx);
void oracle_store_walk(const void *ctx, const void *state, const struct ledger_walk *w);
uint64_t oracle_store_digest(const void *ctx);
void *oracle_store_pack(const void *ctx, size_t *n);
bool oracle_store_unpack(void *ctx, const void *bytes, size_t n, struct err *err);

#define ORACLE_STORE_ATTACHMENT(its_name)                                                          \
	{                                                                                          \
		.name = its_name, .save = oracle_store_save, .restore = oracle_store_restore,      \
		.free = oracle_store_release, .bytes = oracle_store_bytes,                         \
		.shared_bytes = oracle_store_shared_bytes, .walk = oracle_store_walk,              \
		.hash = oracle_store_digest, .pack = oracle_store_pack,                            \
		.unpack = oracle_store_unpack,                                                     \
	}

#endif
