/* A copy-on-write table of fixed-size chunks of bytes. Attachments (core/prof/common/attachment.h)
 * of many megabytes keep their tables in one, so that a snapshot costs only the chunks written
 * since the last.
 *
 * Chunks are leaves of a tree of reference-counted nodes, 6 bits of the index per level; an image
 * is one more reference to the root. A node or chunk may be written only if it and every node above
 * it have one reference; cow_write() copies shared ones. A chunk that was never written reads as
 * zeros and takes no memory.
 *
 * Bounded: the live table takes at most chunks * chunk_bytes and a few percent. Bytes held only by
 * images are counted apart (cow_held_bytes), so that existing images do not make a write fail.
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
	/* a reference; counts all nodes, chunks and images of the table's family */
	struct memory_account *ledger;
};

/* A table of zeros; NULL if memory is out. chunk_bytes is a multiple of 8. */
struct cow *cow_new(uint32_t chunk_bytes, uint32_t chunks);
void cow_free(struct cow *c);

/* Contents of chunk i; borrowed until it is next written or the table restored. */
const void *cow_read(const struct cow *c, uint32_t i);

/* cow_write() of a chunk that is shared, or none yet. */
void *cow_own(struct cow *c, uint32_t i);

/* Chunk i for writing; valid until the next cow_keep() or cow_restore(). NULL if memory is out:
 * nothing has changed. */
static inline void *cow_write(struct cow *c, uint32_t i)
{
	assert(i < c->chunks);
	void *bytes = c->own[i];
	return __builtin_expect(bytes != NULL, 1) ? bytes : cow_own(c, i);
}

/* An image of the present contents; takes time independent of the bytes written. NULL if memory is
 * out. */
struct cow_image *cow_keep(struct cow *c);
/* Restores an image of a table of this shape; the table joins the image's family. NULL: zeros.
 * Can't fail. */
void cow_restore(struct cow *c, const struct cow_image *image);
void cow_image_free(struct cow_image *image);

/* Contents of chunk i of an image; NULL: zeros. */
const void *cow_image_read(const struct cow_image *image, uint32_t i);
/* Calls `tell` for each chunk that the table and an image of it don't share, in time proportional
 * to their number. */
void cow_differences(const struct cow *c, const struct cow_image *image,
                     void (*tell)(void *ctx, uint32_t i), void *ctx);

/* Exact host bytes that are held by images only. */
static inline size_t cow_held_bytes(const struct cow *c)
{
	return c->ledger->bytes - c->reach;
}
/* Visits every block of the table, or of an image, for a recount. */
void cow_walk(const struct cow *c, const struct ledger_walk *w);
void cow_image_walk(const struct cow_image *image, const struct ledger_walk *w);

/* Host bytes of the live table, shared ones included. */
size_t cow_bytes(const struct cow *c);
/* Digest of the contents: a chunk of zeros equals one never written. */
uint64_t cow_hash(const struct cow *c);

#endif
