/* An ordered map whose states are cheap to keep: they share unchanged parts. Used for scripts'
 * declared variables (scripting/api/state.c).
 *
 * A map is its root; equal contents have equal shapes, whatever their history. */
#ifndef CYCLOPS_SCRIPTING_HOST_STATE_MAP_H
#define CYCLOPS_SCRIPTING_HOST_STATE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map_node {
	struct map_node *left, *right;
	uint32_t refs;
	uint32_t priority;  /* digest of the key: a parent's is >= its children's */
	uint32_t key_n, value_n; /* bytes */
	uint8_t bytes[];    /* the key, then the value */
};

struct map {
	struct map_node *root; /* owns a reference; NULL: empty */
	size_t fresh;          /* bytes allocated since it was zeroed */
};

static inline const uint8_t *map_value(const struct map_node *n)
{
	return n->bytes + n->key_n;
}

/* Takes another reference to a map; drops one. */
struct map_node *map_keep(struct map_node *root);
void map_drop(struct map_node *root);

/* Sets a key. False if memory is out: the map is unchanged. */
bool map_set(struct map *m, const void *key, size_t key_n, const void *value, size_t value_n);
/* Removes the key `prefix` and all keys that begin with it. False if memory is out: other keys may
 * be lost, too. */
bool map_remove(struct map *m, const void *prefix, size_t n);

/* The node of a key; NULL if there is none. */
const struct map_node *map_get(const struct map_node *root, const void *key, size_t n);
/* The first node after a key, or after all keys with it as prefix. */
const struct map_node *map_after(const struct map_node *root, const void *key, size_t n,
                                 bool behind_prefix);

/* A digest of the contents: equal for equal contents. */
uint64_t map_hash(const struct map_node *root);

#endif
