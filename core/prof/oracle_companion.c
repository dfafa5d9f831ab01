/* The oracle in snapshots and checkpoints. */
#include <stdlib.h>
#include <string.h>

#include "core/companion.h"
#include "core/prof/oracle.h"

struct state {
	struct cow_image *image; /* owned */
	struct oracle_head head;
};

/* Pointers to entries are good no longer. */
static void forget_hits(struct oracle *o)
{
	memset(o->hits, 0, (size_t)ORACLE_TABLE_COUNT * ORACLE_HITS * sizeof *o->hits);
}

static void *save(void *ctx, const void *base)
{
	struct oracle *o = ctx;
	(void)base; /* chunks know what they share */
	struct state *s = malloc(sizeof *s);
	if (!s)
		return NULL;
	s->head = o->head;
	s->image = cow_keep(o->cow);
	if (!s->image) {
		free(s);
		return NULL;
	}
	forget_hits(o);
	return s;
}

static void restore(void *ctx, const void *state)
{
	struct oracle *o = ctx;
	const struct state *s = state;
	cow_restore(o->cow, s ? s->image : NULL);
	forget_hits(o);
	o->head = s ? s->head : (struct oracle_head){.sp = UINT64_MAX};
}

static void release(void *state)
{
	struct state *s = state;
	cow_image_free(s->image);
	free(s);
}

static size_t bytes(const void *state)
{
	const struct state *s = state;
	return sizeof *s + cow_image_bytes(s->image);
}

static size_t fresh_bytes(const void *ctx)
{
	return cow_fresh_bytes(((const struct oracle *)ctx)->cow);
}

static uint64_t hash(const void *ctx)
{
	return oracle_hash(ctx);
}

/* ---- in a checkpoint: the head, then each chunk that is not all zeros ---- */
struct record {
	uint64_t chunk;
	uint8_t bytes[ORACLE_CHUNK];
};

static bool empty(const struct cow *c, uint32_t i)
{
	const void *chunk = cow_read(c, i);
	return chunk == c->zeros || !memcmp(chunk, c->zeros, ORACLE_CHUNK);
}

static void *pack(const void *ctx, size_t *n)
{
	const struct oracle *o = ctx;
	size_t records = 0;
	for (uint32_t i = 0; i < o->cow->chunks; i++)
		records += !empty(o->cow, i);
	*n = sizeof o->head + records * sizeof(struct record);
	uint8_t *to = malloc(*n);
	if (!to)
		return NULL;
	memcpy(to, &o->head, sizeof o->head);
	struct record *r = (struct record *)(void *)(to + sizeof o->head);
	for (uint32_t i = 0; i < o->cow->chunks; i++) {
		if (empty(o->cow, i))
			continue;
		r->chunk = i;
		memcpy(r->bytes, cow_read(o->cow, i), ORACLE_CHUNK);
		r++;
	}
	return to;
}

static bool fill(struct oracle *o, const uint8_t *bytes_, size_t n, struct err *err)
{
	uint64_t chunk;
	if (n < sizeof o->head || (n - sizeof o->head) % sizeof(struct record))
		return err_set(err, "the oracle's counts are cut off");
	memcpy(&o->head, bytes_, sizeof o->head);
	for (size_t at = sizeof o->head; at < n; at += sizeof(struct record)) {
		memcpy(&chunk, bytes_ + at, sizeof chunk);
		if (chunk >= o->cow->chunks)
			return err_set(err, "the oracle's counts don't fit oracle.memory");
		void *to = cow_write(o->cow, (uint32_t)chunk);
		if (!to)
			return err_set(err, "out of memory for the oracle's counts");
		memcpy(to, bytes_ + at + offsetof(struct record, bytes), ORACLE_CHUNK);
	}
	const char *wrong = oracle_check(o);
	return !wrong || err_set(err, "the oracle's counts are damaged: %s", wrong);
}

static bool unpack(void *ctx, const void *from, size_t n, struct err *err)
{
	struct oracle *o = ctx;
	restore(o, NULL);
	if (fill(o, from, n, err))
		return true;
	restore(o, NULL);
	return false;
}

const struct companion_ops oracle_companion = {
	.name = "oracle",
	.save = save,
	.restore = restore,
	.free = release,
	.bytes = bytes,
	.fresh_bytes = fresh_bytes,
	.hash = hash,
	.pack = pack,
	.unpack = unpack,
};
