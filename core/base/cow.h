/* A table of fixed-size chunks of bytes whose states share what they have in common. Attachments
 * (core/prof/common/attachment.h) of many megabytes keep their tables in one, so that snapshots
 * cost what was written between them.
 *
 * Chunks hang in a tree of reference-counted nodes, 6 bits of the index a level; an image is one
 * more reference to the root. A node or chunk may be written only when every node from the root
 * down to it has one reference; cow_write() copies what is not. A chunk that was never written
 * reads as zeros and takes no memory.
 *
 * Bounded: the live table takes at most chunks * chunk_bytes and a few percent. What images hold
 * besides is theirs (cow_held_bytes), so that whether a write succeeds does not depend on who keeps
 * images.
 *
 * Invariant: own[i], if not NULL, is chunk i, and no image can reach it. */
#ifndef CYCLOPS_CORE_BASE_COW_H
#define CYCLOPS_CORE_BASE_COW_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/memory_account.h"

struct cow_image; /* one kept state; owned by its taker, may outlive the table */

struct cow {
	uint32_t chunk_bytes, chunks;
	unsigned height;  /* levels of nodes above the chunks */
	void *root;       /* a chunk if height is 0, else a node; NULL: all zero */
	void **own;       /* owned; [chunks], bytes that may be written at once, or NULL */
	uint8_t *zeros;   /* owned; [chunk_bytes] */
	size_t reach;     /* bytes of nodes and chunks below root */
	/* a reference; of all nodes, chunks and images of the table's family */
	struct memory_account *ledger;
};

/* All zeros; NULL if memory is out. chunk_bytes is a multiple of 8. */
struct cow *cow_new(uint32_t chunk_bytes, uint32_t chunks);
void cow_free(struct cow *c);

/* What chunk i holds; borrowed until it is next written or the table restored. */
const void *cow_read(const struct cow *c, uint32_t i);

/* cow_write() of a chunk that is shared, or none yet. */
void *cow_own(struct cow *c, uint32_t i);

/* Chunk i to be written; good until the next cow_keep() or cow_restore(). NULL if memory is out:
 * nothing has changed. */
static inline void *cow_write(struct cow *c, uint32_t i)
{
	assert(i < c->chunks);
	void *bytes = c->own[i];
	return __builtin_expect(bytes != NULL, 1) ? bytes : cow_own(c, i);
}

/* All that is held now, in time that does not grow with what was written; NULL if memory is out. */
struct cow_image *cow_keep(struct cow *c);
/* Back to an image of a table of this shape, whose family is the table's from now on; NULL: to
 * zeros. Can't fail. */
void cow_restore(struct cow *c, const struct cow_image *image);
void cow_image_free(struct cow_image *image);

/* What chunk i of an image holds; NULL: zeros. */
const void *cow_image_read(const struct cow_image *image, uint32_t i);
/* Tells of each chunk that the table and an image of it don't share, in time that grows with their
 * number. */
void cow_differences(const struct cow *c, const struct cow_image *image,
                     void (*tell)(void *ctx, uint32_t i), void *ctx);

/* Host bytes that images hold beside what the table holds itself, exactly. */
static inline size_t cow_held_bytes(const struct cow *c)
{
	return c->ledger->bytes - c->reach;
}
/* All that the table, or an image, refers to, to be counted again. */
void cow_walk(const struct cow *c, const struct ledger_walk *w);
void cow_image_walk(const struct cow_image *image, const struct ledger_walk *w);

/* Host bytes of the live table, shared ones included. */
size_t cow_bytes(const struct cow *c);
/* Digest of the contents: a chunk of zeros equals one never written. */
uint64_t cow_hash(const struct cow *c);

#endif
