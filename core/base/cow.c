#include "core/base/cow.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/hash.h"

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
	struct memory_account *ledger; /* a reference */
	uint32_t chunk_bytes;
	unsigned height;
	void *root;
	size_t reach; /* bytes below root */
};

/* Both kinds of block begin with their reference count. */
static uint32_t *refs_of(void *block)
{
	return block;
}

static void *cow_share_block(void *block)
{
	if (block)
		++*refs_of(block);
	return block;
}

static size_t cow_block_bytes(unsigned height, uint32_t chunk_bytes)
{
	return height ? sizeof(struct node) : sizeof(struct chunk) + chunk_bytes;
}

static void cow_release_block(struct memory_account *ledger, void *block, unsigned height,
                              uint32_t chunk_bytes)
{
	if (!block || --*refs_of(block))
		return;
	if (height) {
		struct node *n = block;
		for (unsigned i = 0; i < FAN; i++)
			cow_release_block(ledger, n->child[i], height - 1, chunk_bytes);
	}
	memory_account_give(ledger, cow_block_bytes(height, chunk_bytes));
	free(block);
}

struct cow *cow_new(uint32_t chunk_bytes, uint32_t chunks)
{
	assert(chunk_bytes && chunk_bytes % 8 == 0 && chunks);
	struct cow *c = alloc_zeroed(1, sizeof *c);
	if (!c)
		return NULL;
	c->chunk_bytes = chunk_bytes;
	c->chunks = chunks;
	while ((uint64_t)chunks > UINT64_C(1) << FAN_LOG2 * c->height)
		c->height++;
	c->own = alloc_zeroed(chunks, sizeof *c->own);
	c->zeros = alloc_zeroed(1, chunk_bytes);
	c->ledger = memory_account_new();
	if (c->own && c->zeros && c->ledger)
		return c;
	cow_free(c);
	return NULL;
}

void cow_free(struct cow *c)
{
	if (!c)
		return;
	cow_release_block(c->ledger, c->root, c->height, c->chunk_bytes);
	memory_account_drop(c->ledger);
	free(c->own);
	free(c->zeros);
	free(c);
}

static unsigned cow_child_index(uint32_t i, unsigned height)
{
	return i >> FAN_LOG2 * (height - 1) & (FAN - 1);
}

static const void *cow_find_chunk(const void *block, unsigned height, uint32_t i)
{
	for (unsigned h = height; block && h; h--)
		block = ((const struct node *)block)->child[cow_child_index(i, h)];
	return block ? ((const struct chunk *)block)->bytes : NULL;
}

const void *cow_read(const struct cow *c, uint32_t i)
{
	assert(i < c->chunks);
	if (c->own[i])
		return c->own[i];
	const void *bytes = cow_find_chunk(c->root, c->height, i);
	return bytes ? bytes : c->zeros;
}

const void *cow_image_read(const struct cow_image *image, uint32_t i)
{
	return cow_find_chunk(image->root, image->height, i);
}

/* Makes *slot a node with one reference; NULL if memory is out. */
static struct node *own_node(struct cow *c, void **slot)
{
	struct node *n = *slot;
	if (n && n->refs == 1)
		return n;
	/* on failure the machine waits and tries again */
	struct node *fresh = alloc_try_zeroed(1, sizeof *fresh);
	if (!fresh)
		return NULL;
	fresh->refs = 1;
	for (unsigned i = 0; n && i < FAN; i++)
		fresh->child[i] = cow_share_block(n->child[i]);
	if (n)
		n->refs--;
	else
		c->reach += sizeof *fresh;
	memory_account_take(c->ledger, sizeof *fresh);
	*slot = fresh;
	return fresh;
}

