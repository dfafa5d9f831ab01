#include "scripting/host/state_map.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"

static uint64_t map_hash_bytes(uint64_t h, const void *bytes, size_t n)
{
	const uint8_t *b = bytes;
	for (size_t i = 0; i < n; i++)
		h = (h ^ b[i]) * UINT64_C(0x100000001b3);
	return h;
}

static uint32_t map_key_priority(const void *key, size_t n)
{
	uint64_t h = map_hash_bytes(UINT64_C(0xcbf29ce484222325), key, n);
	h = (h ^ h >> 31) * UINT64_C(0x9e3779b97f4a7c15);
	return (uint32_t)(h >> 32);
}

static int map_compare_key(const void *key, size_t n, const struct map_node *node)
{
	size_t least = n < node->key_n ? n : node->key_n;
	int c = memcmp(key, node->bytes, least);
	return c ? c : n < node->key_n ? -1 : n > node->key_n;
}

/* Whether a belongs above b. */
static bool map_node_is_above(const struct map_node *a, const struct map_node *b)
{
	if (a->priority != b->priority)
		return a->priority > b->priority;
	return map_compare_key(a->bytes, a->key_n, b) < 0;
}

struct map_node *map_keep(struct map_node *root)
{
	if (root)
		root->refs++;
	return root;
}

/* Recursion is shallow: the tree's depth is logarithmic in its size. */
void map_drop(struct map_node *root)
{
	while (root && !--root->refs) {
		struct map_node *right = root->right;
		map_drop(root->left);
		free(root);
		root = right;
	}
}

static struct map_node *new_node(struct map *m, const void *key, size_t key_n, const void *value,
                                 size_t value_n)
{
	struct map_node *n = alloc_bytes(sizeof *n + key_n + value_n);
	if (!n)
		return NULL;
	*n = (struct map_node){.refs = 1,
	                       .priority = map_key_priority(key, key_n),
	                       .key_n = (uint32_t)key_n,
	                       .value_n = (uint32_t)value_n};
	memcpy(n->bytes, key, key_n);
	if (value_n)
		memcpy(n->bytes + key_n, value, value_n);
	m->fresh += sizeof *n + key_n + value_n;
	return n;
}

/* Copies the node at *at if it is shared with another map. */
static bool map_unshare_node(struct map *m, struct map_node **at)
{
	struct map_node *n = *at;
	if (n->refs == 1)
		return true;
	struct map_node *copy = new_node(m, n->bytes, n->key_n, map_value(n), n->value_n);
	if (!copy)
		return false;
	copy->left = map_keep(n->left);
	copy->right = map_keep(n->right);
	n->refs--;
	*at = copy;
	return true;
}

/* Neither node may be shared. */
static void map_rotate_node(struct map_node **at, bool left_up)
{
	struct map_node *n = *at, *up = left_up ? n->left : n->right;
	if (left_up) {
		n->left = up->right;
		up->right = n;
	} else {
		n->right = up->left;
		up->left = n;
	}
	*at = up;
}

static bool map_insert_node(struct map *m, struct map_node **at, struct map_node *fresh)
{
	if (!*at) {
		*at = fresh;
		return true;
	}
	if (!map_unshare_node(m, at))
		return false;
	int c = map_compare_key(fresh->bytes, fresh->key_n, *at);
	if (!c) {
		struct map_node *was = *at;
		fresh->left = was->left;
		fresh->right = was->right;
		free(was);
		*at = fresh;
		return true;
	}
	struct map_node **child = c < 0 ? &(*at)->left : &(*at)->right;
	if (!map_insert_node(m, child, fresh))
		return false;
	if (map_node_is_above(*child, *at))
		map_rotate_node(at, c < 0);
	return true;
}

bool map_set(struct map *m, const void *key, size_t key_n, const void *value, size_t value_n)
{
	struct map_node *fresh = new_node(m, key, key_n, value, value_n);
	if (fresh && map_insert_node(m, &m->root, fresh))
		return true;
	free(fresh);
	return false;
}

/* Merges the subtrees of a node that is removed. */
static bool map_merge_subtrees(struct map *m, struct map_node **at, struct map_node *left,
                               struct map_node *right)
{
	if (!left || !right) {
		*at = left ? left : right;
		return true;
	}
	bool left_up = map_node_is_above(left, right);
	*at = left_up ? left : right;
	if (!map_unshare_node(m, at))
		return false;
	struct map_node **child = left_up ? &(*at)->right : &(*at)->left;
	return map_merge_subtrees(m, child, left_up ? *child : left, left_up ? right : *child);
}

static bool remove_key(struct map *m, struct map_node **at, const void *key, size_t n)
{
	if (!*at)
		return true;
	if (!map_unshare_node(m, at))
		return false;
	struct map_node *node = *at;
	int c = map_compare_key(key, n, node);
	if (c)
		return remove_key(m, c < 0 ? &node->left : &node->right, key, n);
	if (!map_merge_subtrees(m, at, node->left, node->right))
		return false;
	free(node);
	return true;
}

static bool begins_with(const struct map_node *node, const void *prefix, size_t n)
{
	return node->key_n >= n && !memcmp(node->bytes, prefix, n);
}

bool map_remove(struct map *m, const void *prefix, size_t n)
{
	for (;;) {
		const struct map_node *node = map_get(m->root, prefix, n);
		if (!node)
			node = map_after(m->root, prefix, n, false);
		if (!node || !begins_with(node, prefix, n))
			return true;
		const size_t key_n = node->key_n; /* copy the key: the node is freed */
		uint8_t *key = alloc_bytes(key_n + 1);
		if (!key)
			return false;
		memcpy(key, node->bytes, key_n);
		bool removed = remove_key(m, &m->root, key, key_n);
		free(key);
		if (!removed)
			return false;
	}
}

const struct map_node *map_get(const struct map_node *root, const void *key, size_t n)
{
	while (root) {
		int c = map_compare_key(key, n, root);
		if (!c)
			return root;
		root = c < 0 ? root->left : root->right;
	}
	return NULL;
}

const struct map_node *map_after(const struct map_node *root, const void *key, size_t n,
                                 bool behind_prefix)
{
	const struct map_node *found = NULL;
	while (root) {
		bool behind = map_compare_key(key, n, root) < 0 &&
		              !(behind_prefix && begins_with(root, key, n));
		if (behind)
			found = root;
		root = behind ? root->left : root->right;
	}
	return found;
}

uint64_t map_hash(const struct map_node *root)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);
	for (const struct map_node *n = map_after(root, "", 0, false); n;
	     n = map_after(root, n->bytes, n->key_n, false)) {
		h = map_hash_bytes(h, &n->key_n, sizeof n->key_n);
		h = map_hash_bytes(h, &n->value_n, sizeof n->value_n);
		h = map_hash_bytes(h, n->bytes, n->key_n + (size_t)n->value_n);
	}
	return h;
}
