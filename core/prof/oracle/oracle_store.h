/* Where counts lie that are right in the past: tables in chunks that snapshots share
 * (oracle_table.h), and a head of plain words. What stands beside the machine as an attachment
 * (core/prof/common/attachment.h) and counts keeps one of these as its first member, so that the
 * functions below are its attachment's.
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
	/* borrowed: of its owner, all of its state but the chunks; no padding */
	void *head;
	const void *blank;       /* borrowed: the head at the beginning */
	size_t head_bytes;
	const char *what;        /* for people: "the oracle" */
	const char *memory;      /* the parameter that bounds it */
	const char *(*check)(const void *owner); /* NULL, or what is impossible */
};

/* Memory for it; the rest is set by the caller. False with *err if the host has none: what there is
 * is freed by oracle_store_deinit(). */
bool oracle_store_init(struct oracle_store *s, uint32_t chunks, struct err *err);
void oracle_store_deinit(struct oracle_store *s);
uint64_t oracle_store_hash(const struct oracle_store *s);

/* Of struct attachment_ops; ctx is the owner, and so its store. */
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
