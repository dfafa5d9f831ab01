#include "core/prof/oracle/oracle_store.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/hash.h"

struct state {
	struct cow_image *image; /* owned */
	size_t bytes;            /* of this struct */
	uint8_t head[];
};

bool oracle_store_init(struct oracle_store *s, uint32_t chunks, struct err *err)
{
	s->cow = cow_new(ORACLE_CHUNK, chunks);
	s->hits = alloc_zeroed((size_t)s->tables * ORACLE_HITS, sizeof *s->hits);
	if (!s->cow || !s->hits)
		return err_set(err, "out of memory for %s", s->what);
	memcpy(s->head, s->blank, s->head_bytes);
	return true;
}

void oracle_store_deinit(struct oracle_store *s)
{
	cow_free(s->cow);
	free(s->hits);
}

uint64_t oracle_store_hash(const struct oracle_store *s)
{
	return hash_words(cow_hash(s->cow), s->head, s->head_bytes);
}

/* ---- in snapshots ---- */
/* Drops the pointers to entries, which are valid no longer. */
static void forget_hits(struct oracle_store *s)
{
	memset(s->hits, 0, (size_t)s->tables * ORACLE_HITS * sizeof *s->hits);
}

void *oracle_store_save(void *ctx)
{
	struct oracle_store *s = ctx;
	/* may fail: history is thinned then */
	struct state *kept = alloc_try_bytes(sizeof *kept + s->head_bytes);
	if (!kept)
		return NULL;
	memcpy(kept->head, s->head, s->head_bytes);
	kept->image = cow_keep(s->cow);
	if (!kept->image) {
		free(kept);
		return NULL;
	}
	kept->bytes = sizeof *kept + s->head_bytes;
	forget_hits(s);
	return kept;
}

void oracle_store_restore(void *ctx, const void *state)
{
	struct oracle_store *s = ctx;
	const struct state *kept = state;
	cow_restore(s->cow, kept ? kept->image : NULL);
	forget_hits(s);
	memcpy(s->head, kept ? kept->head : s->blank, s->head_bytes);
}

void oracle_store_release(void *state)
{
	struct state *kept = state;
	cow_image_free(kept->image);
	free(kept);
}

size_t oracle_store_bytes(const void *state)
{
	return ((const struct state *)state)->bytes;
}

size_t oracle_store_shared_bytes(const void *ctx)
{
	return cow_held_bytes(((const struct oracle_store *)ctx)->cow);
}

void oracle_store_walk(const void *ctx, const void *state, const struct ledger_walk *w)
{
	if (state)
		cow_image_walk(((const struct state *)state)->image, w);
	else
		cow_walk(((const struct oracle_store *)ctx)->cow, w);
}

uint64_t oracle_store_digest(const void *ctx)
{
	return oracle_store_hash(ctx);
}

/* ---- in a checkpoint: the head, then each chunk that is not all zeros ---- */
struct record {
	uint64_t chunk;
	uint8_t bytes[ORACLE_CHUNK];
};

static bool oracle_store_chunk_is_empty(const struct cow *c, uint32_t i)
{
	const void *chunk = cow_read(c, i);
	return chunk == c->zeros || !memcmp(chunk, c->zeros, ORACLE_CHUNK);
}

void *oracle_store_pack(const void *ctx, size_t *n)
{
	const struct oracle_store *s = ctx;
	size_t records = 0;
	for (uint32_t i = 0; i < s->cow->chunks; i++)
		records += !oracle_store_chunk_is_empty(s->cow, i);
	*n = s->head_bytes + records * sizeof(struct record);
	uint8_t *to = alloc_bytes(*n);
	if (!to)
		return NULL;
	memcpy(to, s->head, s->head_bytes);
	struct record *r = (struct record *)(void *)(to + s->head_bytes);
	for (uint32_t i = 0; i < s->cow->chunks; i++) {
		if (oracle_store_chunk_is_empty(s->cow, i))
			continue;
		r->chunk = i;
		memcpy(r->bytes, cow_read(s->cow, i), ORACLE_CHUNK);
		r++;
	}
	return to;
}

static bool oracle_store_load_chunks(struct oracle_store *s, const uint8_t *from, size_t n,
                                     struct err *err)
{
	uint64_t chunk;
	if (n < s->head_bytes || (n - s->head_bytes) % sizeof(struct record))
		return err_set(err, "%s's counts are cut off", s->what);
	memcpy(s->head, from, s->head_bytes);
	for (size_t at = s->head_bytes; at < n; at += sizeof(struct record)) {
		memcpy(&chunk, from + at, sizeof chunk);
		if (chunk >= s->cow->chunks)
			return err_set(err, "%s's counts don't fit %s", s->what, s->memory);
		void *to = cow_write(s->cow, (uint32_t)chunk);
		if (!to)
			return err_set(err, "out of memory for %s's counts", s->what);
		memcpy(to, from + at + offsetof(struct record, bytes), ORACLE_CHUNK);
	}
	const char *wrong = s->check(s);
	return !wrong || err_set(err, "%s's counts are damaged: %s", s->what, wrong);
}

bool oracle_store_unpack(void *ctx, const void *bytes, size_t n, struct err *err)
{
	struct oracle_store *s = ctx;
	oracle_store_restore(s, NULL);
	if (oracle_store_load_chunks(s, bytes, n, err))
		return true;
	oracle_store_restore(s, NULL);
	return false;
}
