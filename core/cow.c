#include "core/cow.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/hash.h"

enum { FAN_LOG2 = 6, FAN = 1 << FAN_LOG2 };

struct node {
	uint32_t refs;
	void *child[FAN]; /* struct chunk below height 1, else struct node; NULL: zeros */
};

struct chunk {
	uint32_t refs;
	_Alignas(16) uint8_t bytes[];
};

struct cow_image {
	uint32_t chunk_bytes;
	unsigned height;
	void *root;
};

/* Both kinds of block begin with their count. */
static uint32_t *refs_of(void *block)
{
	return block;
}

static void *share(void *block)
{
	if (block)
		++*refs_of(block);
	return block;
}

static void release(void *block, unsigned height)
{
	if (!block || --*refs_of(block))
		return;
	if (height) {
		struct node *n = block;
		for (unsigned i = 0; i < FAN; i++)
			release(n->child[i], height - 1);
	}
	free(block);
}

struct cow *cow_new(uint32_t chunk_bytes, uint32_t chunks)
{
	assert(chunk_bytes && chunk_bytes % 8 == 0 && chunks);
	struct cow *c = calloc(1, sizeof *c);
	if (!c)
		return NULL;
	c->chunk_bytes = chunk_bytes;
	c->chunks = chunks;
	while ((uint64_t)chunks > UINT64_C(1) << FAN_LOG2 * c->height)
		c->height++;
	c->own = calloc(chunks, sizeof *c->own);
	c->zeros = calloc(1, chunk_bytes);
	if (c->own && c->zeros)
		return c;
	cow_free(c);
	return NULL;
}

void cow_free(struct cow *c)
{
	if (!c)
		return;
	release(c->root, c->height);
	free(c->own);
	free(c->zeros);
	free(c);
}

static unsigned branch(uint32_t i, unsigned height)
{
	return i >> FAN_LOG2 * (height - 1) & (FAN - 1);
}

const void *cow_read(const struct cow *c, uint32_t i)
{
	assert(i < c->chunks);
	if (c->own[i])
		return c->own[i];
	void *block = c->root;
	for (unsigned h = c->height; block && h; h--)
		block = ((struct node *)block)->child[branch(i, h)];
	return block ? ((struct chunk *)block)->bytes : c->zeros;
}

/* Makes *slot a node of one reference; NULL if memory is out. */
static struct node *own_node(struct cow *c, void **slot)
{
	struct node *n = *slot;
	if (n && n->refs == 1)
		return n;
	struct node *fresh = calloc(1, sizeof *fresh);
	if (!fresh)
		return NULL;
	fresh->refs = 1;
	for (unsigned i = 0; n && i < FAN; i++)
		fresh->child[i] = share(n->child[i]);
	if (n)
		n->refs--;
	c->fresh += sizeof *fresh;
	*slot = fresh;
	return fresh;
}

static struct chunk *own_chunk(struct cow *c, void **slot)
{
	struct chunk *k = *slot;
	if (k && k->refs == 1)
		return k;
	struct chunk *fresh = malloc(sizeof *fresh + c->chunk_bytes);
	if (!fresh)
		return NULL;
	fresh->refs = 1;
	memcpy(fresh->bytes, k ? k->bytes : c->zeros, c->chunk_bytes);
	if (k)
		k->refs--;
	c->fresh += sizeof *fresh + c->chunk_bytes;
	*slot = fresh;
	return fresh;
}

void *cow_own(struct cow *c, uint32_t i)
{
	void **slot = &c->root;
	for (unsigned h = c->height; h; h--) {
		struct node *n = own_node(c, slot);
		if (!n)
			return NULL;
		slot = &n->child[branch(i, h)];
	}
	struct chunk *k = own_chunk(c, slot);
	if (!k)
		return NULL;
	c->own[i] = k->bytes;
	return k->bytes;
}

static void disown(struct cow *c)
{
	memset(c->own, 0, c->chunks * sizeof *c->own);
	c->fresh = 0;
}

struct cow_image *cow_keep(struct cow *c)
{
	struct cow_image *image = malloc(sizeof *image);
	if (!image)
		return NULL;
	*image = (struct cow_image){.chunk_bytes = c->chunk_bytes, .height = c->height, .root = share(c->root)};
	disown(c);
	return image;
}

void cow_restore(struct cow *c, const struct cow_image *image)
{
	assert(!image || (image->chunk_bytes == c->chunk_bytes && image->height == c->height));
	void *was = c->root;
	c->root = image ? share(image->root) : NULL;
	release(was, c->height);
	disown(c);
}

void cow_image_free(struct cow_image *image)
{
	if (!image)
		return;
	release(image->root, image->height);
	free(image);
}

/* With `alone`, of what has no other reference. */
static size_t tree_bytes(void *block, unsigned height, uint32_t chunk_bytes, bool alone)
{
	if (!block || (alone && *refs_of(block) > 1))
		return 0;
	if (!height)
		return sizeof(struct chunk) + chunk_bytes;
	const struct node *n = block;
	size_t bytes = sizeof *n;
	for (unsigned i = 0; i < FAN; i++)
		bytes += tree_bytes(n->child[i], height - 1, chunk_bytes, alone);
	return bytes;
}

size_t cow_image_bytes(const struct cow_image *image)
{
	return sizeof *image + tree_bytes(image->root, image->height, image->chunk_bytes, true);
}

size_t cow_bytes(const struct cow *c)
{
	return sizeof *c + c->chunks * sizeof *c->own + c->chunk_bytes +
	       tree_bytes(c->root, c->height, c->chunk_bytes, false);
}

uint64_t cow_hash(const struct cow *c)
{
	uint64_t hash = 0;
	for (uint32_t i = 0; i < c->chunks; i++) {
		const uint8_t *bytes = cow_read(c, i);
		if (bytes == c->zeros || !memcmp(bytes, c->zeros, c->chunk_bytes))
			continue;
		hash += hash_words(hash_word(HASH_WORDS_START, i), bytes, c->chunk_bytes);
	}
	return hash;
}