static struct chunk *own_chunk(struct cow *c, void **slot)
{
	struct chunk *k = *slot;
	if (k && k->refs == 1)
		return k;
	/* on failure the machine waits and tries again */
	struct chunk *fresh = alloc_try_bytes(sizeof *fresh + c->chunk_bytes);
	if (!fresh)
		return NULL;
	fresh->refs = 1;
	memcpy(fresh->bytes, k ? k->bytes : c->zeros, c->chunk_bytes);
	if (k)
		k->refs--;
	else
		c->reach += cow_block_bytes(0, c->chunk_bytes);
	memory_account_take(c->ledger, cow_block_bytes(0, c->chunk_bytes));
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
		slot = &n->child[cow_child_index(i, h)];
	}
	struct chunk *k = own_chunk(c, slot);
	if (!k)
		return NULL;
	c->own[i] = k->bytes;
	return k->bytes;
}

static void cow_clear_ownership(struct cow *c)
{
	memset(c->own, 0, c->chunks * sizeof *c->own);
}

struct cow_image *cow_keep(struct cow *c)
{
	/* on failure history is thinned */
	struct cow_image *image = alloc_try_bytes(sizeof *image);
	if (!image)
		return NULL;
	*image = (struct cow_image){
		.ledger = memory_account_share(c->ledger),
		.chunk_bytes = c->chunk_bytes,
		.height = c->height,
		.root = cow_share_block(c->root),
		.reach = c->reach,
	};
	memory_account_take(c->ledger, sizeof *image);
	cow_clear_ownership(c);
	return image;
}

void cow_restore(struct cow *c, const struct cow_image *image)
{
	assert(!image || (image->chunk_bytes == c->chunk_bytes && image->height == c->height));
	void *was = c->root;
	c->root = image ? cow_share_block(image->root) : NULL;
	c->reach = image ? image->reach : 0;
	cow_release_block(c->ledger, was, c->height, c->chunk_bytes);
	if (image && image->ledger != c->ledger) {
		memory_account_drop(c->ledger);
		c->ledger = memory_account_share(image->ledger);
	}
	cow_clear_ownership(c);
}

void cow_image_free(struct cow_image *image)
{
	if (!image)
		return;
	cow_release_block(image->ledger, image->root, image->height, image->chunk_bytes);
	memory_account_give(image->ledger, sizeof *image);
	memory_account_drop(image->ledger);
	free(image);
}

static void cow_diff_blocks(const void *a, const void *b, unsigned height, uint32_t first,
                            void (*tell)(void *ctx, uint32_t i), void *ctx)
{
	if (a == b)
		return;
	if (!height) {
		tell(ctx, first);
		return;
	}
	const struct node *x = a, *y = b;
	for (unsigned i = 0; i < FAN; i++)
		cow_diff_blocks(x ? x->child[i] : NULL, y ? y->child[i] : NULL, height - 1,
		                first + (i << FAN_LOG2 * (height - 1)), tell, ctx);
}

void cow_differences(const struct cow *c, const struct cow_image *image,
                     void (*tell)(void *ctx, uint32_t i), void *ctx)
{
	assert(image->chunk_bytes == c->chunk_bytes && image->height == c->height);
	cow_diff_blocks(c->root, image->root, c->height, 0, tell, ctx);
}

static void cow_walk_blocks(const void *block, unsigned height, uint32_t chunk_bytes,
                            const struct ledger_walk *w)
{
	if (!block || !ledger_visit(w, block, cow_block_bytes(height, chunk_bytes)) || !height)
		return;
	const struct node *n = block;
	for (unsigned i = 0; i < FAN; i++)
		cow_walk_blocks(n->child[i], height - 1, chunk_bytes, w);
}

void cow_walk(const struct cow *c, const struct ledger_walk *w)
{
	cow_walk_blocks(c->root, c->height, c->chunk_bytes, w);
}

void cow_image_walk(const struct cow_image *image, const struct ledger_walk *w)
{
	if (ledger_visit(w, image, sizeof *image))
		cow_walk_blocks(image->root, image->height, image->chunk_bytes, w);
}

size_t cow_bytes(const struct cow *c)
{
	return sizeof *c + c->chunks * sizeof *c->own + c->chunk_bytes + c->reach;
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
